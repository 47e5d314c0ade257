/**
 * attention_tma: one kernel, run by warpgroups in the interpreter, held to softmax by loops in double precision; refusals; its
 * text through nvcc.
 */
import { type Json, Random } from "@warpfarm/common";
import { createData, evaluate, gpuLimits, lowerFunc, parseTarget, type TensorData, verifyKernels } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { isFull, some } from "../../../test-support/campaign.ts";
import { createTask, type TemplateTask } from "../task.ts";
import { indexWith, needsNvccInCampaign, nestOf, nvccResources, runInOrder, textOf } from "./template.testing.ts";

const target = parseTarget("cuda/sm_90a");
const taskOf = (args: Json) => createTask("attention_tma", args, "cuda/sm_90a");

interface Shape {
  readonly B: number;
  readonly H: number;
  readonly M: number;
  readonly N: number;
  readonly D: number;
  readonly mask: "full" | "causal";
}
const usual: Shape = { B: 1, H: 1, M: 64, N: 64, D: 64, mask: "full" };

function inputsFor(task: TemplateTask, seed: number, factor = 2): Map<string, TensorData> {
  const random = new Random(seed);
  return new Map(
    task.graph.inputs.map(({ name, shape, dtype }) => {
      const data = createData(
        dtype,
        shape.reduce((a, b) => a * b, 1),
      );
      for (let i = 0; i < data.length; i++) data[i] = (random.float() - 0.5) * factor;
      return [name, data];
    }),
  );
}

/** By rows: exact scores, their greatest, weights, and the mean of V. */
function byHand({ B, H, M, N, D, mask }: Shape, inputs: ReadonlyMap<string, TensorData>): readonly number[] {
  const read = (name: string, z: number, row: number, d: number, rows: number) =>
    Number((inputs.get(name) as TensorData)[(z * rows + row) * D + d]);
  const range = (n: number) => Array.from({ length: n }, (_, i) => i);
  return range(B * H).flatMap((z) =>
    range(M).flatMap((i) => {
      const keys = range(mask === "causal" ? Math.min(i + 1, N) : N);
      const scores = keys.map(
        (j) => range(D).reduce((sum, d) => sum + read("Q", z, i, d, M) * read("K", z, j, d, N), 0) / Math.sqrt(D),
      );
      const most = Math.max(...scores);
      const weights = scores.map((score) => Math.exp(score - most));
      const total = weights.reduce((a, b) => a + b, 0);
      return range(D).map((e) => keys.reduce((sum, j) => sum + (weights[j] as number) * read("V", z, j, e, N), 0) / total);
    }),
  );
}

type Knobs = Readonly<Record<string, Json>>;
const first = { consumers: 1, keys: 64, stages: 2, producer: 0 };

function expectRight(shape: Shape, knobs: Knobs, dtype: "float16" | "bfloat16" = "float16", factor = 2): void {
  const task = taskOf({ ...shape, dtype } as unknown as Json);
  const at = indexWith(task, { ...first, ...knobs });
  const inputs = inputsFor(task, 45, factor);
  const kernels = lowerFunc(nestOf(task, at), target);
  expect(kernels.length).toBe(1);
  // Also refuses copies and products that were left as loops. Three consumers may lack registers, which an interpreter does not.
  expect(verifyKernels(kernels, target).filter(({ rule }) => rule !== "wgmma.registers")).toEqual([]);
  const got = runInOrder(kernels, inputs, task.flops).data.get("attention") as ArrayLike<number>;
  // Weights and results are rounded to 11 or 8 bits.
  const allowed = (dtype === "float16" ? 2 ** -11 : 2 ** -8) * factor;
  const worst = byHand(shape, inputs).reduce((most, x, i) => {
    const error = Math.abs(x - Number(got[i]));
    return error <= most ? most : error;
  }, 0);
  expect(worst).toBeLessThan(allowed);
}

