/**
 * A control group for each confined child, which limits its processes and threads. It needs the right to make groups (a service
 * with Delegate=, a user's session under systemd, root).
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Clock, systemClock } from "../../clock.ts";
import { isRunning } from "../work-directory.ts";

const pattern = /^warpfarm-(\d+)-\d+$/;

/**
 * The folder of this process's group with the controller for pids, from /proc/self/cgroup and /proc/self/mountinfo; undefined
 * where it is not mounted.
 */
export function pidsGroup(cgroups: string, mounts: string): string | undefined {
  const [, one] = /^\d+:(?:\w+,)*pids(?:,\w+)*:(\/.*)$/m.exec(cgroups) ?? [];
  const [, two] = /^0::(\/.*)$/m.exec(cgroups) ?? [];
  const own = one ?? two;
  if (own === undefined) return undefined;
  const wanted = one === undefined ? /^cgroup2 / : /^cgroup \S+ (?:\S*,)?pids(?:,|$)/;
  for (const line of mounts.split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    const [, , , root = "", place = ""] = before.split(" ");
    if (!wanted.test(after) || !(root === "/" || own === root || own.startsWith(`${root}/`))) continue;
    return join(place, root === "/" ? own : own.slice(root.length));
  }
  return undefined;
}

/** The folder in which groups of children can be made; undefined where this process may make none. */
export function findPidsGroup(): string | undefined {
  try {
    const folder = pidsGroup(readFileSync("/proc/self/cgroup", "utf8"), readFileSync("/proc/self/mountinfo", "utf8"));
    if (folder === undefined) return undefined;
    sweep(folder);
    if (existsSync(join(folder, "cgroup.subtree_control"))) writeFileSync(join(folder, "cgroup.subtree_control"), "+pids");
    const tried = new ChildGroup(folder, 1);
    tried[Symbol.dispose]();
    return folder;
  } catch {
    // ENOENT, EACCES, EROFS, EBUSY: not here.
    return undefined;
  }
}

/** Removes groups of killed workers. The group of a live worker may be empty because its child has not come yet. */
export function sweep(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, worker] = pattern.exec(name) ?? [];
    if (worker !== undefined && !isRunning(Number(worker))) remove(join(folder, name));
  }
}

function remove(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

let made = 0;
/** Milliseconds that killed processes may need to leave a group. */
const leavingMs = 100;
const leavingTries = 100;

export class ChildGroup implements Disposable {
  readonly path: string;
  readonly #clock: Pick<Clock, "sleep">;

  constructor(folder: string, processes: number, clock: Pick<Clock, "sleep"> = systemClock) {
    this.#clock = clock;
    this.path = join(folder, `warpfarm-${process.pid}-${++made}`);
    mkdirSync(this.path);
    writeFileSync(join(this.path, "pids.max"), `${processes}`);
  }

  /** Removes the group as soon as it is empty. */
  [Symbol.dispose](): void {
    void this.#leave();
  }

  async #leave(): Promise<void> {
    for (let tries = 0; tries < leavingTries && !remove(this.path); tries++)
      await this.#clock.sleep(leavingMs, { isBackground: true });
  }
}
