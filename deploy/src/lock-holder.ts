/**
 * Who holds a tracker's data directory: the pid in `DIR.lock`, when that very process lives. The file is written by
 * tracker/src/store/data-lock.ts: `{"pid", "started"}`, started = field 22 of /proc/PID/stat, or "" where there is none.
 */
import { readFile } from "node:fs/promises";

/** State and start of a process; undefined when there is none, or no /proc. */
async function statOf(pid: number): Promise<{ readonly state: string; readonly started: string } | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = "", started = ""] = [fields[0], fields[19]];
  return stat === "" ? undefined : { state, started };
}

export async function lockHolder(directory: string): Promise<number | undefined> {
  try {
    const { pid, started } = JSON.parse(await readFile(`${directory}.lock`, "utf8")) as {
      readonly pid?: unknown;
      readonly started?: unknown;
    };
    if (typeof pid !== "number") return undefined;
    if (started === "") {
      process.kill(pid, 0);
      return pid;
    }
    const found = await statOf(pid);
    return found && found.state !== "Z" && found.started === started ? pid : undefined;
  } catch {
    return undefined;
  }
}
