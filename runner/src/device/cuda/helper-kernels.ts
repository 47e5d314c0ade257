/** The runner's own kernels (helper.cu), loaded once per context: fill, compare, contents, invert, digest, sweep, hold, stamp. */
import { readFileSync } from "node:fs";
import { type DType, type Fill, halfBits, type ManifestBuffer, type Mismatch } from "@warpfarm/common";
import { type Held, heldOf, type Sums, sumsOfBoth } from "../../measure/check.ts";
import type { Stamps } from "../device-api.ts";
import type { CudaDriver } from "./driver.ts";
import type { CudaFunction, CudaModule, DevicePointer, KernelParam, Stream } from "./driver-types.ts";

const ptx = new URL("../../../ptx/helper.ptx", import.meta.url);
const threads = 256;
/** sizeof(Verdict): excess f64, index u64, count u64, got f64, expected f64. */
const verdictBytes = 40;
/** sizeof(Contents): low, high, nearest, sum, squares f64, nan, infinite u64. */
const contentsBytes = 56;
/** sizeof(Stamp): SM, its clock and the time in nanoseconds, u64 each. */
const stampBytes = 24;
/** A multiple of the time's resolution, which is 1 us on some devices. */
const leastStampedNs = 400_000n;
/** Two sums, and as many bytes for the region's address and length. */
const digestBytes = 16;
/** What a launch from the host may take at most, when its stream has more queued than the driver has room for. */
export const mostHeldMs = 5;
const once = { cluster: [1, 1, 1], dynamicSharedBytes: 0 } as const;

export interface Region {
  readonly address: DevicePointer;
  readonly bytes: number;
}

const u64 = (value: bigint | number): KernelParam => ({ kind: "u64", value: BigInt(value) });
const u32 = (value: number): KernelParam => ({ kind: "u32", value: value >>> 0 });
const f64 = (value: number): KernelParam => ({ kind: "f64", value });

export function partialContents(bytes: Uint8Array<ArrayBuffer>): readonly Sums[] {
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / contentsBytes }, (_, block) => {
    const double = (i: number): number => view.getFloat64(block * contentsBytes + 8 * i, true);
    const count = (i: number): number => Number(view.getBigUint64(block * contentsBytes + 8 * i, true));
    return {
      ...{ low: double(0), high: double(1), nearest: double(2), sum: double(3), squares: double(4) },
      ...{ nan: count(5), infinite: count(6) },
    };
  });
}

/**
 * What two rows of stamps say of the time between them. Cycles are counted by each SM, so only stamps of one SM are compared;
 * the median of the SMs counts. Undefined where no SM stamped twice, or where the time is too short for its resolution.
 */
function betweenStamps(before: BigUint64Array, after: BigUint64Array): Stamps | undefined {
  const rows = (all: BigUint64Array) =>
    Array.from({ length: all.length / 3 }, (_, i) => [...all.subarray(3 * i, 3 * i + 3)] as [bigint, bigint, bigint]);
  const began = new Map(rows(before).map((row) => [row[0], row]));
  const both = rows(after).flatMap(([sm, clock, time]) => {
    const [, clock0 = clock, time0 = time] = began.get(sm) ?? [];
    if (time - time0 < leastStampedNs || clock <= clock0) return [];
    return [{ ms: Number(time - time0) / 1e6, clockMhz: (Number(clock - clock0) * 1e3) / Number(time - time0) }];
  });
  return both.sort((a, b) => a.clockMhz - b.clockMhz)[both.length >> 1];
}

export class HelperKernels {
  readonly #driver: CudaDriver;
  readonly #stream: Stream;
  readonly #module: CudaModule;
  readonly #functions = new Map<string, CudaFunction>();
  /** Enough blocks to fill the device a few times over. */
  readonly #maxBlocks: number;
  /** A verdict, then one of each block; or the contents of each block. */
  readonly #partial: DevicePointer;
  /** Stamps from before a run, then from after it; a block for each SM. */
  readonly #stamps: DevicePointer;
  readonly #multiprocessors: number;
  #sums: Region | undefined;
  #word: ReturnType<CudaDriver["hostWord"]> | undefined;
  #holds = 0;

