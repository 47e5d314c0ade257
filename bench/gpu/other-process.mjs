/**
 * Another process on the GPU with its own context. `idle` only holds the context; `busy` runs kernels without a pause. Prints
 * "there" when it is ready, and ends when its standard input closes.
 */
import { CudaDevice } from "../../runner/dist/device/cuda/cuda-device.js";
import { openCudaDriver } from "../../runner/dist/device/cuda/driver.js";

const opened = openCudaDriver();
if (!opened.ok) throw new Error(opened.error.message);
const device = new CudaDevice(opened.value, 0);
const count = 2 ** 28;
const buffer = device.allocate({
  name: "x",
  dtype: "float32",
  shape: [count],
  bytes: 4 * count,
  align: 64,
  role: "out",
  reduction: 1,
});
const seconds = () => performance.now() / 1000;

process.stdin.on("close", () => process.exit(0)).resume();
console.log("there");
function work() {
  const until = seconds() + 0.1;
  while (seconds() < until) {
    for (let i = 0; i < 8; i++) device.fill(buffer, 1, i);
    device.damaged([buffer]); // waits
  }
  setImmediate(work);
}
if (process.argv[2] === "busy") work();
