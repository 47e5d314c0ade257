/**
 * Finds the GPUs of a machine and says which a runner would use, without a context on any. For a short-lived process, because it
 * loads the driver.
 */
import { CudaError } from "./cuda-error.ts";
import { cudaFacts } from "./cuda-facts.ts";
import { openCudaDriver } from "./driver.ts";
import { openNvml } from "./nvml.ts";
import { whenAlone } from "./who-is-there.ts";

export interface SeenGpu {
  /** The name of the device, as `runner --device` takes it. */
  readonly device: string;
  readonly name: string;
  readonly key: string;
  readonly driver: string;
  /** Why a runner does not use it, and what to do; absent when it does. */
  readonly refusal?: { readonly why: string; readonly advice: string };
}

export type SeenGpus =
  | { readonly kind: "gpus"; readonly gpus: readonly SeenGpu[] }
  | { readonly kind: "none"; readonly why: string; readonly advice: string };

const none = (why: string): SeenGpus => ({ kind: "none", why, advice: adviceFor(why) });

/** `path` names another driver library, for tests. */
export function lookForGpus(path?: string): SeenGpus {
  try {
    const opened = openCudaDriver(path);
    if (!opened.ok) return none(opened.error.message);
    const driver = opened.value;
    const count = driver.deviceCount();
    if (count === 0) return none("the NVIDIA driver shows no GPU");
    const gpus = Array.from({ length: count }, (_, ordinal): SeenGpu => {
      const info = driver.device(ordinal);
      const nvml = openNvml(info.uuid);
      const { facts } = cudaFacts(info, driver.version, nvml);
      const alone = whenAlone(info, nvml);
      const seen = { device: `cuda:${ordinal}`, name: info.name, key: facts.key, driver: facts.driver };
      return alone.ok ? seen : { ...seen, refusal: { why: alone.error.message, advice: alone.error.advice } };
    });
    return { kind: "gpus", gpus };
  } catch (error) {
    if (error instanceof CudaError) return none(error.message);
    throw error;
  }
}

const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /cannot be loaded/,
    "install NVIDIA's driver; in a container, start it with the GPU (docker run --gpus all) which brings libcuda.so.1",
  ],
  [/or later is needed/, "install a newer NVIDIA driver"],
  [
    /NO_DEVICE|shows no GPU/,
    "see nvidia-smi and CUDA_VISIBLE_DEVICES; in a container, start it with the GPU (docker run --gpus all)",
  ],
  [/STUB_LIBRARY/, "take the toolkit's stubs folder out of LD_LIBRARY_PATH: it hides the driver's own libcuda"],
  [
    /MISMATCH|COMPAT_NOT_SUPPORTED/,
    "the driver's library and its kernel module differ: reload the module or restart the machine",
  ],
];
const adviceFor = (why: string): string =>
  remedies.find(([what]) => what.test(why))?.[1] ?? "nvidia-smi says more about the driver";
