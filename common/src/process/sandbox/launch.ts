/**
 * First program of a confined child. It gives up rights, then becomes the child by exec, which keeps the process id, the pipes
 * and the restrictions. The child itself cannot do this: Landlock and seccomp hold for the calling thread and what it starts, and
 * a Node process has other threads before its first line runs. After exec there is one thread, which is confined.
 *   node launch.js '{"koffi": URL, "landlock": true, "readable": [], "writable": []}' MODULE ARGUMENTS
 *   node launch.js '{"koffi": URL, "probe": true}'     prints what this kernel has
 */
import { writeFileSync } from "node:fs";
import { closeInherited } from "../inherited.ts";
import type { Koffi } from "../libc.ts";
import { channelFd, lifelineFd } from "../protocol.ts";
import { landlockVersion, openOnly, type Places } from "./landlock.ts";
import { refuseCalls } from "./seccomp.ts";

export type LaunchOrder =
  | { readonly koffi: string; readonly probe: true }
  | (Places & { readonly koffi: string; readonly probe?: false; readonly landlock: boolean; readonly seccomp: boolean });

/** What the kernel accepted in a probe. */
export interface Probed {
  readonly landlock: number;
  readonly seccomp: boolean;
}

// <linux/prctl.h>, <fcntl.h>, <linux/capability.h>
const PR_SET_NO_NEW_PRIVS = 38;
const F_SETFD = 2;
const capabilityVersion = 0x2008_0522;
const CAP_DAC_OVERRIDE = 1 << 1;

closeInherited();
const [, , orderText = "", ...rest] = process.argv;
const order = JSON.parse(orderText) as LaunchOrder;
const koffi = ((await import(order.koffi)) as { readonly default: Koffi }).default;
const c = koffi.load(null);

const prctl = c.func("int prctl(int option, ulong a, ulong b, ulong c, ulong d)");
if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) !== 0) throw new Error(`no_new_privs failed with errno ${koffi.errno()}`);

if (order.probe === true) {
  const landlock = landlockVersion(koffi);
  const probed: Probed = { landlock, seccomp: refuseCalls(koffi, process.arch) };
  process.stdout.write(`${JSON.stringify(probed)}\n`);
} else {
  volunteerForOomKiller();
  if (process.geteuid?.() === 0) dropCapabilities();
  if (order.landlock && !openOnly(koffi, order)) throw new Error("this kernel has no Landlock any more");
  if (order.seccomp && !refuseCalls(koffi, process.arch)) throw new Error(`seccomp failed with errno ${koffi.errno()}`);
  become(process.execPath, rest);
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

/** Root keeps the right to read and write other users' files, within what Landlock allows, and no other right. */
function dropCapabilities(): void {
  const capset = c.func("int capset(const void *header, const void *sets)");
  const header = new Uint32Array([capabilityVersion, 0]);
  const held = CAP_DAC_OVERRIDE & Number(effectiveCapabilities());
  const sets = new Uint32Array([held, held, 0, 0, 0, 0]);
  if (capset(header, sets) !== 0) throw new Error(`capset failed with errno ${koffi.errno()}`);
}

function effectiveCapabilities(): number {
  const capget = c.func("int capget(void *header, void *sets)");
  const sets = new Uint32Array(6);
  if (capget(new Uint32Array([capabilityVersion, 0]), sets) !== 0) throw new Error(`capget failed with errno ${koffi.errno()}`);
  return sets[0] ?? 0;
}

/** Replaces this program. Standard streams, the channel and the lifeline to the host stay open, all other files of it close. */
function become(program: string, args: readonly string[]): never {
  const execve = c.func("int execve(const char *path, const char **argv, const char **environment)");
  const fcntl = c.func("int fcntl(int fd, int command, int value)");
  for (const fd of [0, 1, 2, channelFd, lifelineFd]) fcntl(fd, F_SETFD, 0);
  const environment = Object.entries(process.env).map(([name, value]) => `${name}=${value}`);
  execve(program, [program, ...args, null], [...environment, null]);
  throw new Error(`exec of ${program} failed with errno ${koffi.errno()}`);
}
