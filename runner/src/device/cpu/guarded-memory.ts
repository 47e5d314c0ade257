/**
 * Memory that notices writes outside of it. Every buffer is a mapping of its own:
 *
 *   | no access | canary | the buffer, aligned | canary | no access |
 *
 * The buffer ends as close to the guard behind as its alignment allows. Touching a guard is a SIGSEGV in the process that did it;
 * the few bytes between hold a pattern that is checked after each run. Contents can be sealed read-only: a kernel that writes
 * into its input or into the reference faults, so both outlive candidates. mmap is called through koffi.
 */

import { constants } from "node:buffer";
import { invariant } from "@warpfarm/common";
import koffi from "koffi";
import { DeviceError } from "../device-api.ts";

const c = koffi.load(null);
const mmap = c.func("void *mmap(void *address, size_t length, int protection, int flags, int fd, int64_t offset)");
const mprotect = c.func("int mprotect(void *address, size_t length, int protection)");
const munmap = c.func("int munmap(void *address, size_t length)");
const sysconf = c.func("long sysconf(int name)");

// <sys/mman.h> and <bits/confname.h> of Linux; Darwin differs in two of them.
const PROT_NONE = 0;
const PROT_READ = 1;
const PROT_READ_WRITE = 3;
const MAP_PRIVATE_ANONYMOUS = process.platform === "darwin" ? 0x1002 : 0x22;
const SC_PAGESIZE = process.platform === "darwin" ? 29 : 30;
const MAP_FAILED = 0xffff_ffff_ffff_ffffn;

const canary = 0xc5;
/**
 * Bytes of address space, not memory. An index has 32 bits and an element at most 8 bytes, so no index reaches from a buffer to
 * memory that is not the program's; a result could not reveal that. Where this much is not available, the guards are as wide as
 * some rows.
 */
const guards = [2 ** 34, 2 ** 20] as const;
/** Room for the widest vector and a cache line, whatever the manifest requests. */
const leastAlign = 64;

const pageSize = Number(sysconf(SC_PAGESIZE));
const roundUp = (n: number, to: number): number => Math.ceil(n / to) * to;

export class GuardedMemory {
  readonly address: bigint;
  /** The buffer itself. Must not be touched after free(). */
  readonly bytes: Uint8Array;
  readonly #base: bigint;
  readonly #length: number;
  readonly #pages: { readonly first: bigint; readonly inner: number };
  readonly #before: Uint8Array;
  readonly #after: Uint8Array;
  #freed = false;

  /** Zeroed. Throws DeviceError `out_of_memory`. Requires align to be a power of two. */
  constructor(size: number, align: number) {
    invariant(Number.isInteger(Math.log2(align)), `alignment ${align} is not a power of two`);
    const step = Math.max(align, leastAlign);
    const room = roundUp(Math.max(size, 1), step);
    const inner = roundUp(room, pageSize);
    // koffi ends the process when it is asked for a longer view.
    if (inner > constants.MAX_LENGTH)
      throw new DeviceError(
        "out_of_memory",
        `a buffer of ${size} bytes was asked for; on this runner one has at most ${constants.MAX_LENGTH}`,
      );
    // The end of the buffer is aligned to both step and page. Everything outside of [first, first + inner) stays without access.
    const unit = BigInt(Math.max(step, pageSize));
    const reserved = reserve(inner + (step > pageSize ? step : 0));
    if (reserved === undefined) throw outOfMemory(size);
    this.#length = reserved.length;
    this.#base = reserved.base;
    const first = ((this.#base + BigInt(reserved.guard + inner) + unit - 1n) / unit) * unit - BigInt(inner);
    if (mprotect(first, inner, PROT_READ_WRITE) !== 0) {
      munmap(this.#base, this.#length);
      throw outOfMemory(size);
    }
    this.#pages = { first, inner };
    const view = new Uint8Array(koffi.view(first, inner));
    const start = inner - room;
    this.#before = view.subarray(0, start).fill(canary);
    this.bytes = view.subarray(start, start + size);
    this.#after = view.subarray(start + size).fill(canary);
    this.address = first + BigInt(start);
  }

  seal(): void {
    this.#protect(PROT_READ);
  }
  unseal(): void {
    this.#protect(PROT_READ_WRITE);
  }

  isDamaged(): boolean {
    const isCanary = (byte: number): boolean => byte === canary;
    return !this.#before.every(isCanary) || !this.#after.every(isCanary);
  }

  free(): void {
    if (this.#freed) return;
    this.#freed = true;
    munmap(this.#base, this.#length);
  }

  #protect(protection: number): void {
    const failed = mprotect(this.#pages.first, this.#pages.inner, protection) !== 0;
    invariant(!failed, `mprotect failed with errno ${koffi.errno()}`);
  }
}

function reserve(length: number): { readonly base: bigint; readonly length: number; readonly guard: number } | undefined {
  for (const guard of guards) {
    const whole = length + 2 * guard;
    const base = BigInt(mmap(null, whole, PROT_NONE, MAP_PRIVATE_ANONYMOUS, -1, 0) as bigint | number);
    if (base !== MAP_FAILED) return { base, length: whole, guard };
  }
  return undefined;
}

const outOfMemory = (size: number): DeviceError =>
  new DeviceError("out_of_memory", `${size} bytes of host memory asked for; the system refused (errno ${koffi.errno()})`);
