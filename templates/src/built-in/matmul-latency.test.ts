/**
 * matmul_latency: small shapes run by warps against the definition; the text of the default and of decoding shapes through nvcc.
 */
import type { Json } from "@warpfarm/common";
import { gpuLimits } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { some } from "../../../test-support/campaign.ts";
import { createTask } from "../task.ts";
import { compiled, expectRight, indexWith, needsNvccInCampaign, nvccResources } from "./template.testing.ts";

const knobs = { warps: 8, warp_rows: 1, warp_cols: 1, chunk: 4, stages: 1, own: 0 };

const on = "cuda/sm_90";

describe.each([0, 1])("small shapes, run by warps, copied by each for itself: %i", (own) => {
  it.each<[what: string, args: Record<string, Json>, knobs: Partial<typeof knobs>]>([
    ["one chunk, four warps", { M: 16, N: 16, K: 64 }, { warps: 4, chunk: 1 }],
    ["three arrays of chunks", { M: 16, N: 32, K: 256, layout: "NT" }, { warps: 2, warp_cols: 2, chunk: 2, stages: 3 }],
    ["one row, as it is decoded", { M: 1, N: 40, K: 128, layout: "NT" }, { warps: 4, chunk: 2 }],
    ["rows and columns of tiles", { M: 30, N: 50, K: 64, layout: "TN" }, { warps: 2, warp_rows: 2, warp_cols: 2, chunk: 1 }],
    ["odd in all", { M: 17, N: 19, K: 75, layout: "TT", dtype: "bfloat16" }, { warps: 4, chunk: 1, stages: 2 }],
    ["more warps than add up", { M: 5, N: 7, K: 256 }, { warps: 16, chunk: 1 }],
  ])("%s", (_, args, values) => {
    const task = createTask("matmul_latency", args, on);
    const index = indexWith(task, { ...knobs, ...values, own });
    expectRight(task, index);
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

describe("512x32x512 by 16x16 and eight warps, the kernel of the design that took 2.38 us", () => {
  const task = createTask("matmul_latency", undefined, on);
  it.each([1, 2])("%i arrays: warps meet once, when their sums are there", (stages) => {
    const { text, kernels } = compiled(task, indexWith(task, { ...knobs, own: 1, stages }));
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
    expect(nvccResources(compiled(task, indexWith(task, { ...knobs, own: 1, stages: 2 })).text)).toMatchObject({
      stack: 0,
      spills: 0,
    });
  });
});
