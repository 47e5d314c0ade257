/**
 * matmul_tma_wgmma: small shapes run by warpgroups that a ring of slots feeds; the default's text through nvcc at full shape, and
 * what it does in its loop.
 */
import { formatTarget, type Json } from "@warpfarm/common";
import { evaluate, gpuLimits, interpretKernels, lowerFunc, parseTarget, verifyKernels } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { needs } from "../../../../test-support/needs.ts";
import { createTask } from "../task.ts";
import { compiled, inputsOf, nestOf, nvccResources, textOf } from "./template.testing.ts";

const layouts = ["NN", "NT", "TN", "TT"] as const;
const target = parseTarget("cuda/sm_90a");

describe("small shapes, run by warpgroups", () => {
  // groups, columns, stages, group, blocks.
  it.each<[what: string, layout: (typeof layouts)[number], dtype: string, shape: readonly number[], knobs: readonly number[]]>([
    ["two slots", "NN", "float16", [64, 64, 192], [0, 0, 0, 0, 0]],
    ["three slots, two panels of B", "NN", "bfloat16", [64, 128, 128], [0, 1, 1, 0, 0]],
    ["two groups", "NT", "float16", [128, 64, 128], [1, 0, 0, 0, 0]],
    ["more slots than chunks, two groups", "TN", "bfloat16", [128, 64, 64], [1, 0, 3, 0, 0]],
    ["both across", "TT", "float16", [64, 64, 128], [0, 0, 0, 0, 0]],
  ])("%s: %s %s", (_, layout, dtype, [M, N, K], digits) => {
    const given: Json = { M: M ?? 0, N: N ?? 0, K: K ?? 0, dtype, layout };
    const task = createTask("matmul_tma_wgmma", given, formatTarget(target));
    const inputs = inputsOf(task);
    const kernels = lowerFunc(nestOf(task, task.space.fromDigits(digits)), target);
    expect(verifyKernels(kernels, target)).toEqual([]);
    expect(interpretKernels(kernels, inputs).data.get("C")).toEqual(evaluate(task.graph, inputs).get("C"));
  });
});

describe("the default config at 4096 x 4096 x 4096", () => {
  const published = (args: Json, blocks = 0) => {
    const task = createTask("matmul_tma_wgmma", args, formatTarget(target));
    const index = createTask("matmul_tma_wgmma", undefined, formatTarget(target)).published ?? 0;
    const at = task.space.fromDigits([...task.space.digits(task.space.toIndex(index)).slice(0, -1), blocks]);
    expect(task.validate(at, gpuLimits(formatTarget(target)))).toEqual([]);
    return { task, at };
  };

  it.each(["NN", "NT"] as const)("%s: a group of products begins before the one before it is waited for", (layout) => {
    const { task, at } = published({ layout });
    const { text, kernels } = compiled(task, at);
    expect(kernels).toMatchObject([
      { block: [128, 2, 1], args: ["C", { map: 0 }, { map: 1 }], dynamic_shared_bytes: 4 * 49_152 + 64 },
    ]);
    const lines = text.slice(text.indexOf("__global__")).split("\n");
    const loop = lines.slice(lines.findIndex((line) => /for \(int k_0 = 0;/.test(line)));
    const order = loop.flatMap((line) => {
      const [word] = /(mbarrier_\w+|tma_load|wgmma_\w+)(?=_2d|\()/.exec(line) ?? [];
      return word === undefined ? [] : [word.replace(/^wgmma_m64\w+$/, "products")];
    });
    const turns = order.filter((word, i) => word !== order[i - 1]);
    expect(turns).toEqual([
      ...["mbarrier_wait", "wgmma_fence", "products", "wgmma_commit", "wgmma_wait_1", "mbarrier_arrive"],
      ...["mbarrier_wait", "mbarrier_expect", "tma_load"],
      ...["wgmma_wait_0", "wgmma_settle_128", "mbarrier_arrive"],
    ]);
  });

  it.for([
    ["NN", 0],
    ["NT", 1],
    ["TN", 1],
    ["TT", 0],
  ] as const)("%s needs no more registers than there are, choice %i of blocks", ([layout, blocks], ctx) => {
    needs(ctx, "nvcc");
    const { task, at } = published({ layout }, blocks);
    expect(nvccResources(textOf(task, at), "sm_90a")).toMatchObject({ spills: 0, stack: 0 });
  });
});

it("is of sm_90a alone", () => {
  const size = { M: 64, N: 64, K: 64 };
  for (const other of ["cuda/sm_90", "cuda/sm_100a"])
    expect(() => createTask("matmul_tma_wgmma", size, other)).toThrow(`matmul_tma_wgmma is for cuda/sm_90a, not for ${other}`);
});

it("refuses sums that registers do not hold", () => {
  const task = createTask("matmul_tma_wgmma", { M: 512, N: 512, K: 512 }, formatTarget(target));
  const found = verifyKernels(lowerFunc(nestOf(task, task.space.fromDigits([2, 2, 0, 0, 0])), target), target);
  expect(found.map(({ rule }) => rule)).toContain("wgmma.registers");
});
