/**
 * First program of a confined child. It gives up rights, then becomes the child by exec, which keeps the process id, the pipes
 * and the restrictions. The child itself cannot do this: Landlock and seccomp hold for the calling thread and what it starts, and
 * a Node process has other threads before its first line runs. After exec there is one thread, which is confined.
 *   node launch.js '{"koffi": URL, "landlock": true, "readable": [], "writable": [], ...}' MODULE ARGUMENTS
 *   node launch.js '{"koffi": URL, "probe": true}'     prints what this kernel has
 */
import { writeFileSync } from "node:fs";
import { closeInherited } from "../inherited.ts";
import type { Koffi } from "../libc.ts";
import { channelFd, lifelineFd } from "../protocol.ts";
import { landlockVersion, openOnly, type Places } from "./landlock.ts";
import { type Contents, limitCalls, type Starter } from "./seccomp.ts";
import { becomeNobody, limitProcesses, type ProcessBudget } from "./users.ts";

export type LaunchOrder =
  | { readonly koffi: string; readonly probe: true }
  | (Places & {
      readonly koffi: string;
      readonly probe?: false;
      readonly landlock: boolean;
      /** Unset: no filter of system calls. */
      readonly seccomp?: Contents;
      /** Unset: no limit is set here, because a control group has it, or the kernel sets this user none. */
      readonly processes?: ProcessBudget;
    });

export interface Probed {
  readonly landlock: number;
  readonly seccomp: boolean;
  readonly processes: boolean;
}

// <linux/prctl.h>, <fcntl.h>
const PR_SET_NO_NEW_PRIVS = 38;
const F_SETFD = 2;
/** Errors of a kernel without seccomp, or one that does not allow it here: ENOSYS, EINVAL, EPERM, EACCES. */
const noSeccomp: ReadonlySet<number> = new Set([38, 22, 1, 13]);

closeInherited();
const [, , orderText = "", ...rest] = process.argv;
const order = JSON.parse(orderText) as LaunchOrder;
const koffi = ((await import(order.koffi)) as { readonly default: Koffi }).default;
const c = koffi.load(null);

const prctl = c.func("int prctl(int option, ulong a, ulong b, ulong c, ulong d)");
if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) !== 0) throw new Error(`no_new_privs failed with errno ${koffi.errno()}`);
const starter = startedBy();

if (order.probe === true) process.stdout.write(`${JSON.stringify(probe())}\n`);
else {
  volunteerForOomKiller();
  becomeNobody(koffi);
  if (order.processes !== undefined && !limitProcesses(koffi, order.processes))
    throw new Error("the kernel does not limit the processes of this user any more");
  if (order.landlock && !openOnly(koffi, order)) throw new Error("this kernel has no Landlock any more");
  const failed = order.seccomp === undefined ? 0 : limitCalls(koffi, order.seccomp, starter);
  if (failed !== 0) throw new Error(`seccomp failed with errno ${failed}`);
  become(process.execPath, rest);
}

/** In the order in which a child gives up its rights, as far as the answer can still be printed. */
function probe(): Probed {
  becomeNobody(koffi);
  const processes = limitProcesses(koffi, { own: 64, others: 64 });
  const landlock = landlockVersion(koffi);
  const failed = limitCalls(koffi, "kernels", starter);
  if (failed !== 0 && !noSeccomp.has(failed)) throw new Error(`seccomp failed with errno ${failed}`);
  return { landlock, seccomp: failed === 0, processes };
}

function startedBy(): Starter {
  const getpgid = c.func("int getpgid(int pid)");
  return { pid: process.ppid, group: Math.max(0, Number(getpgid(process.ppid))) };
}

/**
 * If the host runs out of memory, the kernel kills this process before the one that started it. The child itself cannot reach
 * /proc.
 */
function volunteerForOomKiller(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", "1000");
  } catch {
    // bubblewrap has no /proc; its command has set this before.
  }
}

/** Replaces this program. Standard streams, the channel and the lifeline to the host stay open, all other files close. */
function become(program: string, args: readonly string[]): never {
  const execve = c.func("int execve(const char *path, const char **argv, const char **environment)");
  const fcntl = c.func("int fcntl(int fd, int command, int value)");
  for (const fd of [0, 1, 2, channelFd, lifelineFd]) fcntl(fd, F_SETFD, 0);
  const environment = Object.entries(process.env).map(([name, value]) => `${name}=${value}`);
  execve(program, [program, ...args, null], [...environment, null]);
  throw new Error(`exec of ${program} failed with errno ${koffi.errno()}`);
}
