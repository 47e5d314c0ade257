/** Opens a GPU for the process that will own it: driver, management library, other users, context, helper kernels. */
import { fileURLToPath } from "node:url";
import { countWords, defined, FarmError } from "@warpfarm/common";
import { DeviceError } from "../device-api.ts";
import type { OpenedDevice, OpenOptions, TakenDevice } from "../index.ts";
import type { OwnCode } from "../own.ts";
import { CudaDevice } from "./cuda-device.ts";
import { cudaFacts } from "./cuda-facts.ts";
import { openCudaDriver } from "./driver.ts";
import { openNvml } from "./nvml.ts";
import { othersBeside, othersOn, whenAlone, whyNotSeen } from "./who-is-there.ts";

type CudaOptions = Partial<Pick<OpenOptions, "allowShared" | "yieldToOthers">>;

/** PTX of own.cu. The timed kernels write and read 64 MiB, more than the second-level cache of most GPUs. */
export const ownCode: OwnCode = {
  target: "cuda/sm_75",
  format: "ptx",
  // Next to src and dist, which are equally deep.
  codePath: fileURLToPath(new URL("../../../ptx/own.ptx", import.meta.url)),
  threads: 256,
  checked: { arithmetic: 2 ** 16, memory: 2 ** 20 },
  timed: { arithmetic: 2 ** 20, memory: 2 ** 24 },
};

const ordinalOf = (name: string): number => Number(name.slice("cuda:".length));

/** Starts driver and management library, which takes longer than opening a context. openCuda uses them. Never throws. */
export function prepareCuda(name: string): void {
  const opened = openCudaDriver();
  if (!opened.ok) return;
  const driver = opened.value;
  const ordinal = ordinalOf(name);
  try {
    if (ordinal < driver.deviceCount()) openNvml(driver.device(ordinal).uuid);
  } catch {
    // openCuda meets the error again, and reports it.
  }
}

/** `name` is `cuda:<ordinal>`. Throws FAILED_PRECONDITION that says what is missing, or why this GPU cannot be used. */
export function openCuda(name: string, options: CudaOptions = {}): OpenedDevice | TakenDevice {
  const { allowShared = false, yieldToOthers = false } = options;
  const ordinal = ordinalOf(name);
  const opened = openCudaDriver();
  if (!opened.ok) throw new FarmError("FAILED_PRECONDITION", `device ${name}: ${opened.error.message}`);
  const driver = opened.value;
  const count = driver.deviceCount();
  if (ordinal >= count)
    throw new FarmError(
      "FAILED_PRECONDITION",
      `device ${name} was asked for, and this machine has ${countWords(count, "GPU")}, counted from 0`,
    );
  const info = driver.device(ordinal);
  const nvml = openNvml(info.uuid);
  const description = cudaFacts(info, driver.version, nvml);
  const exclusive = allowShared || yieldToOthers ? undefined : whenAlone(info, nvml);
  if (exclusive?.ok === false) {
    const why = `device ${name}: ${exclusive.error.message}; ${exclusive.error.advice}`;
    if (exclusive.error.forNow) return { taken: why, description };
    throw new FarmError("FAILED_PRECONDITION", why);
  }
  try {
    const others = () => {
      if (allowShared) return undefined;
      const why = yieldToOthers && nvml !== undefined ? othersBeside(info, nvml) : othersOn(info, nvml);
      return why === undefined ? undefined : `device ${name}: ${why}`;
    };
    const api = new CudaDevice(driver, ordinal, nvml, others);
    const unseen = yieldToOthers ? whyNotSeen(info, nvml) : undefined;
    if (unseen !== undefined)
      throw new FarmError("FAILED_PRECONDITION", `device ${name}: --yield-to-others cannot be kept on ${info.name}: ${unseen}`);
    // Beside others the rates would be too low, and with them every honest time.
    const rates = allowShared || yieldToOthers ? undefined : () => api.rates();
    return { api, description, own: ownCode, ...defined({ rates }) };
  } catch (error) {
    // Nothing here is at fault when there is no context (exclusive mode, no memory left); the sentence is the driver's.
    if (error instanceof DeviceError) return { taken: `device ${name}: ${error.message}`, description };
    throw error;
  }
}
