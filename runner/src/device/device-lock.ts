/**
 * One runner per device of a host: an advisory lock (flock) on a file named for the device's uuid. The process that took it holds
 * it for life, and the kernel releases it however that process ends. Children do not inherit it. The file names the process.
 */
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, err, FarmError, invariant, ok, type Result } from "@warpfarm/common";
import koffi from "koffi";

// <sys/file.h>
const LOCK_EX = 2;
const LOCK_NB = 4;

const askEveryMs = 500;

/** The message names the file and the process that holds it. */
export function lockDevice(uuid: string, directory = tmpdir()): Result<Disposable, { readonly message: string }> {
  invariant(/^[\w-]{1,80}$/.test(uuid), `not a uuid: ${uuid}`);
  const path = join(directory, `warpfarm-${uuid}.lock`);
  const fd = openShared(path);
  const flock = koffi.load(null).func("int flock(int fd, int operation)") as (fd: number, operation: number) => number;
  if (flock(fd, LOCK_EX | LOCK_NB) !== 0) {
    closeSync(fd);
    const [, pid] = /^(\d+)\n$/.exec(textOf(path)) ?? [];
    const holder = pid === undefined ? "another runner" : `another runner, process ${pid},`;
    return err({ message: `${holder} on this host holds ${path}` });
  }
  sign(fd);
  let held = true;
  return ok({
    [Symbol.dispose]() {
      if (held) closeSync(fd);
      held = false;
    },
  });
}

interface DeviceClaim {
  readonly device: string;
  readonly uuid: string;
  readonly directory?: string;
  /** Whether to wait until the other runner ends, instead of failing. */
  readonly wait: boolean;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly onWait: (why: string) => void;
}

/** Held until disposed. Throws FAILED_PRECONDITION when another runner of this host has the device, or the signal's reason. */
export async function claimDevice({ device, uuid, directory, wait, signal, clock, onWait }: DeviceClaim): Promise<Disposable> {
  for (let tries = 0; ; tries++) {
    const lock = lockDevice(uuid, directory);
    if (lock.ok) return lock.value;
    const why = `${device} of this machine has a runner already, and a second one would only take turns with it: ${lock.error.message}`;
    if (!wait) throw new FarmError("FAILED_PRECONDITION", `${why}; end that one, or let warpfarm runner --wait wait for its end`);
    if (tries === 0) onWait(why);
    await clock.sleep(askEveryMs, { signal });
  }
}

/** Names this process in the file. A process that may only read the file can still take the lock. */
function sign(fd: number): void {
  try {
    ftruncateSync(fd);
    writeSync(fd, `${process.pid}\n`, 0);
  } catch {
    // Another user's file.
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/**
 * Tries without O_CREAT first: in a sticky directory the kernel refuses O_CREAT on another user's file, which often cannot be
 * written.
 */
function openShared(path: string): number {
  try {
    return openSync(path, constants.O_RDWR | constants.O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES") return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    if (code !== "ENOENT") throw error;
    return openSync(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_CREAT, 0o666);
  }
}
