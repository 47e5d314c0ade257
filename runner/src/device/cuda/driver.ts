/**
 * The part of the CUDA driver API that a runner uses: one method for each driver call, over libcuda; the tests have a scripted
 * one with faults. Every method throws CudaError unless the result is success. Calls block, so the driver lives in a child
 * process that its host may kill. One context is current, on one thread, from openContext to the end of the process.
 *
 * Only this file binds the CUDA driver, with koffi, which it imports; so this module is loaded on demand. Handles and device
 * pointers are 64-bit integers in the C calling convention, so they are declared uint64_t. Results come back through typed
 * arrays. Needs a driver of CUDA 11.8 or later (cuLaunchKernelEx).
 */

import { err, ok, type Result } from "@warpfarm/common";
import koffi from "koffi";
import { CudaError } from "./cuda-error.ts";
import {
  type CudaDeviceInfo,
  type DeviceAttribute,
  deviceAttributes,
  functionAttributes,
  type KernelParam,
  type LaunchShape,
  type PreparedLaunch,
  type Stream,
  type TensorMapRecipe,
} from "./driver-types.ts";
import { alignedBytes, packLaunchConfig, packParams } from "./pack-launch.ts";

const CTX_SCHED_BLOCKING_SYNC = 4;
const STREAM_CAPTURE_MODE_THREAD_LOCAL = 1;
/** CU_MEMHOSTALLOC_DEVICEMAP. */
const deviceMapped = 2;

type Native = (...args: readonly unknown[]) => unknown;

/** An out parameter of 64 bits, off the JavaScript heap, so its address never changes. */
const out64 = (): BigUint64Array<ArrayBuffer> => new BigUint64Array(new ArrayBuffer(8));
const out32 = (): Int32Array<ArrayBuffer> => new Int32Array(new ArrayBuffer(8));

