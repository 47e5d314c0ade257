/** Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". */
import type { Limits } from "../../verify/limits.ts";

/** Opt-in shared memory per block by compute capability times ten, ascending. */
const optInShared: readonly (readonly [capability: number, bytes: number])[] = [
  [75, 65_536],
  [80, 166_912],
  [86, 101_376],
  [87, 166_912],
  [89, 101_376],
  [90, 232_448],
  [100, 232_448],
  [103, 232_448],
  [110, 232_448],
  [120, 101_376],
  [121, 101_376],
];

/** A capability that is not in the table has the limits of the nearest lower one. */
export function cudaLimits(level: number): Omit<Limits, "name"> {
  const known = optInShared.filter(([capability]) => capability <= level).at(-1) ?? optInShared[0];
  return {
    sharedBytesPerBlock: known?.[1] ?? 49_152,
    threadsPerBlock: 1024,
    block: [1024, 1024, 64],
    grid: [2 ** 31 - 1, 65_535, 65_535],
    // More than 8 do not fit on some devices.
    cluster: level >= 90 ? 8 : 1,
    vectorBytes: Infinity,
  };
}
