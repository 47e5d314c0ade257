/**
 * A device with given times and results, for tests of everything above DeviceApi, without a clock and without native code. Its
 * "code path" is the name of a script.
 */
import {
  type ArtifactManifest,
  type InputKind,
  isFloat,
  type ManifestBuffer,
  type Mismatch,
  type Observations,
  type TimerKind,
  type Tolerance,
} from "@warpfarm/common";
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
} from "../runner/src/device/device-api.ts";
import { contentsOf, type Held, worstMismatch } from "../runner/src/measure/check.ts";
import { fillBytes } from "../runner/src/measure/inputs.ts";

export interface Script {
  /** Milliseconds that `number` runs take. It is called once per batch; `batch` counts from 0 (the warm-up). */
  readonly ms: (number: number, batch: number) => number;
  /** What one run does to the buffers; called once a batch. */
  readonly compute?: (bytes: (name: string) => Uint8Array, batch: number) => void;
  /** Name of a buffer that reads as overwritten after the first run. */
  readonly damages?: string;
  /** The driver's refusal. */
  readonly fails?: { readonly rule: string; readonly sticky: boolean; readonly hardware?: boolean };
}

interface ScriptedBuffer extends DeviceBuffer {
  readonly bytes: Uint8Array;
}

export class ScriptedDevice implements DeviceApi {
  readonly timers: readonly TimerKind[] = ["wall"];
  readonly scripts = new Map<string, Script>();
  /** Every batch: the `number` it ran with. */
  readonly batches: number[] = [];
  flushes = 0;
  /** The step of each load beside the runs, and its end. */
  readonly disturbed: (number | "over")[] = [];
  /** Milliseconds for which the device has worked: a clock for the code under test. */
  now = 0;
  live = 0;
  /** Buffers that there is memory for. */
  room = Number.POSITIVE_INFINITY;
  /** Who else is there. */
  otherProcess: string | undefined;
  busy: number | undefined;
  observed: Observations = { temperatureC: 40 };
  /** The clock of the batch of this number; undefined = the device has none. */
  clockMhz: (batch: number) => number | undefined = () => undefined;
  watts: (() => number) | undefined;
  #damaged: string | undefined;

  load(manifest: ArtifactManifest, codePath: string): DeviceModule {
    const script = this.scripts.get(codePath);
    if (script === undefined) throw new DeviceError("dlopen", `no script ${codePath}`);
    return Object.assign({ manifest, [Symbol.dispose]() {} }, { script });
  }
  allocate(spec: ManifestBuffer): DeviceBuffer {
    if (this.live >= this.room) throw new DeviceError("out_of_memory", `there is room for ${this.room} buffers`);
    this.live++;
    return Object.assign({ spec }, { bytes: new Uint8Array(spec.bytes) });
  }
  free(): void {
    this.live--;
  }
  fill(buffer: DeviceBuffer, seed: number, number: number, inputs: InputKind): void {
    fillBytes(buffer.spec, bytesOf(buffer), seed, number, inputs);
  }
  write(buffer: DeviceBuffer, bytes: Uint8Array): void {
    bytesOf(buffer).set(bytes);
  }
  poison(buffer: DeviceBuffer, unlike?: DeviceBuffer): void {
    if (unlike === undefined || isFloat(buffer.spec.dtype)) bytesOf(buffer).fill(0xff);
    else bytesOf(buffer).set(bytesOf(unlike).map((byte) => ~byte));
  }
  snapshot(from: DeviceBuffer, to: DeviceBuffer): void {
    bytesOf(to).set(bytesOf(from));
  }
  read(buffer: DeviceBuffer): Uint8Array<ArrayBuffer> {
    return bytesOf(buffer).slice();
  }
  contents(buffer: DeviceBuffer): Held {
    return contentsOf(buffer.spec, bytesOf(buffer));
  }
  run(module: DeviceModule, buffers: Buffers, number: number): number {
    const { script } = module as DeviceModule & { readonly script: Script };
    const batch = this.batches.length;
    this.batches.push(number);
    if (script.fails) throw new DeviceError(script.fails.rule, "the driver refuses", script.fails);
    script.compute?.((name) => bytesOf(buffers.get(name)), batch);
    this.#damaged = script.damages;
    const ms = script.ms(number, batch);
    this.now += ms;
    return ms;
  }
  stamps(): Stamps | undefined {
    const clockMhz = this.clockMhz(this.batches.length - 1);
    return clockMhz === undefined ? undefined : { ms: 1, clockMhz };
  }
  rotation(module: DeviceModule, { sets, first, count }: RotationPlan): Rotation {
    const run = (): Timed => {
      let ms = 0;
      for (let i = 0; i < count; i++) ms += this.run(module, sets[(first + i) % sets.length] as Buffers, 1);
      return { ms, hostMs: ms };
    };
    return { run, [Symbol.dispose]() {} };
  }
  idle(ms: number): Timed {
    this.now += ms;
    return { ms, hostMs: ms };
  }
  flushCaches(): void {
    this.flushes++;
  }
  disturb(step: number): Disposable {
    this.disturbed.push(step);
    return { [Symbol.dispose]: () => void this.disturbed.push("over") };
  }
  compare(output: DeviceBuffer, reference: DeviceBuffer, tolerance: Tolerance): Mismatch | undefined {
    return worstMismatch(output.spec, bytesOf(output), bytesOf(reference), tolerance);
  }
  damaged(): readonly string[] {
    return this.#damaged === undefined ? [] : [this.#damaged];
  }
  observe(): Observations {
    return this.observed;
  }
  powerW(): number | undefined {
    return this.watts?.();
  }
  busyPercent(): number | undefined {
    return this.busy;
  }
  others(): string | undefined {
    return this.otherProcess;
  }
}

function bytesOf(buffer: DeviceBuffer | undefined): Uint8Array {
  if (buffer === undefined) throw new Error("no such buffer");
  return (buffer as ScriptedBuffer).bytes;
}
