/**
 * matmul_tma_mma: small shapes run by warps that a ring of slots feeds; the default's text through nvcc at full shape, and what
 * it does in its loop.
 */
import { formatTarget, type Json } from "@warpfarm/common";
import { gpuLimits, parseTarget } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { some } from "../../../test-support/campaign.ts";
import { needs } from "../../../test-support/needs.ts";
import { createTask } from "../task.ts";
import { compiled, expectRight, needsNvccInCampaign, nvccResources, textOf } from "./template.testing.ts";

const layouts = ["NN", "NT", "TN", "TT"] as const;
const target = parseTarget("cuda/sm_90a");

describe("small shapes, run by warps", () => {
  // row_warps, col_warps, warp_rows, warp_cols, chunk, stages, group, blocks.
  it.each<[what: string, layout: (typeof layouts)[number], dtype: string, shape: readonly number[], knobs: readonly number[]]>([
    ["three slots", "NN", "float16", [64, 64, 96], [0, 0, 0, 0, 0, 1, 0, 0]],
    ["two panels of B", "NN", "float16", [32, 128, 128], [0, 0, 0, 2, 1, 0, 0, 0]],
    ["two slots, two warps of rows", "NT", "bfloat16", [64, 32, 64], [1, 0, 0, 0, 0, 0, 0, 0]],
    ["more slots than chunks", "TN", "float16", [128, 32, 64], [2, 0, 0, 0, 0, 4, 0, 0]],
    ["four slots, groups", "TT", "bfloat16", [64, 64, 128], [0, 0, 0, 0, 0, 2, 1, 0]],
  ])("%s: %s %s", (_, layout, dtype, [M, N, K], digits) => {
    const given: Json = { M: M ?? 0, N: N ?? 0, K: K ?? 0, dtype, layout };
    const task = createTask("matmul_tma_mma", given, formatTarget(target));
    expectRight(task, task.space.fromDigits(digits));
  });
});

describe("the default config at 4096 x 4096 x 4096", () => {
  const published = (args: Json, blocks = 0) => {
    const task = createTask("matmul_tma_mma", args, formatTarget(target));
    const index = createTask("matmul_tma_mma", undefined, formatTarget(target)).published ?? 0;
    const at = task.space.fromDigits([...task.space.digits(task.space.toIndex(index)).slice(0, -1), blocks]);
    expect(task.validate(at, gpuLimits(formatTarget(target)))).toEqual([]);
    return { task, at };
  };

  it.each(["NN", "NT"] as const)("%s: one thread asks for boxes, warps wait for bytes, and the block meets once", (layout) => {
    const { task, at } = published({ layout });
    const { text, kernels, maps } = compiled(task, at);
    const lines = text.slice(text.indexOf("__global__")).split("\n");
    expect(lines.filter((line) => line.includes("__syncthreads"))).toEqual(["  __syncthreads();"]);
    expect(kernels).toMatchObject([{ args: ["C", { map: 0 }, { map: 1 }], dynamic_shared_bytes: 4 * 49_152 + 64 }]);
    expect(maps?.map(({ box, swizzle }) => [box, swizzle])).toEqual([
      [[128, 64], 128],
      [layout === "NN" ? [64, 64] : [256, 64], 128],
    ]);
    const loop = lines.slice(lines.findIndex((line) => /for \(int k_0 = 0;/.test(line)));
    const order = loop.flatMap((line) => /(mbarrier_\w+|tma_load|tile_ldmatrix_a|tile_mma\w+update)/.exec(line)?.[1] ?? []);
    const turns = order.filter((word, i) => word !== order[i - 1]);
    // The slot is released after its last fragments, and the next one's first come before the last products of this.
    expect(turns.slice(-6)).toEqual([
      "tile_ldmatrix_a",
      "tile_mma_sync_m16n16k16_f16_update",
      "mbarrier_arrive",
      "mbarrier_wait",
      "tile_ldmatrix_a",
      "tile_mma_sync_m16n16k16_f16_update",
    ]);
    expect(turns.slice(0, 3)).toEqual(["mbarrier_wait", "mbarrier_expect", "tma_load"]);
  });

  const texts = [
    ["NN", 0],
    ["NT", 1],
    ["TN", 1],
    ["TT", 0],
  ] as const;
  it.for(some<(typeof texts)[number]>(texts, 2))("%s needs no more registers than there are, choice %i of blocks", ([
    layout,
    blocks,
  ], ctx) => {
    needs(ctx, "nvcc");
    const { task, at } = published({ layout }, blocks);
    expect(nvccResources(textOf(task, at), "sm_90a")).toMatchObject({ spills: 0, stack: 0 });
  });
});

const later = [
  ["sm_100", "NN", 1924],
  ["sm_120", "NT", 0],
] as const;
it.for(some<(typeof later)[number]>(later, 1))("%s has the copy engine too: its %s text goes through nvcc", ([
  arch,
  layout,
  index,
], ctx) => {
  needsNvccInCampaign(ctx);
  const task = createTask("matmul_tma_mma", { layout }, `cuda/${arch}`);
  expect(task.validate(task.space.toIndex(index), gpuLimits(`cuda/${arch}`))).toEqual([]);
  expect(nvccResources(textOf(task, task.space.toIndex(index)), arch)).toMatchObject({ spills: 0 });
});

it("is of sm_90 and later", () => {
  const size = { M: 64, N: 64, K: 64 };
  expect(() => createTask("matmul_tma_mma", size, "cuda/sm_89")).toThrow(
    "matmul_tma_mma is for cuda/sm_90 and later, not for cuda/sm_89",
  );
});
