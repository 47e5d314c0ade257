/**
 * matmul_simt: small shapes of every layout, tails included, run by threads against the definition; the default's text through
 * nvcc.
 */
import { formatTarget } from "@warpfarm/common";
import { evaluate, interpretKernels, lowerFunc, parseTarget } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { createTask } from "../task.ts";
import { compiled, indexWith, inputsOf, nestOf, nvccResources } from "./template.testing.ts";

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
  const target = parseTarget("cuda/sm_90");
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
  };
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
    const task = createTask("matmul_simt", { M, N, K, layout }, formatTarget(target));
    const inputs = inputsOf(task);
    const kernels = lowerFunc(nestOf(task, indexWith(task, { ...small, ...knobs })), target);
    expect(interpretKernels(kernels, inputs).data.get("C")).toEqual(evaluate(task.graph, inputs).get("C"));
  });
});
