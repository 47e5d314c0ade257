/**
 * matmul_tma: small shapes run by warpgroups that a ring of slots feeds; the default's text through nvcc at full shape, and
 * what it does in its loop.
 */
import { formatTarget, type Json } from "@warpfarm/common";
import { compileProgram, gpuLimits, lowerFunc, parseTarget, verifyKernels } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { some } from "../../../test-support/campaign.ts";
import { needs } from "../../../test-support/needs.ts";
import { productsOf } from "../../../test-support/nvcc.ts";
import { createTask } from "../task.ts";
import { compiled, expectRight, nestOf, nvccResources, pointOf, textOf } from "./template.testing.ts";

const layouts = ["NN", "NT", "TN", "TT"] as const;
const target = parseTarget("cuda/sm_90a");

describe("small shapes, run by warpgroups", () => {
  type Small = [
    what: string,
    layout: (typeof layouts)[number],
    dtype: string,
    shape: readonly number[],
    knobs: Record<string, Json>,
  ];
  const shapes: readonly Small[] = [
    ["more slots than chunks, two consumers", "TN", "bfloat16", [128, 64, 64], { consumers: 2, stages: 5 }],
    ["both across", "TT", "float16", [64, 64, 128], {}],
    ["over the end, an odd number of columns", "NT", "float16", [50, 31, 72], { stages: 3, producer: 40 }],
    [
      "224 columns in panels of 32, over the end, by the engine",
      "TN",
      "bfloat16",
      [72, 440, 64],
      { columns: 224, producer: 24, epilogue: "tma" },
    ],
    ["160 columns, the last tile over the end", "NN", "bfloat16", [64, 472, 64], { columns: 160, epilogue: "tma", producer: 24 }],
    ["two parts of three steps, with one step of zeros", "NT", "float16", [64, 64, 160], { epilogue: 2, producer: 24 }],
    ["stored by the engine, over the end", "NN", "bfloat16", [90, 88, 40], { consumers: 2, producer: 40, epilogue: "tma" }],
    ["a tile, and eleven that are not there", "NN", "float16", [9, 16, 40], { waves: 12, stages: 8, group: 8 }],
    [
      "10 tiles, 3 a block, by the engine",
      "NT",
      "bfloat16",
      [320, 128, 64],
      { waves: 3, group: 2, producer: 40, epilogue: "tma" },
    ],
    [
      "two parts of 6 tiles, along the curve",
      "NN",
      "float16",
      [130, 128, 128],
      { order: "hilbert", epilogue: 2, waves: 3, producer: 24 },
    ],
    ["four parts of an odd result", "NN", "bfloat16", [45, 72, 248], { epilogue: 4 }],
    ["pairs along n", "NN", "float16", [64, 256, 192], { columns: 128, stages: 3, cluster: "2n", producer: 40 }],
    [
      "pairs along m, 6 tiles of 3 rows in two waves, by the engine",
      "NT",
      "float16",
      [192, 128, 64],
      { waves: 2, group: 2, producer: 40, epilogue: "tma", cluster: "2m" },
    ],
    [
      "stored in four parts, two tiles a block, over the end",
      "NN",
      "float16",
      [122, 248, 72],
      { columns: 256, waves: 2, producer: 24, epilogue: "tma", parts: 4 },
    ],
    [
      "stored in two parts by pairs",
      "NT",
      "bfloat16",
      [256, 128, 128],
      { consumers: 2, columns: 128, stages: 3, producer: 40, epilogue: "tma", cluster: "2m", parts: 2 },
    ],
    ["floats of 8 bits over the end", "NT", "float8_e4m3fn", [45, 31, 144], { producer: 24 }],
    [
      "floats of 8 bits stored by the engine",
      "NT",
      "float8_e5m2",
      [128, 64, 256],
      { consumers: 2, producer: 40, epilogue: "tma" },
    ],
    ["sums of two levels, over the end", "NT", "float8_e4m3fn", [90, 31, 2000], { chunk: 4, stages: 3, producer: 40 }],
    [
      "sums of two levels, two tiles a block in pairs, stored by the engine",
      "NT",
      "float8_e5m2",
      [256, 64, 1024],
      { chunk: 4, consumers: 1, waves: 2, producer: 24, epilogue: "tma", cluster: "2m" },
    ],
    ["sums of two levels, no producer", "NT", "float8_e4m3fn", [64, 64, 1536], { chunk: 4, stages: 4 }],
    ["whole numbers over the end", "NT", "int8", [45, 31, 144], { producer: 24 }],
    ["blocks of a second row of tiles, where the first is all of A", "NT", "float16", [128, 64, 64], { consumers: 2, group: 2 }],
    ["few rows by narrow tiles, a slot for each step", "NT", "float16", [40, 64, 200], { columns: 32, stages: 10, producer: 24 }],
    ["96 columns of NT, stored in panels of 32", "NT", "float16", [64, 192, 64], { columns: 96, epilogue: "tma" }],
    ["pairs along m, three panels", "NN", "float16", [128, 192, 64], { columns: 192, cluster: "2m", producer: 24 }],
    ["15 tiles in groups of 3 rows, 4 a block", "NN", "float16", [290, 192, 64], { waves: 4, order: "group", group: 3 }],
    ["a block for each multiprocessor", "NN", "float16", [64, 128, 64], { waves: 0, producer: 24, epilogue: "tma" }],
    ["over the end, both across", "TT", "bfloat16", [72, 65, 40], { stages: 3, producer: 40 }],
    ["stored in two parts, no producer", "NN", "bfloat16", [64, 128, 64], { columns: 128, epilogue: "tma", parts: 2 }],
    ["two parts of whole numbers", "NT", "int8", [64, 64, 512], { epilogue: 2 }],
    [
      "whole numbers stored in two parts by pairs, over the end",
      "NT",
      "int8",
      [200, 100, 272],
      { consumers: 2, columns: 128, producer: 40, epilogue: "tma", cluster: "2m", parts: 2 },
    ],
    [
      "four blocks along n, of whose second four one has a tile",
      "NT",
      "float16",
      [64, 296, 192],
      { stages: 3, cluster: "4n", producer: 24 },
    ],
    [
      "four blocks along n, two tiles each, stored by the engine over the end",
      "NN",
      "bfloat16",
      [120, 504, 72],
      { consumers: 2, waves: 2, cluster: "4n", producer: 40, epilogue: "tma" },
    ],
    [
      "two by four blocks, stored by the engine over the end of both",
      "NT",
      "float16",
      [136, 296, 200],
      { cluster: "2m4n", stages: 3, producer: 24, epilogue: "tma" },
    ],
    ["two by four blocks of two tiles each", "NN", "bfloat16", [128, 504, 136], { waves: 2, cluster: "2m4n", producer: 40 }],
    [
      "four blocks along n that share two panels of A",
      "TN",
      "float16",
      [128, 256, 64],
      { consumers: 2, cluster: "4n", producer: 24 },
    ],
    ["48 columns of NT, stored in panels of 16", "NT", "float16", [64, 136, 64], { columns: 48, epilogue: "tma", producer: 24 }],
    ["few rows, twelve slots, tiles of 48 over the end", "NT", "bfloat16", [64, 190, 832], { columns: 48, stages: 12 }],
  ];
  // Every value of every knob, and what meets at borders.
  it.each(shapes)("%s: %s %s", (_, layout, dtype, [M, N, K], knobs) => {
    const given: Json = { M: M ?? 0, N: N ?? 0, K: K ?? 0, dtype, layout };
    const task = createTask("matmul_tma", given, formatTarget(target));
    const at = pointOf(task, knobs);
    // Refuses copies and products that were left as loops, which would pass below.
    compiled(task, at);
    expectRight(task, at);
  });
});

