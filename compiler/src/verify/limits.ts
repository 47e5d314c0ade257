/**
 * What a device can launch, and which schedules exceed it. Refuses only what the compiler or the driver would certainly refuse:
 * launch dimensions, shared memory, and the registers for a warpgroup's sums. What else a kernel keeps in registers is an
 * estimate and not checked here.
 */

import { dtypeBits, type Refusal } from "@warpfarm/common";
import { teamSize } from "../ir/agent.ts";
import type { Scope } from "../ir/buffer.ts";
import { sharedLayout } from "../ir/shared-layout.ts";
import type { Inferred } from "../schedule/infer.ts";
import { accumulatorFault } from "./roles.ts";

export interface Limits {
  /** Names the limits in messages: the target, or "autotvm". */
  readonly name: string;
  /** All shared buffers of one kernel together; the opt-in limit where the hardware has one. */
  readonly sharedBytesPerBlock: number;
  /** Whether shared buffers are added up as in TVM, without the cost of alignment. */
  readonly addsSharedBytes?: true;
  readonly threadsPerBlock: number;
  readonly block: readonly [x: number, y: number, z: number];
  readonly grid: readonly [x: number, y: number, z: number];
  /** The most blocks that run together, for which each device has room. */
  readonly cluster: number;
  /** For one vectorized loop: a longer vector, or one without whole bytes, is refused. */
  readonly vectorBytes: number;
  /** For messages: by rule, the device that allows less than `name` does. */
  readonly owners?: Readonly<Record<string, string>>;
}

export const unlimited: Omit<Limits, "name"> = {
  sharedBytesPerBlock: Infinity,
  threadsPerBlock: Infinity,
  block: [Infinity, Infinity, Infinity],
  grid: [Infinity, Infinity, Infinity],
  cluster: Infinity,
  vectorBytes: Infinity,
};

/** What is checked: an inferred schedule, or a user's kernel. */
export interface Launched extends Pick<Inferred, "launches" | "vectors"> {
  readonly allocations: readonly Pick<Inferred["allocations"][number], "bytes" | "scope" | "launch" | "inTiles" | "align">[];
}

const axes = ["x", "y", "z"] as const;
const sumsScope: Scope = "warpgroup.accumulator";
/** Of one register in each thread of a warpgroup. */
const sumsBytes = 4 * teamSize.warpgroup;

/** Everything in this launch that exceeds the limits, in a fixed order; empty: it can run. */
export function verifyLimits(inferred: Launched, limits: Limits): readonly Refusal[] {
  const found: Refusal[] = [];
  const most = (rule: string, asked: number, allowed: number, what: string) => {
    if (asked > allowed)
      found.push({ rule, message: `${what} is ${asked}; ${limits.owners?.[rule] ?? limits.name} allows ${allowed}` });
  };
  for (const [i, launch] of inferred.launches.entries()) {
    const { name, grid, block, cluster = 1 } = launch;
    const arrays = inferred.allocations.filter((a) => a.launch === i && a.scope === "shared");
    const shared = limits.addsSharedBytes ? arrays.reduce((sum, { bytes }) => sum + bytes, 0) : sharedLayout(arrays).bytes;
    most("gpu.shared_bytes", shared, limits.sharedBytesPerBlock, `shared memory of "${name}" in bytes`);
    most("gpu.threads", block[0] * block[1] * block[2], limits.threadsPerBlock, `threads per block of "${name}"`);
    most("gpu.cluster", cluster, limits.cluster, `a cluster of "${name}" in blocks`);
    const sums = inferred.allocations.filter((a) => a.launch === i && a.scope === sumsScope);
    const fault = sums.length > 0 && accumulatorFault(sums.reduce((sum, { bytes }) => sum + bytes, 0) / sumsBytes, launch);
    if (fault) found.push({ rule: "wgmma.registers", message: `"${name}": ${fault}` });
    for (const [d, axis] of axes.entries()) {
      most(`gpu.block_${axis}`, block[d] as number, limits.block[d] as number, `threadIdx.${axis} of "${name}"`);
      most(`gpu.grid_${axis}`, grid[d] as number, limits.grid[d] as number, `blockIdx.${axis} of "${name}"`);
    }
  }
  for (const { name, lanes, dtype } of Number.isFinite(limits.vectorBytes) ? inferred.vectors : []) {
    const bytes = (lanes * dtypeBits(dtype)) / 8;
    if (lanes > 1 && (bytes > limits.vectorBytes || !Number.isInteger(bytes)))
      found.push({
        rule: "gpu.vector_bytes",
        message: `a vector of "${name}", ${lanes} ${dtype}, is ${bytes} bytes; ${limits.name} allows whole bytes up to ${limits.vectorBytes}`,
      });
  }
  return found;
}
