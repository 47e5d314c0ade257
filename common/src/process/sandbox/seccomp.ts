/**
 * A filter for the kernel's seccomp (classic BPF) against system calls that neither a compiler nor a kernel needs. A listed call
 * fails with EPERM and ends nothing. The list has the calls that reach out of the process tree or add rights: sockets, other
 * processes' memory, namespaces and mounts, System V memory, keys, io_uring (no filter sees its requests), new sessions and
 * groups.
 */
import type { Koffi } from "../libc.ts";

type Machine = "x64" | "arm64";

/** <asm/unistd_64.h> of x86-64, <asm-generic/unistd.h>. A column omits the calls that its machine lacks. */
const refusedCalls: Readonly<Record<string, readonly [x64: number, arm64?: number]>> = {
  socket: [41, 198],
  connect: [42, 203],
  accept: [43, 202],
  accept4: [288, 242],
  bind: [49, 200],
  listen: [50, 201],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  kcmp: [312, 272],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  pidfd_send_signal: [424, 424],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  unshare: [272, 97],
  setns: [308, 268],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  quotactl: [179, 60],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  iopl: [172],
  ioperm: [173],
  syslog: [103, 116],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  shmget: [29, 194],
  shmat: [30, 196],
  shmctl: [31, 195],
  semget: [64, 190],
  semctl: [66, 191],
  semop: [65, 193],
  semtimedop: [220, 192],
  msgget: [68, 186],
  msgsnd: [69, 189],
  msgrcv: [70, 188],
  msgctl: [71, 187],
  mq_open: [240, 180],
  // A process that leaves the group would outlive the child (process-group.ts).
  setsid: [112, 157],
  setpgid: [109, 154],
};
const machines = {
  x64: { audit: 0xc000_003e, clone: 56, prlimit64: 302, column: 0 },
  arm64: { audit: 0xc000_00b7, clone: 220, prlimit64: 261, column: 1 },
} as const;
const CLONE3 = 435;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET of <linux/sched.h>. */
const newNamespaces = 0x7e02_0000;
/** Calls of the x32 interface have this bit. */
const x32Bit = 0x4000_0000;

// <linux/bpf_common.h>, <linux/seccomp.h>
const load = 0x20;
const ifEqual = 0x15;
const ifAtLeast = 0x35;
const ifAnyBit = 0x45;
const returnOp = 0x06;
const allow = 0x7fff_0000;
const ERRNO = 0x0005_0000;
const EPERM = 1;
const ENOSYS = 38;
/** Offsets in struct seccomp_data. */
const at = { number: 0, machine: 4, firstArgument: 16 } as const;

export interface Instruction {
  readonly code: number;
  /** Number of instructions to skip when the condition holds, and when it does not. */
  readonly whenTrue: number;
  readonly whenFalse: number;
  readonly value: number;
}

const step = (code: number, value: number, whenTrue = 0, whenFalse = 0): Instruction => ({ code, whenTrue, whenFalse, value });

/** The filter for a machine; undefined when its calls are not known. */
export function filterFor(machine: string): readonly Instruction[] | undefined {
  if (machine !== "x64" && machine !== "arm64") return undefined;
  const { audit, clone, prlimit64, column } = machines[machine satisfies Machine];
  const refused = Object.values(refusedCalls).flatMap((numbers) => numbers[column] ?? []);
  const answers = {
    allow: step(returnOp, allow),
    refuse: step(returnOp, ERRNO | EPERM),
    unknown: step(returnOp, ERRNO | ENOSYS),
  };
  const special = [
    // glibc and libuv use clone when clone3 is missing. The flags of clone3 are in memory, which a filter cannot read.
    step(ifEqual, CLONE3, 0, 1),
    answers.unknown,
    step(ifEqual, clone, 0, 4),
    step(load, at.firstArgument),
    step(ifAnyBit, newNamespaces, 0, 1),
    answers.refuse,
    answers.allow,
    // A process may set its own limits and no other's.
    step(ifEqual, prlimit64, 0, 4),
    step(load, at.firstArgument),
    step(ifEqual, 0, 1, 0),
    answers.refuse,
    answers.allow,
  ];
  return [
    step(load, at.machine),
    step(ifEqual, audit, 1, 0),
    answers.refuse,
    step(load, at.number),
    ...(machine === "x64" ? [step(ifAtLeast, x32Bit, 0, 1), answers.refuse] : []),
    ...refused.flatMap((number) => [step(ifEqual, number, 0, 1), answers.refuse]),
    ...special,
    answers.allow,
  ];
}

// <linux/prctl.h>, <sys/mman.h>
const PR_SET_SECCOMP = 22;
const SECCOMP_MODE_FILTER = 2;
const PROT_READ_WRITE = 3;
const MAP_PRIVATE_ANONYMOUS = 0x22;

/**
 * Installs the filter for the calling thread and all that it starts. Requires no_new_privs. False when the kernel or machine has
 * none.
 */
export function refuseCalls(koffi: Koffi, machine: string): boolean {
  const filter = filterFor(machine);
  if (filter === undefined) return false;
  const c = koffi.load(null);
  const mmap = c.func("void *mmap(void *address, size_t length, int protection, int flags, int fd, int64_t offset)");
  const memcpy = c.func("void *memcpy(void *to, const void *from, size_t length)");
  const prctl = c.func("int prctl(int option, ulong a, const void *b, ulong c, ulong d)");
  const bytes = Buffer.alloc(8 * filter.length);
  filter.forEach(({ code, whenTrue, whenFalse, value }, i) => {
    bytes.writeUInt16LE(code, 8 * i);
    bytes.writeUInt8(whenTrue, 8 * i + 2);
    bytes.writeUInt8(whenFalse, 8 * i + 3);
    bytes.writeUInt32LE(value >>> 0, 8 * i + 4);
  });
  const place = mmap(null, bytes.length, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0) as bigint;
  memcpy(place, bytes, bytes.length);
  // struct sock_fprog
  const program = Buffer.alloc(16);
  program.writeUInt16LE(filter.length, 0);
  program.writeBigUInt64LE(BigInt(place), 8);
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0) === 0;
}
