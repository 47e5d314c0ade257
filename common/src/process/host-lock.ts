/**
 * The host-wide timing lock: while a runner times a kernel nobody compiles, so builds do not disturb times. A compile child holds
 * the lock shared for one job. A runner's child holds it exclusive for the launches of one candidate. It consists of two advisory
 * locks (flock) on files in one directory:
 *   gate   exclusive, held only while waiting for `main`
 *   main   shared (compile) or exclusive (time)
 * A process that waits for `main` holds the gate, so later ones queue behind it, and a stream of compiles cannot starve a timing
 * or the reverse. Locks are taken in one order and never nested, so there is no deadlock. The kernel releases them when the
 * holder dies. Waiting blocks the thread, so use it only in children that their host may kill.
 */
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Libc } from "./libc.ts";

const gateFile = "warpfarm-timing.gate";
export const timingLock = (directory: string): string => join(directory, "warpfarm-timing.lock");

export class HostLock {
  readonly #directory: string;
  readonly #libc: Pick<Libc, "flock">;

  constructor(directory: string, libc: Pick<Libc, "flock">) {
    this.#directory = directory;
    this.#libc = libc;
  }

  /**
   * Makes missing files of the lock and returns their paths, for children that may open files but not make them. `stamp` changes
   * when the files do: a process that holds the old files locks nothing that others lock.
   */
  static files(directory: string): { readonly paths: readonly string[]; readonly stamp: string } {
    const paths = [join(directory, gateFile), timingLock(directory)];
    return { paths, stamp: paths.map(inodeOf).join(" ") };
  }

  /** Waits, then holds the lock until disposed. Opens the files each time, so a cleaned temporary directory does no harm. */
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
