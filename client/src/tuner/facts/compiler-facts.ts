/**
 * What a compiler says of a config that was built and not measured: a build costs processor time and no time of a device. As
 * columns for a model, each about 0 to 1.
 */
import type { ConfigIndex } from "@warpfarm/compiler";

export interface CompilerFacts {
  /** Of a thread; of several kernels the most. */
  readonly registers: number;
  /** Bytes of a thread that found no register. */
  readonly spilledBytes: number;
  /** Of a block, static and dynamic. */
  readonly sharedBytes: number;
  /** Threads of a block, and blocks. */
  readonly threads: number;
  readonly blocks: number;
  /** Share of a multiprocessor's warps that it can hold at once; undefined where the device is not known. */
  readonly occupancy?: number;
}

/** Without facts it cannot be built, so it cannot run. */
export interface Built {
  readonly index: ConfigIndex;
  readonly facts: CompilerFacts | undefined;
}

export const factColumns = 6;

const log = (value: number): number => Math.log2(1 + value) / 16;

/** Writes the columns from `at` on. */
export function writeFacts(facts: CompilerFacts, out: Float32Array, at: number): void {
  const { registers, spilledBytes, sharedBytes, threads, blocks, occupancy = 0 } = facts;
  out.set([registers / 256, log(spilledBytes), log(sharedBytes), log(threads), log(blocks), occupancy], at);
}
