/**
 * One run at a time writes a log: two would repeat each other's trials and take the farm's session from each other. `LOG.lock`
 * names the process, its machine and since when. A file that is not regular, such as /dev/null, needs no lock.
 */
import { realpath, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { badInput, FarmError } from "@warpfarm/common";
import { type LockFile, type LockHolder, lockFile, lockHolder } from "@warpfarm/common/process";

/** Throws FAILED_PRECONDITION when another run has the log, INVALID_ARGUMENT when no lock can be written. The log must exist. */
export async function lockLog(path: string, host = hostname()): Promise<LockFile | undefined> {
  if (!(await stat(path)).isFile()) return undefined;
  const lock = await lockOf(path);
  return lockFile(lock, { host, held: (holder) => heldBy(path, lock, holder, host) }).catch((error: unknown) => {
    if (error instanceof FarmError) throw error;
    const why = (error as NodeJS.ErrnoException).code ?? String(error);
    throw badInput(`the log ${path} cannot be locked: ${why} (${lock})`, { cause: error });
  });
}

/** Refuses a log of another run as lockLog does, and takes no lock. */
export async function refuseLockedLog(path: string, host = hostname()): Promise<void> {
  const lock = await lockOf(path).catch(() => undefined);
  const holder = lock === undefined ? undefined : await lockHolder(lock, host);
  if (lock !== undefined && holder !== undefined) throw heldBy(path, lock, holder, host);
}

/** Next to the file itself, whichever link names it. */
const lockOf = async (path: string): Promise<string> => `${await realpath(path)}.lock`;

function heldBy(path: string, lock: string, holder: LockHolder, here: string): FarmError {
  const { pid, since, host } = holder;
  const isElsewhere = host !== undefined && host !== here;
  const who = `process ${pid}${isElsewhere ? ` of ${host}` : ""}${since === undefined ? "" : ` since ${since}`}`;
  const remedy = isElsewhere ? `; if that run is over, remove ${lock}` : "";
  return new FarmError(
    "FAILED_PRECONDITION",
    `the log ${path} is being written by another run: ${who}; wait for its end, or give another --log${remedy}`,
  );
}
