/**
 * The part of the CUDA driver API that a runner uses: one method for each driver call, with handles as bigint. driver.ts binds it
 * to libcuda; the tests have a scripted one with faults. Every method throws CudaError unless the result is success. Calls block,
 * so the driver lives in a child process that its host may kill. One context is current, on one thread, from openContext to the
 * end of the process.
 */
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

export interface CudaDriver {
  /** 13000 for CUDA 13.0: the newest version that the driver supports. */
  readonly version: number;
  deviceCount(): number;
  device(ordinal: number): CudaDeviceInfo;

  /** Retains the device's primary context and makes it current. Waiting threads block instead of spinning. */
  openContext(ordinal: number): void;
  memoryInfo(): { readonly freeBytes: number; readonly totalBytes: number };
  allocate(bytes: number): DevicePointer;
  free(pointer: DevicePointer): void;
  /** 32 bits of the host's memory that kernels read while they run. They are zero at first, and stay until the process ends. */
  hostWord(): { readonly address: DevicePointer; set(value: number): void };
  /** Sets bytes in stream order. */
  memset(pointer: DevicePointer, byte: number, bytes: number, stream: Stream): void;
  /** Returns when the bytes are there. */
  copyToDevice(to: DevicePointer, from: Uint8Array): void;
  copyToHost(to: Uint8Array, from: DevicePointer): void;
  copyOnDevice(to: DevicePointer, from: DevicePointer, bytes: number, stream: Stream): void;

  /** Loads a cubin, or PTX text with a zero byte at its end, which the driver compiles. */
  loadModule(image: Uint8Array): CudaModule;
  unloadModule(module: CudaModule): void;
  getFunction(module: CudaModule, name: string): CudaFunction;
  getGlobal(module: CudaModule, name: string): { readonly address: DevicePointer; readonly bytes: number };
  getFunctionAttribute(fn: CudaFunction, attribute: FunctionAttribute): number;
  setFunctionAttribute(fn: CudaFunction, attribute: FunctionAttribute, value: number): void;

  /** Ends the privilege of lines of the L2 cache that were to persist. */
  resetPersistingL2(): void;

  createStream(): Stream;
  destroyStream(stream: Stream): void;
  synchronize(stream: Stream): void;
  /** Milliseconds of the host's clock. */
  now(): number;
  createEvent(): CudaEvent;
  destroyEvent(event: CudaEvent): void;
  recordEvent(event: CudaEvent, stream: Stream): void;
  /** Milliseconds between two recorded events. The resolution is about half a microsecond. */
  elapsedMs(start: CudaEvent, end: CudaEvent): number;

  /** The 128 bytes that a kernel takes as a `__grid_constant__ CUtensorMap`. */
  encodeTensorMap(recipe: TensorMapRecipe): Uint8Array;

  prepareLaunch(
    fn: CudaFunction,
    name: string,
    shape: LaunchShape,
    params: readonly KernelParam[],
    stream: Stream,
  ): PreparedLaunch;
  launch(prepared: PreparedLaunch): void;

  beginCapture(stream: Stream): void;
  endCapture(stream: Stream): Graph;
  instantiate(graph: Graph): GraphExec;
  destroyGraph(graph: Graph): void;
  /** Moves an instantiated graph to the device, so its first launch costs no more than the next. */
  uploadGraph(exec: GraphExec, stream: Stream): void;
  launchGraph(exec: GraphExec, stream: Stream): void;
  destroyGraphExec(exec: GraphExec): void;
}
