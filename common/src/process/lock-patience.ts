/**
 * Notices that the timing lock (host-lock.ts) does not come: its holders end by deadlines of their own, so one that keeps it is
 * stopped, or none of ours. Waiting goes on; why, and for whom, is said until the lock has come. Holders are named where the
 * kernel tells (Linux).
 *
 * A client may give a compile or a kernel more time than the patience of others: then the holder's supervisor leaves a note with
 * its deadline beside the lock, and nobody is in trouble before that. So no program holds a node up by more than it was given.
 */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemClock } from "../clock.ts";
import { timingLock } from "./host-lock.ts";

const usualPatienceMs = 30_000;

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
  #notes = 0;
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

  /** A child of this process has the lock, and is ended after so long: until this is disposed. */
  holding(ms: number): Disposable {
    const { directory, patienceMs = usualPatienceMs } = this.#options;
    if (ms <= patienceMs) return { [Symbol.dispose]() {} };
    const note = `${noteName(directory)}${process.pid}-${++this.#notes}`;
    try {
      writeFileSync(note, String(systemClock.now() + ms));
    } catch {
      // Others will say that they wait, no more.
    }
    return { [Symbol.dispose]: () => rmSync(note, { force: true }) };
  }
}

const noteName = (directory: string): string => `${timingLock(directory)}.until-`;

/** Unix milliseconds: when the last of those who left a note must be done; 0 without notes. */
function lastDeadline(directory: string): number {
  const prefix = noteName(directory);
  let last = 0;
  try {
    for (const name of readdirSync(dirname(prefix)))
      if (name.startsWith(basename(prefix))) last = Math.max(last, Number(readFileSync(join(directory, name), "utf8")) || 0);
  } catch {
    // One that went meanwhile, or a directory that is not there.
  }
  return last;
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
