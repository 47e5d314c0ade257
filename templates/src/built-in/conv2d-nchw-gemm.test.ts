/**
 * conv2d_nchw_gemm: small shapes of every kind run by threads against the plain convolution; the text of some configs through
 * nvcc.
 */
import type { Json } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { createTask } from "../task.ts";
import { compiled, expectRight, indexWith, needsNvccInCampaign, nvccResources } from "./template.testing.ts";

const small = {
  thread_rows: 4,
  thread_cols: 4,
  row_warps: 1,
  col_warps: 1,
  lane_rows: 4,
  chunk: 8,
  stages: 3,
  min_blocks: 0,
  splits: 1,
  sum_threads: 64,
};

describe("the text", () => {
  const task = createTask("conv2d_nchw_gemm", undefined, "cuda/sm_90");
  it("counts the operations of the convolution, as conv2d_nchw does", () => {
    expect(task.flops).toBe(createTask("conv2d_nchw", undefined, "cuda/sm_90").flops);
  });
  it("splits the sum over blocks, and adds with a second kernel", () => {
    const { kernels, buffers } = compiled(
      task,
      indexWith(task, { ...small, thread_rows: 8, row_warps: 2, col_warps: 2, splits: 8 }),
    );
    expect(kernels.map(({ grid, block }) => ({ grid, block }))).toEqual([
      { grid: [1, 8, 8], block: [32, 4, 1] },
      { grid: [392, 1, 1], block: [64, 1, 1] },
    ]);
    expect(buffers.find(({ role }) => role === "workspace")).toMatchObject({ shape: [8, 512, 64] });
  });
  it("is taken by nvcc without spills; no product stands under a condition of a thread", (ctx) => {
    needsNvccInCampaign(ctx);
    const { text } = compiled(task, task.published ?? Number.NaN);
    expect(text).not.toMatch(/if \([^)]*threadIdx.*\{\n +sums\[/);
    expect(nvccResources(text)).toMatchObject({ stack: 0, spills: 0 });
  });
});

describe("small shapes, run by threads", () => {
  const shape = { N: 1, H: 5, W: 6, CO: 16, CI: 8, KH: 3, KW: 3, stride: [1, 1], padding: [1, 1] };
  it.each<[string, Record<string, Json>, Partial<typeof small>]>([
    ["a border", {}, {}],
    ["a split sum", { CI: 16 }, { splits: 2, stages: 2 }],
    ["a split sum with a tail", { CI: 20, H: 3 }, { splits: 4 }],
    ["two images", { N: 2, H: 4, W: 4 }, { lane_rows: 8 }],
    ["odd channels and filters", { CI: 3, CO: 5 }, { row_warps: 2 }],
    ["one tap, read as it lies", { KH: 1, KW: 1, padding: [0, 0], H: 4, W: 8, CI: 32 }, { chunk: 16, stages: 4 }],
    ["one tap of two images, split", { N: 2, KH: 1, KW: 1, padding: [0, 0], H: 4, W: 4, CI: 64 }, { chunk: 32, splits: 2 }],
    ["one tap, stride 2", { KH: 1, KW: 1, padding: [0, 0], stride: [2, 2], CI: 24 }, {}],
    ["seven taps, stride 2", { H: 9, W: 8, KH: 7, KW: 7, stride: [2, 2], padding: [3, 3], CI: 3 }, { splits: 4 }],
    ["a window not square", { KH: 1, KW: 3, padding: [0, 0] }, { col_warps: 2, thread_cols: 8 }],
  ])("%s", (_, given, knobs) => {
    const task = createTask("conv2d_nchw_gemm", { ...shape, ...given }, "cuda/sm_90");
    expectRight(task, indexWith(task, { ...small, ...knobs }));
  });
});
