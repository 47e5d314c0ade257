/** The binding of the management library against one that is compiled here (testdata/fake-nvml.c). */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { needs } from "../../../../test-support/needs.ts";
import { openNvml } from "./nvml.ts";

it("tells clocks in MHz, power in watts, energy in mJ, and who is there, by nvml.h's numbers and structures", (ctx) => {
  needs(ctx, "cc");
  const folder = mkdtempSync(join(tmpdir(), "warpfarm-nvml-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const library = join(folder, "libnvidia-ml.so");
  const source = fileURLToPath(new URL("testdata/fake-nvml.c", import.meta.url));
  execFileSync("cc", ["-shared", "-fPIC", "-o", library, source]);
  expect([openNvml("GPU-2", library), openNvml("GPU-1", join(folder, "none.so"))]).toEqual([undefined, undefined]);
  const nvml = openNvml("GPU-1", library);
  if (!nvml) throw new Error("it is there");
  expect(nvml.driverVersion).toBe("580.159.04");
  expect(nvml.observe()).toEqual({
    ...{ memoryClockMhz: 2619, temperatureC: 41, powerW: 312.5 },
    throttleReasons: ["sw_power_cap", "hw_thermal_slowdown"],
  });
  expect([nvml.powerW(), nvml.totalEnergyMj(), nvml.busyPercent()]).toEqual([312.5, 5_000_000_123, 37]);
  // MIG is only to come.
  expect(nvml.sharing()).toEqual({ mig: false, virtualGpu: true, computeProcesses: [11, 22, 33] });
});
