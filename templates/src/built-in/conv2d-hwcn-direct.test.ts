/**
 * conv2d_hwcn_direct: small shapes, tails and borders included, run by threads against the definition; the default's text through
 * nvcc.
 */
import { formatTarget, type Json } from "@warpfarm/common";
import { parseTarget } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { createTask } from "../task.ts";
import { compiled, expectRight, indexWith, needsNvccInCampaign, nvccResources } from "./template.testing.ts";

describe("the default config", () => {
  const task = createTask("conv2d_hwcn_direct", undefined, "cuda/sm_90");
  it("counts the operations of the padded convolution, as conv2d_hwcn does", () => {
    expect(task.flops).toBe(createTask("conv2d_hwcn", undefined, "cuda/sm_90").flops);
  });
  it("is taken by nvcc without spills, its copies and products under the condition that the tap is inside", (ctx) => {
    needsNvccInCampaign(ctx);
    const { text } = compiled(task, task.published ?? Number.NaN);
    const body = text.slice(text.indexOf("for (int rx = 0"), text.indexOf("for (int rc_outer"));
    // Two arrays' worth of 8 copies for each of the three chunks that run ahead.
    const chunk = [...Array.from({ length: 8 }, () => "cp_async_16"), "cp_async_commit"];
    const lines = body.match(/^ +(if|cp_async_\d+|cp_async_commit)\b/gm)?.map((line) => line.trim());
    expect(lines).toEqual(["if", ...chunk, ...chunk, ...chunk]);
    expect(nvccResources(text)).toMatchObject({ stack: 0, spills: 0 });
  });
});

describe("small shapes, run by threads", () => {
  const target = parseTarget("cuda/sm_90");
  const shape = { N: 8, H: 3, W: 4, CI: 8, CO: 16, KH: 3, KW: 3, stride: 1, padding: 1 };
  const small = { thread_rows: 4, thread_cols: 4, row_warps: 1, col_warps: 1, lane_rows: 4, chunk: 8, stages: 3, min_blocks: 0 };
  it.each<[string, Record<string, Json>, Partial<typeof small>]>([
    ["a border left out", {}, {}],
    ["a padded border", { border: "pad" }, { stages: 2 }],
    ["two chunks", { CI: 16 }, { lane_rows: 2 }],
    ["a tail of channels", { CI: 11 }, { chunk: 8 }],
    ["a batch of one", { N: 1, CO: 5 }, {}],
    ["an odd batch", { N: 7, CO: 17 }, { col_warps: 2 }],
    ["stride 2", { H: 5, W: 5, stride: 2 }, { thread_rows: 8 }],
    ["one tap", { KH: 1, KW: 1, padding: 0, CI: 24 }, { stages: 4 }],
    ["five taps beyond every side", { H: 2, W: 2, KH: 5, KW: 5, padding: 2 }, { row_warps: 2 }],
    ["no padding", { padding: 0, N: 33 }, { chunk: 16, min_blocks: 1 }],
  ])("%s", (_, given, knobs) => {
    const task = createTask("conv2d_hwcn_direct", { ...shape, ...given }, formatTarget(target));
    expectRight(task, indexWith(task, { ...small, ...knobs }));
  });
});
