/** Occupancy compared with NVIDIA's occupancy calculator and with the programming guide. */

import { occupancy } from "@warpfarm/common/occupancy";
import { describe, expect, it } from "vitest";
import { resourcePairs } from "../page/model/resources.ts";

describe("occupancy", () => {
  it.each([
    // key, threads, registers, shared bytes; blocks, warps, limits
    ["cuda/sm_90", 1024, 32, 0, 2, 64, ["warps", "registers"]],
    ["cuda/sm_90", 32, 32, 0, 32, 32, ["blocks"]],
    ["cuda/sm_90", 256, 128, 0, 2, 16, ["registers"]],
    ["cuda/sm_90", 256, 255, 0, 1, 8, ["registers"]],
    ["cuda/sm_90", 256, 33, 0, 6, 48, ["registers"]],
    // A block may use 227 KiB; two of 113 KiB fit, two with one byte more do not.
    ["cuda/sm_90a", 128, 32, 227 * 1024, 1, 4, ["shared memory"]],
    ["cuda/sm_90", 128, 32, 113 * 1024, 2, 8, ["shared memory"]],
    ["cuda/sm_90", 128, 32, 113 * 1024 + 1, 1, 4, ["shared memory"]],
    ["cuda/sm_80", 128, 32, 163 * 1024, 1, 4, ["shared memory"]],
    ["cuda/sm_86", 512, 32, 0, 3, 48, ["warps"]],
    ["cuda/sm_89", 32, 32, 0, 24, 24, ["blocks"]],
    ["cuda/sm_75", 128, 32, 32 * 1024, 2, 8, ["shared memory"]],
    ["cuda/sm_75", 1024, 64, 0, 1, 32, ["warps", "registers"]],
  ])("%s, %i threads, %i registers, %i shared bytes", (key, threads, registers, sharedBytes, blocks, warps, limits) => {
    expect(occupancy(key, { threads, registers, sharedBytes })).toMatchObject({ blocks, warps, limits });
  });

  it("is not told of devices that are not known, or without registers", () => {
    expect(occupancy("cpu/x86-64-v3", { threads: 1, registers: 1, sharedBytes: 0 })).toBeUndefined();
    expect(occupancy("cuda/sm_90", { threads: 128, registers: 0, sharedBytes: 0 })).toBeUndefined();
  });
});

describe("resources", () => {
  const kernel = {
    name: "k",
    grid: [4, 1, 1],
    block: [16, 16, 1],
    dynamic_shared_bytes: 64 * 1024,
    cluster: [1, 1, 1],
    args: [],
  } as const;
  const resources = { registers: 128, spill_bytes: 8, static_shared_bytes: 49_152 };

  it("are the manifest's, and static and dynamic shared memory count", () => {
    expect(resourcePairs({ kernels: [kernel], resources }, "cuda/sm_90")).toEqual([
      ["registers a thread", "128"],
      ["bytes spilled a thread", "8"],
      ["static shared bytes", "49152"],
      ["threads a block", "256"],
      ["occupancy, theoretical", "25 %: 16 of 64 warps in 2 blocks a multiprocessor, limited by registers and shared memory"],
    ]);
  });

  it("of several kernels have no occupancy", () => {
    const names = resourcePairs({ kernels: [kernel, kernel], resources }, "cuda/sm_90").map(([name]) => name);
    expect(names).toEqual(["registers a thread", "bytes spilled a thread", "static shared bytes"]);
  });
});
