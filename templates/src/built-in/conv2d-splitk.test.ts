/** conv2d_splitk: two kernels with a workspace between them. Small shapes run by threads against the definition. */
import { formatTarget, type Json } from "@warpfarm/common";
import { evaluate, interpretKernels, lowerFunc, parseTarget } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { createTask } from "../task.ts";
import { compiled, indexWith, inputsOf, needsNvccInCampaign, nestOf, nvccResources } from "./template.testing.ts";

describe("the default config", () => {
  const task = createTask("conv2d_splitk", undefined, "cuda/sm_90");
  const text = compiled(task, task.published ?? Number.NaN);

  it("counts the operations of the padded convolution, as the tutorial's template does", () => {
    expect(task.flops).toBe(createTask("conv2d_nchw", undefined, "cuda/sm_90").flops);
    expect(createTask("conv2d_splitk", { border: "pad" }, "cuda/sm_90").flops).toBe(task.flops);
  });
  it("is 256 blocks of 8 warps, and a kernel that adds 16 parts of each sum", () => {
    expect(text.kernels.map(({ grid, block, args }) => ({ grid, block, args }))).toEqual([
      { grid: [16, 16, 1], block: [32, 8, 1], args: ["data", "kernel", "conv_rf"] },
      { grid: [196, 1, 1], block: [128, 1, 1], args: ["conv", "conv_rf"] },
    ]);
    expect(text.buffers.find(({ role }) => role === "workspace")).toMatchObject({ name: "conv_rf", shape: [16, 1, 7, 7, 512] });
  });
  it("is taken by nvcc, all sums in registers", (ctx) => {
    if (!isFull) ctx.skip("part of the campaign: npm test compiles the text of an early second kernel");
    needsNvccInCampaign(ctx);
    expect(nvccResources(text.text)).toMatchObject({ stack: 0, spills: 0 });
  });
});

describe("small shapes, run by threads", () => {
  const target = parseTarget("cuda/sm_90");
  const args = { N: 1, H: 3, W: 3, CO: 32, CI: 8, KH: 3, KW: 3, stride: [1, 1], padding: [1, 1], border: "skip" };
  const config = { tile: [3, 3], warps: 4, channels: 1, vectors: 1, sum_threads: 64 };
  it.each<[string, Json, Record<string, unknown>]>([
    ["two blocks a filter, vectors", args, config],
    ["no vectors", args, { ...config, vectors: 0 }],
    ["one block: one kernel", { ...args, CI: 4 }, config],
    ["a tail of channels", { ...args, CI: 7 }, config],
    ["a padded border", { ...args, border: "pad" }, config],
    [
      "stride 2, no padding, 64 filters",
      { ...args, H: 5, W: 6, CO: 64, KH: 2, stride: [2, 2], padding: [0, 0] },
      { ...config, tile: [2, 2] },
    ],
    ["one tap, two channels a warp", { ...args, KH: 1, KW: 1, padding: [0, 0], CI: 16 }, { ...config, channels: 2 }],
    ["tiles of two images, with a tail", { ...args, N: 2, H: 8, W: 15 }, { ...config, tile: [2, 8] }],
    ["filters that are not whole warps", { ...args, CO: 37, H: 4, W: 7 }, { ...config, tile: [2, 7] }],
    ["one tap, one kernel, tiles", { ...args, CI: 3, H: 7, W: 8, KH: 1, KW: 1, padding: [0, 0] }, { ...config, tile: [7, 4] }],
    ["an image of one row", { ...args, H: 1, W: 40, KH: 1, padding: [0, 0] }, { ...config, tile: [1, 38] }],
    ["an odd side that no tile divides", { ...args, H: 67, W: 1, KW: 1, padding: [0, 0] }, { ...config, tile: [14, 1] }],
  ])("%s", (_, given, values) => {
    const task = createTask("conv2d_splitk", given, formatTarget(target));
    const inputs = inputsOf(task);
    const kernels = lowerFunc(nestOf(task, indexWith(task, values)), target);
    expect(interpretKernels(kernels, inputs).data.get("conv")).toEqual(evaluate(task.graph, inputs).get("conv"));
  });
});