  /** The driver compiles the PTX for its GPU, or takes it from its cache. */
  constructor(driver: CudaDriver, stream: Stream, multiprocessors: number) {
    this.#driver = driver;
    this.#stream = stream;
    this.#multiprocessors = Math.max(1, multiprocessors);
    this.#maxBlocks = this.#multiprocessors * 8;
    this.#module = driver.loadModule(Buffer.concat([readFileSync(ptx), Buffer.of(0)]));
    this.#partial = driver.allocate((this.#maxBlocks + 1) * Math.max(verdictBytes, contentsBytes));
    this.#stamps = driver.allocate(2 * this.#multiprocessors * stampBytes);
  }

  fill(dtype: DType, address: DevicePointer, count: number, seed: number, number: number): void {
    const params = [u64(address), u64(count), u32(seed), u32(Math.floor(seed / 0x1_0000_0000)), u32(number)];
    this.#launch(`fill_${dtype}`, this.#blocksFor(count), params);
  }

  /** Fills as a program says. Requires a shape for which the fill is defined. */
  fillGiven(
    { dtype, shape }: Pick<ManifestBuffer, "dtype" | "shape">,
    fill: Fill,
    address: DevicePointer,
    seed: number,
    number: number,
  ): void {
    const count = shape.reduce((product, extent) => product * extent, 1);
    const row = shape.at(-1) ?? 1;
    const [kind, from, to] =
      fill.kind === "range"
        ? [0, Number(fill.from), Number(fill.to)]
        : fill.kind === "permutation"
          ? [1, 0, 0]
          : fill.kind === "constant"
            ? [2, Number(fill.value), 0]
            : [3, Number(fill.mean), Number(fill.deviation)];
    const seeds = [u32(seed), u32(Math.floor(seed / 0x1_0000_0000)), u32(number)];
    const given = [u32(kind), f64(from), f64(to), u64(row), u32(halfBits(row))];
    this.#launch(`fill_given_${dtype}`, this.#blocksFor(count), [u64(address), u64(count), ...seeds, ...given]);
  }

  /** The worst element and the number of wrong ones; undefined when all agree. measure/check.ts defines the meaning. */
  compare(
    dtype: DType,
    got: DevicePointer,
    reference: DevicePointer,
    count: number,
    { atol, rtol }: { readonly atol: number; readonly rtol: number },
  ): Omit<Mismatch, "buffer"> | undefined {
    const blocks = this.#blocksFor(count);
    const partial = this.#partial + BigInt(verdictBytes);
    this.#launch(`compare_${dtype}`, blocks, [u64(got), u64(reference), u64(count), f64(atol), f64(rtol), u64(partial)]);
    this.#launch("compare_finish", 1, [u64(partial), u32(blocks), u64(this.#partial)]);
    const bytes = new Uint8Array(new ArrayBuffer(verdictBytes));
    this.#driver.copyToHost(bytes, this.#partial);
    const view = new DataView(bytes.buffer);
    const wrong = Number(view.getBigUint64(16, true));
    if (wrong === 0) return undefined;
    return {
      index: Number(view.getBigUint64(8, true)),
      count: wrong,
      got: view.getFloat64(24, true),
      expected: view.getFloat64(32, true),
    };
  }

  /** The contents as check.ts's contentsOf computes them; the sums are added in another order. */
  contents(dtype: DType, address: DevicePointer, count: number): Held {
    const blocks = this.#blocksFor(count);
    this.#launch(`contents_${dtype}`, blocks, [u64(address), u64(count), u64(this.#partial)]);
    const bytes = new Uint8Array(new ArrayBuffer(blocks * contentsBytes));
    this.#driver.copyToHost(bytes, this.#partial);
    return heldOf(dtype, count, partialContents(bytes).reduce(sumsOfBoth));
  }

  /**
   * Reads the region from the L2 cache or beyond, again and again, until it has read `total` bytes or a little more. The region's
   * bytes may change. Requires that they are a power of two.
   */
  sweep({ address, bytes }: Region, total: number): void {
    this.#launch("sweep", this.#maxBlocks, [u64(address), u64(bytes / 16 - 1), u64(total / 16)]);
  }

