/**
 * One runner a GPU on this host: an advisory lock (flock) on a file named for the GPU's uuid, held for the life of the process that took it
 * and given back by the kernel however that process ends. Children do not inherit it.
 */
import { closeSync, constants, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { err, invariant, ok, type Result } from "@warpfarm/common";
import koffi from "koffi";

// <sys/file.h>
const LOCK_EX = 2;
const LOCK_NB = 4;

/** The message names the file. */
export function lockDevice(uuid: string, directory = tmpdir()): Result<Disposable, { readonly message: string }> {
  invariant(/^[\w-]{1,80}$/.test(uuid), `not a uuid: ${uuid}`);
  const path = join(directory, `warpfarm-${uuid}.lock`);
  const fd = openShared(path);
  const flock = koffi.load(null).func("int flock(int fd, int operation)") as (fd: number, operation: number) => number;
  if (flock(fd, LOCK_EX | LOCK_NB) !== 0) {
    closeSync(fd);
    return err({ message: `GPU ${uuid} belongs to another runner on this host, which holds ${path}; one runner a GPU` });
  }
  let held = true;
  return ok({
    [Symbol.dispose]() {
      if (held) closeSync(fd);
      held = false;
    },
  });
}

/** Without O_CREAT first: in a sticky directory the kernel refuses O_CREAT on a file that is somebody else's. */
function openShared(path: string): number {
  try {
    return openSync(path, constants.O_RDWR | constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return openSync(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_CREAT, 0o666);
  }
}
