/**
 * Landlock: after the call the thread, and everything that it starts, can open only files below the named places. Where the
 * kernel knows these rules, it also has no TCP, and no signals or abstract sockets to processes outside. Landlock needs no
 * privilege and no namespace. A place that does not exist is left out. Landlock does not hide whether a file exists (stat); a
 * mount namespace does (bubblewrap.ts).
 */
import { closeSync, constants, fstatSync, openSync } from "node:fs";
import type { Koffi } from "../libc.ts";

export interface Places {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

// <linux/landlock.h>: the numbers are equal on every machine.
const createRuleset = 444;
const addRule = 445;
const restrictSelf = 446;
const pathBeneath = 1;
const versionFlag = 1;
const O_PATH = 0o10000000;
const right = {
  execute: 1n << 0n,
  writeFile: 1n << 1n,
  readFile: 1n << 2n,
  readDirectory: 1n << 3n,
  /** remove_dir to make_sym, without make_char (6) and make_block (11). */
  change: (1n << 4n) | (1n << 5n) | (1n << 7n) | (1n << 8n) | (1n << 9n) | (1n << 10n) | (1n << 12n),
  refer: 1n << 13n,
  truncate: 1n << 14n,
  ioctl: 1n << 15n,
} as const;
/** Rights that a rule for a single file may have. */
const ofFiles = right.execute | right.writeFile | right.readFile | right.truncate | right.ioctl;
/** The number of file rights that each version knows. Later versions know no more. */
const knownRights = [0, 13, 14, 15, 15, 16] as const;
const netSince = 4;
const scopeSince = 6;

/** Errors of a kernel without Landlock: not built in, not among its lsm=, not allowed here. <asm-generic/errno.h> */
const none: ReadonlySet<number> = new Set([38, 95, 1]);

/** The kernel's Landlock version; 0 = none. Throws when the kernel does not say. */
export function landlockVersion(koffi: Koffi): number {
  const ask = koffi.load(null).func("long syscall(long number, const void *attributes, size_t size, uint32_t flags)");
  const version = Number(ask(createRuleset, null, 0, versionFlag));
  if (version >= 0) return version;
  if (none.has(koffi.errno())) return 0;
  throw new Error(`Landlock: its version failed with errno ${koffi.errno()}`);
}

/** Requires no_new_privs. False when this kernel has no Landlock. Throws when the kernel has it and refuses. */
export function openOnly(koffi: Koffi, { readable, writable }: Places): boolean {
  const version = landlockVersion(koffi);
  if (version === 0) return false;
  const c = koffi.load(null);
  const create = c.func("long syscall(long number, const void *attributes, size_t size, uint32_t flags)");
  const add = c.func("long syscall(long number, int ruleset, int type, const void *attributes, uint32_t flags)");
  const restrict = c.func("long syscall(long number, int ruleset, uint32_t flags)");
  const done = (what: string, answer: unknown): number => {
    if (Number(answer) < 0) throw new Error(`Landlock: ${what} failed with errno ${koffi.errno()}`);
    return Number(answer);
  };
  const handled = (1n << BigInt(knownRights[Math.min(version, knownRights.length - 1)] ?? 0)) - 1n;
  const attributes = Buffer.alloc(24);
  attributes.writeBigUInt64LE(handled, 0);
  if (version >= netSince) attributes.writeBigUInt64LE(3n, 8);
  if (version >= scopeSince) attributes.writeBigUInt64LE(3n, 16);
  const size = version >= scopeSince ? 24 : version >= netSince ? 16 : 8;
  const ruleset = done("a ruleset", create(createRuleset, attributes, size, 0));
  const allow = (path: string, rights: bigint): void => {
    let fd: number;
    try {
      fd = openSync(path, O_PATH | constants.O_RDONLY);
    } catch {
      return;
    }
    // struct landlock_path_beneath_attr, packed
    const rule = Buffer.alloc(12);
    rule.writeBigUInt64LE(rights & handled & (fstatSync(fd).isDirectory() ? ~0n : ofFiles), 0);
    rule.writeInt32LE(fd, 8);
    done(`a rule for ${path}`, add(addRule, ruleset, pathBeneath, rule, 0));
    closeSync(fd);
  };
  const reads = right.readFile | right.readDirectory | right.execute;
  const writes = reads | right.writeFile | right.change | right.refer | right.truncate | right.ioctl;
  for (const path of readable) allow(path, reads);
  for (const path of writable) allow(path, writes);
  done("the restriction", restrict(restrictSelf, ruleset, 0));
  closeSync(ruleset);
  return true;
}
