/**
 * Filters for the kernel's seccomp (classic BPF): a child may make the system calls of a list (calls.ts), and no other. A refused
 * call fails and ends nothing: with EPERM, or with ENOSYS when it is newer than the list, so the C library takes the older call.
 * There are two filters. The launcher sets the first, which has what both Node's start and the child need. The child adds the
 * second for all its threads when it is up, before it has foreign code or text: settle().
 */
import type { Koffi } from "../libc.ts";
import { callsOfAll, callsOfCompilers, type Numbers, newestCall, ruledCalls } from "./calls.ts";

/** The programs in a child: kernels of a processor, or compilers with everything that they start. */
export type Contents = "kernels" | "compilers";

const machines = {
  x64: { audit: 0xc000_003e, column: 0 },
  arm64: { audit: 0xc000_00b7, column: 1 },
} as const;

// <linux/bpf_common.h>, <linux/seccomp.h>
const load = 0x20;
const ifEqual = 0x15;
const ifAbove = 0x25;
const ifAnyBit = 0x45;
const returnOp = 0x06;
const allow = 0x7fff_0000;
const ERRNO = 0x0005_0000;
// <asm-generic/errno.h>
const errno = { EPERM: 1, EINVAL: 22, ENOTTY: 25, ENOSYS: 38 } as const;
/** Offsets in struct seccomp_data of the words that are read; of an argument the lower half, which suffices for these calls. */
const at = { number: 0, machine: 4, arguments: [16, 24, 32, 40] } as const;

export interface Instruction {
  readonly code: number;
  /** Number of instructions to skip when the condition holds, and when it does not. */
  readonly whenTrue: number;
  readonly whenFalse: number;
  readonly value: number;
}

const step = (code: number, value: number, whenTrue = 0, whenFalse = 0): Instruction => ({ code, whenTrue, whenFalse, value });
const allowed = step(returnOp, allow);
const refused = (why: keyof typeof errno): Instruction => step(returnOp, ERRNO | errno[why]);
const argument = (i: 0 | 1): Instruction => step(load, at.arguments[i]);
const oneOf = (i: 0 | 1, values: readonly number[], otherwise: Instruction): readonly Instruction[] => [
  argument(i),
  ...values.flatMap((value) => [step(ifEqual, value >>> 0, 0, 1), allowed]),
  otherwise,
];
const noneOf = (i: 0 | 1, values: readonly number[], otherwise: Instruction): readonly Instruction[] => [
  argument(i),
  ...values.flatMap((value) => [step(ifEqual, value >>> 0, 0, 1), otherwise]),
  allowed,
];

type Ruled = keyof typeof ruledCalls;
type Rules = Partial<Record<Ruled, readonly Instruction[]>>;

/** TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX of <asm-generic/ioctls.h>. */
const ioctls = [0x5401, 0x5413, 0x541b, 0x5421, 0x5450, 0x5451];
/** F_DUPFD to F_SETLKW, F_GETOWN, the locks of open files, F_DUPFD_CLOEXEC. */
const fcntls = [0, 1, 2, 3, 4, 5, 6, 7, 9, 36, 37, 38, 1030];
/** F_SETOWN and F_SETSIG make the kernel send signals to any process of the user. The lifeline needs them once. */
const signalsOfFiles = [8, 10];
/** Parent's death, dumpable, names, seccomp's mode, the capabilities' bound, no_new_privs, names of mappings. */
const prctls = [1, 3, 4, 15, 16, 21, 23, 38, 39, 0x5356_4d41];
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET, and PARENT of <linux/sched.h>. */
const namespacesOrSibling = 0x7e02_8000;
const newThread = 0x1_0000;
const unixFamily = 1;
/** SOCK_STREAM with SOCK_NONBLOCK, SOCK_CLOEXEC or both. A datagram socket could send to any socket's name. */
const streams = [0x1, 0x801, 0x8_0001, 0x8_0801];

/** The process that started the child, and its group; 0 in another namespace. */
export interface Starter {
  readonly pid: number;
  readonly group: number;
}

function rulesAtStart(contents: Contents, starter: Starter): Rules {
  const EPERM = refused("EPERM");
  const isCompiler = contents === "compilers";
  return {
    ioctl: oneOf(1, ioctls, refused("ENOTTY")),
    fcntl: oneOf(1, [...fcntls, ...signalsOfFiles], refused("EINVAL")),
    prctl: oneOf(0, prctls, refused("EINVAL")),
    clone: [
      argument(0),
      step(ifAnyBit, namespacesOrSibling, 0, 1),
      EPERM,
      ...(isCompiler ? [] : [step(ifAnyBit, newThread, 1, 0), EPERM]),
      allowed,
    ],
    // Its flags are in memory, which a filter cannot read. The C library takes clone when this one is missing.
    clone3: [refused("ENOSYS")],
    // A process may set its own limits and no other's.
    prlimit64: oneOf(0, [0], EPERM),
    // Before version 6 Landlock does not know signals. -1 is everybody.
    kill: noneOf(0, [starter.pid, starter.group === 0 ? -1 : -starter.group, -1], EPERM),
    tgkill: noneOf(0, [starter.pid], EPERM),
    ...(isCompiler ? { socketpair: [argument(0), step(ifEqual, unixFamily, 1, 0), EPERM, ...oneOf(1, streams, EPERM)] } : {}),
    execve: [allowed],
    seccomp: [allowed],
  };
}

