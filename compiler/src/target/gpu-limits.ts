/** The limits against which a schedule is checked: a target's, its devices', or AutoTVM's. */
import { type LimitName, parseTarget } from "@warpfarm/common";
import { type Limits, unlimited } from "../verify/limits.ts";
import { launches } from "./launches.ts";

/** A device's limits, by the names under which runners register them (common's device-limits.ts). */
export interface DeviceLimits {
  /** Names the device and its node in messages. */
  readonly name: string;
  readonly limits: Readonly<Record<string, number>>;
}

/**
 * AutoTVM's five checks (static shared memory, threads, the block's dimensions), and vectors that TVM's CUDA text does not have.
 */
const autotvm: Limits = {
  ...unlimited,
  name: "autotvm",
  sharedBytesPerBlock: 49_152,
  addsSharedBytes: true,
  threadsPerBlock: 1024,
  block: [1024, 1024, 64],
  vectorBytes: 16,
};

/**
 * Limits of a target (`cuda/sm_90`) or AutoTVM's own rule. A CPU has none. `devices`: the possible devices, each of which must be
 * able to run it. A limit that a device does not report is the table's, and so is one that exceeds the table's, which a builder
 * would refuse. Throws FarmError INVALID_ARGUMENT on a text that is not a target.
 */
export function gpuLimits(of: string, devices: readonly DeviceLimits[] = []): Limits {
  if (of === "autotvm") return autotvm;
  const target = parseTarget(of);
  const table: Limits = { ...launches.of(target.kind).limits(target), name: of };
  if (devices.length === 0 || !Number.isFinite(table.threadsPerBlock)) return table;
  const owners: Record<string, string> = {};
  const least = (rule: string, limit: LimitName, allowed: number): number => {
    let lowest = allowed;
    for (const { name, limits } of devices) {
      const own = limits[limit];
      if (own === undefined || own >= lowest) continue;
      lowest = own;
      owners[rule] = name;
    }
    return lowest;
  };
  const eachAxis = (what: "block" | "grid"): Limits["block"] => {
    const [x, y, z] = table[what];
    const along = (axis: "x" | "y" | "z", allowed: number) => least(`gpu.${what}_${axis}`, `max_${what}_dim_${axis}`, allowed);
    return [along("x", x), along("y", y), along("z", z)];
  };
  return {
    ...table,
    sharedBytesPerBlock: least("gpu.shared_bytes", "max_shared_memory_per_block_optin", table.sharedBytesPerBlock),
    threadsPerBlock: least("gpu.threads", "max_threads_per_block", table.threadsPerBlock),
    block: eachAxis("block"),
    grid: eachAxis("grid"),
    owners,
  };
}
