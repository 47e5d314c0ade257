/**
 * The knobs interleaved and turned of matmul_simt: small shapes of every layout, run by threads against the definition; the texts
 * through nvcc.
 */
import { formatTarget, type Json } from "@warpfarm/common";
import { evaluate, gpuLimits, interpretKernels, lowerFunc, parseTarget } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { some } from "../../../test-support/campaign.ts";
import type { Outline } from "../outline.ts";
import { stepsOf, wavesOf } from "../outline.ts";
import { createTask } from "../task.ts";
import { compiled, indexWith, inputsOf, needsNvccInCampaign, nestOf, nvccResources } from "./template.testing.ts";

const target = parseTarget("cuda/sm_90");
const on = formatTarget(target);
const small = {
  thread_rows: 4,
  thread_cols: 4,
  row_warps: 1,
  col_warps: 1,
  lane_rows: 4,
  chunk: 8,
  stages: 2,
  min_blocks: 0,
  group: 1,
  along_k: 0,
  interleaved: 1,
  turned: 0,
};
it("has the blocks of its outline", () => {
  for (const knobs of [
    { row_warps: 2, lane_rows: 8, interleaved: 0 },
    { col_warps: 2, thread_cols: 8 },
  ]) {
    const task = createTask("matmul_simt", { M: 256, N: 192, K: 96 }, on);
    const index = task.space.toIndex(indexWith(task, { ...small, ...knobs }));
    const [kernel] = compiled(task, index).kernels;
    const outline = task.outline?.(index) as Outline;
    expect([outline.extents, stepsOf(outline)]).toEqual([[256, 192, 96], 12]);
    expect(wavesOf(outline, task.target) * 132).toBeCloseTo(kernel?.grid.reduce((a, b) => a * b) ?? 0);
    expect(outline.threads).toBe(kernel?.block.reduce((a, b) => a * b));
  }
});

describe("small shapes, run by threads", () => {
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
    const inputs = inputsOf(task);
    const kernels = lowerFunc(nestOf(task, indexWith(task, { ...small, ...values })), target);
    expect(interpretKernels(kernels, inputs).data.get("C")).toEqual(evaluate(task.graph, inputs).get("C"));
  });
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
    ...small,
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
    expect(compiled(task, indexWith(task, { ...small, turned: 1 })).text).not.toContain("cp_async_4(");
    expect(compiled(task, indexWith(task, { ...small, turned: 0 })).text).toContain("cp_async_4(");
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