function rulesOnceUp(contents: Contents, pid: number): Rules {
  const EPERM = refused("EPERM");
  const files = { fcntl: noneOf(1, signalsOfFiles, refused("EINVAL")), seccomp: [EPERM] };
  if (contents === "compilers") return files;
  return { ...files, execve: [EPERM], kill: oneOf(0, [pid, -pid, 0], EPERM), tgkill: oneOf(0, [pid], EPERM) };
}

type Machine = keyof typeof machines;
const isKnown = (machine: string): machine is Machine => machine in machines;

function filter(machine: Machine, simple: readonly Numbers[], rules: Rules, end: readonly Instruction[]): readonly Instruction[] {
  const { audit, column } = machines[machine];
  const ruled = Object.entries(rules) as [Ruled, readonly Instruction[]][];
  return [
    step(load, at.machine),
    step(ifEqual, audit, 1, 0),
    refused("EPERM"),
    step(load, at.number),
    ...simple.flatMap((numbers) => {
      const number = numbers[column];
      return number === undefined ? [] : [step(ifEqual, number, 0, 1), allowed];
    }),
    ...ruled.flatMap(([name, rule]) => [step(ifEqual, ruledCalls[name][column], 0, rule.length), ...rule]),
    ...end,
  ];
}

/** The first filter: a list of what is allowed. Undefined when the machine's calls are not known. */
export function filterAtStart(machine: string, contents: Contents, starter: Starter): readonly Instruction[] | undefined {
  if (!isKnown(machine)) return undefined;
  const simple = [...Object.values(callsOfAll), ...(contents === "compilers" ? Object.values(callsOfCompilers) : [])];
  const end = [step(ifAbove, newestCall, 0, 1), refused("ENOSYS"), refused("EPERM")];
  return filter(machine, simple, rulesAtStart(contents, starter), end);
}

/** The second filter, without the calls that only the start needed. */
export const filterOnceUp = (machine: string, contents: Contents, pid: number): readonly Instruction[] | undefined =>
  isKnown(machine) ? filter(machine, [], rulesOnceUp(contents, pid), [allowed]) : undefined;

// <linux/prctl.h>, <linux/seccomp.h>, <sys/mman.h>
const PR_GET_SECCOMP = 21;
const SECCOMP_MODE_FILTER = 2;
const SECCOMP_SET_MODE_FILTER = 1;
const SECCOMP_FILTER_FLAG_TSYNC = 1;
const PROT_READ_WRITE = 3;
const MAP_PRIVATE_ANONYMOUS = 0x22;

/** Sets a filter for this thread and all that it starts, or for all threads. Requires no_new_privs. 0, or the errno. */
function install(koffi: Koffi, machine: Machine, instructions: readonly Instruction[], forAllThreads: boolean): number {
  const c = koffi.load(null);
  const mmap = c.func("void *mmap(void *address, size_t length, int protection, int flags, int fd, int64_t offset)");
  const memcpy = c.func("void *memcpy(void *to, const void *from, size_t length)");
  const seccomp = c.func("long syscall(long number, uint operation, uint flags, const void *program)");
  const bytes = Buffer.alloc(8 * instructions.length);
  instructions.forEach(({ code, whenTrue, whenFalse, value }, i) => {
    bytes.writeUInt16LE(code, 8 * i);
    bytes.writeUInt8(whenTrue, 8 * i + 2);
    bytes.writeUInt8(whenFalse, 8 * i + 3);
    bytes.writeUInt32LE(value >>> 0, 8 * i + 4);
  });
  const place = mmap(null, bytes.length, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0) as bigint;
  memcpy(place, bytes, bytes.length);
  // struct sock_fprog
  const program = Buffer.alloc(16);
  program.writeUInt16LE(instructions.length, 0);
  program.writeBigUInt64LE(BigInt(place), 8);
  const flags = forAllThreads ? SECCOMP_FILTER_FLAG_TSYNC : 0;
  const number = ruledCalls.seccomp[machines[machine].column];
  const answer = Number(seccomp(number, SECCOMP_SET_MODE_FILTER, flags, program));
  // With TSYNC a positive answer is the thread that could not follow.
  return answer === 0 ? 0 : answer > 0 ? errno.EINVAL : koffi.errno();
}

/** For the launcher. Returns 0, or the errno; ENOSYS when the machine's calls are not known. */
export function limitCalls(koffi: Koffi, contents: Contents, starter: Starter): number {
  const machine = process.arch;
  const instructions = filterAtStart(machine, contents, starter);
  return instructions === undefined || !isKnown(machine) ? errno.ENOSYS : install(koffi, machine, instructions, false);
}

/**
 * For a child that is up and has neither foreign code nor text yet: gives up what only its start needed. Kernels start no program
 * and send no signal to others. Does nothing in an unconfined child.
 */
export function settle(koffi: Koffi, contents: Contents): void {
  const machine = process.arch;
  const instructions = filterOnceUp(machine, contents, process.pid);
  if (process.platform !== "linux" || instructions === undefined || !isKnown(machine)) return;
  const prctl = koffi.load(null).func("int prctl(int option, ulong a, ulong b, ulong c, ulong d)");
  if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) !== SECCOMP_MODE_FILTER) return;
  const failed = install(koffi, machine, instructions, true);
  if (failed !== 0) throw new Error(`seccomp for all threads failed with errno ${failed}`);
}
