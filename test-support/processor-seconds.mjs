import { readFileSync } from "node:fs";

/** Linux counts it in hundredths, on every architecture that Node supports. */
export function processorSeconds() {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    // The name of the program, in parentheses, may hold spaces.
    const [user, system, usersOfChildren, systemOfChildren] = stat
      .slice(stat.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 15)
      .map(Number);
    return (user + system + usersOfChildren + systemOfChildren) / 100;
  } catch {
    return undefined;
  }
}