  /** to = ~from. */
  invert(to: DevicePointer, from: DevicePointer, bytes: number): void {
    this.#launch("invert", this.#blocksFor(bytes), [u64(to), u64(from), u64(bytes)]);
  }

  /** 128 bits of every region, as hex: equal contents and lengths have equal digests. There is one wait for all regions. */
  digests(regions: readonly Region[]): readonly string[] {
    if (regions.length === 0) return [];
    const bytes = regions.length * digestBytes;
    if (this.#sums === undefined || this.#sums.bytes < 2 * bytes) {
      if (this.#sums !== undefined) this.#driver.free(this.#sums.address);
      this.#sums = undefined;
      this.#sums = { address: this.#driver.allocate(4 * bytes), bytes: 4 * bytes };
    }
    const { address } = this.#sums;
    const table = BigUint64Array.from(regions.flatMap((region) => [region.address, BigInt(region.bytes)]));
    const given = address + BigInt(bytes);
    this.#driver.memset(address, 0, bytes, this.#stream);
    this.#driver.copyToDevice(given, new Uint8Array(table.buffer));
    const words = regions.reduce((sum, region) => sum + Math.ceil(region.bytes / 8), 0);
    this.#launch("digest", this.#blocksFor(words), [u64(given), u32(regions.length), u64(address)]);
    const sums = new Uint8Array(new ArrayBuffer(bytes));
    this.#driver.copyToHost(sums, address);
    return regions.map((_, i) => Buffer.from(sums.buffer, i * digestBytes, digestBytes).toString("hex"));
  }

  /** Keeps the stream busy. */
  hold(nanoseconds: number): void {
    this.#hold([u32(nanoseconds), u64(0), u32(0)]);
  }

  /**
   * Keeps the stream busy until the returned function is called, or for 5 ms: what is queued meanwhile then starts without
   * waiting for the host.
   */
  held(): () => void {
    this.#word ??= this.#driver.hostWord();
    const { address, set } = this.#word;
    const number = ++this.#holds;
    this.#hold([u32(mostHeldMs * 1e6), u64(address), u32(number)]);
    return () => set(number);
  }

  /**
   * Notes where and when the stream is now. The device is idle then, so each block has an SM of its own, and the SMs are the same
   * before and after a run.
   */
  stamp(when: "before" | "after"): void {
    const shape = { ...once, grid: [this.#multiprocessors, 1, 1], block: [1, 1, 1] } as const;
    const to = when === "before" ? this.#stamps : this.#stamps + BigInt(this.#multiprocessors * stampBytes);
    this.#driver.launch(this.#driver.prepareLaunch(this.#function("stamp"), "stamp", shape, [u64(to)], this.#stream));
  }
  /** Of the last stamps. */
  stamps(): Stamps | undefined {
    const words = new BigUint64Array(2 * 3 * this.#multiprocessors);
    this.#driver.copyToHost(new Uint8Array(words.buffer), this.#stamps);
    return betweenStamps(words.subarray(0, words.length / 2), words.subarray(words.length / 2));
  }

  #blocksFor(count: number): number {
    return Math.min(this.#maxBlocks, Math.max(1, Math.ceil(count / threads)));
  }

  #hold(params: readonly KernelParam[]): void {
    const shape = { ...once, grid: [1, 1, 1], block: [1, 1, 1] } as const;
    this.#driver.launch(this.#driver.prepareLaunch(this.#function("hold"), "hold", shape, params, this.#stream));
  }

  #launch(name: string, blocks: number, params: readonly KernelParam[]): void {
    const shape = { ...once, grid: [blocks, 1, 1], block: [threads, 1, 1] } as const;
    this.#driver.launch(this.#driver.prepareLaunch(this.#function(name), name, shape, params, this.#stream));
  }

  #function(name: string): CudaFunction {
    let fn = this.#functions.get(name);
    if (fn === undefined) {
      fn = this.#driver.getFunction(this.#module, name);
      this.#functions.set(name, fn);
    }
    return fn;
  }
}
