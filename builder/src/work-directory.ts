/**
 * Where builds have their private folders: one directory for each process, named with its pid, so that a later process can remove what a
 * killed one left.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

const PREFIX = "warpfarm-builder-";

/** A new directory in `temporary`; those of processes that are gone are removed. */
export async function makeWorkDirectory(temporary: string): Promise<string> {
  for (const name of await readdir(temporary)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    // Another user's directory cannot be removed, and need not be.
    if (pid !== undefined && !isAlive(Number(pid)))
      await rm(join(temporary, name), { recursive: true, force: true }).catch(() => {});
  }
  return mkdtemp(join(temporary, `${PREFIX}${process.pid}-`));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
