/** Rates of a scripted GPU, whose cache and memory deliver what the test says. */
import { describe, expect, it } from "vitest";
import { CudaDevice } from "./cuda-device.ts";
import { useCudaFarm } from "./cuda-farm.testing.ts";
import { ScriptedCuda } from "./scripted-cuda.testing.ts";

const mebi = 2 ** 20;
const swept = 2 ** 30;

/** `factor`: how much longer a launch takes after so many milliseconds of launches. */
function gpu(factor: (atMs: number) => number = () => 1, l2Bytes = 50 * mebi) {
  const driver = new ScriptedCuda();
  driver.l2Bytes = l2Bytes;
  const regions: number[] = [];
  let atMs = 0;
  const ms = (): number => {
    const [, mask, groups] = driver.executed.at(-1)?.params ?? [];
    const bytes = 16 * (Number(mask?.value) + 1);
    regions.push(bytes);
    // 5.5 TB/s from what each of two partitions holds, 4.2 from beyond.
    const took = (factor(atMs) * 16e3 * Number(groups?.value)) / (2 * bytes <= driver.l2Bytes ? 5.5e12 : 4.2e12);
    atMs += took;
    return took;
  };
  driver.kernels.set("sweep", { ms });
  return { driver, regions, device: new CudaDevice(driver, 0), spentMs: () => atMs };
}
const measured = (l2: number, memory: number) => ({
  measured_l2_bytes_per_second: l2,
  measured_memory_bytes_per_second: memory,
});

describe("the rates of a GPU", () => {
  it("are those of its L2 cache and of its memory, and leave nothing behind", () => {
    const { driver, regions, device } = gpu();
    const taken = driver.taken;
    expect(device.rates()).toEqual(measured(5.5e12, 4.2e12));
    expect([driver.taken, driver.liveEvents]).toEqual([taken, 0]);
    // One fits in the cache twice, and the other is far greater. `i & mask` needs powers of two.
    expect(new Set(regions)).toEqual(new Set([8 * mebi, 256 * mebi]));
    const groups = driver.executed.map(({ params }) => Number(params[2]?.value));
    expect(new Set(groups)).toEqual(new Set([swept / 16]));
  });
  it("are those of clocks that have risen", () => {
    expect(gpu((atMs) => (atMs < 30 ? 3 : 1)).device.rates()).toEqual(measured(5.5e12, 4.2e12));
    // A launch now and then that was disturbed counts for nothing.
    expect(gpu((atMs) => (Math.floor(atMs) % 2 === 0 ? 5 : 1)).device.rates()).toEqual(measured(5.5e12, 4.2e12));
  });
  it("take less than half a second, also where clocks never settle", () => {
    const restless = gpu((atMs) => 1 / (1 + atMs / 10));
    restless.device.rates();
    expect(restless.spentMs()).toBeLessThan(310);
  });
  it.each<[string, (driver: ScriptedCuda) => void]>([
    [
      "has no memory left",
      (driver) => {
        driver.memoryBytes = driver.taken + mebi;
      },
    ],
    ["has a timer that sees nothing", (driver) => driver.kernels.set("sweep", { ms: () => 0 })],
    ["faults", (driver) => driver.kernels.set("sweep", { ms: () => 1, fault: 700 })],
  ])("are none where the device %s", (_, spoil) => {
    const { driver, device } = gpu();
    spoil(driver);
    expect(device.rates()).toEqual({});
  });
  it("are none where the driver does not tell the size of the cache", () => {
    expect(gpu(undefined, 0).device.rates()).toEqual({});
  });
});

const { farm } = useCudaFarm();
it("are told with the device's limits, which the runner registers", async () => {
  const { driver, describe: described } = farm({ sweep: { ms: () => 0.25 } });
  driver.l2Bytes = 50 * mebi;
  // 1 GiB in a quarter of a millisecond.
  const rate = Math.round(swept / 0.25e-3);
  expect(await described()).toMatchObject({ description: { limits: { warp_size: 32, ...measured(rate, rate) } } });
});
