/**
 * A CudaDriver that computes in host memory and takes the time that it is told, for tests of everything above the driver, with
 * faults. A module's image is JSON {"kernels": [names]}, and a script by its name says what a kernel does. The TypeScript that
 * defines helper.cu's kernels plays them. As on a GPU, a stray write is noticed late: a fault in a kernel appears at the next
 * wait.
 */

import { CudaError, isSticky } from "./cuda-error.ts";
import type { CudaDriver } from "./driver.ts";
import type {
  CudaDeviceInfo,
  FunctionAttribute,
  KernelParam,
  LaunchShape,
  PreparedLaunch,
  Stream,
  TensorMapRecipe,
} from "./driver-types.ts";
import { deviceAttributes } from "./driver-types.ts";
import { errorNames } from "./error-names.testing.ts";
import { addressOf, type Launch, playHelper, playOwn } from "./scripted-helpers.testing.ts";

export interface KernelScript {
  /** Milliseconds of one launch. Called once per launch. */
  readonly ms: () => number;
  /** What one launch does to the memory to which its parameters point, or which a tensor map among them describes. */
  readonly compute?: (memory: (param: number) => Uint8Array) => void;
  /** The launch ends with this error, which appears at the next wait. */
  readonly fault?: number;
  /** The launch itself is refused with this error. */
  readonly refused?: number;
  /** A graph of it is refused with this error. */
  readonly graphRefused?: number;
  /** Bytes a thread. */
  readonly local?: number;
}

const addressStep = 1n << 36n;

export class ScriptedCuda implements CudaDriver {
  readonly version = 13_000;
  readonly kernels = new Map<string, KernelScript>();
  /** Calls by name, in order, without queries. */
  readonly calls: string[] = [];
  readonly launched = new Map<string, number>();
  readonly attributesSet: string[] = [];
  readonly encoded: TensorMapRecipe[] = [];
  /** Launches of scripted kernels that ran, in order. */
  readonly executed: Launch[] = [];
  /** Launches that were packed, in order. */
  readonly prepared: Launch[] = [];
  readonly globals = new Map<string, Uint8Array>();
  memoryBytes = 1 << 30;
  l2Bytes = 1 << 16;
  /** Bytes of each memset. */
  readonly cleared: number[] = [];
  ownMs = 1;
  /** Of every SM, while a kernel runs. */
  clockMhz = 1_000;
  /** The SM of a block of stamps. */
  smOf: (block: number, stamps: number) => number = (block) => block;
  multiprocessors = 2;
  /** Cycles of a block's SM for one of the others'. */
  paceOf: (block: number) => number = () => 1;
  /** How long stamps take. */
  stampMs = 0;
  #stamps = 0;
  #cycles = 0;
  isBroken = false;
  #memory = new Map<bigint, Uint8Array>();
  #next = addressStep;
  #handle = 1n;
  readonly #modules = new Map<bigint, readonly string[] | undefined>();
  #functions = new Map<bigint, string>();
  #events = new Map<bigint, number>();
  #graphs = new Map<bigint, readonly Launch[]>();
  #captured: Launch[] | undefined;
  #captureBroken = false;
  #nowMs = 0;
  /** When the host last waited: meanwhile it is taken to need no time. */
  #waitedMs = 0;
  #pending: number | undefined;
  #broken: number | undefined;

