/** The clock of a repeat by stamps before and after it, on a scripted GPU of two SMs. */
import { describe, expect, it } from "vitest";
import { CudaDevice } from "./cuda-device.ts";
import { buffers, right, useCudaFarm } from "./cuda-farm.testing.ts";
import { ScriptedCuda } from "./scripted-cuda.testing.ts";

const { artifact, farm } = useCudaFarm();

describe("a repeat", () => {
  it("has its clock measured by stamps on one SM before and after it, outside of its time", async () => {
    const { driver, device, measure } = farm({ k: right(1) });
    driver.clockMhz = 1_755;
    expect(await measure(artifact("k"), { power: "burst" })).toMatchObject({
      number: 5,
      observations: { smClockMhz: 1_755, smClockLowMhz: 1_755 },
    });
    expect(device.stamps()).toEqual({ ms: 5, clockMhz: 1_755 });
    // Blocks run on other SMs after it than before: one SM had both.
    driver.smOf = (block, stamps) => block + (stamps % 2);
    expect(await measure(artifact("k"), { power: "burst" })).toMatchObject({ observations: { smClockMhz: 1_755 } });
    driver.smOf = (block, stamps) => block + 2 * (stamps % 2);
    expect(await measure(artifact("k"), { power: "burst" })).toHaveProperty("observations", {});
  });

  it("has the clock of the SM in the middle, where they differ", () => {
    const driver = Object.assign(new ScriptedCuda(), { multiprocessors: 3, clockMhz: 1_000 });
    driver.paceOf = (block) => [1.5, 0.5, 1][block] ?? 0;
    driver.kernels.set("k", right(1));
    const device = new CudaDevice(driver, 0);
    const { manifest, codePath } = artifact("k");
    using module = device.load(manifest, codePath);
    device.run(module, new Map(buffers.map((spec) => [spec.name, device.allocate(spec)])), 1, "events");
    expect(device.stamps()).toEqual({ ms: 1, clockMhz: 1_000 });
  });

  it.each(["cuda_graph", "events"] as const)("timed by %s has no stamp in its time, however long stamps take", async (timer) => {
    const { driver, measure } = farm({ k: right(1) });
    driver.stampMs = 0.25;
    const found = await measure(artifact("k"), { power: "burst", timer });
    expect(found.kind === "timed" && found.costs.map((seconds) => seconds.toPrecision(6))).toEqual([
      "0.00100000",
      "0.00100000",
      "0.00100000",
    ]);
  });

  it("too short for the resolution of time has no clock", async () => {
    const { measure } = farm({ k: right(0.399) });
    expect(await measure(artifact("k"), { number: 1, minRepeatMs: 0 })).toHaveProperty("observations", {});
  });

  it.each([
    2, 3,
  ])("whose clock falls meanwhile is measured again in a burst, also when it would be the last: repeat %i", async (place) => {
    const { driver, measure } = farm({ k: right(1) });
    let launches = 0;
    driver.kernels.set("k", {
      ...right(1),
      ms: () => {
        // The warm-up, one run that calibrates, a new graph's first launch, and repeats of five.
        const repeat = Math.ceil((++launches - 7) / 5);
        driver.clockMhz = repeat === place ? 900 : 1_000;
        return 1;
      },
    });
    expect(await measure(artifact("k"), { power: "burst" })).toMatchObject({ observations: { smClockLowMhz: 1_000 } });
    expect(launches).toBe(1 + 1 + 5 + 3 * 5 + 5);
  });
});
