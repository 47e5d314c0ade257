/** conv2d_nhwc_mma: NHWC in and out, one kernel, copies that run ahead. Small shapes run by warps against the definition. */
import { formatTarget, type Json } from "@warpfarm/common";
import { parseTarget } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { createTask } from "../task.ts";
import { compiled, expectRight, needsNvccInCampaign, nvccResources } from "./template.testing.ts";

describe("the default config", () => {
  const task = createTask("conv2d_nhwc_mma", undefined, "cuda/sm_90");
  const index = task.space.toIndex(task.published ?? Number.NaN);
  const text = compiled(task, index);

  it("is one kernel on NHWC, HWIO and NHWC", () => {
    expect(text.kernels).toHaveLength(1);
    expect(text.buffers.map(({ name, shape, role }) => [name, shape, role])).toEqual([
      ["A", [256, 14, 14, 256], "in"],
      ["W", [3, 3, 256, 512], "in"],
      ["Conv", [256, 14, 14, 512], "out"],
    ]);
  });

  it("copies 16 bytes a lane by cp.async, zeros at the border, with one barrier an iteration", () => {
    const lines = text.text.split("\n");
    const body = lines.slice(lines.findIndex((line) => line.includes("__global__")));
    expect(body.filter((line) => /\*\(f16x\d \*\)\((Apad|W)_shared/.test(line))).toEqual([]);
    expect(body.filter((line) => line.includes("cp_async_16_or_zero((Apad_shared")).length).toBeGreaterThan(0);
    expect(body.filter((line) => line.includes("cp_async_16((W_shared")).length).toBeGreaterThan(0);
    expect(body.filter((line) => line.includes("__syncthreads"))).toEqual(["  __syncthreads();", "    __syncthreads();"]);
    expect(text.notes).toEqual([]);
  });

  it("is taken by nvcc, everything in registers", (ctx) => {
    needs(ctx, "nvcc");
    expect(nvccResources(text.text)).toMatchObject({ stack: 0, spills: 0 });
  });
});

describe("small shapes, run by warps", () => {
  const target = parseTarget("cuda/sm_90");
  const args = { N: 32, H: 2, W: 2, CI: 32, CO: 32, KH: 3, KW: 3, stride: 1, padding: 1 };
  it.each<[what: string, args: Json, knobs: readonly number[]]>([
    ["images in tiles: one warp of two by two tiles, three arrays", { ...args, N: 64, KH: 2, KW: 2 }, [0, 0, 1, 1, 1, 2]],
    ["pixels in rows: one warp of two by two tiles, three arrays", args, [0, 0, 1, 1, 1, 2]],
    ["one image of 7x7 pixels, four arrays", { ...args, N: 1, H: 7, W: 7 }, [1, 0, 0, 1, 0, 3]],
    ["three channels, odd filters", { ...args, N: 2, H: 6, W: 5, CI: 3, CO: 21 }, [0, 0, 0, 0, 0, 1]],
    [
      "two by one warps, stride 2, no padding, two arrays",
      { ...args, H: 5, W: 4, KH: 2, KW: 2, padding: 0, stride: 2 },
      [1, 0, 0, 0, 0, 1],
    ],
  ])("%s", (_, given, digits) => {
    const task = createTask("conv2d_nhwc_mma", given, formatTarget(target));
    expectRight(task, task.space.fromDigits(digits));
  });
});

describe("batches without whole tiles of 64", () => {
  const shape = { N: 32, H: 56, W: 56, CI: 64, CO: 128 };
  const task = createTask("conv2d_nhwc_mma", shape, "cuda/sm_90");
  const { text, kernels, buffers } = compiled(task, task.space.toIndex(940));

  it("have pixels of all images for rows: one kernel, no workspace", () => {
    expect(kernels.map(({ grid, block }) => [grid, block])).toEqual([
      [
        [784, 1, 1],
        [32, 2, 2],
      ],
    ]);
    expect(buffers.map(({ name, role }) => [name, role])).toEqual([
      ["A", "in"],
      ["W", "in"],
      ["Conv", "out"],
    ]);
  });

  it("count the operations of the convolution", () => {
    expect(task.flops).toBe(createTask("conv2d_nhwc_tma", shape, "cuda/sm_90a").flops);
  });

  it("copy runs of channels by cp.async, and are taken by nvcc, everything in registers", (ctx) => {
    expect(text).toContain("cp_async_16_or_zero((pixels_shared");
    expect(text).toContain("cp_async_16((taps_shared");
    needsNvccInCampaign(ctx);
    expect(nvccResources(text)).toMatchObject({ stack: 0, spills: 0 });
  });
});