  /** Bytes of device memory that are taken. */
  get taken(): number {
    return [...this.#memory.values()].reduce((sum, bytes) => sum + bytes.length, 0);
  }

  deviceCount(): number {
    return 1;
  }
  device(ordinal: number): CudaDeviceInfo {
    if (ordinal !== 0) this.#throw("cuDeviceGet", 101);
    const attributes = Object.fromEntries(Object.keys(deviceAttributes).map((name) => [name, 1])) as Record<string, number>;
    Object.assign(attributes, {
      multiprocessor_count: this.multiprocessors,
      l2_cache_size: this.l2Bytes,
      compute_capability_major: 9,
    });
    Object.assign(attributes, { compute_capability_minor: 0, max_shared_memory_per_block_optin: 232_448 });
    const uuid = "GPU-00000000-0000-0000-0000-000000000001";
    return {
      ordinal,
      name: "Scripted GPU",
      uuid,
      memoryBytes: this.memoryBytes,
      attributes: attributes as CudaDeviceInfo["attributes"],
    };
  }
  openContext(): void {
    this.#call("cuDevicePrimaryCtxRetain");
  }
  memoryInfo(): { readonly freeBytes: number; readonly totalBytes: number } {
    return { freeBytes: this.memoryBytes - this.taken, totalBytes: this.memoryBytes };
  }
  hostWord(): { readonly address: bigint; set(value: number): void } {
    const address = this.allocate(4);
    return { address, set: (value) => new DataView(this.#at(address).buffer).setUint32(0, value, true) };
  }
  allocate(bytes: number): bigint {
    this.#call("cuMemAlloc");
    if (this.taken + bytes > this.memoryBytes) this.#throw("cuMemAlloc", 2);
    const at = this.#next;
    this.#next += addressStep;
    this.#memory.set(at, new Uint8Array(bytes));
    return at;
  }
  free(pointer: bigint): void {
    this.#call("cuMemFree");
    if (!this.#memory.delete(pointer)) this.#throw("cuMemFree", 1);
  }
  memset(pointer: bigint, byte: number, bytes: number): void {
    this.#call("cuMemsetD8Async");
    this.cleared.push(bytes);
    this.#at(pointer).fill(byte, 0, bytes);
  }
  copyToDevice(to: bigint, from: Uint8Array): void {
    this.#wait("cuMemcpyHtoD");
    this.#at(to).set(from);
  }
  copyToHost(to: Uint8Array, from: bigint): void {
    this.#wait("cuMemcpyDtoH");
    to.set(this.#at(from).subarray(0, to.length));
  }
  copyOnDevice(to: bigint, from: bigint, bytes: number): void {
    this.#call("cuMemcpyDtoDAsync");
    this.#at(to).set(this.#at(from).subarray(0, bytes));
  }

  loadModule(image: Uint8Array): bigint {
    this.#call("cuModuleLoadData");
    const text = Buffer.from(image).toString("latin1");
    const module = this.#handle++;
    if (/^(?:\/\/.*\n)*\.version/.test(text)) this.#modules.set(module, undefined);
    else if (text.startsWith("{"))
      this.#modules.set(module, (JSON.parse(text.replace("\0", "")) as { kernels: string[] }).kernels);
    else this.#throw("cuModuleLoadData", 200);
    return module;
  }
  unloadModule(module: bigint): void {
    this.#call("cuModuleUnload");
    this.#modules.delete(module);
  }
  get modules(): number {
    return this.#modules.size;
  }
  getFunction(module: bigint, name: string): bigint {
    this.#call("cuModuleGetFunction");
    const inside = this.#modules.get(module);
    if (inside !== undefined && !inside.includes(name)) this.#throw("cuModuleGetFunction", 500);
    const fn = this.#handle++;
    this.#functions.set(fn, name);
    return fn;
  }
  getGlobal(_: bigint, name: string): { readonly address: bigint; readonly bytes: number } {
    this.#call("cuModuleGetGlobal");
    const held = this.globals.get(name) ?? this.#throw("cuModuleGetGlobal", 500);
    const address = this.#next;
    this.#next += addressStep;
    this.#memory.set(address, held);
    return { address, bytes: held.length };
  }
  getFunctionAttribute(fn: bigint, attribute: FunctionAttribute): number {
    return attribute === "local_size_bytes" ? (this.kernels.get(this.#functions.get(fn) ?? "")?.local ?? 0) : 0;
  }
  setFunctionAttribute(fn: bigint, attribute: FunctionAttribute, value: number): void {
    this.attributesSet.push(`${this.#functions.get(fn)} ${attribute} ${value}`);
  }

  resetPersistingL2(): void {
    this.#call("cuCtxResetPersistingL2Cache");
  }

  createStream(): Stream {
    return this.#handle++;
  }
  destroyStream(): void {}
  synchronize(): void {
    this.#wait("cuStreamSynchronize");
    this.#waitedMs = this.#nowMs;
  }
  now(): number {
    return this.#waitedMs;
  }
  createEvent(): bigint {
    this.#call("cuEventCreate");
    const event = this.#handle++;
    this.#events.set(event, 0);
    return event;
  }
  destroyEvent(event: bigint): void {
    this.#call("cuEventDestroy");
    this.#events.delete(event);
  }
  recordEvent(event: bigint): void {
    this.#call("cuEventRecord");
    this.#events.set(event, this.#nowMs);
  }
  /** The time that its launches have taken: the clock of a host that does nothing else. */
  get nowMs(): number {
    return this.#nowMs;
  }
  elapsedMs(start: bigint, end: bigint): number {
    return (this.#events.get(end) ?? 0) - (this.#events.get(start) ?? 0);
  }
  get liveEvents(): number {
    return this.#events.size;
  }

  /** Keeps the recipe, with its number in the first bytes. Refuses what cuda.h says that the driver refuses. */
  encodeTensorMap(recipe: TensorMapRecipe): Uint8Array {
    const { dims, strides, box, elementStrides, address, im2col } = recipe;
    const name = im2col ? "cuTensorMapEncodeIm2col" : "cuTensorMapEncodeTiled";
    this.#call(name);
    const corners = im2col ? [...im2col.lower, ...im2col.upper] : [];
    const [reach = 0] = [2 ** 15, 2 ** 7, 2 ** 4].slice(dims.length - 3);
    const isRefused =
      dims.length < 1 ||
      dims.length > 5 ||
      strides.length !== dims.length - 1 ||
      address % 16n !== 0n ||
      strides.some((stride) => stride % 16 !== 0 || stride >= 2 ** 40) ||
      box.some((extent, d) => extent < 1 || extent > (im2col && d === 1 ? 1024 : 256)) ||
      corners.some((at) => at < -reach || at >= reach) ||
      (im2col && (dims.length < 3 || box.length !== 2 || corners.length !== 2 * (dims.length - 2))) ||
      elementStrides.some((step) => step < 1 || step > 8);
    if (isRefused) this.#throw(name, 1);
    const map = new Uint8Array(128);
    map[0] = this.encoded.push(recipe) - 1;
    return map;
  }

  prepareLaunch(fn: bigint, _name: string, shape: LaunchShape, params: readonly KernelParam[]): PreparedLaunch {
    const launch: Launch = { name: this.#functions.get(fn) ?? "?", shape, params };
    this.prepared.push(launch);
    return launch;
  }
  launch(prepared: PreparedLaunch): void {
    this.#call("cuLaunchKernelEx");
    const launch = prepared as Launch;
    const refused = this.kernels.get(launch.name)?.refused;
    if (refused !== undefined) {
      this.#captureBroken = this.#captured !== undefined;
      this.#throw("cuLaunchKernelEx", refused);
    }
    if (this.#captured === undefined) this.#execute(launch);
    else this.#captured.push(launch);
  }
  beginCapture(): void {
    this.#call("cuStreamBeginCapture");
    this.#captured = [];
    this.#captureBroken = false;
  }
  endCapture(): bigint {
    this.#call("cuStreamEndCapture");
    const captured = this.#captured ?? [];
    this.#captured = undefined;
    if (this.#captureBroken) this.#throw("cuStreamEndCapture", 901);
    const graph = this.#handle++;
    this.#graphs.set(graph, captured);
    return graph;
  }
  instantiate(graph: bigint): bigint {
    const launches = this.#graphs.get(graph) ?? [];
    this.#call(`cuGraphInstantiate ${launches.length}`);
    for (const { name } of launches) {
      const refused = this.kernels.get(name)?.graphRefused;
      if (refused !== undefined) this.#throw("cuGraphInstantiateWithFlags", refused);
    }
    const exec = this.#handle++;
    this.#graphs.set(exec, launches);
    return exec;
  }
  destroyGraph(graph: bigint): void {
    this.#call("cuGraphDestroy");
    this.#graphs.delete(graph);
  }
  uploadGraph(): void {
    this.#call("cuGraphUpload");
  }
  launchGraph(exec: bigint): void {
    this.#call("cuGraphLaunch");
    for (const launch of this.#graphs.get(exec) ?? []) this.#execute(launch);
  }
  destroyGraphExec(exec: bigint): void {
    this.#call("cuGraphExecDestroy");
    this.#graphs.delete(exec);
  }
  get liveGraphs(): number {
    return this.#graphs.size;
  }

  #execute(launch: Launch): void {
    const script = this.kernels.get(launch.name);
    if (script === undefined) {
      this.#helper(launch);
      return;
    }
    this.executed.push(launch);
    this.launched.set(launch.name, (this.launched.get(launch.name) ?? 0) + 1);
    this.#pass(script.ms());
    if (script.fault !== undefined) this.#pending ??= script.fault;
    else script.compute?.((i) => this.#at(this.#pointee(launch.params[i])));
  }

  #pass(ms: number): void {
    this.#nowMs += ms;
    this.#cycles += ms * 1e3 * this.clockMhz;
  }

  #pointee(param: KernelParam | undefined): bigint {
    if (param?.kind === "bytes" && param.value.length === 128) return this.encoded[param.value[0] ?? 0]?.address ?? 0n;
    return addressOf(param);
  }

  /** The bytes from the address to the end of its allocation. */
  #at(pointer: bigint): Uint8Array {
    const base = (pointer / addressStep) * addressStep;
    const bytes = this.#memory.get(base);
    if (bytes === undefined) this.#throw("memory", 700);
    return (bytes as Uint8Array).subarray(Number(pointer - base));
  }

  #helper(launch: Launch): void {
    if (launch.name === "hold") return;
    if (launch.name === "stamp") {
      const out = this.#at(addressOf(launch.params[0]));
      const [cycles, ns] = [Math.round(this.#cycles), Math.round(this.#nowMs * 1e6)];
      const rows = Array.from({ length: launch.shape.grid[0] }, (_, block) => [
        this.smOf(block, this.#stamps),
        Math.round(cycles * this.paceOf(block)),
        ns,
      ]);
      out.set(new Uint8Array(BigUint64Array.from(rows.flat(), BigInt).buffer));
      this.#stamps++;
      this.#pass(this.stampMs);
      return;
    }
    if (launch.name === "arithmetic" || launch.name === "memory") {
      this.#pass(this.ownMs);
      playOwn(launch, (pointer) => this.#at(pointer), this.isBroken);
    } else playHelper(launch, (pointer) => this.#at(pointer));
  }

  #call(name: string): void {
    this.calls.push(name);
    if (this.#broken !== undefined) this.#throw(name.split(" ")[0] ?? name, this.#broken);
  }
  #wait(name: string): void {
    this.#call(name);
    const fault = this.#pending;
    this.#pending = undefined;
    if (fault === undefined) return;
    if (isSticky(fault)) this.#broken = fault;
    this.#throw(name, fault);
  }
  #throw(call: string, code: number): never {
    throw new CudaError(call, code, errorNames[code] ?? `CUDA_ERROR_${code}`, "scripted");
  }
}
