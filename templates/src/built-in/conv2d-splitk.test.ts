/**
 * conv2d_splitk: two kernels with a workspace between them, of which the second may start early and waits before it reads. Small
 * shapes run by threads against the definition.
 */
import type { Json } from "@warpfarm/common";
import { lowerFunc, parseTarget, verifyKernels } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { createTask } from "../task.ts";
import { compiled, expectRight, indexWith, needsNvccInCampaign, nestOf, nvccResources } from "./template.testing.ts";

const on = "cuda/sm_90";
const usual = { tile: [7, 7], warps: 8, channels: 4, vectors: 1, sum_threads: 128, filters: 32, arrays: 1, dependent: 0 };

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
  const args = { N: 1, H: 3, W: 3, CO: 32, CI: 8, KH: 3, KW: 3, stride: [1, 1], padding: [1, 1], border: "skip" };
  const config = { tile: [3, 3], warps: 4, channels: 1, vectors: 1, sum_threads: 64 };
  const more = { ...args, CI: 16 };
  const early = { ...usual, ...config, dependent: 1 };
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
    ["an early second kernel", more, early],
    ["two chunks", more, { ...early, arrays: 2 }],
    ["three chunks, a tail of channels", { ...more, CI: 25 }, { ...early, arrays: 3 }],
    ["64 filters, not all there", { ...more, CO: 70 }, { ...early, filters: 64 }],
    ["two chunks, one kernel, no vectors", { ...more, CI: 8 }, { ...early, arrays: 2, vectors: 0 }],
    ["fewer channels than chunks", { ...more, CI: 3 }, { ...early, arrays: 3 }],
    ["a padded border, two chunks of two channels", { ...more, border: "pad" }, { ...early, arrays: 2, channels: 2 }],
    [
      "stride 2, 64 filters, two chunks",
      { ...more, H: 5, W: 6, KH: 2, stride: [2, 2], padding: [0, 0] },
      { ...early, tile: [2, 2], filters: 64, arrays: 2 },
    ],
    ["one tap", { ...more, KH: 1, KW: 1, padding: [0, 0] }, { ...early, arrays: 2, channels: 2 }],
  ])("%s", (_, given, values) => {
    const task = createTask("conv2d_splitk", given, on);
    expectRight(task, indexWith(task, values));
  });
});

it("has nothing to choose of dependent launches where there are none", () => {
  const choices = (on: string) =>
    createTask("conv2d_splitk", undefined, on).space.knobs.find(({ name }) => name === "dependent")?.size;
  expect([choices("cuda/sm_80"), choices("cuda/sm_90")]).toEqual([1, 2]);
});

describe("a second kernel that starts early", () => {
  const task = createTask("conv2d_splitk", undefined, on);
  const index = indexWith(task, { ...usual, dependent: 1 });
  it("is launched so, and waits before it reads the sums of the first one, which releases it last", () => {
    const { text, kernels } = compiled(task, index);
    expect(kernels.map(({ attributes }) => attributes)).toEqual([undefined, [{ kind: "dependent" }]]);
    const [first = "", second = ""] = text.split('extern "C"').slice(1);
    expect(first.trimEnd().endsWith("release_kernel();\n}")).toBe(true);
    expect(second.indexOf("wait_for_kernel();")).toBeGreaterThan(0);
    expect(second.indexOf("wait_for_kernel();")).toBeLessThan(second.indexOf("conv_rf["));
    // All parts are on their way before one is stored.
    expect(second.match(/conv_rf\[/g)).toHaveLength(16);
    expect(second.match(/ conv\[/g)).toHaveLength(1);
  });
  it("that reads first is refused", () => {
    const kernels = lowerFunc(nestOf(task, index), parseTarget(on));
    expect(verifyKernels(kernels, parseTarget(on))).toEqual([]);
    const [, patient] = lowerFunc(nestOf(task, indexWith(task, usual)), parseTarget(on));
    const rushed = kernels.map((kernel) => (kernel.dependent && patient ? { ...kernel, func: patient.func } : kernel));
    const [violation, ...others] = verifyKernels(rushed, parseTarget(on));
    expect([violation?.rule, others]).toEqual(["device.dependent", []]);
    expect(violation?.message).toContain("touches conv, which a kernel of the run writes, without having waited for it");
  });
  it("is taken by nvcc, all sums in registers", (ctx) => {
    needsNvccInCampaign(ctx);
    expect(nvccResources(compiled(task, index).text)).toMatchObject({ stack: 0, spills: 0 });
  });
});

it("chunks come by cp.async, one array each", () => {
  const task = createTask("conv2d_splitk", undefined, on);
  const { text, kernels } = compiled(task, indexWith(task, { ...usual, channels: 2, arrays: 2 }));
  expect(text).toContain("cp_async_16(");
  expect(kernels[0]?.grid).toEqual([16, 16, 1]);
  const wide = compiled(task, indexWith(task, { ...usual, filters: 64 })).kernels[0];
  expect([wide?.grid, wide?.block]).toEqual([
    [16, 8, 1],
    [64, 8, 1],
  ]);
});
