/**
 * matmul_simt: small shapes of every layout, tails included, run by threads against the definition, also with lanes in squares
 * and operands that are turned before; the texts through nvcc.
 */
import type { Json } from "@warpfarm/common";
import { gpuLimits } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { some } from "../../../test-support/campaign.ts";
import { needs } from "../../../test-support/needs.ts";
import { type Outline, stepsOf, wavesOf } from "../outline.ts";
import { createTask } from "../task.ts";
import { compiled, expectRight, indexWith, needsNvccInCampaign, nvccResources } from "./template.testing.ts";

const on = "cuda/sm_90";
const small = {
  thread_rows: 4,
  thread_cols: 4,
  row_warps: 1,
  col_warps: 1,
  lane_rows: 4,
  chunk: 8,
  stages: 3,
  min_blocks: 0,
  group: 4,
  along_k: 0,
  interleaved: 0,
  turned: 0,
};
const squares = { ...small, stages: 2, group: 1, interleaved: 1 };
const layouts = ["NN", "NT", "TN", "TT"] as const;

describe("the default config", () => {
  const published = createTask("matmul_simt", undefined, "cuda/sm_90").published ?? Number.NaN;
  it.each(layouts)("%s keeps all sums in registers and copies by cp.async", (layout) => {
    const text = compiled(createTask("matmul_simt", { layout }, "cuda/sm_90"), published).text;
    expect(text).toMatch(/cp_async_16\(\(B_shared|cp_async_4\(\(B_shared/);
    expect(text.includes("cp_async_4(")).toBe(layout !== "TN");
  });
  it("is taken by nvcc without spills", (ctx) => {
    needs(ctx, "nvcc");
    const text = compiled(createTask("matmul_simt", undefined, "cuda/sm_90"), published).text;
    expect(nvccResources(text)).toMatchObject({ stack: 0, spills: 0 });
  });
});

describe("small shapes, run by threads", () => {
  it.each<
    [what: string, layout: (typeof layouts)[number], shape: readonly [number, number, number], knobs: Partial<typeof small>]
  >([
    ["whole tiles", "NN", [32, 64, 16], { thread_rows: 8 }],
    ["whole tiles", "TN", [16, 64, 32], { stages: 4, thread_cols: 8 }],
    ["odd everything", "NN", [17, 33, 19], {}],
    ["odd everything", "TN", [33, 17, 11], { lane_rows: 8 }],
    ["odd everything", "NT", [15, 31, 21], { row_warps: 2 }],
    ["odd everything", "TT", [19, 37, 9], { col_warps: 2, chunk: 16 }],
    ["A as it lies", "NN", [32, 64, 32], { along_k: 1, thread_rows: 8, chunk: 16 }],
    ["A as it lies, odd everything", "NT", [19, 33, 23], { along_k: 1, lane_rows: 2 }],
    ["one row", "NN", [1, 64, 40], {}],
    ["one column", "TT", [40, 1, 24], { group: 1 }],
    ["a reduction of one", "NT", [20, 24, 1], {}],
    ["rows of two vectors, an odd reduction", "TN", [8, 8, 63], { stages: 2, min_blocks: 2 }],
  ])("%s: %s %j", (_, layout, [M, N, K], knobs) => {
    const task = createTask("matmul_simt", { M, N, K, layout }, on);
    expectRight(task, indexWith(task, { ...small, ...knobs }));
  });
  it.each<[what: string, args: Json, values: Partial<typeof small>]>([
    ["lanes in squares", { M: 32, N: 32, K: 16, layout: "TN" }, { thread_rows: 8 }],
    ["lanes in squares, two rows of them", { M: 16, N: 64, K: 16, layout: "NN" }, { lane_rows: 2 }],
    ["lanes in squares, odd everything", { M: 37, N: 19, K: 11, layout: "NT" }, { lane_rows: 8, row_warps: 2 }],
    ["lanes in squares, A as it lies", { M: 32, N: 40, K: 32, layout: "NN" }, { along_k: 1 }],
    ["A turned before", { M: 40, N: 32, K: 36, layout: "NN" }, { turned: 1, interleaved: 0 }],
    ["both turned before, odd everything", { M: 33, N: 35, K: 41, layout: "NT" }, { turned: 1, stages: 3 }],
    ["B turned before, A as it lies in memory", { M: 17, N: 40, K: 13, layout: "TT" }, { turned: 1, group: 4 }],
    ["B turned before, A read along the reduction", { M: 16, N: 36, K: 24, layout: "NT" }, { turned: 1, along_k: 1 }],
    ["nothing to turn", { M: 16, N: 36, K: 24, layout: "NN" }, { turned: 1, along_k: 1 }],
    ["one row", { M: 1, N: 64, K: 40, layout: "NN" }, { turned: 1 }],
  ])("%s: %j", (_, args, values) => {
    const task = createTask("matmul_simt", args, on);
    expectRight(task, indexWith(task, { ...squares, ...values }));
  });
});

it("has the blocks of its outline", () => {
  for (const knobs of [
    { row_warps: 2, lane_rows: 8, interleaved: 0 },
    { col_warps: 2, thread_cols: 8 },
  ]) {
    const task = createTask("matmul_simt", { M: 256, N: 192, K: 96 }, on);
    const index = task.space.toIndex(indexWith(task, { ...squares, ...knobs }));
    const [kernel] = compiled(task, index).kernels;
    const outline = task.outline?.(index) as Outline;
    expect([outline.extents, stepsOf(outline)]).toEqual([[256, 192, 96], 12]);
    expect(wavesOf(outline, task.target) * 132).toBeCloseTo(kernel?.grid.reduce((a, b) => a * b) ?? 0);
    expect(outline.threads).toBe(kernel?.block.reduce((a, b) => a * b));
  }
});

/** Where the lanes of the first warp read an operand's vector at the first step: C's arithmetic, which is BigInt's. */
function firstReads(text: string, operand: "A" | "B"): readonly number[] {
  const found = new RegExp(`f32x4 \\*\\)\\(${operand}_shared \\+ \\((.*)\\)\\);`).exec(text)?.[1];
  const lane = /const int (\w+) = threadIdx\.x;/.exec(text.slice(text.lastIndexOf("__global__")))?.[1];
  if (found === undefined || lane === undefined) throw new Error(`no vector of ${operand} is read`);
  const formula = found.replace(/\w+/g, (word) => (/^\d/.test(word) ? `${word}n` : word === lane ? "lane" : "0n"));
  const place = new Function("lane", `return Number(${formula})`) as (lane: bigint) => number;
  return Array.from({ length: 32 }, (_, i) => place(BigInt(i)));
}

describe("the text for 4096", () => {
  const best = {
    ...squares,
    thread_rows: 8,
    thread_cols: 8,
    row_warps: 2,
    col_warps: 4,
    lane_rows: 8,
    chunk: 32,
    min_blocks: 2,
    group: 8,
  };
  it("of a product whose A is turned before copies in vectors, behind a kernel that it waits for", () => {
    const task = createTask("matmul_simt", undefined, on);
    const { text, kernels } = compiled(task, indexWith(task, { ...best, turned: 1 }));
    expect(kernels.map(({ grid, block, attributes }) => [grid, block, attributes])).toEqual([
      [[16384, 1, 1], [32, 8, 1], undefined],
      [[1024, 1, 1], [32, 8, 1], [{ kind: "dependent" }]],
    ]);
    expect(text).not.toContain("cp_async_4(");
  });
  it("of such a product copies in vectors of the turned rows, whatever they were", () => {
    const task = createTask("matmul_simt", { M: 64, N: 64, K: 41 }, on);
    expect(compiled(task, indexWith(task, { ...squares, turned: 1 })).text).not.toContain("cp_async_4(");
    expect(compiled(task, indexWith(task, { ...squares, turned: 0 })).text).toContain("cp_async_4(");
  });
  it("lets neighbours share rows and lanes two apart columns, if they lie in squares", () => {
    const task = createTask("matmul_simt", { layout: "TN" }, on);
    const shared = (interleaved: number, operand: "A" | "B") => {
      const places = firstReads(compiled(task, indexWith(task, { ...best, interleaved })).text, operand);
      return [1, 2].filter((apart) => places.every((place, i) => place === places[i ^ apart]));
    };
    expect([shared(0, "A"), shared(0, "B")]).toEqual([[1, 2], []]);
    expect([shared(1, "A"), shared(1, "B")]).toEqual([[1], [2]]);
  });
  const texts: readonly [layout: string, turned: number][] = [
    ["NN", 0],
    ["NN", 1],
    ["TN", 0],
  ];
  it.for(some(texts, 1))("of %s, turned %i, is taken by nvcc without spills", ([layout, turned], ctx) => {
    needsNvccInCampaign(ctx);
    const task = createTask("matmul_simt", { layout }, on);
    const index = indexWith(task, { ...best, turned });
    expect(task.validate(task.space.toIndex(index), gpuLimits(on))).toEqual([]);
    expect(nvccResources(compiled(task, index).text)).toMatchObject({ stack: 0, spills: 0 });
  });
});
