/**
 * Finds out which layers of the sandbox this machine has. "It has none" must be an answer of the kernel or of bwrap. A probe that
 * is killed, late or fails in another way is repeated, and then this is an error: a sandbox that could not be probed is never
 * taken for a missing one.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { after, type Clock, systemClock } from "../../clock.ts";
import { FarmError } from "../../farm-error.ts";
import { executableOn } from "../executable-on.ts";
import { moduleBeside } from "../module-beside.ts";
import { killGroup, trackGroup } from "../process-group.ts";
import { bubblewrapProbe } from "./bubblewrap.ts";
import { findPidsGroup } from "./cgroup.ts";
import type { LaunchOrder, Probed } from "./launch.ts";
import type { Layers } from "./sandbox.ts";

interface FindOptions {
  readonly koffi: string;
  readonly searchPath: string;
  /** The time for one try of a probe. Unset: two minutes. */
  readonly deadlineMs?: number;
  /** A program in place of the launcher; for tests. */
  readonly launcher?: string;
}

const minutesMs = 120_000;
const repeats = 3;

/** How a probe ended. `killed` has the signal, or says that it was late. */
type Ended =
  | { readonly kind: "exited"; readonly code: number; readonly output: string; readonly said: string }
  | { readonly kind: "no answer"; readonly why: string };

/** The layers of this machine. Throws FarmError UNAVAILABLE, with the probe's words, when that could not be found out. */
export async function findLayers(options: FindOptions): Promise<Layers> {
  if (process.platform !== "linux")
    return { landlock: 0, seccomp: false, missing: [`there are no sandboxes on ${process.platform}`] };
  const { deadlineMs = minutesMs, launcher = moduleBeside(import.meta.url, "launch") } = options;
  const { landlock, seccomp, processes } = await probeKernel(options.koffi, launcher, deadlineMs);
  const missing: string[] = [];
  if (landlock === 0) missing.push("this kernel has no Landlock (Linux 5.13 and later, with landlock among its lsm=)");
  if (!seccomp) missing.push(`no seccomp filter for ${process.arch} could be set`);
  const bubblewrap = await probeBubblewrap(options.searchPath, deadlineMs);
  if ("why" in bubblewrap) missing.push(bubblewrap.why);
  const groups = findPidsGroup();
  if (groups === undefined && !processes)
    missing.push(
      "processes of children cannot be limited: they are root's, who may not become another user, and there is no pids cgroup to write",
    );
  return {
    landlock,
    seccomp,
    ...(groups !== undefined ? { processes: { groups } } : processes ? { processes: "rlimit" as const } : {}),
    ...("path" in bubblewrap ? { bubblewrap: bubblewrap.path } : {}),
    missing,
  };
}

async function probeKernel(koffi: string, launcher: string, deadlineMs: number): Promise<Probed> {
  const order: LaunchOrder = { koffi, probe: true };
  const ask = async (): Promise<Probed | string> => {
    const ended = await run(process.execPath, [launcher, JSON.stringify(order)], deadlineMs);
    if (ended.kind === "no answer") return ended.why;
    if (ended.code !== 0) return `it exited with code ${ended.code}: ${wordsOf(ended.said)}`;
    try {
      return JSON.parse(ended.output) as Probed;
    } catch {
      return `it answered ${JSON.stringify(ended.output.trim().slice(0, 200))}`;
    }
  };
  return untilAnswered("the kernel's", ask);
}

type FoundBubblewrap = { readonly path: string } | { readonly why: string };

async function probeBubblewrap(searchPath: string, deadlineMs: number): Promise<FoundBubblewrap> {
  const path = executableOn(searchPath, "bwrap");
  if (path === undefined) return { why: "no bwrap on the path" };
  const ask = async (): Promise<FoundBubblewrap | string> => {
    const ended = await run(path, bubblewrapProbe(), deadlineMs);
    if (ended.kind === "no answer") return ended.why;
    if (ended.code === 0) return { path };
    return { why: `${path} cannot make namespaces here: ${ended.said.trim().split("\n")[0] || `it ended with ${ended.code}`}` };
  };
  return untilAnswered("bubblewrap's", ask);
}

async function untilAnswered<A extends object>(whose: string, ask: () => Promise<A | string>): Promise<A> {
  for (let tries = 0; ; tries++) {
    const answer = await ask();
    if (typeof answer !== "string") return answer;
    if (tries < repeats) continue;
    throw new FarmError(
      "UNAVAILABLE",
      `could not find out whether this machine has a sandbox for compilers and CPU kernels: ${whose} probe failed ${tries + 1} times, last: ${answer}; start again when the machine is well; builder and runner start without one when they are given --no-sandbox`,
    );
  }
}

function run(
  command: string,
  args: readonly string[],
  deadlineMs: number,
  clock: Pick<Clock, "sleep"> = systemClock,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env: {}, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const none = (why: string): void => resolve({ kind: "no answer", why });
    if (child.pid !== undefined) trackGroup(child.pid);
    const deadline = after(clock, deadlineMs, () => {
      end(child);
      none(`it did not end within ${deadlineMs} ms`);
    });
    let [output, said] = ["", ""];
    child.stdout.on("data", (bytes: Buffer) => (output += bytes.toString()));
    child.stderr.on("data", (bytes: Buffer) => (said = (said + bytes.toString()).slice(-4096)));
    child.once("error", (error) => none(error.message));
    child.once("close", (code, signal) => {
      deadline[Symbol.dispose]();
      end(child);
      if (code === null) none(`it was ended by ${signal}${said.trim() === "" ? "" : `: ${wordsOf(said)}`}`);
      else resolve({ kind: "exited", code, output, said });
    });
  });
}

const end = ({ pid }: ChildProcess): void => {
  if (pid !== undefined) killGroup(pid);
};

/** The line of an error in what Node writes about one, otherwise the last line. */
function wordsOf(said: string): string {
  const lines = said.trim().split("\n");
  return lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1) ?? "";
}
