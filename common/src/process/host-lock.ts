/**
 * The host-wide timing lock: while a runner times a kernel nobody compiles, so builds do not spoil times. Compile children hold
 * it shared for one job, a runner's child holds it exclusive for one candidate's launches. Two advisory locks (flock) on files in
 * one directory:
 *
 *   gate   exclusive, held only while waiting for `main`
 *   main   shared (compile) or exclusive (time)
 *
 * Whoever waits for `main` keeps the gate shut, so later comers queue behind it: a stream of compiles cannot starve a timing, nor
 * the other way about. Locks are taken in one order and never nested, so there is no deadlock; the kernel releases them when the
 * holder dies. Waiting blocks the thread in flock (no polling beside a timed kernel): only for children that their host may kill.
 */
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Libc } from "./libc.ts";

const gateFile = "warpfarm-timing.gate";
/** The file whose lock it is. */
export const timingLock = (directory: string): string => join(directory, "warpfarm-timing.lock");

export class HostLock {
  readonly #directory: string;
  readonly #libc: Pick<Libc, "flock">;

  constructor(directory: string, libc: Pick<Libc, "flock">) {
    this.#directory = directory;
    this.#libc = libc;
  }

  /**
   * Its files, made when they are missing: for children that may open them and make none. `stamp` is another when they are other
   * files: who may open the ones of before locks what nobody else locks.
   */
  static files(directory: string): { readonly paths: readonly string[]; readonly stamp: string } {
    const paths = [join(directory, gateFile), timingLock(directory)];
    return { paths, stamp: paths.map(inodeOf).join(" ") };
  }

  /** Waits, then holds the lock until disposed. Files are opened anew each time: a cleaned temporary directory does no harm. */
  hold(mode: "shared" | "exclusive"): Disposable {
    const gate = open(join(this.#directory, gateFile));
    try {
      this.#libc.flock(gate, "exclusive");
      const main = open(timingLock(this.#directory));
      try {
        this.#libc.flock(main, mode);
      } catch (error) {
        closeSync(main);
        throw error;
      }
      let held = true;
      return {
        [Symbol.dispose]() {
          if (held) closeSync(main);
          held = false;
        },
      };
    } finally {
      closeSync(gate);
    }
  }
}

/** 0 when it cannot be opened: why, says the child that tries. */
function inodeOf(path: string): number {
  try {
    const fd = open(path);
    const { ino } = fstatSync(fd);
    closeSync(fd);
    return ino;
  } catch {
    return 0;
  }
}

function open(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_CREAT, 0o666);
  }
}
