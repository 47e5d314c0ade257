/**
 * Reports when the timing lock (host-lock.ts) does not become free. Holders end by deadlines of their own, so a process that
 * keeps the lock is stopped, or does not belong to a farm. Waiting continues, and the trouble names the holders until the lock is
 * free; the kernel knows them on Linux. A client may allow a compile or a kernel more time than the patience of others. The
 * holder's supervisor then leaves a note with its deadline beside the lock, and nobody reports trouble before that.
 */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemClock } from "../clock.ts";
import { timingLock } from "./host-lock.ts";

const usualPatienceMs = 30_000;

interface LockPatienceOptions {
  readonly directory: string;
  readonly onChange: () => void;
  /** Longer than compiles and timed runs usually take. Unset = 30 seconds. */
  readonly patienceMs?: number;
}

export class LockPatience {
  readonly #options: LockPatienceOptions;
  #overdue = 0;
  #notes = 0;
  #trouble = "";

  constructor(options: LockPatienceOptions) {
    this.#options = options;
  }

  /** Why nothing can be compiled or timed here; empty: no trouble. */
  get trouble(): string {
    return this.#trouble;
  }

  /** Announces that a child waits for the lock until this is disposed. */
  waiting(): Disposable {
    const { directory, onChange, patienceMs = usualPatienceMs } = this.#options;
    let isOverdue = false;
    let ended = false;
    let timer: NodeJS.Timeout | undefined;
    const arm = (ms: number): void => {
      timer = setTimeout(look, ms);
      timer.unref();
    };
    const look = (): void => {
      const leftMs = lastDeadline(directory) - systemClock.now();
      if (leftMs > 0) {
        arm(leftMs + patienceMs);
        return;
      }
      isOverdue = true;
      if (this.#overdue++ > 0) return;
      const path = timingLock(directory);
      this.#trouble = `${path} has not been free for ${patienceMs / 1000} s: ${holdersOf(path)}; nothing is compiled or timed here until it is`;
      onChange();
    };
    arm(patienceMs);
    return {
      [Symbol.dispose]: () => {
        clearTimeout(timer);
        if (ended) return;
        ended = true;
        if (!isOverdue || --this.#overdue > 0) return;
        this.#trouble = "";
        onChange();
      },
    };
  }

  /** Announces that a child of this process holds the lock until this is disposed; the child is killed after `ms`. */
  holding(ms: number): Disposable {
    const { directory, patienceMs = usualPatienceMs } = this.#options;
    if (ms <= patienceMs) return { [Symbol.dispose]() {} };
    const note = `${noteName(directory)}${process.pid}-${++this.#notes}`;
    try {
      writeFileSync(note, String(systemClock.now() + ms));
    } catch {
      // Without the note, others only report that they wait.
    }
    return { [Symbol.dispose]: () => rmSync(note, { force: true }) };
  }
}

const noteName = (directory: string): string => `${timingLock(directory)}.until-`;

/** Unix milliseconds of the latest deadline in a note; 0 without notes. */
function lastDeadline(directory: string): number {
  const prefix = noteName(directory);
  let last = 0;
  try {
    for (const name of readdirSync(dirname(prefix)))
      if (name.startsWith(basename(prefix))) last = Math.max(last, Number(readFileSync(join(directory, name), "utf8")) || 0);
  } catch {
    // The note was removed meanwhile, or there is no directory.
  }
  return last;
}

/** From /proc/locks: `1: FLOCK  ADVISORY  WRITE 708 fe:01:3941 0 EOF`; a waiting process has an arrow before FLOCK. */
function holdersOf(path: string): string {
  try {
    const { ino } = statSync(path);
    const found = [...readFileSync("/proc/locks", "utf8").matchAll(/^\d+: FLOCK +\S+ +\S+ +(\d+) \w+:\w+:(\d+) /gm)];
    const pids = new Set(found.filter(([, , inode]) => inode === String(ino)).map(([, pid]) => pid));
    // A holder in another container has no pid here.
    pids.delete("0");
    if (pids.size > 0) return `process ${[...pids].join(", ")} holds it; end what is stopped or hangs`;
  } catch {
    // There is no such file, or the system does not name holders.
  }
  return "a process of this host holds it (lslocks says which); end what is stopped or hangs";
}
