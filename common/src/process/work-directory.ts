/**
 * Private folders of a worker for its children. Each process has one directory, named with its pid, so a later process can remove
 * the directory of a killed one.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Makes a new directory `warpfarm-ROLE-PID-…` in `temporary`, and removes those of processes that are gone. */
export async function makeWorkDirectory(temporary: string, role: string): Promise<string> {
  const prefix = `warpfarm-${role}-`;
  for (const name of await readdir(temporary)) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    // Another user's directory cannot be removed, and need not be.
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(join(temporary, name), { recursive: true, force: true }).catch(() => {});
  }
  return mkdtemp(join(temporary, `${prefix}${process.pid}-`));
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
