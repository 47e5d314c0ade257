/** The runner's own work beside a candidate's, on a scripted GPU. */
import { expect, it } from "vitest";
import { CudaDevice } from "./cuda-device.ts";
import { buffers, useCudaFarm } from "./cuda-farm.testing.ts";
import { ScriptedCuda } from "./scripted-cuda.testing.ts";

it("work beside the runs is of another size at each step, and is waited for in the end", () => {
  const driver = new ScriptedCuda();
  const device = new CudaDevice(driver, 0);
  const sizes: number[] = [];
  for (const step of [0, 1, 8]) {
    const launched = driver.prepared.length;
    const work = device.disturb(step);
    sizes.push(driver.prepared.length - launched);
    const waits = driver.calls.filter((call) => call === "cuStreamSynchronize").length;
    work[Symbol.dispose]();
    expect(driver.calls.filter((call) => call === "cuStreamSynchronize")).toHaveLength(waits + 1);
  }
  expect(sizes).toEqual([1, 2, 2]);
});

const { artifact } = useCudaFarm();
it("a fault of what runs beside it is told as that fault, though the wait for the work fails too", () => {
  const driver = new ScriptedCuda();
  driver.kernels.set("k", { ms: () => 1, fault: 700 });
  const device = new CudaDevice(driver, 0);
  const { manifest, codePath } = artifact("k");
  const tensors = new Map(buffers.map((spec) => [spec.name, device.allocate(spec)]));
  const module = device.load(manifest, codePath);
  expect(() => {
    using _work = device.disturb(0);
    device.run(module, tensors, 1, "events");
  }).toThrowError(expect.objectContaining({ rule: "CUDA_ERROR_ILLEGAL_ADDRESS", sticky: true }));
});
