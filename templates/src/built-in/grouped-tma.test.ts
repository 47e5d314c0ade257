/**
 * Batches of products, and products of groups of rows, by matmul_tma and grouped_tma: run by warpgroups and held to sums by hand;
 * random ragged groups; what is refused; nvcc.
 */
import { type Json, Random } from "@warpfarm/common";
import { type ConfigIndex, evaluate, gpuLimits, interpretKernels, type TensorData } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { isFull, some } from "../../../test-support/campaign.ts";
import { needs } from "../../../test-support/needs.ts";
import { createTask } from "../task.ts";
import {
  byHand,
  type Grouped,
  inputsWith,
  type Knobs,
  kernelsOf,
  matrixOf,
  ofRows,
  packed,
  resultOf,
  rowsOf,
  type Sizes,
  taskOf,
  throughTiles,
  words,
} from "./grouped-tma.testing.ts";
import { inputsOf, nvccResources, pointOf, textOf } from "./template.testing.ts";

describe("batches of products", () => {
  type Case = [what: string, sizes: Sizes, b: "own" | "shared", knobs: Knobs];
  const cases: readonly Case[] = [
    ["over the end in every direction", { count: 3, M: 72, N: 40, K: 72, layout: "NN" }, "own", { producer: 40 }],
    ["A across, B along", { count: 2, M: 72, N: 33, K: 72, layout: "TT" }, "own", { consumers: 2, stages: 3 }],
    [
      "stored by the engine, whose tiles end with each matrix",
      { count: 3, M: 90, N: 72, K: 64, layout: "NT" },
      "own",
      { consumers: 2, producer: 40, epilogue: "tma", waves: 2 },
    ],
    [
      "one B, pairs over two matrices, stored in two parts",
      { count: 3, M: 64, N: 128, K: 72, layout: "NN" },
      "shared",
      { columns: 128, cluster: "2m", producer: 24, epilogue: "tma", parts: 2, waves: 2 },
    ],
    [
      "pairs within each matrix, a block for each multiprocessor",
      { count: 3, M: 128, N: 64, K: 64, layout: "NT" },
      "own",
      { cluster: "2m", waves: 0, producer: 24 },
    ],
    [
      "pairs along n, rows of tiles of all matrices in groups of 4, along the curve",
      { count: 5, M: 64, N: 256, K: 64, layout: "NN" },
      "own",
      { columns: 128, cluster: "2n", order: "hilbert", waves: 2, producer: 24 },
    ],
    ["parts of the reduction", { count: 3, M: 64, N: 64, K: 256, layout: "NT" }, "own", { epilogue: 2, group: 2 }],
  ];
  it.each(some(cases, 0, 2, 3, 6))("%s: %o, B %s", (_, sizes, b, knobs) => {
    const { count, ...one } = sizes;
    const task = createTask("matmul_tma", { ...one, batch: count, b }, words);
    const inputs = inputsOf(task);
    expect(resultOf(kernelsOf(task, knobs), inputs)).toEqual(byHand(sizes, inputs, (z) => (b === "own" ? z : 0)));
  });

  // Each matrix has three rows of tiles, so the second pair has rows of two matrices.
  it.each([
    ["2m", "own", false],
    ["2m", "shared", true],
    ["2n", "own", true],
    ["4n", "own", true],
  ] as const)("clusters of two matrices share B alone where it is one: %s, %s", (cluster, b, isTaken) => {
    const task = createTask("matmul_tma", { M: 192, N: 256, K: 64, layout: "NT", batch: 2, b }, words);
    const made = task.schedule(pointOf(task, { cluster }));
    expect(made.ok ? undefined : made.error.rule).toBe(isTaken ? undefined : "pairs");
  });

  it("of whole numbers and floats of 8 bits, with sums of two levels", () => {
    for (const [dtype, K, knobs] of [
      ["int8", 144, { producer: 24 }],
      ["float8_e4m3fn", 1024, { chunk: 4, producer: 24 }],
    ] as const) {
      const task = createTask("matmul_tma", { M: 45, N: 31, K, dtype, layout: "NT", batch: 2 }, words);
      const inputs = inputsOf(task);
      const got = interpretKernels(kernelsOf(task, knobs), new Map(inputs)).data.get("C");
      expect(got).toEqual(evaluate(task.graph, inputs).get("C"));
    }
  });

  it("a batch of one is a product of matrices, and its list of arguments is as it was", () => {
    const task = createTask("matmul_tma", { batch: 1 }, words);
    expect(task.args).toEqual(createTask("matmul_tma", {}, words).args);
    expect(task.graph.inputs.map(({ shape }) => shape.length)).toEqual([2, 2]);
  });

  it("an epilogue follows, whose bias is of the columns", () => {
    const task = createTask("matmul_tma", { M: 64, N: 64, K: 64, batch: 2, epilogue: ["bias", "relu"] }, words);
    const inputs = inputsOf(task);
    expect(inputs.get("bias")).toHaveLength(64);
    const plain = byHand({ count: 2, M: 64, N: 64, K: 64, layout: "NN" }, inputs, (z) => z);
    const bias = inputs.get("bias") as TensorData;
    const wanted = plain.map((sum, at) => Math.max(0, sum + Number(bias[at % 64])));
    expect(resultOf(kernelsOf(task, { producer: 24 }), inputs)).toEqual(wanted);
  });
});

