/**
 * Each child leads a process group of its own, so one kill ends a child and everything that it started (cc, cc1, as). Groups that
 * are alive when this process exits are killed with it.
 */
const groups = new Set<number>();
let hooked = false;

/** Remembers a group so that it does not outlive an orderly exit of this process. */
export function trackGroup(leader: number): void {
  groups.add(leader);
  if (hooked) return;
  hooked = true;
  process.on("exit", () => {
    for (const pid of groups) killGroup(pid);
  });
}

/** SIGKILLs every member of the group and forgets it. A group that is gone is no error. */
export function killGroup(leader: number): void {
  groups.delete(leader);
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // ESRCH: nobody left. EPERM cannot be: the members are ours.
  }
}
