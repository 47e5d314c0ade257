/**
 * What a runner registers about a GPU, and whether it may be used for measurements. MIG slices and time-sliced GPUs give times
 * that depend on other processes, so they are refused unless the operator allows them. Time-slicing by a container platform
 * cannot be seen from inside. Another process's compute context can, where the management library tells.
 */
import { err, ok, type Result } from "@warpfarm/common";
import type { DeviceDescription } from "../device-api.ts";
import type { CudaDeviceInfo } from "./driver-types.ts";
import type { GpuSharing, Nvml } from "./nvml.ts";

/** The limits are CUdevice_attribute values by name, such as `max_shared_memory_per_block_optin`. Clock rates are in kHz. */
export function cudaFacts(
  info: CudaDeviceInfo,
  driverVersion: number,
  nvml: Pick<Nvml, "driverVersion"> | undefined,
): DeviceDescription {
  const { compute_capability_major: major, compute_capability_minor: minor } = info.attributes;
  const cuda = `CUDA ${Math.floor(driverVersion / 1000)}.${Math.floor((driverVersion % 1000) / 10)}`;
  return {
    facts: {
      key: `cuda/sm_${major}${minor}`,
      name: info.name,
      uuid: info.uuid,
      driver: nvml === undefined ? cuda : `${nvml.driverVersion} ${cuda}`,
    },
    memoryBytes: info.memoryBytes,
    limits: info.attributes,
  };
}

interface NotOwn {
  readonly message: string;
  /** What to do, in words for any command. */
  readonly advice: string;
  readonly forNow: boolean;
}

/** Refuses a shared GPU. The message says what was seen; `forNow`: it may be free later. `ownPids`: processes of this runner. */
export function requireExclusive(
  info: Pick<CudaDeviceInfo, "name" | "uuid">,
  sharing: GpuSharing | undefined,
  ownPids: readonly number[] = [],
): Result<void, NotOwn> {
  const refuse = (seen: string, forNow = false): Result<never, NotOwn> =>
    err({
      forNow,
      message: `${info.name} (${info.uuid}) ${seen}; times measured there depend on others`,
      advice: `${forNow ? "free it, or " : ""}serve it as it is with warpfarm runner --device cuda:N --allow-shared`,
    });
  if (/\bMIG\b/.test(info.name) || sharing?.mig === true) return refuse("is a MIG device");
  if (sharing?.virtualGpu === true) return refuse("is a virtual GPU, which shares its time with others");
  const others = (sharing?.computeProcesses ?? []).filter((pid) => !ownPids.includes(pid));
  if (others.length > 0)
    return refuse(`is in use by ${others.length === 1 ? "process" : "processes"} ${others.join(", ")}`, true);
  return ok(undefined);
}
