/** The runner's own work beside a candidate's, on a scripted GPU. */
import { expect, it } from "vitest";
import { CudaDevice } from "./cuda-device.ts";
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
