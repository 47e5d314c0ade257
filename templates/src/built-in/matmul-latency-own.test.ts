/** matmul_latency whose warps copy their own shares: run by warps against the definition; they wait for themselves alone. */
import { formatTarget, type Json } from "@warpfarm/common";
import { evaluate, interpretKernels, lowerFunc, parseTarget } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { createTask } from "../task.ts";
import { compiled, indexWith, inputsOf, needsNvccInCampaign, nestOf, nvccResources } from "./template.testing.ts";

const target = parseTarget("cuda/sm_90");
const on = formatTarget(target);
const knobs = { warps: 8, warp_rows: 1, warp_cols: 1, chunk: 4, stages: 1, own: 1 };

describe("small shapes, run by warps", () => {
  it.each<[what: string, args: Record<string, Json>, knobs: Partial<typeof knobs>]>([
    ["one chunk, four warps", { M: 16, N: 16, K: 64 }, { warps: 4, chunk: 1 }],
    ["three arrays of chunks", { M: 16, N: 32, K: 256, layout: "NT" }, { warps: 2, warp_cols: 2, chunk: 2, stages: 3 }],
    ["one row, as it is decoded", { M: 1, N: 40, K: 128, layout: "NT" }, { warps: 4, chunk: 2 }],
    ["rows and columns of tiles", { M: 30, N: 50, K: 64, layout: "TN" }, { warps: 2, warp_rows: 2, warp_cols: 2, chunk: 1 }],
    ["odd in all", { M: 17, N: 19, K: 75, layout: "TT", dtype: "bfloat16" }, { warps: 4, chunk: 1, stages: 2 }],
  ])("%s", (_, args, values) => {
    const task = createTask("matmul_latency", args, on);
    const inputs = inputsOf(task);
    const got = interpretKernels(lowerFunc(nestOf(task, indexWith(task, { ...knobs, ...values })), target), inputs).data.get("C");
    expect(got).toEqual(evaluate(task.graph, inputs).get("C"));
  });
});

describe("512x32x512 by 16x16 and eight warps, the kernel of the design that took 2.38 us", () => {
  const task = createTask("matmul_latency", undefined, on);
  it.each([1, 2])("%i arrays: warps meet once, when their sums are there", (stages) => {
    const { text, kernels } = compiled(task, indexWith(task, { ...knobs, stages }));
    expect(kernels.map(({ grid, block }) => [grid, block])).toEqual([
      [
        [2, 32, 1],
        [32, 8, 1],
      ],
    ]);
    expect(text.match(/__syncthreads/g)).toHaveLength(1);
    expect(text).toMatch(/__syncwarp[\s\S]*__syncthreads/);
  });
  it("is taken by nvcc, everything in registers", (ctx) => {
    needsNvccInCampaign(ctx);
    expect(nvccResources(compiled(task, indexWith(task, { ...knobs, stages: 2 })).text)).toMatchObject({ stack: 0, spills: 0 });
  });
});