describe("groups of rows", () => {
  type Case = [what: string, sizes: Grouped, counts: readonly number[], knobs: Knobs];
  const small = { N: 64, K: 64, layout: "NT", groups: 3 };
  const cases: readonly Case[] = [
    ["an empty group, one of two tiles", { ...small, count: 4, M: 64 }, [64, 0, 65], {}],
    [
      "tiles of 2 consumers, and two that are unused",
      { ...small, count: 5, M: 128 },
      [1, 129, 0],
      { consumers: 2, producer: 40, epilogue: "tma", waves: 2 },
    ],
    [
      "pairs of blocks share the matrix of a tile",
      { ...small, count: 3, M: 128, layout: "NN" },
      [5, 0, 140],
      { cluster: "2m", producer: 24, waves: 2 },
    ],
    ["K and N over the end", { ...small, count: 3, M: 64, N: 40, K: 72 }, [3, 64, 1], { producer: 24, waves: 0 }],
    ["tiles of 16 rows", { ...small, count: 6, M: 16, N: 72 }, [17, 0, 16], { producer: 24, group: 4 }],
    ["along the curve", { ...small, count: 4, M: 64, N: 192, layout: "NN" }, [0, 0, 250], { order: "hilbert", waves: 3 }],
    ["parts of the reduction", { ...small, count: 3, M: 64, K: 200 }, [64, 64, 64], { epilogue: 2, producer: 24 }],
  ];
  it.each(some(cases, 0, 1, 2, 3, 5))("%s: %o, groups of %o rows", (_, sizes, counts, knobs) => {
    const task = taskOf(sizes);
    const { group } = packed(counts, sizes.M, sizes.count);
    const inputs = inputsWith(task, group);
    const wanted = byHand(sizes, inputs, matrixOf(group, sizes.groups));
    expect(resultOf(kernelsOf(task, knobs), inputs)).toEqual(wanted);
    // What candidates are compared with on a device.
    expect(Array.from(evaluate(task.graph, inputs).get("C") as Iterable<number>, Number)).toEqual(wanted);
  });

  it("random ragged groups: empty ones, single rows, all rows in one", () => {
    const sizes = { count: 6, M: 16, N: 16, K: 24, layout: "NT", groups: 4 };
    const task = taskOf(sizes);
    const ways: readonly Knobs[] = [{ producer: 24, waves: 2 }, { stages: 3 }];
    const made = ways.map((knobs) => kernelsOf(task, knobs));
    const random = new Random(45);
    for (let turn = 0; turn < (isFull ? 60 : 12); turn++) {
      const counts = [0, 0, 0, 0];
      const alone = turn % 4 === 0 ? random.below(4) : undefined;
      for (let r = random.below(50); r > 0; r--) {
        const g = alone ?? random.below(4);
        counts[g] = (counts[g] as number) + 1;
      }
      const rows = rowsOf(random, counts, sizes.K);
      for (const kernels of made) {
        const { inputs, got, unused } = throughTiles(task, kernels, sizes, counts, rows);
        expect(got, `groups of ${counts} rows`).toEqual(ofRows(rows, counts, sizes, inputs.get("B") as TensorData));
        expect(unused.every((value) => value === 0)).toBe(true);
      }
    }
  });
});

describe("what is refused", () => {
  it.each([
    ["matmul_tma", { M: 64, N: 64, K: 64, batch: 3 }, "pairs of blocks along m share B, and each matrix of the batch, of 1 rows"],
    ["grouped_tma", { groups: 2, tiles: 3, tile: 64, N: 64, K: 64 }, "pairs of blocks along m share B"],
  ] as const)("%s %o in pairs along m", (name, args, why) => {
    const task = createTask(name, args, words);
    expect(task.schedule(pointOf(task, { cluster: "2m" }))).toMatchObject({
      ok: false,
      error: { rule: "pairs", message: expect.stringContaining(why) },
    });
  });
  it.each([
    ["matmul_tma", { batch: 0 }, "argument batch is 0; it takes a whole number from 1"],
    ["matmul_tma", { batch: 2, b: "both" }, 'argument b is "both"; it takes one of own, shared'],
    ["grouped_tma", { layout: "TN" }, 'argument layout is "TN"; it takes one of NT, NN'],
    ["grouped_tma", { K: 100, tile: 64 }, "a row of A has 100 elements; the copy engine takes multiples of 8"],
    ["grouped_tma", { dtype: "int8", layout: "NN" }, "tensor cores take int8 along the reduction alone, which is NT"],
    ["grouped_tma", { experts: 8 }, 'has no argument "experts"'],
  ] as const)("%s %o", (name, args, why) => {
    expect(() => createTask(name, args as Json, words)).toThrow(why);
  });
});

describe("at full size", () => {
  const best = { consumers: 2, columns: 256, stages: 4, group: 8, waves: 0, producer: 40, epilogue: "tma", parts: 2 };
  it("the first config to try is valid, and a producer reads the table at each copy", () => {
    const task = createTask("grouped_tma", {}, words);
    const [at] = task.starts as readonly [ConfigIndex];
    expect(task.validate(at, gpuLimits(words))).toEqual([]);
    const text = textOf(task, at);
    expect(text.match(/tma_load_3d\(B_\w+ .*group\[/g)).toHaveLength(1);
  });
  it.for([
    ["grouped_tma", {}],
    ["grouped_tma", { layout: "NN", groups: 64, tiles: 96 }],
    ["matmul_tma", { M: 512, N: 512, K: 512, batch: 96 }],
  ] as const)("%s %o needs no more registers than there are", ([name, args], ctx) => {
    needs(ctx, "nvcc");
    const task = createTask(name, args, words);
    expect(nvccResources(textOf(task, pointOf(task, best)), "sm_90a")).toMatchObject({ spills: 0, stack: 0 });
  });
});
