/**
 * A GPU as a device: cubins or PTX, guarded buffers, times by events around a CUDA graph, fill and comparison by kernels of our
 * own (helper.cu). One context, one stream, synchronous calls: for the child process that owns the GPU.
 *
 * Memory cannot be write-protected here. Around every buffer lies a zone with a pattern, and of what no candidate may change
 * (inputs, references) a digest is kept; damaged() looks at both, on the device. Whatever the driver refuses becomes a
 * DeviceError whose rule is the driver's name for it; after a sticky one the process must end.
 */
import { readFileSync } from "node:fs";
import {
  type ArtifactManifest,
  buffersOf,
  fillFor,
  type InputKind,
  isFloat,
  type ManifestBuffer,
  type ManifestKernel,
  type Mismatch,
  type Observations,
  type TimerKind,
  type Tolerance,
} from "@warpfarm/common";
import type { Held } from "../../measure/check.ts";
import { elementCount } from "../../measure/inputs.ts";
import {
  type Buffers,
  type DeviceApi,
  type DeviceBuffer,
  DeviceError,
  type DeviceModule,
  type Rotation,
  type RotationPlan,
  type Stamps,
  type Timed,
} from "../device-api.ts";
import { Beside } from "./beside.ts";
import { CUDA_ERROR_OUT_OF_MEMORY, CudaError, isDeviceFault } from "./cuda-error.ts";
import type { CudaDriver } from "./driver.ts";
import type { CudaDeviceInfo, CudaFunction, CudaModule, DevicePointer, Stream } from "./driver-types.ts";
import { HelperKernels, type Region } from "./helper-kernels.ts";
import { deviceLaunch } from "./judged-code.ts";
import { RotatedLaunches, timedIdle } from "./judged-rotation.ts";
import { type LocalMemory, mostLocal, refusedLocal, whyNoLaunch } from "./local-memory.ts";
import type { Nvml } from "./nvml.ts";
import { type AddressedBuffers, addressIn, fillConstants, preparedRun } from "./prepared-run.ts";
import { measureRates } from "./rates.ts";
import { TimedLaunches } from "./timed-launches.ts";

const zoneBytes = 64 * 1024;
const zonePattern = 0xc5;
/** Above this a function must ask for shared memory. */
const plainSharedBytes = 48 * 1024;
/** Above this a kernel must ask for its cluster. */
const portableCluster = 8;
/** Clocks, power and energy are read during a batch that lasts at least this long. */
const observedBatchMs = 40;

interface CudaBuffer extends DeviceBuffer {
  readonly base: DevicePointer;
  readonly address: DevicePointer;
  /** The zones before and behind the buffer, and the buffer's digest while nobody may write there. */
  readonly zones: readonly Region[];
  readonly zoneDigests: readonly string[];
  sealed: string | undefined;
}

interface CudaModuleState extends DeviceModule {
  readonly handle: CudaModule;
  readonly functions: readonly CudaFunction[];
  readonly local: LocalMemory | undefined;
  bound: { readonly key: string; readonly launches: TimedLaunches } | undefined;
  rotated: RotatedLaunches | undefined;
}

export class CudaDevice implements DeviceApi {
  readonly timers: readonly TimerKind[] = ["cuda_graph", "events"];
  readonly info: CudaDeviceInfo;
  readonly #driver: CudaDriver;
  readonly #nvml: Nvml | undefined;
  readonly #stream: Stream;
  readonly #helpers: HelperKernels;
  readonly #live = new Set<CudaBuffer>();
  #scratch: Region | undefined;
  #beside: Beside | undefined;
  #observed: Observations | undefined;
  /** For the module loaded last: the energy counter early in its first and its latest long batch, and the runs between them. */
  #energy: { readonly firstMj: number; readonly lastMj: number; readonly runs: number } | undefined;
  #runsSinceReading = 0;
  readonly #askForOthers: () => string | undefined;
  #others: string | undefined;
  /** After a sticky error the driver is not called any more, not even to free. */
  #dead = false;

