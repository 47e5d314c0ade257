/** For tests that start and kill real processes. */
import { readFileSync } from "node:fs";
import { until } from "./until.ts";

/** Whether the process exists. One that has ended and only waits to be reaped does not count. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Waits until all have ended, at most as long as for anything; returns those that are left. */
export async function leftOf(pids: readonly number[]): Promise<readonly number[]> {
  await until(() => !pids.some(isAlive), "processes to end").catch(() => {});
  return pids.filter(isAlive);
}
