/**
 * Local memory per thread (arrays that no register holds, spills) and its cost: the driver reserves it for every thread that fits
 * on the device, however few threads a launch has. A kernel for which the device has too little is refused before it runs. When
 * the driver refuses one nevertheless, or answers CUDA_ERROR_UNKNOWN when it makes a graph, the message has these numbers.
 */
import { DeviceError } from "../device-api.ts";
import { CUDA_ERROR_OUT_OF_MEMORY, type CudaError } from "./cuda-error.ts";
import type { CudaDeviceInfo } from "./driver-types.ts";

const CUDA_ERROR_UNKNOWN = 999;

export interface LocalMemory {
  readonly kernel: string;
  readonly bytesPerThread: number;
  readonly threads: number;
}

const bytesOf = ({ bytesPerThread, threads }: LocalMemory): number => bytesPerThread * threads;

/** The local memory of the kernel that uses most. */
export function mostLocal(
  kernels: readonly Pick<LocalMemory, "kernel" | "bytesPerThread">[],
  { attributes }: Pick<CudaDeviceInfo, "attributes">,
): LocalMemory | undefined {
  const threads = attributes.multiprocessor_count * attributes.max_threads_per_multiprocessor;
  const [most] = kernels.filter((k) => k.bytesPerThread > 0).sort((a, b) => b.bytesPerThread - a.bytesPerThread);
  return most && { ...most, threads };
}

/** The refusal when it exceeds the whole device's memory. */
export function refusedLocal(
  local: LocalMemory | undefined,
  { memoryBytes }: Pick<CudaDeviceInfo, "memoryBytes">,
): DeviceError | undefined {
  return local && bytesOf(local) > memoryBytes ? new DeviceError("local_memory", words(local, memoryBytes)) : undefined;
}

/**
 * The driver has no memory for a launch or a graph, or fails to make a graph without a reason. The candidate is the cause, which
 * the node's own kernels confirm.
 */
export function whyNoLaunch(
  { code, call, message }: CudaError,
  local: LocalMemory | undefined,
  { memoryBytes }: Pick<CudaDeviceInfo, "memoryBytes">,
): DeviceError | undefined {
  const isGraph = call.startsWith("cuGraph");
  const isUnknown = isGraph && code === CUDA_ERROR_UNKNOWN;
  if (!isUnknown && !(code === CUDA_ERROR_OUT_OF_MEMORY && (isGraph || call.startsWith("cuLaunch")))) return undefined;
  const sticky = isUnknown;
  if (local) return new DeviceError("local_memory", `${message}; ${words(local, memoryBytes)}`, { sticky });
  return new DeviceError(isUnknown ? "graph" : "out_of_memory", `${message}: for the graph of the candidate's launches`, {
    sticky,
  });
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

function words(local: LocalMemory, memoryBytes: number): string {
  const { kernel, bytesPerThread, threads } = local;
  return (
    `kernel ${kernel} keeps ${bytesPerThread} bytes per thread in local memory. The ${threads} threads that the device holds at a time ` +
    `need ${gigabytes(bytesOf(local))}; the device has ${gigabytes(memoryBytes)}. Smaller tiles per thread need less`
  );
}