  /** Opens the context. `others`: who else uses the GPU now; a cheap call. Throws DeviceError. */
  constructor(driver: CudaDriver, ordinal: number, nvml?: Nvml, others: () => string | undefined = () => undefined) {
    this.#driver = driver;
    this.#nvml = nvml;
    this.#askForOthers = others;
    const opened = this.#ask(() => {
      const info = driver.device(ordinal);
      driver.openContext(ordinal);
      const stream = driver.createStream();
      return { info, stream, helpers: new HelperKernels(driver, stream, info.attributes.multiprocessor_count) };
    });
    this.info = opened.info;
    this.#stream = opened.stream;
    this.#helpers = opened.helpers;
  }

  load(manifest: ArtifactManifest, codePath: string): DeviceModule {
    if (manifest.format === "so")
      throw new DeviceError("manifest", `a GPU loads cubin or ptx; the artifact is ${manifest.format}`);
    this.#observed = undefined;
    this.#energy = undefined;
    this.#others ??= this.#askForOthers();
    const code = readFileSync(codePath);
    const image = manifest.format === "ptx" ? Buffer.concat([code, Buffer.of(0)]) : code;
    const launches = deviceLaunch(code);
    if (launches !== undefined) throw new DeviceError("device_launch", launches);
    return this.#ask(() => {
      // Lines that code of before asked to keep would serve this code's inputs.
      this.#driver.resetPersistingL2();
      const handle = this.#driver.loadModule(image);
      const unload = (): void => this.#release(() => this.#driver.unloadModule(handle));
      try {
        const functions = manifest.kernels.map((kernel) => this.#function(handle, kernel));
        const local = mostLocal(
          functions.map((fn, i) => ({
            kernel: manifest.kernels[i]?.name ?? "",
            bytesPerThread: this.#driver.getFunctionAttribute(fn, "local_size_bytes"),
          })),
          this.info,
        );
        const refused = refusedLocal(local, this.info);
        if (refused) throw refused;
        const module: CudaModuleState = {
          manifest,
          handle,
          functions,
          local,
          bound: undefined,
          rotated: undefined,
          [Symbol.dispose]: () => {
            this.#release(() => module.bound?.launches[Symbol.dispose]());
            this.#release(() => module.rotated?.[Symbol.dispose]());
            unload();
          },
        };
        return module;
      } catch (error) {
        unload();
        throw error;
      }
    });
  }

  allocate(spec: ManifestBuffer): DeviceBuffer {
    const total = spec.bytes + 2 * zoneBytes;
    return this.#ask(() => {
      const base = this.#driver.allocate(total);
      const address = base + BigInt(zoneBytes);
      this.#driver.memset(base, zonePattern, total, this.#stream);
      this.#driver.memset(address, 0, spec.bytes, this.#stream);
      const zones = [
        { address: base, bytes: zoneBytes },
        { address: address + BigInt(spec.bytes), bytes: zoneBytes },
      ];
      const buffer: CudaBuffer = { spec, base, address, zones, zoneDigests: this.#helpers.digests(zones), sealed: undefined };
      this.#live.add(buffer);
      return buffer;
    });
  }
  free(buffer: DeviceBuffer): void {
    const mine = buffer as CudaBuffer;
    if (!this.#live.delete(mine)) return;
    this.#release(() => {
      // Whoever gets this memory next must not find an answer there.
      this.#driver.memset(mine.base, zonePattern, mine.spec.bytes + 2 * zoneBytes, this.#stream);
      this.#driver.free(mine.base);
    });
  }

  fill(buffer: DeviceBuffer, seed: number, number: number, inputs: InputKind): void {
    const mine = buffer as CudaBuffer;
    const { dtype, role, bytes, fill: said } = buffer.spec;
    const fill = fillFor(dtype, said, inputs);
    this.#ask(() => {
      if (fill === "zeros") this.#driver.memset(mine.address, 0, bytes, this.#stream);
      else if (fill?.kind === "blob") throw new DeviceError("manifest", `what fills "${buffer.spec.name}" is not here`);
      else if (fill !== undefined) this.#helpers.fillGiven(buffer.spec, fill, mine.address, seed, number);
      else this.#helpers.fill(dtype, mine.address, elementCount(buffer.spec), seed, number);
      mine.sealed = role === "in" ? this.#digestOf(mine) : undefined;
    });
  }
  write(buffer: DeviceBuffer, bytes: Uint8Array): void {
    const mine = buffer as CudaBuffer;
    this.#ask(() => {
      this.#driver.copyToDevice(mine.address, bytes);
      mine.sealed = buffer.spec.role === "in" ? this.#digestOf(mine) : undefined;
    });
  }
  poison(buffer: DeviceBuffer, unlike?: DeviceBuffer): void {
    const { address, spec } = buffer as CudaBuffer;
    this.#ask(() => {
      if (unlike === undefined || isFloat(spec.dtype)) this.#driver.memset(address, 0xff, spec.bytes, this.#stream);
      else this.#helpers.invert(address, (unlike as CudaBuffer).address, spec.bytes);
    });
  }
  snapshot(from: DeviceBuffer, to: DeviceBuffer): void {
    const target = to as CudaBuffer;
    this.#ask(() => {
      this.#driver.copyOnDevice(target.address, (from as CudaBuffer).address, to.spec.bytes, this.#stream);
      target.sealed = this.#digestOf(target);
    });
  }
  read(buffer: DeviceBuffer): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(new ArrayBuffer(buffer.spec.bytes));
    this.#ask(() => this.#driver.copyToHost(bytes, (buffer as CudaBuffer).address));
    return bytes;
  }
  contents(buffer: DeviceBuffer): Held {
    const { spec, address } = buffer as CudaBuffer;
    return this.#ask(() => this.#helpers.contents(spec.dtype, address, elementCount(spec)));
  }

  run(module: DeviceModule, buffers: Buffers, number: number, timer: TimerKind): number {
    if (timer === "wall") throw noTimer(timer, this.timers);
    const state = module as CudaModuleState;
    const batch = (): number => {
      const launches = this.#launches(state, buffers);
      const nvml = this.#nvml;
      const isLong = launches.runMs * number >= observedBatchMs;
      const look =
        nvml !== undefined && isLong
          ? () => {
              this.#runsSinceReading += launches.untimedRuns;
              this.#look(nvml);
            }
          : undefined;
      const ms = launches.time(number, timer, look);
      this.#runsSinceReading += look ? number : number + launches.untimedRuns;
      // After each batch: a process that comes and goes within a trial is present after one of them.
      this.#others ??= this.#askForOthers();
      return ms;
    };
    return this.#ask(batch, (error) => whyNoLaunch(error, state.local, this.info));
  }
  rotation(module: DeviceModule, plan: RotationPlan, timer: TimerKind): Rotation {
    if (timer === "wall") throw noTimer(timer, this.timers);
    const state = module as CudaModuleState;
    const ask = <T>(work: () => T): T => this.#ask(work, (error) => whyNoLaunch(error, state.local, this.info));
    return ask(() => {
      state.rotated ??= new RotatedLaunches(this.#driver, this.#stream, this.#helpers, state);
      const ready = state.rotated.ready(plan, timer);
      const run = (): Timed => {
        const found = ready.run();
        this.#others ??= this.#askForOthers();
        return found;
      };
      return { run: () => ask(run), [Symbol.dispose]: () => this.#release(() => ready[Symbol.dispose]()) };
    });
  }
  idle(ms: number): Timed {
    return this.#ask(() => timedIdle(this.#driver, this.#stream, this.#helpers, ms));
  }
  stamps(): Stamps | undefined {
    return this.#ask(() => this.#helpers.stamps());
  }
  flushCaches(): void {
    this.#ask(() => {
      const bytes = Math.max(1 << 20, 2 * this.info.attributes.l2_cache_size);
      this.#scratch ??= { address: this.#driver.allocate(bytes), bytes };
      this.#driver.memset(this.#scratch.address, 0, this.#scratch.bytes, this.#stream);
    });
  }
  disturb(step: number): Disposable {
    return this.#ask(() => {
      this.#beside ??= new Beside(this.#driver, this.info.attributes.multiprocessor_count);
      return this.#beside.begin(step);
    });
  }

  compare(output: DeviceBuffer, reference: DeviceBuffer, tolerance: Tolerance): Mismatch | undefined {
    const { address, spec } = output as CudaBuffer;
    return this.#ask(() => {
      const worst = this.#helpers.compare(spec.dtype, address, (reference as CudaBuffer).address, elementCount(spec), tolerance);
      return worst === undefined ? undefined : { buffer: spec.name, ...worst };
    });
  }
  /**
   * Checks everything sealed on this device besides the given buffers, because a stray write may hit another workload's input.
   */
  damaged(buffers: Iterable<DeviceBuffer>): readonly string[] {
    return this.#ask(() => {
      const looked = new Set([...buffers] as CudaBuffer[]);
      for (const buffer of this.#live) if (buffer.sealed !== undefined) looked.add(buffer);
      const checks = [...looked].flatMap((buffer) => {
        const zones = buffer.zones.map((region, i) => ({ buffer, region, digest: buffer.zoneDigests[i] }));
        return buffer.sealed === undefined ? zones : [...zones, { buffer, region: contentOf(buffer), digest: buffer.sealed }];
      });
      const found = this.#helpers.digests(checks.map((check) => check.region));
      const names = checks.filter((check, i) => check.digest !== found[i]).map((check) => check.buffer.spec.name);
      return [...new Set(names)];
    });
  }
  observe(): Observations {
    this.#observed ??= this.#nvml?.observe() ?? {};
    const { firstMj = 0, lastMj = 0, runs = 0 } = this.#energy ?? {};
    return lastMj > firstMj ? { ...this.#observed, energyJ: (lastMj - firstMj) / 1000 / runs } : this.#observed;
  }
  rates(): ReturnType<typeof measureRates> {
    return measureRates(this.#driver, this.#stream, this.#helpers, this.info);
  }
  powerW(): number | undefined {
    return this.#nvml?.powerW();
  }
  busyPercent(): number | undefined {
    return this.#nvml?.busyPercent();
  }
  others(): string | undefined {
    const seen = this.#others ?? this.#askForOthers();
    this.#others = undefined;
    return seen;
  }

  /**
   * Called early in a batch, while the GPU works. Two readings a batch apart lag the counter by the same time, so their
   * difference is right.
   */
  #look(nvml: Nvml): void {
    const mj = nvml.totalEnergyMj();
    if (mj !== undefined) {
      const { firstMj = mj, runs = -this.#runsSinceReading } = this.#energy ?? {};
      this.#energy = { firstMj, lastMj: mj, runs: runs + this.#runsSinceReading };
    }
    this.#runsSinceReading = 0;
    this.#observed ??= nvml.observe();
  }

  #function(module: bigint, { name, dynamic_shared_bytes, cluster, attributes = [] }: ManifestKernel): CudaFunction {
    const fn = this.#driver.getFunction(module, name);
    if (dynamic_shared_bytes > plainSharedBytes)
      this.#driver.setFunctionAttribute(fn, "max_dynamic_shared_size_bytes", dynamic_shared_bytes);
    if (cluster[0] * cluster[1] * cluster[2] > portableCluster)
      this.#driver.setFunctionAttribute(fn, "non_portable_cluster_size_allowed", 1);
    for (const attribute of attributes)
      if (attribute.kind === "shared_carveout")
        this.#driver.setFunctionAttribute(fn, "preferred_shared_memory_carveout", attribute.percent);
    return fn;
  }

  #launches(module: CudaModuleState, given: Buffers): TimedLaunches {
    const buffers = given as AddressedBuffers;
    const { kernels, maps = [] } = module.manifest;
    const addresses = kernels.map((kernel) => buffersOf(kernel, maps).map((name) => addressIn(buffers, name)));
    const key = addresses.join("\n");
    if (module.bound?.key !== key) {
      module.bound?.launches[Symbol.dispose]();
      module.bound = undefined;
      fillConstants(this.#driver, this.#stream, module, buffers);
      const prepared = preparedRun(this.#driver, this.#stream, module, buffers);
      module.bound = { key, launches: new TimedLaunches(this.#driver, this.#stream, this.#helpers, prepared) };
    }
    return module.bound.launches;
  }

  #digestOf(buffer: CudaBuffer): string {
    return this.#helpers.digests([contentOf(buffer)]).join();
  }

  /** Calls the driver. A refusal is thrown as DeviceError, which `explain` may refine. */
  #ask<T>(work: () => T, explain: (error: CudaError) => DeviceError | undefined = () => undefined): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof CudaError)) throw error;
      const explained = explain(error);
      if (explained?.sticky ?? error.sticky) this.#dead = true;
      if (explained) throw explained;
      const rule = error.code === CUDA_ERROR_OUT_OF_MEMORY ? "out_of_memory" : error.codeName;
      throw new DeviceError(rule, error.message, { sticky: error.sticky, hardware: isDeviceFault(error.code) });
    }
  }

  /** Releases something. */
  #release(work: () => void): void {
    if (this.#dead) return;
    try {
      work();
    } catch (error) {
      if (!(error instanceof CudaError)) throw error;
      if (error.sticky) this.#dead = true;
    }
  }
}

const noTimer = (timer: TimerKind, timers: readonly TimerKind[]): DeviceError =>
  new DeviceError("timer", `timer ${timer} was asked for; a GPU has ${timers.join(", ")}`);
const contentOf = ({ address, spec }: CudaBuffer): Region => ({ address, bytes: spec.bytes });
