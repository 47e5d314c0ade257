/**
 * matmul_latency: small shapes run by warps against the definition; the text of the default and of decoding shapes through nvcc.
 */
import { formatTarget, type Json } from "@warpfarm/common";
import { evaluate, gpuLimits, interpretKernels, lowerFunc, parseTarget } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { some } from "../../../test-support/campaign.ts";
import { createTask } from "../task.ts";
import { compiled, indexWith, inputsOf, needsNvccInCampaign, nestOf, nvccResources } from "./template.testing.ts";

const knobs = { warps: 8, warp_rows: 1, warp_cols: 1, chunk: 4, stages: 1 };

describe("small shapes, run by warps", () => {
  const target = parseTarget("cuda/sm_90");
  it.each<[what: string, args: Record<string, Json>, knobs: Partial<typeof knobs>]>([
    ["one chunk, four warps", { M: 16, N: 16, K: 64 }, { warps: 4, chunk: 1 }],
    ["three arrays of chunks", { M: 16, N: 32, K: 256, layout: "NT" }, { warps: 2, warp_cols: 2, chunk: 2, stages: 3 }],
    ["one row, as it is decoded", { M: 1, N: 40, K: 128, layout: "NT" }, { warps: 4, chunk: 2 }],
    ["rows and columns of tiles", { M: 30, N: 50, K: 64, layout: "TN" }, { warps: 2, warp_rows: 2, warp_cols: 2, chunk: 1 }],
    ["odd in all", { M: 17, N: 19, K: 75, layout: "TT", dtype: "bfloat16" }, { warps: 4, chunk: 1, stages: 2 }],
    ["more warps than add up", { M: 5, N: 7, K: 256 }, { warps: 16, chunk: 1 }],
  ])("%s", (_, args, values) => {
    const task = createTask("matmul_latency", args, formatTarget(target));
    const index = indexWith(task, { ...knobs, ...values });
    const inputs = inputsOf(task);
    const got = interpretKernels(lowerFunc(nestOf(task, index), target), inputs).data.get("C");
    expect(got).toEqual(evaluate(task.graph, inputs).get("C"));
  });
});

describe("the text", () => {
  const task = createTask("matmul_latency", undefined, "cuda/sm_90");
  it("of 512x32x512 is one wave of blocks whose warps meet twice", () => {
    const { text, kernels } = compiled(task, task.space.toIndex(task.published ?? Number.NaN));
    expect(kernels.map(({ grid, block }) => [grid, block])).toEqual([
      [
        [2, 32, 1],
        [32, 8, 1],
      ],
    ]);
    // Once when the chunk is there, once when the sums of all warps are.
    expect(text.match(/__syncthreads/g)).toHaveLength(2);
  });

  const texts: readonly [args: Json, values: Partial<typeof knobs>][] = [
    [{}, {}],
    [{ M: 1, N: 4096, K: 4096, layout: "NT" }, { stages: 4 }],
    [
      { M: 64, N: 11008, K: 4096 },
      { warp_rows: 4, chunk: 2, stages: 3 },
    ],
    [
      { M: 5, N: 4099, K: 333 },
      { warps: 4, chunk: 2 },
    ],
  ];
  it.for(some(texts, 2, 3))("of %j with %j is taken by nvcc, everything in registers", ([args, values], ctx) => {
    needsNvccInCampaign(ctx);
    const own = createTask("matmul_latency", args, "cuda/sm_90");
    const index = indexWith(own, { ...knobs, ...values });
    expect(own.validate(own.space.toIndex(index), gpuLimits("cuda/sm_90"))).toEqual([]);
    expect(nvccResources(compiled(own, index).text)).toMatchObject({ stack: 0, spills: 0 });
  });
});
