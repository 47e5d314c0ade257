/**
 * What code calls that launches kernels from the device: symbols of the device runtime of CUDA 11 and 12, as cubins and PTX name
 * them (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism" and "Device Graph Launch").
 */
const launches = ["cudaLaunchDevice", "cudaGetParameterBuffer", "__cudaCDP2", "cudaGraphLaunch", "cudaDeviceGraphLaunch"];

/** Why the code is refused; undefined when it launches nothing. A launch of its own may end after the timed interval. */
export function deviceLaunch(code: Uint8Array): string | undefined {
  const bytes = Buffer.from(code.buffer, code.byteOffset, code.byteLength);
  const found = launches.find((name) => bytes.includes(name));
  if (found === undefined) return undefined;
  return `the code names ${found}: it launches kernels from the device, whose time and writes may fall after the timed interval; launch them from the host, as kernels of the run`;
}
