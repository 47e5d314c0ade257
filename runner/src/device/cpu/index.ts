/** Opens the host's processor as a device. */
import koffi from "koffi";
import type { OpenedDevice, OpenOptions } from "../index.ts";
import { CpuDevice } from "./cpu-device.ts";
import { describeCpu } from "./cpu-facts.ts";

export function openCpu({ threads }: OpenOptions): OpenedDevice {
  // Kept for ever: unloading a kernel must not unload the OpenMP runtime whose threads it started.
  try {
    koffi.load("libgomp.so.1");
  } catch {
    // A kernel that needs it says so when it is loaded.
  }
  return { api: new CpuDevice(), description: describeCpu(threads) };
}
