/** Is a process alive? A zombie that nobody reaps (a container without an init) counts as dead. For tests, on Linux. */
import { readFileSync } from "node:fs";

export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}
