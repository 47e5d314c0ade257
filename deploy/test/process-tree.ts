/** The process tree, from /proc, for tests that kill children of a process or search for survivors. Linux only. */
import { readdirSync, readFileSync } from "node:fs";

interface Entry {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
}

function entries(): Entry[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const [state = "", parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return [{ pid: Number(name), parent: Number(parent), state }];
      } catch {
        return [];
      }
    })
    .filter((entry) => entry.state !== "Z" && entry.state !== "X");
}

/** Live children of a process, oldest first. */
export const childrenOf = (pid: number): number[] =>
  entries()
    .filter((entry) => entry.parent === pid)
    .map((entry) => entry.pid);

/** A process and everything below it. */
export function treeOf(pid: number): number[] {
  const all = entries();
  const below = (root: number): number[] =>
    all.filter((entry) => entry.parent === root).flatMap((entry) => [entry.pid, ...below(entry.pid)]);
  return [pid, ...below(pid)];
}

/** Live processes whose environment or command line names this text, for instance a scratch directory. */
export const processesNaming = (text: string): number[] =>
  entries()
    .map((entry) => entry.pid)
    .filter((pid) => pid !== process.pid)
    .filter((pid) => {
      try {
        return [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`].some((file) => readFileSync(file, "utf8").includes(text));
      } catch {
        return false;
      }
    });
