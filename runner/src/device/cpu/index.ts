/** Opens the host's processor as a device. */
import koffi from "koffi";
import type { OpenedDevice, OpenOptions } from "../index.ts";
import { CpuDevice } from "./cpu-device.ts";
import { describeCpu } from "./cpu-facts.ts";

/** gcc's and clang's. */
const openMpRuntimes = ["libgomp.so.1", "libomp.so.5"];
// <dlfcn.h> of Linux.
const RTLD_NOW = 2;
const RTLD_NODELETE = 0x1000;

/**
 * The OpenMP runtime's threads outlive the kernels that started them. Unloading the last kernel would unload the runtime under them, and they
 * would crash in the next candidate's name: so it is loaded for good. (A library that koffi loaded goes when its object is collected.)
 */
function pinOpenMp(): void {
  const dlopen = koffi.load(null).func("void *dlopen(const char *path, int flags)");
  // One that is not here is no fault: a kernel that needs it says so when it is loaded.
  if (process.platform === "linux") for (const name of openMpRuntimes) dlopen(name, RTLD_NOW | RTLD_NODELETE);
}

export function openCpu({ threads }: OpenOptions): OpenedDevice {
  pinOpenMp();
  return { api: new CpuDevice(), description: describeCpu(threads) };
}
