/**
 * Notices that the timing lock (host-lock.ts) does not come: its holders end by deadlines of their own, so one that keeps it is stopped, or
 * none of ours. Waiting goes on; why, and for whom, is said until the lock has come. Holders are named where the kernel tells (Linux).
 */
import { readFileSync, statSync } from "node:fs";
import { timingLock } from "./host-lock.ts";

export interface LockPatienceOptions {
  /** Directory of the lock. */
  readonly directory: string;
  /** Told that `trouble` changed. */
  readonly onChange: () => void;
  /** Longer than compiles and timed runs usually take. Unset = half a minute. */
  readonly patienceMs?: number;
}

export class LockPatience {
  readonly #options: LockPatienceOptions;
  #overdue = 0;
  #trouble = "";

  constructor(options: LockPatienceOptions) {
    this.#options = options;
  }

  /** Why nothing goes on here; empty = well. */
  get trouble(): string {
    return this.#trouble;
  }

  /** Somebody waits for the lock, until this is disposed. */
  waiting(): Disposable {
    const { directory, onChange, patienceMs = 30_000 } = this.#options;
    let isOverdue = false;
    let ended = false;
    const timer = setTimeout(() => {
      isOverdue = true;
      if (this.#overdue++ > 0) return;
      const path = timingLock(directory);
      this.#trouble = `${path} has not been free for ${patienceMs / 1000} s: ${holdersOf(path)}; nothing is compiled or timed here until it is`;
      onChange();
    }, patienceMs);
    timer.unref();
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
}

/** From /proc/locks: `1: FLOCK  ADVISORY  WRITE 708 fe:01:3941 0 EOF`; whoever waits has an arrow before FLOCK. */
function holdersOf(path: string): string {
  try {
    const { ino } = statSync(path);
    const found = [...readFileSync("/proc/locks", "utf8").matchAll(/^\d+: FLOCK +\S+ +\S+ +(\d+) \w+:\w+:(\d+) /gm)];
    const pids = new Set(found.filter(([, , inode]) => inode === String(ino)).map(([, pid]) => pid));
    // A holder in another container has no number here.
    pids.delete("0");
    if (pids.size > 0) return `process ${[...pids].join(", ")} holds it; end what is stopped or hangs`;
  } catch {
    // No such file, or a system that does not tell.
  }
  return "a process of this host holds it (lslocks says which); end what is stopped or hangs";
}
