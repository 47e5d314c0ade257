/**
 * Facts of a GPU that CUDA does not tell: clocks, temperature, power, why the clock is held down, and whether the GPU is split or
 * shared. Only this file binds libnvidia-ml. Without it observations are absent, which is no error. A query costs up to 10 ms of
 * the host's time and none of the GPU's, so the device asks while a timed batch runs. The list of processes costs 0.03 ms.
 */

import type { Observations } from "@warpfarm/common";
import { defined } from "@warpfarm/common";
import koffi from "koffi";

export interface GpuSharing {
  /** Whether multi-instance GPU mode is on. */
  readonly mig: boolean;
  /** Whether it is a slice of a GPU that a hypervisor time-slices. */
  readonly virtualGpu: boolean;
  /** Process ids with a compute context on the GPU. In a container they may be the host's numbers. */
  readonly computeProcesses: readonly number[];
}

export interface Nvml {
  /** `580.159.04`. */
  readonly driverVersion: string;
  observe(): Observations;
  /** The mean of about a second, in watts. */
  powerW(): number | undefined;
  totalEnergyMj(): number | undefined;
  /** For how much of about the last second a kernel ran, whosever, in percent. */
  busyPercent(): number | undefined;
  sharing(): GpuSharing;
  computeProcesses(): readonly number[];
}

/** nvmlClocksEventReasons of nvml.h. */
const eventReasons: readonly (readonly [bigint, string])[] = [
  [0x1n, "gpu_idle"],
  [0x2n, "applications_clocks_setting"],
  [0x4n, "sw_power_cap"],
  [0x8n, "hw_slowdown"],
  [0x10n, "sync_boost"],
  [0x20n, "sw_thermal_slowdown"],
  [0x40n, "hw_thermal_slowdown"],
  [0x80n, "hw_power_brake_slowdown"],
  [0x100n, "display_clock_setting"],
];
export const throttleReasons = (mask: bigint): readonly string[] =>
  eventReasons.filter(([bit]) => (mask & bit) !== 0n).map(([, name]) => name);

const clockMem = 2;
const VIRTUALIZATION_VGPU = 2;
const processInfoBytes = 24;

/** Undefined when the library or the device is missing. `uuid` is in the driver's form, `GPU-...`. */
export function openNvml(uuid: string, path = "libnvidia-ml.so.1"): Nvml | undefined {
  try {
    const library = koffi.load(path);
    const nvml = new LibNvml(library);
    return nvml.find(uuid) ? nvml : undefined;
  } catch {
    return undefined;
  }
}

class LibNvml implements Nvml {
  readonly driverVersion: string;
  readonly #library: ReturnType<typeof koffi.load>;
  readonly #bound = new Map<string, ((...args: readonly unknown[]) => unknown) | undefined>();
  #device = 0n;

  constructor(library: ReturnType<typeof koffi.load>) {
    this.#library = library;
    if (!this.#call("int nvmlInit_v2()")) throw new Error("nvmlInit failed");
    const text = new Uint8Array(96);
    this.driverVersion = this.#call("int nvmlSystemGetDriverVersion(void *text, uint length)", text, text.length)
      ? Buffer.from(text.subarray(0, text.indexOf(0))).toString("utf8")
      : "unknown";
  }

  find(uuid: string): boolean {
    const handle = new BigUint64Array(new ArrayBuffer(8));
    const found = this.#call("int nvmlDeviceGetHandleByUUID(const char *uuid, void *device)", uuid, handle);
    this.#device = handle[0] ?? 0n;
    return found;
  }

  observe(): Observations {
    const memoryClockMhz = this.#u32("int nvmlDeviceGetClockInfo(uint64_t device, int type, void *mhz)", clockMem);
    const temperatureC = this.#u32("int nvmlDeviceGetTemperature(uint64_t device, int sensor, void *celsius)", 0);
    const powerW = this.powerW();
    const reasons =
      this.#u64("int nvmlDeviceGetCurrentClocksEventReasons(uint64_t device, void *mask)") ??
      this.#u64("int nvmlDeviceGetCurrentClocksThrottleReasons(uint64_t device, void *mask)");
    return {
      ...defined({ memoryClockMhz, temperatureC, powerW }),
      ...(reasons === undefined ? {} : { throttleReasons: throttleReasons(reasons) }),
    };
  }

  powerW(): number | undefined {
    const milliwatts = this.#u32("int nvmlDeviceGetPowerUsage(uint64_t device, void *milliwatts)");
    return milliwatts === undefined ? undefined : milliwatts / 1000;
  }

  totalEnergyMj(): number | undefined {
    const energy = this.#u64("int nvmlDeviceGetTotalEnergyConsumption(uint64_t device, void *millijoules)");
    return energy === undefined ? undefined : Number(energy);
  }

  /** nvmlUtilization_t: gpu, memory. */
  busyPercent(): number | undefined {
    const rates = new Uint32Array(new ArrayBuffer(8));
    return this.#call("int nvmlDeviceGetUtilizationRates(uint64_t device, void *rates)", this.#device, rates)
      ? rates[0]
      : undefined;
  }

  sharing(): GpuSharing {
    const current = new Uint32Array(new ArrayBuffer(8));
    const pending = new Uint32Array(new ArrayBuffer(8));
    const hasMig = this.#call(
      "int nvmlDeviceGetMigMode(uint64_t device, void *current, void *pending)",
      this.#device,
      current,
      pending,
    );
    const mode = this.#u32("int nvmlDeviceGetVirtualizationMode(uint64_t device, void *mode)");
    return {
      mig: hasMig && current[0] === 1,
      virtualGpu: mode === VIRTUALIZATION_VGPU,
      computeProcesses: this.computeProcesses(),
    };
  }

  /** nvmlProcessInfo_t of the _v3 call: pid at 0, 24 bytes each. */
  computeProcesses(): readonly number[] {
    const capacity = 64;
    const count = new Uint32Array(new ArrayBuffer(8));
    count[0] = capacity;
    const infos = new Uint32Array(new ArrayBuffer(capacity * processInfoBytes));
    const definition = "int nvmlDeviceGetComputeRunningProcesses_v3(uint64_t device, void *count, void *infos)";
    if (!this.#call(definition, this.#device, count, infos)) return [];
    return Array.from({ length: Math.min(capacity, count[0] ?? 0) }, (_, i) => infos[(i * processInfoBytes) / 4] ?? 0);
  }

  #u32(definition: string, ...args: readonly unknown[]): number | undefined {
    const value = new Uint32Array(new ArrayBuffer(8));
    return this.#call(definition, this.#device, ...args, value) ? value[0] : undefined;
  }
  #u64(definition: string, ...args: readonly unknown[]): bigint | undefined {
    const value = new BigUint64Array(new ArrayBuffer(8));
    return this.#call(definition, this.#device, ...args, value) ? value[0] : undefined;
  }

  /** False when the library lacks the function or the device does not support it. */
  #call(definition: string, ...args: readonly unknown[]): boolean {
    let native = this.#bound.get(definition);
    if (native === undefined && !this.#bound.has(definition)) {
      try {
        native = this.#library.func(definition) as (...a: readonly unknown[]) => unknown;
      } catch {
        native = undefined;
      }
      this.#bound.set(definition, native);
    }
    return native !== undefined && native(...args) === 0;
  }
}
