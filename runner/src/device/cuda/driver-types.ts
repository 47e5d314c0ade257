/** What the calls of the CUDA driver take and give (driver.ts), with handles as bigint. */
import type { PixelBox } from "@warpfarm/common";

export type DevicePointer = bigint;
export type Stream = bigint & { readonly __stream?: never };
export type CudaEvent = bigint;
export type CudaModule = bigint;
export type CudaFunction = bigint;
export type Graph = bigint;
export type GraphExec = bigint;

/** CUdevice_attribute by the names under which a runner registers them as limits (cuda.h's names in lower case). */
export const deviceAttributes = {
  max_threads_per_block: 1,
  max_block_dim_x: 2,
  max_block_dim_y: 3,
  max_block_dim_z: 4,
  max_grid_dim_x: 5,
  max_grid_dim_y: 6,
  max_grid_dim_z: 7,
  max_shared_memory_per_block: 8,
  total_constant_memory: 9,
  warp_size: 10,
  max_registers_per_block: 12,
  clock_rate: 13,
  multiprocessor_count: 16,
  compute_mode: 20,
  memory_clock_rate: 36,
  global_memory_bus_width: 37,
  l2_cache_size: 38,
  max_threads_per_multiprocessor: 39,
  compute_capability_major: 75,
  compute_capability_minor: 76,
  max_shared_memory_per_multiprocessor: 81,
  max_registers_per_multiprocessor: 82,
  max_shared_memory_per_block_optin: 97,
  max_blocks_per_multiprocessor: 106,
} as const;
export type DeviceAttribute = keyof typeof deviceAttributes;

export const functionAttributes = {
  max_threads_per_block: 0,
  shared_size_bytes: 1,
  local_size_bytes: 3,
  num_regs: 4,
  max_dynamic_shared_size_bytes: 8,
  preferred_shared_memory_carveout: 9,
  non_portable_cluster_size_allowed: 14,
} as const;
export type FunctionAttribute = keyof typeof functionAttributes;

export interface CudaDeviceInfo {
  readonly ordinal: number;
  readonly name: string;
  /** `GPU-` and 32 hex digits in groups, as in nvidia-smi. */
  readonly uuid: string;
  readonly memoryBytes: number;
  readonly attributes: Readonly<Record<DeviceAttribute, number>>;
}

type Dim3 = readonly [number, number, number];

export interface LaunchShape {
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly dynamicSharedBytes: number;
  /** [1, 1, 1]: no cluster. */
  readonly cluster: Dim3;
  readonly attributes?: readonly LaunchNumber[];
}

/** A CUlaunchAttribute whose value is one 32-bit number. */
export interface LaunchNumber {
  readonly id: number;
  readonly value: number;
}

/**
 * The arguments of cuTensorMapEncodeTiled in its order of dimensions, the innermost first; with `im2col`, of
 * cuTensorMapEncodeIm2col: the box is channels, then pixels.
 */
export interface TensorMapRecipe {
  readonly type: number;
  readonly address: DevicePointer;
  readonly dims: readonly number[];
  readonly strides: readonly number[];
  readonly box: readonly number[];
  readonly elementStrides: readonly number[];
  readonly im2col?: PixelBox;
  readonly interleave: number;
  readonly swizzle: number;
  readonly l2: number;
  readonly oob: number;
}

export type KernelParam =
  | { readonly kind: "u64"; readonly value: bigint }
  | { readonly kind: "u32"; readonly value: number }
  | { readonly kind: "f64"; readonly value: number }
  /** Bytes at an address aligned to their length, up to 64. */
  | { readonly kind: "bytes"; readonly value: Uint8Array };

export interface PreparedLaunch {
  readonly name: string;
}