describe("the default config at 4096 x 4096 x 4096", () => {
  const published = { consumers: 2, columns: 256, stages: 4, group: 8, waves: 4, producer: 40 };
  const defaultOf = (args: Json, other: Readonly<Record<string, Json>> = {}) => {
    const task = createTask("matmul_tma", args, formatTarget(target));
    const at = pointOf(task, { ...published, ...other });
    expect(task.validate(at, gpuLimits(formatTarget(target)))).toEqual([]);
    return { task, at };
  };
  const wordsOf = (lines: readonly string[]) => {
    const words = lines.flatMap((line) => {
      const [word] = /(mbarrier_\w+|tma_load|wgmma_\w+|setmaxnreg_\w+)(?=_2d|\()/.exec(line) ?? [];
      return word === undefined
        ? []
        : [word.replace(/^wgmma_m64\w+_update\w*$/, "products").replace(/^wgmma_m64\w+_init$/, "zeros")];
    });
    return words.filter((word, i) => word !== words[i - 1]);
  };

  it("is the published one", () => {
    const { task, at } = defaultOf({ layout: "NN" }, { waves: 0, epilogue: "tma", cluster: "2m", parts: 2 });
    expect(task.published).toBe(at);
  });

  it.each([
    "NN",
    "NT",
  ] as const)("%s: one thread asks, and a group of products begins before the one before is waited for", (l) => {
    const { task, at } = defaultOf({ layout: l });
    const { text, kernels } = compiled(task, at);
    expect(kernels).toMatchObject([
      { block: [128, 3, 1], args: ["C", { map: 0 }, { map: 1 }], dynamic_shared_bytes: 4 * 49_152 + 64 },
    ]);
    const lines = text.slice(text.indexOf("__global__")).split("\n");
    const parting = lines.findIndex((line) => line.includes("} else {"));
    expect(wordsOf(lines.slice(0, parting))).toEqual([
      ...["mbarrier_init", "mbarrier_init_done", "setmaxnreg_dec_40", "mbarrier_wait", "mbarrier_expect", "tma_load"],
    ]);
    // A round of the ring's four slots.
    const turn = ["mbarrier_wait", "wgmma_fence", "products", "wgmma_commit", "wgmma_wait_1", "mbarrier_arrive"];
    expect(wordsOf(lines.slice(parting))).toEqual([
      ...["setmaxnreg_inc_232", "zeros", ...turn, ...turn, ...turn, ...turn],
      ...["wgmma_wait_0", "wgmma_settle_128", "mbarrier_arrive"],
    ]);
  });

  const texts = [
    ["NN", { waves: 1, producer: 0 }],
    ["NT", { producer: 24 }],
    ["TN", {}],
    ["TT", { waves: 1 }],
    ["NT", { consumers: 1, stages: 5 }],
    ["NN", { consumers: 4, columns: 128 }],
    ["NN", { stages: 3, epilogue: "tma" }],
    ["TT", { stages: 5, columns: 128, epilogue: "tma" }],
    ["NT", { consumers: 1, stages: 4, epilogue: "tma" }],
  ] as const;
  it.for(some<(typeof texts)[number]>(texts, 5))("%s %o needs no more registers than there are", ([layout, other], ctx) => {
    needs(ctx, "nvcc");
    const { task, at } = defaultOf({ layout }, other);
    expect(nvccResources(textOf(task, at), "sm_90a")).toMatchObject({ spills: 0, stack: 0 });
  });
});

// ptxas moved conversions of sums to before the wait for them, or ran the products one after the other, without a producer.
it.for([
  { cluster: "2m" },
  { cluster: "2n" },
  { stages: 3 },
  { cluster: "2m", producer: 40 },
] as const)("reads no sum in flight: %o", (knobs, ctx) => {
  needs(ctx, "nvcc");
  const task = createTask("matmul_tma", { M: 512, N: 7168, K: 2048, layout: "NN" }, formatTarget(target));
  const at = pointOf(task, { consumers: 2, columns: 256, stages: 4, epilogue: "tma", parts: 4, ...knobs });
  expect(productsOf(textOf(task, at), "sm_90a")).toEqual({ earlyReads: 0, isSerialized: false });
});

it.each([0, 1])("does no tile beyond the end where operand %i is copied by threads", (operand) => {
  const task = createTask("matmul_tma", { M: 192, N: 64, K: 64, layout: "NT" }, formatTarget(target));
  const schedule = task.schedule(pointOf(task, { waves: 2 }));
  if (!schedule.ok) throw new Error(schedule.error.message);
  const { graph, trace, intrinsics } = schedule.value;
  const compiledWith = (steps: typeof trace) =>
    compileProgram({ version: 1, kind: "schedule", target: formatTarget(target), graph, trace: steps, intrinsics });
  expect(compiledWith(trace)).toMatchObject({ ok: true });
  const byEngine = trace.filter(({ op }) => op === "copy_by");
  expect(compiledWith(trace.filter((step) => step !== byEngine[operand]))).toMatchObject({ error: { rule: "tensorize.guard" } });
});

it.each([
  // Of 14 rows of tiles, 9 columns of 240 are 126 tiles and 26 of 80 are 364, of 132 and 396 in one and in three waves.
  ["NT", [1736, 2056, 3080], [64, 80, 96, 128, 160, 192, 224, 240, 256]],
  ["NN", [1736, 2056, 3080], [64, 96, 128, 160, 192, 224, 256]],
  ["NT", [64, 4096, 4096], [32, 48, 64, 96, 128, 160, 192, 224, 256]],
  ["NT", [4096, 4096, 4096], [64, 96, 128, 160, 192, 224, 256]],
  // Two matrices have 28 rows of tiles of 128 and 20 of 192: 9 columns of 240 are 252 tiles, and 19 of 112 are 380.
  ["NT", [1736, 2056, 3080, 2], [64, 96, 112, 128, 160, 192, 224, 240, 256]],
  // Up to 256 rows also those of which the 120 blocks of large clusters are enough: two rows of 60 columns of 240.
  ["NT", [128, 14400, 1024], [64, 80, 96, 112, 128, 160, 192, 224, 240, 256]],
  ["NT", [384, 4800, 1024], [64, 80, 96, 112, 128, 160, 192, 224, 256]],
] as const)("%s of %o may have tiles of so many columns that a wave is full", (layout, [M, N, K, batch = 1], wanted) => {
  const task = createTask("matmul_tma", { M, N, K, layout, batch }, formatTarget(target));
  const knob = task.space.knobs.find(({ name }) => name === "columns");
  expect(Array.from({ length: knob?.size ?? 0 }, (_, i) => knob?.decode(i))).toEqual(wanted);
});

it.each([
  [64, 1, ["4n"]],
  [64, 2, ["4n", "2m4n"]],
  [65, 1, ["4n", "2m4n"]],
  [256, 1, ["4n", "2m4n"]],
  [256, 3, ["4n", "2m4n"]],
  [257, 1, []],
])("%i rows of A, of %i matrices, are shared by pairs, and by %j", (M, batch, wanted) => {
  const task = createTask("matmul_tma", { M, N: 4096, K: 1096, layout: "NT", batch }, formatTarget(target));
  const knob = task.space.knobs.find(({ name }) => name === "cluster");
  expect(Array.from({ length: knob?.size ?? 0 }, (_, i) => knob?.decode(i))).toEqual([1, "2m", "2n", ...wanted]);
});

// Of tiles of 64 by 64: how many rows of A and of B a block brings, and how many blocks run at once.
it.each([
  [1, 1, 64, 64, 132],
  ["2m", 2, 64, 32, 132],
  ["2n", 2, 32, 64, 132],
  ["4n", 4, 16, 64, 120],
  ["2m4n", 8, 16, 32, 120],
] as const)("cluster %s has %i blocks, of which each brings %i rows of A and %i of B; %i run at once", (cluster, ...wanted) => {
  const task = createTask("matmul_tma", { M: 128, N: 512, K: 64, layout: "NT" }, formatTarget(target));
  const { kernels, maps = [] } = compiled(task, pointOf(task, { cluster, waves: 0, producer: 24 }));
  const [{ grid, cluster: blocks } = {}] = kernels;
  expect([blocks?.[0], ...maps.map(({ box }) => box[0]), grid?.[0]]).toEqual(wanted);
});

it("a residual joins no ring that blocks share along two axes", () => {
  const args = { M: 128, N: 4096, K: 1096, layout: "NT", epilogue: ["residual"] };
  const task = createTask("matmul_tma", args, formatTarget(target));
  const inRing = { epilogue: "tma", columns: 128, parts: 2, stages: 3, producer: 24, residual: "ring" };
  expect(task.schedule(pointOf(task, { ...inRing, cluster: "2m4n" }))).toMatchObject({
    error: { message: expect.stringMatching(/share along two axes/) },
  });
  expect(task.schedule(pointOf(task, { ...inRing, cluster: "4n" }))).toMatchObject({ ok: true });
});

it("is of sm_90a alone", () => {
  const size = { M: 64, N: 64, K: 64 };
  for (const other of ["cuda/sm_90", "cuda/sm_100a"])
    expect(() => createTask("matmul_tma", size, other)).toThrow(`matmul_tma is for cuda/sm_90a, not for ${other}`);
});

it.each([
  ["NN", { M: 8, N: 9, K: 16 }, "a row of B has 9 elements"],
  ["NT", { M: 9, N: 9, K: 12 }, "a row of A has 12 elements"],
  ["TN", { M: 12, N: 8, K: 9 }, "a row of A has 12 elements"],
  ["NT", { M: 9, N: 9, K: 24, dtype: "int8" }, "a row of A has 24 elements; the copy engine takes multiples of 16"],
  ["NN", { M: 16, N: 16, K: 16, dtype: "int8" }, "layout is NN; tensor cores take int8 along the reduction alone, which is NT"],
] as const)("%s of %o has rows that the copy engine does not take", (layout, size, why) => {
  expect(() => createTask("matmul_tma", { ...size, layout }, formatTarget(target))).toThrow(why);
});

it.each([{ consumers: 4 }, { consumers: 4, producer: 24 }])("refuses sums that registers do not hold: %o", (knobs) => {
  const task = createTask("matmul_tma", { M: 768, N: 512, K: 512 }, formatTarget(target));
  const found = verifyKernels(lowerFunc(nestOf(task, pointOf(task, { ...knobs, columns: 256 })), target), target);
  expect(found.map(({ rule }) => rule)).toContain("wgmma.registers");
});
