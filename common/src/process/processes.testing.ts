/** For tests that start and kill real processes. */
import { readFileSync } from "node:fs";

/** Is there such a process? One that has ended and only waits to be reaped is gone. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Waits until all are gone, at most so long; returns those that are left. */
export async function leftAfter(pids: readonly number[], withinMs: number): Promise<readonly number[]> {
  for (let waited = 0; waited < withinMs && pids.some(isAlive); waited += 50)
    await new Promise((resolve) => setTimeout(resolve, 50));
  return pids.filter(isAlive);
}
