/** The GPU that runs code, with no farm around it. */
import { CudaDevice } from "../../../runner/dist/device/cuda/cuda-device.js";
import { openCudaDriver } from "../../../runner/dist/device/cuda/driver.js";

export function openDevice() {
  const opened = openCudaDriver();
  if (!opened.ok) throw new Error(`${opened.error.message}; --dry needs none`);
  return new CudaDevice(opened.value, 0);
}
