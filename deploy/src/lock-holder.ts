/** Who holds a tracker's data directory: the pid in `DIR.lock` (tracker/src/store/data-lock.ts writes it), when that process lives. */
import { readFile } from "node:fs/promises";

export async function lockHolder(directory: string): Promise<number | undefined> {
  try {
    const { pid } = JSON.parse(await readFile(`${directory}.lock`, "utf8")) as { readonly pid?: unknown };
    if (typeof pid !== "number") return undefined;
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    // No lock, or not ours to signal: only the latter is a live holder, and its pid cannot be had any more.
    return (error as NodeJS.ErrnoException).code === "EPERM" ? -1 : undefined;
  }
}
