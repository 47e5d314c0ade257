import { describe, expect, it } from "vitest";
import { cudaFacts, requireExclusive } from "./cuda-facts.ts";
import { openNvml, throttleReasons } from "./nvml.ts";
import { ScriptedCuda } from "./scripted-cuda.testing.ts";

const info = new ScriptedCuda().device(0);
const alone = { mig: false, virtualGpu: false, computeProcesses: [] };

it("a GPU registers with its capability as key and its limits by name", () => {
  const nvml = { driverVersion: "580.159.04" };
  expect(cudaFacts(info, 13_010, nvml)).toMatchObject({
    facts: { key: "cuda/sm_90", name: "Scripted GPU", uuid: info.uuid, driver: "580.159.04 CUDA 13.1" },
    memoryBytes: 1 << 30,
    limits: { max_shared_memory_per_block_optin: 232_448, multiprocessor_count: 2 },
  });
  expect(cudaFacts(info, 12_020, undefined).facts.driver).toBe("CUDA 12.2");
});

describe("a GPU that is not one's own is refused", () => {
  it.each([
    ["MIG by the driver's name", { ...info, name: "NVIDIA A100 MIG 1g.5gb" }, undefined, "MIG", false],
    ["MIG mode", info, { ...alone, mig: true }, "MIG", false],
    ["a virtual GPU", info, { ...alone, virtualGpu: true }, "virtual", false],
    ["somebody else's process", info, { ...alone, computeProcesses: [7, 8] }, "process 8", true],
  ])("%s", (_, device, sharing, words, forNow) => {
    const result = requireExclusive(device, sharing, [7]);
    expect(result).toMatchObject({ error: { forNow } });
    expect(result).toMatchObject({ ok: false, error: { message: expect.stringContaining(words) } });
    expect(result).toMatchObject({ error: { advice: expect.stringMatching(/^(free it, or )?serve it .* --allow-shared$/) } });
  });
  it("and one's own is not", () => {
    expect(requireExclusive(info, alone).ok).toBe(true);
    expect(requireExclusive(info, undefined).ok).toBe(true);
    expect(requireExclusive(info, { ...alone, computeProcesses: [7] }, [7]).ok).toBe(true);
  });
});

it("reasons for a low clock by nvml.h's bits", () => {
  expect(throttleReasons(0n)).toEqual([]);
  expect(throttleReasons(0x4n | 0x40n)).toEqual(["sw_power_cap", "hw_thermal_slowdown"]);
});

it("no management library, no observations", () => {
  expect(openNvml(info.uuid, "libnvidia-ml-that-is-not-there.so.1")).toBeUndefined();
});
