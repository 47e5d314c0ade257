/**
 * What a GPU can launch, and which schedules ask for more. Only what the compiler or the driver would certainly refuse is refused
 * (design §3a): launch dimensions and shared memory. Register use is an estimate and no matter of this file.
 * Source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; the autotvm rule: autotvm.md §1.12, §3.8.
 */
import { dtypeBits, type LimitName } from "@warpfarm/common";
import type { Inferred } from "../schedule/infer.ts";
import { parseTarget } from "../target/target.ts";
import type { Violation } from "./rule.ts";

export interface Limits {
  /** For messages: the target, or "autotvm". */
  readonly name: string;
  /** All shared buffers of one kernel together; opt-in where the hardware has it. */
  readonly sharedBytesPerBlock: number;
  readonly threadsPerBlock: number;
  readonly block: readonly [x: number, y: number, z: number];
  readonly grid: readonly [x: number, y: number, z: number];
  /** Of one vectorized loop: more, or no whole byte, is refused. Our own lowering cuts such loops into vectors the device has. */
  readonly vectorBytes: number;
  /** By rule, for messages: whose limit it is where a device allows less than `name` does. */
  readonly owners?: Readonly<Record<string, string>>;
}

/** What a device says of itself, by the names under which runners register it (common's device-limits.ts). */
export interface DeviceLimits {
  /** For messages: which device of which node. */
  readonly name: string;
  readonly limits: Readonly<Record<string, number>>;
}

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

const unlimited: Omit<Limits, "name"> = {
  sharedBytesPerBlock: Infinity,
  threadsPerBlock: Infinity,
  block: [Infinity, Infinity, Infinity],
  grid: [Infinity, Infinity, Infinity],
  vectorBytes: Infinity,
};

/** AutoTVM's five checks (static shared memory, threads, the block's dimensions), and what TVM's CUDA text has no vector for. */
const autotvm: Limits = {
  ...unlimited,
  name: "autotvm",
  sharedBytesPerBlock: 49_152,
  threadsPerBlock: 1024,
  block: [1024, 1024, 64],
  vectorBytes: 16,
};

function limitsOf(text: string): Limits {
  const target = parseTarget(text);
  if (target.kind === "cpu") return { ...unlimited, name: text };
  const known = optInShared.filter(([capability]) => capability <= target.capability).at(-1) ?? optInShared[0];
  return {
    name: text,
    sharedBytesPerBlock: known?.[1] ?? 49_152,
    threadsPerBlock: 1024,
    block: [1024, 1024, 64],
    grid: [2 ** 31 - 1, 65_535, 65_535],
    vectorBytes: Infinity,
  };
}

/**
 * Limits of a target (`cuda/sm_90`; a capability that is not in the table has those of the nearest lower one) or AutoTVM's own rule. A CPU has
 * none. `devices`: those that may run it, of which each must be able to; what one does not say, and what the table does not allow either (a
 * builder refuses that), is the table's. Throws FarmError INVALID_ARGUMENT on a text that is no target.
 */
export function gpuLimits(of: string, devices: readonly DeviceLimits[] = []): Limits {
  if (of === "autotvm") return autotvm;
  const table = limitsOf(of);
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

const axes = ["x", "y", "z"] as const;

/** Everything that this launch asks for and the limits do not allow, in a fixed order; empty = it can run. */
export function verifyLimits(inferred: Inferred, limits: Limits): readonly Violation[] {
  const found: Violation[] = [];
  const most = (rule: string, asked: number, allowed: number, what: string) => {
    if (asked > allowed)
      found.push({ rule, message: `${what} is ${asked}; ${limits.owners?.[rule] ?? limits.name} allows ${allowed}` });
  };
  for (const [i, { name, grid, block }] of inferred.launches.entries()) {
    let shared = 0;
    for (const a of inferred.allocations) if (a.launch === i && a.scope === "shared") shared += a.bytes;
    most("gpu.shared_bytes", shared, limits.sharedBytesPerBlock, `shared memory of "${name}" in bytes`);
    most("gpu.threads", block[0] * block[1] * block[2], limits.threadsPerBlock, `threads per block of "${name}"`);
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