const shapes: readonly (readonly [what: string, shape: Partial<Shape>, knobs: Knobs])[] = [
  ["one tile", {}, {}],
  ["odd lengths, two tiles and three steps, both heads", { H: 2, M: 70, N: 131 }, { producer: 24 }],
  ["causal, where the diagonal crosses steps and tiles", { M: 130, N: 130, mask: "causal" }, { consumers: 2, producer: 40 }],
  ["causal with more queries than keys", { B: 2, M: 150, N: 33, mask: "causal" }, { consumers: 3 }],
  ["causal with more keys than queries", { M: 5, N: 200, mask: "causal" }, { stages: 3, producer: 24 }],
  ["heads of 128, steps of 128 keys", { M: 70, N: 131, D: 128 }, { consumers: 2, keys: 128, producer: 40 }],
  ["heads of 40 in panels of 64, one query, one key", { H: 3, M: 1, N: 1, D: 40 }, {}],
  ["heads of 72 in two panels", { M: 66, N: 90, D: 72, mask: "causal" }, { keys: 128, stages: 4 }],
  ["heads of 8, eight steps of a ring of four slots", { N: 512, D: 8 }, { stages: 4 }],
  ["more slots than steps", { N: 70 }, { stages: 4, producer: 24 }],
];

describe("small attentions, run by warpgroups", () => {
  it.each(some(shapes, 1, 2, 5, 6))("%s", (_, shape, knobs) => expectRight({ ...usual, ...shape }, knobs));
  it("bfloat16", () => expectRight({ ...usual, N: 100 }, {}, "bfloat16"));
  it("scores far apart: each step rescales what the ones before left", () =>
    expectRight({ ...usual, M: 20, N: 190, D: 64 }, { producer: 24 }, "float16", 40));
});

it("is right at drawn shapes and configs", () => {
  const random = new Random(45);
  for (let run = 0; run < (isFull ? 30 : 1); run++) {
    const shape: Shape = {
      ...{ B: 1 + random.below(2), H: 1 + random.below(2), M: 1 + random.below(150), N: 1 + random.below(300) },
      ...{ D: 8 * (1 + random.below(16)), mask: random.pick(["full", "causal"] as const) },
    };
    const { space } = taskOf(shape as unknown as Json);
    const { valid } = space;
    const drawn = space.toIndex(valid.nth(random.below(valid.count)));
    expectRight(shape, Object.fromEntries(space.get(drawn).values));
  }
});

it("has a reference of its own: softmax of all scores", () => {
  const shape: Shape = { ...usual, M: 9, N: 13, D: 16, mask: "causal" };
  const task = taskOf(shape as unknown as Json);
  const inputs = inputsFor(task, 7);
  const out = evaluate(task.graph, inputs).get("attention") as ArrayLike<number>;
  for (const [i, x] of byHand(shape, inputs).entries()) expect(Number(out[i])).toBeCloseTo(x, 2);
  expect(task.graph.ops.some(({ scan, decay }) => scan ?? decay)).toBe(false);
});

it("nobody meets for the weights, and totals are made while tensor cores multiply them", () => {
  const task = taskOf({ M: 256, N: 256 });
  const text = textOf(task, indexWith(task, { ...first, consumers: 2, keys: 128, producer: 40 }));
  const step = text.slice(text.indexOf("// scores"), text.indexOf("// share"));
  expect(step).not.toMatch(/__syncthreads|meet|fence_async/);
  const order = step.match(/wgmma_(?:commit|wait_0)|fold_\w+|total\[0\] =|sums\[0\] [+*]?=/g);
  expect(order).toEqual([
    ...["wgmma_commit", "wgmma_wait_0", "fold_max_f32_x4", "fold_max_f32_x4"],
    ...["wgmma_commit", "fold_sum_f32_x4", "fold_sum_f32_x4", "total[0] =", "sums[0] =", "wgmma_wait_0", "sums[0] +="],
  ]);
});

/** The head and the first query of each block, in the order in which blocks begin, out of the text that copies queries. */
function placesOf(text: string, heads: number, blocks: number): readonly (readonly [head: number, query: number])[] {
  const [, table = "", values = ""] = /(tile_reverse\w*)\[\d+\] = \{([^}]*)\}/.exec(text) ?? [];
  const [, place = "0"] = /const int place = (.*);/.exec(text) ?? [];
  const origin = /tma_load_4d\(queries_shared.*&Q_map, [^,]*, ([^,]*), ([^,]*), ([^,]*),/.exec(text)?.slice(1) ?? [];
  const inJs = (c: string) => c.replace(/(\w+) \/ (\d+)/g, "Math.floor($1 / $2)").replace(/\b\w+_fused\w*/g, "block");
  const at = new Function("block", table, `const place = ${inJs(place)}; return [${origin.map(inJs)}];`);
  return Array.from({ length: blocks }, (_, block) => {
    const [query, head, batch] = at(block, values.split(",").map(Number)) as [number, number, number];
    return [batch * heads + head, query];
  });
}

