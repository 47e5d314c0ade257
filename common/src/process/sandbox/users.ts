/**
 * The user of a confined child, and its limit of processes and threads. A child of root gets a user and group of its own: root
 * has no limit of processes, and may change other processes of root. Of root's rights it keeps only that to read and write other
 * users' files, within Landlock and bubblewrap.
 *
 * RLIMIT_NPROC counts all threads of a user on the machine, or in its user namespace, including invisible ones of other
 * containers. So the present count is found by the kernel's answers.
 */
import { type RandomBytes, systemRandomBytes } from "../../new-id.ts";
import type { Koffi } from "../libc.ts";

// <linux/prctl.h>, <linux/capability.h>, <linux/securebits.h>, <asm-generic/resource.h>, <asm-generic/errno-base.h>
const PR_SET_SECUREBITS = 28;
/** The right to files stays when the user changes, and counts for access() too, which gcc asks about its folder. */
const noSetuidFixup = 4;
const PR_CAP_AMBIENT = 47;
const PR_CAP_AMBIENT_RAISE = 2;
const capabilityVersion = 0x2008_0522;
const dacOverride = 1;
/** CAP_SETGID, CAP_SETUID and CAP_SETPCAP. */
const forAnotherUser = bit(6) | bit(7) | bit(8);
const processesLimit = 6;
const EAGAIN = 11;

/**
 * Numbers that neither accounts nor containers have (systemd's list of users calls them unused). A child's is drawn at random,
 * because in bubblewrap every child has the same process id.
 */
const firstOwnUser = 0x7000_0000;
const ownUsers = 0x0fff_ffff;

function bit(capability: number): number {
  return 1 << capability;
}

/** Gives up all capabilities, and root for a user that has only the one for files. Of the calling thread, which will exec. */
export function becomeNobody(koffi: Koffi, randomBytes: RandomBytes = systemRandomBytes): void {
  const c = koffi.load(null);
  const capset = c.func("int capset(const void *header, const void *sets)");
  const prctl = c.func("int prctl(int option, ulong a, ulong b, ulong c, ulong d)");
  const held = effectiveCapabilities(koffi);
  const kept = process.geteuid?.() === 0 ? held & bit(dacOverride) : 0;
  const isChanged = kept !== 0 && (held & forAnotherUser) === forAnotherUser && changeUser(koffi, randomBytes);
  // Effective, permitted, inheritable. A user other than root loses them at exec unless they are ambient.
  const sets = new Uint32Array([kept, kept, isChanged ? kept : 0, 0, 0, 0]);
  if (capset(new Uint32Array([capabilityVersion, 0]), sets) !== 0) throw new Error(`capset failed with errno ${koffi.errno()}`);
  if (isChanged && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, dacOverride, 0, 0) !== 0)
    throw new Error(`an ambient capability failed with errno ${koffi.errno()}`);
}

/** False where the number is no user of this namespace. Root there is an ordinary user of the machine, who has a limit. */
function changeUser(koffi: Koffi, randomBytes: RandomBytes): boolean {
  const c = koffi.load(null);
  const prctl = c.func("int prctl(int option, ulong a, ulong b, ulong c, ulong d)");
  const setgroups = c.func("int setgroups(size_t size, const void *list)");
  const setresgid = c.func("int setresgid(uint real, uint effective, uint saved)");
  const setresuid = c.func("int setresuid(uint real, uint effective, uint saved)");
  const user = firstOwnUser + (Buffer.from(randomBytes(4)).readUInt32LE() % ownUsers);
  if (setresgid(user, user, user) !== 0) return false;
  if (prctl(PR_SET_SECUREBITS, noSetuidFixup, 0, 0, 0) !== 0) throw new Error(`securebits failed with errno ${koffi.errno()}`);
  if (setgroups(0, null) !== 0) throw new Error(`setgroups failed with errno ${koffi.errno()}`);
  if (setresuid(user, user, user) !== 0) throw new Error(`setresuid failed with errno ${koffi.errno()}`);
  return true;
}

function effectiveCapabilities(koffi: Koffi): number {
  const capget = koffi.load(null).func("int capget(void *header, void *sets)");
  const sets = new Uint32Array(6);
  if (capget(new Uint32Array([capabilityVersion, 0]), sets) !== 0) throw new Error(`capget failed with errno ${koffi.errno()}`);
  return sets[0] ?? 0;
}

export interface ProcessBudget {
  readonly own: number;
  /** Threads that others of the user may start meanwhile, where the user is not the child's own. */
  readonly others: number;
}

const step = 16;
/** A user with no more threads than this is the child's own, or of its namespace: the launcher itself has a dozen. */
const ownAtMost = 2 * step;
/** No machine has more. */
const mostThreads = 2 ** 22;

/** Limits processes and threads of this user to what it has now and the budget. False when the kernel sets this user no limit. */
export function limitProcesses(koffi: Koffi, { own, others }: ProcessBudget): boolean {
  const limit = limiter(koffi);
  const starts = threadStarter(koffi);
  limit.soft(0);
  if (starts()) return false;
  for (let there = step; there < mostThreads; there += step) {
    limit.soft(there);
    if (!starts()) continue;
    limit.hard(there + own + (there > ownAtMost ? others : 0));
    return true;
  }
  throw new Error(`this user may start no thread even with a limit of ${mostThreads}`);
}

function limiter(koffi: Koffi) {
  const c = koffi.load(null);
  const getrlimit = c.func("int getrlimit(int resource, void *limits)");
  const setrlimit = c.func("int setrlimit(int resource, const void *limits)");
  const now = new BigUint64Array(2);
  if (getrlimit(processesLimit, now) !== 0) throw new Error(`getrlimit failed with errno ${koffi.errno()}`);
  const [, most = 0n] = now;
  const set = (soft: bigint, hard: bigint): void => {
    const limits = new BigUint64Array([soft < hard ? soft : hard, hard]);
    if (setrlimit(processesLimit, limits) !== 0) throw new Error(`setrlimit failed with errno ${koffi.errno()}`);
  };
  return {
    soft: (value: number): void => set(BigInt(value), most),
    hard: (value: number): void => set(BigInt(value), BigInt(value) < most ? BigInt(value) : most),
  };
}

function threadStarter(koffi: Koffi): () => boolean {
  const c = koffi.load(null);
  const dlsym = c.func("void *dlsym(void *handle, const char *name)");
  const create = c.func("int pthread_create(void *thread, const void *attributes, void *start, void *argument)");
  const join = c.func("int pthread_join(uint64_t thread, void *answer)");
  // Takes nothing and returns.
  const start = dlsym(null, "getppid");
  const thread = new BigUint64Array(1);
  return () => {
    const failed = Number(create(thread, null, start, null));
    if (failed === EAGAIN) return false;
    if (failed !== 0) throw new Error(`a thread could not be started: errno ${failed}`);
    join(thread[0] ?? 0n, null);
    return true;
  };
}
