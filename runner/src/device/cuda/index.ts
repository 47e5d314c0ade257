/** Opens a GPU for the process that will own it: driver, management library, who else is there, context, helper kernels. */
import { readFileSync } from "node:fs";
import { FarmError } from "@warpfarm/common";
import { type DeviceDescription, DeviceError } from "../device-api.ts";
import { CudaDevice } from "./cuda-device.ts";
import type { CudaDeviceInfo } from "./cuda-driver.ts";
import { cudaFacts, requireExclusive } from "./cuda-facts.ts";
import { openCudaDriver } from "./driver.ts";
import { type Nvml, openNvml } from "./nvml.ts";

export { lockDevice } from "./device-lock.ts";

export interface CudaOptions {
  /** Takes a GPU that others use too. */
  readonly allowShared?: boolean;
}

/** `name` is `cuda:<ordinal>`. Throws FAILED_PRECONDITION saying what is missing or who else is there. */
export function openCuda(
  name: string,
  { allowShared = false }: CudaOptions = {},
): {
  readonly api: CudaDevice;
  readonly description: DeviceDescription;
} {
  const ordinal = Number(name.slice("cuda:".length));
  const opened = openCudaDriver();
  if (!opened.ok) throw new FarmError("FAILED_PRECONDITION", `device ${name}: ${opened.error.message}`);
  const driver = opened.value;
  const count = driver.deviceCount();
  if (ordinal >= count)
    throw new FarmError("FAILED_PRECONDITION", `device ${name} was asked for; there are ${count} GPUs, counted from 0`);
  const info = driver.device(ordinal);
  const nvml = openNvml(info.uuid);
  if (!allowShared) {
    const exclusive = whenAlone(info, nvml);
    if (!exclusive.ok) throw new FarmError("FAILED_PRECONDITION", `device ${name}: ${exclusive.error.message}`);
  }
  const api = contextOn(name, () => new CudaDevice(driver, ordinal, nvml));
  const { facts, memoryBytes, limits } = cudaFacts(info, driver.version, nvml);
  return { api, description: { facts, memoryBytes, limits } };
}

/** A context that cannot be had (exclusive mode, no memory left) is nobody's fault here: the sentence is the driver's. */
function contextOn(name: string, open: () => CudaDevice): CudaDevice {
  try {
    return open();
  } catch (error) {
    if (error instanceof DeviceError) throw new FarmError("FAILED_PRECONDITION", `device ${name}: ${error.message}`);
    throw error;
  }
}

/** A child that was killed a moment ago still has its context: what is seen must be seen for three seconds. */
function whenAlone(info: CudaDeviceInfo, nvml: Nvml | undefined): ReturnType<typeof requireExclusive> {
  for (let tries = 30; ; tries--) {
    const sharing = nvml?.sharing();
    const verdict = requireExclusive(info, sharing, familyOf(sharing?.computeProcesses ?? []));
    if (verdict.ok || tries === 0) return verdict;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
}

/**
 * Those processes that are no strangers: this one, its siblings (the supervisor's other child), and those that are not to be seen from
 * here, whose numbers may belong to another pid namespace and be our own.
 */
function familyOf(pids: readonly number[]): readonly number[] {
  return pids.filter((pid) => {
    const parent = parentOf(pid);
    return pid === process.pid || parent === undefined || parent === process.ppid;
  });
}

/** From /proc/<pid>/stat, whose second field is the command in parentheses. */
function parentOf(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/s, "").trim().split(" ");
    return Number(fields[1]);
  } catch {
    return undefined;
  }
}
