/**
 * What a process looks like from outside, by /proc of Linux: enough to tell whether foreign native code left something behind in
 * it. Read by the host, because a child's own word is worth nothing after such code ran in it.
 *
 *   threads      all ids, and where each waits: system call and library. A parked pool of OpenMP waits in its runtime's futex; a
 *                thread that runs, or waits elsewhere than before, is not known
 *   descriptors  number and what it is
 *   mappings     see `strange` below
 *   signals      blocked, ignored and caught ones; POSIX timers
 */
import { readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";

interface Mapping {
  readonly from: number;
  readonly to: number;
  readonly rights: string;
  /** Empty: no file. */
  readonly path: string;
}

export interface ChildLook {
  /** By thread id, as in /proc: system call, six arguments, stack and program counter; or `running`. */
  readonly threads: ReadonlyMap<string, string>;
  readonly descriptors: readonly string[];
  readonly maps: string;
  readonly signals: string;
  readonly timers: string;
}

/** A difference from before. `passing`: it may vanish in a moment. */
interface LeftBehind {
  readonly what: string;
  readonly passing: boolean;
}

/** Undefined when the process is gone, or the system does not show it. Of a process in bubblewrap: of the one inside. */
export function lookAt(leader: number): ChildLook | undefined {
  try {
    const pid = innermost(leader);
    const of = (name: string): string => readFileSync(`/proc/${pid}/${name}`, "utf8");
    const threads = new Map(readdirSync(`/proc/${pid}/task`).map((id) => [id, of(`task/${id}/syscall`).trim()]));
    const descriptors = readdirSync(`/proc/${pid}/fd`).map((fd) => `${fd} ${readlinkSync(`/proc/${pid}/fd/${fd}`)}`);
    const [signals = ""] = /^SigBlk:[\s\S]*?^SigCgt:.*$/m.exec(of("status")) ?? [];
    return { threads, descriptors, maps: of("maps"), signals, timers: timersOf(pid) };
  } catch {
    return undefined;
  }
}

const ourProgram = realpathSync(process.execPath);

/** bubblewrap is the first process of its group, starts another one of itself, and that one ours. */
function innermost(leader: number): number {
  if (readlinkSync(`/proc/${leader}/exe`) === ourProgram) return leader;
  const group = readdirSync("/proc").flatMap((name) => {
    const stat = /^\d+$/.test(name) ? statOf(name) : undefined;
    return stat?.group === leader ? [{ pid: Number(name), parent: stat.parent }] : [];
  });
  const parents = new Set(group.map(({ parent }) => parent));
  return group.find(({ pid }) => !parents.has(pid))?.pid ?? leader;
}

function statOf(pid: string): { readonly parent: number; readonly group: number } | undefined {
  try {
    // `pid (name) state parent group`; a name may have brackets.
    const words = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return { parent: Number(words[1]), group: Number(words[2]) };
  } catch {
    return undefined;
  }
}

/** Kernels without checkpoints do not list timers. */
function timersOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/timers`, "utf8");
  } catch {
    return "";
  }
}

/** `7f5c1000-7f5c2000 r-xp 00001000 fe:01 1234   /usr/lib/libc.so.6`; addresses are below 2^47. */
function mappingsOf(text: string): readonly Mapping[] {
  return [...text.matchAll(/^(\w+)-(\w+) (\S{4}) \w+ \S+ \d+ *(.*)$/gm)].map(
    ([, from = "", to = "", rights = "", path = ""]) => ({
      from: Number.parseInt(from, 16),
      to: Number.parseInt(to, 16),
      rights,
      path,
    }),
  );
}

const running = "running";

/** From `202 0x12b24f34 0x80 ... 0x7fb05ccb8d98 0x7fb08405c64e`: the call, and the library whose code made it. */
function placeOf(syscall: string, mappings: readonly Mapping[]): string {
  const words = syscall.split(" ");
  const [call = ""] = words;
  if (words.length < 3) return running;
  const at = Number(words.at(-1));
  const library = mappings.find(({ from, to }) => from <= at && at < to)?.path ?? "";
  return `in call ${call} of ${library}`;
}

/** Undefined when nothing is left behind. */
export function leftBehind(before: ChildLook, now: ChildLook): LeftBehind | undefined {
  const lasting = (what: string): LeftBehind => ({ what, passing: false });
  const descriptor = firstOther(before.descriptors, now.descriptors);
  if (descriptor !== undefined) return lasting(`descriptor ${descriptor}`);
  if (now.signals !== before.signals) return lasting("how it handles signals");
  if (now.timers !== before.timers) return lasting("a timer");
  // Usually nothing has changed, and nothing needs to be parsed.
  const [old, present] = [before, now].map(({ maps }) =>
    before.maps === now.maps && sameCalls(before, now) ? [] : mappingsOf(maps),
  );
  const mapping = strange(old ?? [], present ?? []);
  if (mapping !== undefined) return lasting(`mapping ${mapping}`);
  for (const id of before.threads.keys()) if (!now.threads.has(id)) return lasting(`the end of thread ${id}`);
  for (const [id, syscall] of now.threads) {
    const known = before.threads.get(id);
    if (known !== undefined && callOf(known) === callOf(syscall) && syscall !== running) continue;
    const place = placeOf(syscall, present ?? []);
    if (known === undefined || place === running || place !== placeOf(known, old ?? []))
      return { what: `thread ${id}, ${place}`, passing: true };
  }
  return undefined;
}

function callOf(syscall: string): string {
  const words = syscall.split(" ");
  return `${words[0]} ${words.at(-1)}`;
}
const sameCalls = (before: ChildLook, now: ChildLook): boolean =>
  [...now.threads].every(([id, syscall]) => syscall !== running && callOf(before.threads.get(id) ?? "") === callOf(syscall));

function firstOther(before: readonly string[], now: readonly string[]): string | undefined {
  const [old, present] = [new Set(before), new Set(now)];
  return now.find((one) => !old.has(one)) ?? before.find((one) => !present.has(one));
}

/** GuardedMemory has this much inaccessible memory on each side (device/cpu/guarded-memory.ts of the runner). */
const guardBytes = 2 ** 34;
/** V8 takes memory in pages of this size and alignment. */
const v8Page = 2 ** 18;

/** glibc's malloc gives a thread a heap of this size and alignment, of which it uses the beginning. */
const threadHeap = 2 ** 26;

const isGuard = (m: Mapping | undefined): boolean => m?.rights === "---p" && m.path === "" && m.to - m.from >= guardBytes;

/**
 * The first mapping that a job of our own code would not have made: a file's (a library), a shared one, or memory. The process
 * itself makes and drops these: malloc's heap, V8's pages and the ranges that it had reserved before, and buffers between guards.
 */
function strange(before: readonly Mapping[], now: readonly Mapping[]): string | undefined {
  const name = ({ from, to, rights, path }: Mapping): string =>
    `${from.toString(16)}-${to.toString(16)} ${rights} ${path}`.trim();
  const known = new Set(before.map(name));
  const own = before.filter(({ path, rights }) => path === "" && rights.endsWith("p"));
  for (const [i, mapping] of now.entries()) {
    if (known.has(name(mapping)) || (/^\[(?:heap|stack)\]$/.test(mapping.path) && mapping.rights === "rw-p")) continue;
    if (mapping.path !== "" || !mapping.rights.endsWith("p")) return name(mapping);
    if (isThreadHeap(mapping, now[i + 1]) || isThreadHeap(now[i - 1], mapping)) continue;
    if (isGuard(mapping) || (isGuard(now[i - 1]) && isGuard(now[i + 1]))) continue;
    const isV8s = ({ from, to }: Range): boolean => from % v8Page === 0 && to % v8Page === 0 && !mapping.rights.includes("x");
    if (!without(mapping, own).every(isV8s)) return name(mapping);
  }
  const present = new Set(now.map(name));
  const gone = before.find((mapping) => mapping.path.startsWith("/") && !present.has(name(mapping)));
  return gone && name(gone);
}

/** Whether these are both parts of a thread's heap. */
function isThreadHeap(used: Mapping | undefined, rest: Mapping | undefined): boolean {
  const isPart = used?.rights === "rw-p" && used.path === "" && used.from % threadHeap === 0;
  return isPart && rest?.rights === "---p" && rest.from === used.to && rest.to === used.from + threadHeap;
}

type Range = Pick<Mapping, "from" | "to">;

function without(range: Range, others: readonly Range[]): readonly Range[] {
  const parts: Range[] = [];
  let { from } = range;
  for (const other of others) {
    if (other.to <= from || other.from >= range.to) continue;
    if (other.from > from) parts.push({ from, to: other.from });
    from = other.to;
  }
  return from < range.to ? [...parts, { from, to: range.to }] : parts;
}