/** A missing library is a value: the message says what was searched for. `path` names another library with the same functions. */
export function openCudaDriver(path = "libcuda.so.1"): Result<CudaDriver, { readonly message: string }> {
  let library: ReturnType<typeof koffi.load>;
  try {
    library = koffi.load(path);
  } catch (error) {
    return err({ message: `${path} cannot be loaded (${messageOf(error)}); the NVIDIA driver brings it` });
  }
  try {
    return ok(new LibCuda(library));
  } catch (error) {
    return err({ message: `${path}: ${messageOf(error)}` });
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface KoffiLaunch extends PreparedLaunch {
  readonly fn: bigint;
  readonly config: Uint8Array;
  readonly pointers: BigUint64Array;
  /** Kept alive because `config` and `pointers` contain their addresses. */
  readonly pinned: readonly object[];
}

/** 16 bytes as nvidia-smi prints them. */
function formatUuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex");
  return `GPU-${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** What the runner calls, which tests script. */
export type CudaDriver = Pick<LibCuda, keyof LibCuda>;

class LibCuda {
  /** 13000 for CUDA 13.0: the newest version that the driver supports. */
  readonly version: number;
  readonly #library: ReturnType<typeof koffi.load>;
  readonly #bound = new Map<string, Native>();
  readonly #elapsed: string;

  constructor(library: ReturnType<typeof koffi.load>) {
    this.#library = library;
    this.#elapsed = this.#has("int cuEventElapsedTime_v2(void *ms, uint64_t start, uint64_t end)")
      ? "int cuEventElapsedTime_v2(void *ms, uint64_t start, uint64_t end)"
      : "int cuEventElapsedTime(void *ms, uint64_t start, uint64_t end)";
    this.#call("int cuInit(uint flags)", 0);
    const version = out32();
    this.#call("int cuDriverGetVersion(void *version)", version);
    this.version = version[0] ?? 0;
    if (this.version < 11_080) throw new Error(`driver serves CUDA ${this.version / 1000}; 11.8 or later is needed`);
  }

  deviceCount(): number {
    const count = out32();
    this.#call("int cuDeviceGetCount(void *count)", count);
    return count[0] ?? 0;
  }

  device(ordinal: number): CudaDeviceInfo {
    const device = this.#deviceHandle(ordinal);
    const name = new Uint8Array(256);
    this.#call("int cuDeviceGetName(void *name, int length, int device)", name, name.length, device);
    const uuid = new Uint8Array(16);
    this.#call("int cuDeviceGetUuid_v2(void *uuid, int device)", uuid, device);
    const memory = out64();
    this.#call("int cuDeviceTotalMem_v2(void *bytes, int device)", memory, device);
    const attributes = {} as Record<DeviceAttribute, number>;
    for (const [key, id] of Object.entries(deviceAttributes)) {
      const value = out32();
      this.#call("int cuDeviceGetAttribute(void *value, int attribute, int device)", value, id, device);
      attributes[key as DeviceAttribute] = value[0] ?? 0;
    }
    return {
      ordinal,
      name: cString(name),
      uuid: formatUuid(uuid),
      memoryBytes: Number(memory[0] ?? 0n),
      attributes,
    };
  }

  /** Retains the device's primary context and makes it current. Waiting threads block instead of spinning. */
  openContext(ordinal: number): void {
    const device = this.#deviceHandle(ordinal);
    this.#call("int cuDevicePrimaryCtxSetFlags_v2(int device, uint flags)", device, CTX_SCHED_BLOCKING_SYNC);
    const context = out64();
    this.#call("int cuDevicePrimaryCtxRetain(void *context, int device)", context, device);
    this.#call("int cuCtxSetCurrent(uint64_t context)", context[0]);
  }

  memoryInfo(): { readonly freeBytes: number; readonly totalBytes: number } {
    const free = out64();
    const total = out64();
    this.#call("int cuMemGetInfo_v2(void *free, void *total)", free, total);
    return { freeBytes: Number(free[0] ?? 0n), totalBytes: Number(total[0] ?? 0n) };
  }

  allocate(bytes: number): bigint {
    return this.#handle("int cuMemAlloc_v2(void *pointer, size_t bytes)", bytes);
  }
  free(pointer: bigint): void {
    this.#call("int cuMemFree_v2(uint64_t pointer)", pointer);
  }
  /** 32 bits of the host's memory that kernels read while they run. They are zero at first, and stay until the process ends. */
  hostWord(): { readonly address: bigint; set(value: number): void } {
    const word = this.#handle("int cuMemHostAlloc(void *pointer, size_t bytes, uint flags)", 4, deviceMapped);
    const address = this.#handle("int cuMemHostGetDevicePointer_v2(void *pointer, uint64_t host, uint flags)", word, 0);
    const set = (value: number): void => koffi.encode(word, "uint32_t", value);
    set(0);
    return { address, set };
  }
  /** Sets bytes in stream order. */
  memset(pointer: bigint, byte: number, bytes: number, stream: Stream): void {
    this.#call("int cuMemsetD8Async(uint64_t to, uint8_t value, size_t bytes, uint64_t stream)", pointer, byte, bytes, stream);
  }
  /** Returns when the bytes are there. */
  copyToDevice(to: bigint, from: Uint8Array): void {
    this.#call("int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)", to, from, from.byteLength);
  }
  copyToHost(to: Uint8Array, from: bigint): void {
    this.#call("int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)", to, from, to.byteLength);
  }
  copyOnDevice(to: bigint, from: bigint, bytes: number, stream: Stream): void {
    this.#call("int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, uint64_t stream)", to, from, bytes, stream);
  }

  /** Loads a cubin, or PTX text with a zero byte at its end, which the driver compiles. */
  loadModule(image: Uint8Array): bigint {
    return this.#handle("int cuModuleLoadData(void *module, const void *image)", image);
  }
  unloadModule(module: bigint): void {
    this.#call("int cuModuleUnload(uint64_t module)", module);
  }
  getFunction(module: bigint, name: string): bigint {
    return this.#handle("int cuModuleGetFunction(void *function, uint64_t module, const char *name)", module, name);
  }
  getGlobal(module: bigint, name: string): { readonly address: bigint; readonly bytes: number } {
    const [address, bytes] = [out64(), out64()];
    const call = "int cuModuleGetGlobal_v2(void *pointer, void *bytes, uint64_t module, const char *name)";
    this.#call(call, address, bytes, module, name);
    return { address: address[0] ?? 0n, bytes: Number(bytes[0] ?? 0n) };
  }
  getFunctionAttribute(fn: bigint, attribute: keyof typeof functionAttributes): number {
    const value = out32();
    this.#call("int cuFuncGetAttribute(void *value, int attribute, uint64_t function)", value, functionAttributes[attribute], fn);
    return value[0] ?? 0;
  }
  setFunctionAttribute(fn: bigint, attribute: keyof typeof functionAttributes, value: number): void {
    this.#call("int cuFuncSetAttribute(uint64_t function, int attribute, int value)", fn, functionAttributes[attribute], value);
  }

  /** Ends the privilege of lines of the L2 cache that were to persist. */
  resetPersistingL2(): void {
    this.#call("int cuCtxResetPersistingL2Cache()");
  }

  createStream(): Stream {
    // Flags 0: ordered with the plain copies above, which use the default stream.
    return this.#handle("int cuStreamCreate(void *stream, uint flags)", 0);
  }
  destroyStream(stream: Stream): void {
    this.#call("int cuStreamDestroy_v2(uint64_t stream)", stream);
  }
  synchronize(stream: Stream): void {
    this.#call("int cuStreamSynchronize(uint64_t stream)", stream);
  }
  /** Milliseconds of the host's clock. */
  now(): number {
    return performance.now();
  }
  createEvent(): bigint {
    return this.#handle("int cuEventCreate(void *event, uint flags)", 0);
  }
  destroyEvent(event: bigint): void {
    this.#call("int cuEventDestroy_v2(uint64_t event)", event);
  }
  recordEvent(event: bigint, stream: Stream): void {
    this.#call("int cuEventRecord(uint64_t event, uint64_t stream)", event, stream);
  }
  /** Milliseconds between two recorded events. The resolution is about half a microsecond. */
  elapsedMs(start: bigint, end: bigint): number {
    const ms = new Float32Array(new ArrayBuffer(8));
    this.#call(this.#elapsed, ms, start, end);
    return ms[0] ?? 0;
  }

  /** The 128 bytes that a kernel takes as a `__grid_constant__ CUtensorMap`. */
  encodeTensorMap(recipe: TensorMapRecipe): Uint8Array {
    if (this.version < 12_000) {
      const why = `tensor maps need a driver of CUDA 12; this one serves ${this.version / 1000}`;
      throw new CudaError("cuTensorMapEncodeTiled", 801, "CUDA_ERROR_NOT_SUPPORTED", why);
    }
    const { type, address, dims, strides, box, elementStrides, interleave, swizzle, l2, oob, im2col } = recipe;
    const wide = (values: readonly number[]) => BigUint64Array.from(values.length === 0 ? [0] : values, BigInt);
    const map = alignedBytes(128);
    const tensor = [map, type, dims.length, address, wide(dims), wide(strides)];
    const rest = [Uint32Array.from(elementStrides), interleave, swizzle, l2, oob];
    const [before, after] = [
      "void *map, int type, uint32_t rank, uint64_t address, const void *dims, const void *strides",
      "const void *steps, int interleave, int swizzle, int l2, int oob",
    ];
    if (im2col)
      this.#call(
        `int cuTensorMapEncodeIm2col(${before}, const void *lower, const void *upper, uint32_t channels, uint32_t pixels, ${after})`,
        ...tensor,
        Int32Array.from(im2col.lower),
        Int32Array.from(im2col.upper),
        ...box,
        ...rest,
      );
    else
      this.#call(`int cuTensorMapEncodeTiled(${before}, const void *box, ${after})`, ...tensor, Uint32Array.from(box), ...rest);
    return map;
  }

  prepareLaunch(fn: bigint, name: string, shape: LaunchShape, params: readonly KernelParam[], stream: Stream): PreparedLaunch {
    const { config, pinned } = packLaunchConfig(shape, stream);
    const { pointers, values } = packParams(params);
    const launch: KoffiLaunch = { name, fn, config, pointers, pinned: [...pinned, values] };
    return launch;
  }
  launch(prepared: PreparedLaunch): void {
    const { fn, config, pointers } = prepared as KoffiLaunch;
    this.#call(
      "int cuLaunchKernelEx(const void *config, uint64_t function, const void *params, void *extra)",
      config,
      fn,
      pointers,
      null,
    );
  }

  beginCapture(stream: Stream): void {
    this.#call("int cuStreamBeginCapture_v2(uint64_t stream, int mode)", stream, STREAM_CAPTURE_MODE_THREAD_LOCAL);
  }
  endCapture(stream: Stream): bigint {
    const graph = out64();
    this.#call("int cuStreamEndCapture(uint64_t stream, void *graph)", stream, graph);
    return graph[0] ?? 0n;
  }
  instantiate(graph: bigint): bigint {
    return this.#handle("int cuGraphInstantiateWithFlags(void *exec, uint64_t graph, uint64_t flags)", graph, 0);
  }
  destroyGraph(graph: bigint): void {
    this.#call("int cuGraphDestroy(uint64_t graph)", graph);
  }
  /** Moves an instantiated graph to the device, so its first launch costs no more than the next. */
  uploadGraph(exec: bigint, stream: Stream): void {
    this.#call("int cuGraphUpload(uint64_t exec, uint64_t stream)", exec, stream);
  }
  launchGraph(exec: bigint, stream: Stream): void {
    this.#call("int cuGraphLaunch(uint64_t exec, uint64_t stream)", exec, stream);
  }
  destroyGraphExec(exec: bigint): void {
    this.#call("int cuGraphExecDestroy(uint64_t exec)", exec);
  }

  #deviceHandle(ordinal: number): number {
    const device = out32();
    this.#call("int cuDeviceGet(void *device, int ordinal)", device, ordinal);
    return device[0] ?? 0;
  }

  #has(definition: string): boolean {
    try {
      this.#bind(definition);
      return true;
    } catch {
      return false;
    }
  }

  /** Binds functions at their first call, where a missing one throws with its name. */
  #bind(definition: string): Native {
    let native = this.#bound.get(definition);
    if (native === undefined) {
      native = this.#library.func(definition) as Native;
      this.#bound.set(definition, native);
    }
    return native;
  }

  #call(definition: string, ...args: readonly unknown[]): void {
    const code = this.#bind(definition)(...args) as number;
    if (code !== 0) this.#fail(definition, code);
  }

  #handle(definition: string, ...args: readonly unknown[]): bigint {
    const handle = out64();
    this.#call(definition, handle, ...args);
    return handle[0] ?? 0n;
  }

  #fail(definition: string, code: number): never {
    const call = /^int (\w+)/.exec(definition)?.[1] ?? definition;
    const text = (which: string): string => {
      const pointer = out64();
      const answer = this.#bind(`int ${which}(int error, void *text)`)(code, pointer) as number;
      return answer === 0 && pointer[0] !== undefined && pointer[0] !== 0n
        ? (koffi.decode(pointer[0], "char", -1) as string)
        : "";
    };
    throw new CudaError(call, code, text("cuGetErrorName") || `CUDA_ERROR_${code}`, text("cuGetErrorString"));
  }
}

function cString(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(bytes.subarray(0, end === -1 ? bytes.length : end)).toString("utf8");
}
