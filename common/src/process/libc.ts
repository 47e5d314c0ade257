/** The few calls of the C library that Node lacks, through koffi, which the caller passes in. */
import { fstatSync } from "node:fs";

export interface Koffi {
  load(path: string | null): { func(definition: string): (...args: unknown[]) => unknown };
  errno(): number;
}

export interface Libc {
  /** Waits for the lock. Throws with the errno when the lock cannot be taken. */
  flock(fd: number, mode: "shared" | "exclusive" | "unlock"): void;
  killWhenParentEnds(): void;
  /**
   * The kernel SIGKILLs this process's group as soon as nobody has the other end of this socket, to which nobody may write. False
   * where the kernel cannot.
   */
  killGroupWithOtherEnd(fd: number): boolean;
  /** Sets the soft limit, and the hard limit too when `hard` is given. Never exceeds the present hard limit. */
  setLimit(resource: keyof typeof limitNumbers, soft: bigint, hard?: bigint): void;
}

// <sys/file.h>, <asm-generic/resource.h>, <linux/prctl.h>, <asm-generic/errno-base.h>, <asm-generic/fcntl.h>
const lock = { shared: 1, exclusive: 2, unlock: 8 } as const;
const limitNumbers = {
  cpuSeconds: 0,
  fileBytes: 1,
  /** The process's writable memory, used or not. Reserved address space does not count. */
  dataBytes: 2,
  coreBytes: 4,
  openFiles: 7,
  addressSpaceBytes: 9,
} as const;
const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9;
const F_GETFL = 3;
const F_SETFL = 4;
const F_SETOWN = 8;
const F_SETSIG = 10;
const O_ASYNC = 0x2000;
const EINTR = 4;

function isSocket(fd: number): boolean {
  try {
    return fstatSync(fd).isSocket();
  } catch {
    return false;
  }
}

export function bindLibc(koffi: Koffi): Libc {
  const c = koffi.load(null);
  const flock = c.func("int flock(int fd, int operation)");
  const getrlimit = c.func("int getrlimit(int resource, void *limits)");
  const setrlimit = c.func("int setrlimit(int resource, const void *limits)");
  return {
    flock(fd, mode) {
      while (flock(fd, lock[mode]) !== 0) {
        const errno = koffi.errno();
        if (errno !== EINTR) throw new Error(`flock ${mode} failed with errno ${errno}`);
      }
    },
    killWhenParentEnds() {
      if (process.platform !== "linux") return;
      const prctl = c.func("int prctl(int option, ulong a, ulong b, ulong c, ulong d)");
      const parent = process.ppid;
      prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
      // The parent may have ended before the call.
      if (process.ppid !== parent) process.kill(process.pid, "SIGKILL");
    },
    killGroupWithOtherEnd(fd) {
      if (process.platform !== "linux" || !isSocket(fd)) return false;
      const fcntl = c.func("int fcntl(int fd, int command, int value)") as (...args: number[]) => number;
      const getpgrp = c.func("int getpgrp()");
      // In another pid namespace than the group's leader the group is 0.
      const group = Number(getpgrp());
      const owner = group > 0 ? -group : process.pid;
      return (
        fcntl(fd, F_SETOWN, owner) === 0 &&
        fcntl(fd, F_SETSIG, SIGKILL) === 0 &&
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL, 0) | O_ASYNC) === 0
      );
    },
    setLimit(resource, soft, hard) {
      const limits = new BigUint64Array(2);
      getrlimit(limitNumbers[resource], limits);
      const allowed = limits[1] ?? 0n;
      const newHard = hard === undefined || hard > allowed ? allowed : hard;
      limits[0] = soft > newHard ? newHard : soft;
      limits[1] = newHard;
      if (setrlimit(limitNumbers[resource], limits) !== 0)
        throw new Error(`setrlimit ${resource} failed with errno ${koffi.errno()}`);
    },
  };
}
