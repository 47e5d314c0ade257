/**
 * Everything that a measurement needs of a device: load code, guarded buffers, seeded fill, a run timed by the device's own
 * clock, a comparison of every element. Calls are synchronous. They are made in the one child process that owns the device, and
 * killing that child is the only way to stop one (worker/host.ts). Implementations: cpu/cpu-device.ts, cuda/cuda-device.ts, and a
 * scripted one for tests.
 */
import type {
  ArtifactManifest,
  DeviceFacts,
  InputKind,
  ManifestBuffer,
  Mismatch,
  Observations,
  TimerKind,
  Tolerance,
} from "@warpfarm/common";
import type { Held } from "../measure/check.ts";

/**
 * The device refused or faulted because of the candidate: RUNTIME_DEVICE. `rule` is the device's own code (a driver's number,
 * `dlopen`). `sticky`: the process cannot be used any more. `hardware`: by the driver's documentation no program can cause it.
 */
export class DeviceError extends Error {
  override readonly name = "DeviceError";
  readonly rule: string;
  readonly sticky: boolean;
  readonly hardware: boolean;
  constructor(
    rule: string,
    message: string,
    { sticky = false, hardware = false }: { readonly sticky?: boolean; readonly hardware?: boolean } = {},
  ) {
    super(message);
    this.rule = rule;
    this.sticky = sticky;
    this.hardware = hardware;
  }
}

/** Device memory between zones that nobody may touch. */
export interface DeviceBuffer {
  readonly spec: ManifestBuffer;
}

export interface DeviceDescription {
  /** All facts but the node, which the device does not know. */
  readonly facts: Omit<DeviceFacts, "node">;
  readonly memoryBytes: number;
  /** Limits by the wire's names: "threads", "max_threads_per_block". */
  readonly limits: Readonly<Record<string, number>>;
}

export interface DeviceModule extends Disposable {
  readonly manifest: ArtifactManifest;
}

/** By the device's own clocks, from before the first launch of a run to after the last: its time, and the mean clock of an SM. */
export interface Stamps {
  readonly ms: number;
  readonly clockMhz: number;
}

export type Buffers = ReadonlyMap<string, DeviceBuffer>;

/** Launch i of `count` runs on set (first + i) mod the number of sets. */
export interface RotationPlan {
  readonly sets: readonly Buffers[];
  readonly first: number;
  readonly count: number;
}

/** Milliseconds of one sequence of runs. */
export interface Timed {
  /** By the device's timer. */
  readonly ms: number;
  /** By the host's clock, from when the device might begin to when its end was known. */
  readonly hostMs: number;
}

/** A sequence of runs that is ready to start. */
export interface Rotation extends Disposable {
  /** Of all its runs. */
  run(): Timed;
}

export interface DeviceApi {
  readonly timers: readonly TimerKind[];

  /** Throws DeviceError when the code cannot be loaded or lacks a kernel of the manifest. */
  load(manifest: ArtifactManifest, codePath: string): DeviceModule;

  /** Zeroed. Throws DeviceError `out_of_memory`. */
  allocate(spec: ManifestBuffer): DeviceBuffer;
  free(buffer: DeviceBuffer): void;

  /**
   * Fills as the spec says, and otherwise as `inputs` does (common's fillFor). The buffer may be read-only afterwards.
   */
  fill(buffer: DeviceBuffer, seed: number, number: number, inputs: InputKind): void;
  /** Writes as many of these bytes as the buffer has. It may be read-only afterwards. */
  write(buffer: DeviceBuffer, bytes: Uint8Array): void;
  /** Makes every element wrong: all bits set (NaN in floats), or for integers every bit unlike `unlike`. */
  poison(buffer: DeviceBuffer, unlike?: DeviceBuffer): void;
  /** Copies. The target may be read-only afterwards. Requires equal dtype and shape. */
  snapshot(from: DeviceBuffer, to: DeviceBuffer): void;
  read(buffer: DeviceBuffer): Uint8Array<ArrayBuffer>;
  /** What the buffer holds. A slow device may examine the beginning only. */
  contents(buffer: DeviceBuffer): Held;

  /**
   * Runs all kernels of the module in order, `number` times. Returns milliseconds by the device's timer. Requires number >= 1.
   */
  run(module: DeviceModule, buffers: Buffers, number: number, timer: TimerKind): number;
  /** Of the last `run`. Undefined where the device has no such clocks, or the run was too short for them. */
  stamps(): Stamps | undefined;
  /**
   * Makes ready what runs all kernels of the module on one set after the other. It may run them meanwhile. Requires that the
   * module is loaded until the rotation is disposed of.
   */
  rotation(module: DeviceModule, plan: RotationPlan, timer: TimerKind): Rotation;
  /** Does nothing of use for about so many milliseconds, on the way that a rotation takes. */
  idle(ms: number): Timed;
  flushCaches(): void;
  /**
   * Begins work of the runner's own beside the next runs, of another size at each step, and waits for its end when it is disposed
   * of. A device without such work does nothing.
   */
  disturb(step: number): Disposable;

  /** The worst element outside the tolerance, or undefined when all agree. */
  compare(output: DeviceBuffer, reference: DeviceBuffer, tolerance: Tolerance): Mismatch | undefined;
  /** Names of those buffers around which something was overwritten. */
  damaged(buffers: Iterable<DeviceBuffer>): readonly string[];
  /** Clocks, temperature and power, as far as the driver tells. */
  observe(): Observations;
  /** The mean power of about the last second, in watts; undefined where the driver does not tell. */
  powerW(): number | undefined;
  /** Who else uses the device, or has used it since the last call, for people. Times taken meanwhile are not the code's. */
  others(): string | undefined;
  /**
   * For how much of about the last second the device worked, for whomever, in percent; undefined where the driver does not tell.
   */
  busyPercent(): number | undefined;
}
