/** The host's processor as a device: shared objects in guarded memory, timed by the system's monotonic clock. */
import type { ArtifactManifest, InputKind, ManifestBuffer, Mismatch, Observations, TimerKind, Tolerance } from "@warpfarm/common";
import { isFloat } from "@warpfarm/common";
import koffi from "koffi";
import { contentsOf, type Held, worstMismatch } from "../../measure/check.ts";
import { fillBytes } from "../../measure/inputs.ts";
import type { Buffers, DeviceApi, DeviceBuffer, DeviceModule, Rotation, RotationPlan, Timed } from "../device-api.ts";
import { GuardedMemory } from "./guarded-memory.ts";
import { type CpuBuffer, SharedObject } from "./shared-object.ts";

const clockGettime = koffi.load(null).func("int clock_gettime(int clock, void *time)");
/** Not slewed by NTP. <bits/time.h>, <mach/time.h>. */
const CLOCK_MONOTONIC_RAW = 4;
/** Larger than the last-level cache of today's processors. */
const flushBytes = 64 * 1024 * 1024;
/** Bytes of a large tensor that are examined: all of it would take longer than many references. */
const lookedAtBytes = 64 << 20;

export class CpuDevice implements DeviceApi {
  readonly timers: readonly TimerKind[] = ["wall"];
  readonly #time = new BigInt64Array(2);
  #flushed: GuardedMemory | undefined;

  load(manifest: ArtifactManifest, codePath: string): DeviceModule {
    return new SharedObject(manifest, codePath);
  }

  allocate(spec: ManifestBuffer): DeviceBuffer {
    const buffer: CpuBuffer = { spec, memory: new GuardedMemory(spec.bytes, spec.align) };
    return buffer;
  }
  free(buffer: DeviceBuffer): void {
    memoryOf(buffer).free();
  }

  fill(buffer: DeviceBuffer, seed: number, number: number, inputs: InputKind): void {
    const { spec } = buffer;
    const memory = memoryOf(buffer);
    memory.unseal();
    fillBytes(spec, memory.bytes, seed, number, inputs);
    if (spec.role === "in") memory.seal();
  }
  write(buffer: DeviceBuffer, bytes: Uint8Array): void {
    const memory = memoryOf(buffer);
    memory.unseal();
    memory.bytes.set(bytes);
    if (buffer.spec.role === "in") memory.seal();
  }
  poison(buffer: DeviceBuffer, unlike?: DeviceBuffer): void {
    const { bytes } = memoryOf(buffer);
    if (unlike === undefined || isFloat(buffer.spec.dtype)) bytes.fill(0xff);
    else {
      const other = memoryOf(unlike).bytes;
      for (let i = 0; i < bytes.length; i++) bytes[i] = ~(other[i] ?? 0);
    }
  }
  snapshot(from: DeviceBuffer, to: DeviceBuffer): void {
    const memory = memoryOf(to);
    memory.unseal();
    memory.bytes.set(memoryOf(from).bytes);
    memory.seal();
  }
  read(buffer: DeviceBuffer): Uint8Array<ArrayBuffer> {
    return memoryOf(buffer).bytes.slice();
  }
  contents(buffer: DeviceBuffer): Held {
    return contentsOf(buffer.spec, memoryOf(buffer).bytes.subarray(0, lookedAtBytes));
  }

  run(module: DeviceModule, buffers: Buffers, number: number): number {
    const launches = (module as SharedObject).launches(buffers);
    const [only] = launches;
    const start = this.#now();
    if (launches.length === 1 && only !== undefined) for (let i = 0; i < number; i++) only();
    else for (let i = 0; i < number; i++) for (const launch of launches) launch();
    return Number(this.#now() - start) / 1e6;
  }
  rotation(module: DeviceModule, { sets, first, count }: RotationPlan): Rotation {
    const each = sets.map((buffers) => (module as SharedObject).launches(buffers));
    const run = (): Timed => {
      const [start, begun] = [this.#now(), performance.now()];
      for (let i = 0, set = first % each.length; i < count; i++, set = set + 1 === each.length ? 0 : set + 1)
        for (const launch of each[set] as (typeof each)[number]) launch();
      return { ms: Number(this.#now() - start) / 1e6, hostMs: performance.now() - begun };
    };
    return { run, [Symbol.dispose]() {} };
  }
  idle(ms: number): Timed {
    const [start, begun] = [this.#now(), performance.now()];
    while (Number(this.#now() - start) < ms * 1e6);
    return { ms: Number(this.#now() - start) / 1e6, hostMs: performance.now() - begun };
  }
  /** None: user code cannot read the clock of a core. */
  stamps(): undefined {
    return undefined;
  }
  flushCaches(): void {
    this.#flushed ??= new GuardedMemory(flushBytes, 64);
    const { bytes } = this.#flushed;
    bytes.fill((bytes[0] ?? 0) + 1);
  }
  /** Other processes disturb enough. */
  disturb(): Disposable {
    return { [Symbol.dispose]() {} };
  }

  compare(output: DeviceBuffer, reference: DeviceBuffer, tolerance: Tolerance): Mismatch | undefined {
    return worstMismatch(output.spec, memoryOf(output).bytes, memoryOf(reference).bytes, tolerance);
  }
  damaged(buffers: Iterable<DeviceBuffer>): readonly string[] {
    return [...buffers].filter((buffer) => memoryOf(buffer).isDamaged()).map((buffer) => buffer.spec.name);
  }
  observe(): Observations {
    return {};
  }
  busyPercent(): undefined {
    return undefined;
  }
  powerW(): undefined {
    return undefined;
  }
  /** Never reported: every process uses the processor. The timing lock keeps our own builders away. */
  others(): undefined {
    return undefined;
  }

  #now(): bigint {
    clockGettime(CLOCK_MONOTONIC_RAW, this.#time);
    const [seconds = 0n, nanoseconds = 0n] = this.#time;
    return seconds * 1_000_000_000n + nanoseconds;
  }
}

const memoryOf = (buffer: DeviceBuffer): GuardedMemory => (buffer as CpuBuffer).memory;
