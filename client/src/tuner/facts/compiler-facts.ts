/**
 * A compiler's report on a config that was built and need not be measured: a build takes processor time and no device time. As
 * columns for a model, each from about 0 to 1.
 */
import { type ArtifactManifest, defined, type InstructionCounts, instructionClasses, instructionsOf } from "@warpfarm/common";
import { occupancy } from "@warpfarm/common/occupancy";
import type { ConfigIndex } from "@warpfarm/compiler";

/** Of several kernels the most of any. */
export interface CompilerFacts {
  /** Of a thread. */
  readonly registers: number;
  /** Bytes of a thread that found no register. */
  readonly spilledBytes: number;
  /** Of a block, static and dynamic. */
  readonly sharedBytes: number;
  /** Threads of a block, and blocks. */
  readonly threads: number;
  readonly blocks: number;
  /** Warps on a multiprocessor as a share of the maximum, and its blocks; 0 for an unknown kind. */
  readonly occupancy: number;
  readonly residentBlocks: number;
  /** Of all kernels together, where the builder counts them. */
  readonly instructions?: InstructionCounts | undefined;
}

/** A config without facts does not build, so it cannot run. */
export interface Built {
  readonly index: ConfigIndex;
  readonly facts: CompilerFacts | undefined;
}

type Reported = Pick<ArtifactManifest, "kernels" | "resources" | "notes">;

/** `key`: of the device, `cuda/sm_90`. */
export function factsOf({ kernels, resources, notes }: Reported, key: string): CompilerFacts {
  const { registers, spill_bytes: spilledBytes, static_shared_bytes: staticBytes } = resources;
  const most = (of: (kernel: (typeof kernels)[number]) => number): number => Math.max(0, ...kernels.map(of));
  const product = (dims: readonly number[]): number => dims.reduce((a, b) => a * b, 1);
  const threads = most(({ block }) => product(block));
  const sharedBytes = staticBytes + most((kernel) => kernel.dynamic_shared_bytes);
  const held = occupancy(key, { threads, registers, sharedBytes });
  return {
    registers,
    spilledBytes,
    sharedBytes,
    threads,
    blocks: most(({ grid }) => product(grid)),
    occupancy: held === undefined ? 0 : held.warps / held.mostWarps,
    residentBlocks: held?.blocks ?? 0,
    ...defined({ instructions: instructionsOf(notes) }),
  };
}

export const factColumns = 7;

const log = (value: number): number => Math.log2(1 + value) / 16;

/**
 * Writes the columns from `at` on. They give waves of blocks up to the number of multiprocessors, which is equal for all configs.
 */
export function writeFacts(facts: CompilerFacts, out: Float32Array, at: number): void {
  const { registers, spilledBytes, sharedBytes, threads, blocks, residentBlocks } = facts;
  const waves = residentBlocks === 0 ? 0 : log(blocks / residentBlocks);
  out.set([registers / 256, log(spilledBytes), log(sharedBytes), log(threads), log(blocks), facts.occupancy, waves], at);
}

export const instructionColumns = instructionClasses.length + 1;

/** Writes how many there are and each class's share of them. */
export function writeInstructions(counts: InstructionCounts, out: Float32Array, at: number): void {
  const all = instructionClasses.map((name) => counts[name]);
  const sum = all.reduce((a, b) => a + b, 0);
  out.set([log(sum), ...all.map((count) => count / Math.max(1, sum))], at);
}