it.each([
  [64, 4, 16],
  [128, 4, 16],
  [64, 1, 20],
])("causal blocks (heads of %d elements, %d batches of %d heads) begin in an order in which multiprocessors end together", (D, B, H) => {
  const [queries, tile, keys, heads] = [4096, 128, 128, B * H];
  const task = taskOf({ B, H, M: queries, N: queries, D, mask: "causal" });
  const text = textOf(task, indexWith(task, { ...first, consumers: 2, keys, producer: 24 }));
  const places = placesOf(text, H, heads * (queries / tile));
  expect(new Set(places.map(String)).size).toBe(heads * (queries / tile));
  expect(places.every(([head, query]) => head >= 0 && head < heads && query % tile === 0 && query < queries)).toBe(true);
  // Each of 132 takes the next block when it has done its own.
  const ends = new Array<number>(132).fill(0);
  const steps = places.map(([, query]) => (query + tile) / keys);
  for (const count of steps) {
    const next = ends.indexOf(Math.min(...ends));
    ends[next] = (ends[next] as number) + count;
  }
  expect(Math.max(...ends)).toBeLessThan((1.05 * steps.reduce((a, b) => a + b, 0)) / 132);
  // A block in flight shares keys with others: of the first 132 more than 8 are of each head, in the mean.
  const near = places.slice(0, 132).map(([head]) => head);
  expect(132 / new Set(near).size).toBeGreaterThan(8);
});

it.each<[args: Json, why: string]>([
  [{ D: 60 }, "D is 60; heads have a multiple of 8 elements"],
  [{ D: 256 }, "D is 256; heads have a multiple of 8 elements, which are the 16 bytes that the copy engine takes, up to 128"],
  [{ B: 1024, H: 2 }, 'tensor "attention_products" has 2147483648 elements; at most 2147483647 can be numbered'],
  [{ B: 1, H: 1, M: 1, N: 2 ** 30 }, 'tensor "K" has 68719476736 elements; at most 2147483647 can be numbered'],
  [{ mask: "window" }, "mask"],
  [{ M: 0 }, "M"],
])("refuses %j", (args, why) => expect(() => taskOf(args)).toThrow(why));

it("arrays of steps may have more elements than int32 numbers: four times the heads change the grid and the engine's maps alone", () => {
  const [few, many] = [16, 64].map((H) => {
    const task = taskOf({ B: 1, H, M: 4096, N: 4096, D: 128 });
    const index = task.space.toIndex(indexWith(task, { ...first, consumers: 2, keys: 64, producer: 24 }));
    expect(task.validate(index, gpuLimits(task.target))).toEqual([]);
    return textOf(task, index);
  }) as [string, string];
  const lines = (text: string) => text.split("\n").filter((line) => !/dims\[\] =|blockIdx/.test(line));
  expect(lines(many)).toEqual(lines(few));
  expect(Math.max(...(many.match(/\b\d+\b/g) ?? []).map(Number))).toBeLessThan(2 ** 31);
});

const resources = [
  [{ D: 128 }, { consumers: 2, keys: 128, stages: 2, producer: 40 }],
  [
    { D: 128, mask: "causal" },
    { consumers: 3, keys: 64, stages: 2 },
  ],
  [{ D: 64 }, { consumers: 2, keys: 128, stages: 3, producer: 24 }],
  [{ D: 64 }, { consumers: 3, keys: 64, stages: 4, producer: 24 }],
] as const;
it.for(some<(typeof resources)[number]>(resources, 0))("%o %o needs no more registers than there are", ([args, knobs], ctx) => {
  needsNvccInCampaign(ctx);
  const task = taskOf(args);
  expect(nvccResources(textOf(task, indexWith(task, { ...first, ...knobs })), "sm_90a")).toMatchObject({ spills: 0, stack: 0 });
});
