/** Schedules from computations alone, against hand-written loops, at sizes that nothing divides. */
import { canonicalJson, Random } from "@warpfarm/common";
import { compileProgram, infer } from "@warpfarm/compiler";
import {
  type Buffer,
  type ChoiceKnob,
  configNamed,
  conv2dNchw,
  entityOf,
  graphOf,
  matmul,
  placeholder,
  softmax,
} from "@warpfarm/compiler/language";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { dataOf, faultIn, loopsOf, outputsOf } from "./check.testing.ts";
import { computations } from "./computations/index.testing.ts";
import { type Derived, derive } from "./derive.ts";

const targets = ["cpu/x86-64-v3", "cuda/sm_90"] as const;
const names = Object.keys(computations);
const configs = isFull ? 12 : 2;

const opened = (name: string, target: string, sizes: "odd" | "usual" = "odd") => {
  const computation = computations[name] as (typeof computations)[string];
  const graph = computation.graph(computation[sizes]);
  return { computation, graph, derived: derive(graph, target) };
};
const rulesOf = ({ explained }: Derived) => Object.fromEntries(explained.map(({ stage, rule }) => [stage, rule]));

it.each(
  targets.flatMap((target) => names.map((name) => [name, target] as const)),
)("%s on %s is what hand-written loops give", (name, target) => {
  const { computation, graph, derived } = opened(name, target);
  const random = new Random(name.length);
  const data = dataOf(graph, random);
  const want = loopsOf(computation, computation.odd, graph, data);
  for (let n = 0; n < configs; n++) {
    const index = n === 0 ? derived.start : derived.space.random(random);
    const run = outputsOf(derived, index, target, data);
    expect(run && faultIn(graph, run, () => want), canonicalJson([...derived.space.get(index).values])).toBeUndefined();
  }
});

const usual = {
  "cpu/x86-64-v3": {
    conv2d: { pad_temp: "map", conv: "product in registers" },
    conv2d_bias_relu: {
      pad_temp: "map",
      conv: "product in registers",
      biased: "product in registers",
      out: "product in registers",
    },
    conv2d_grouped: { pad_temp: "map", conv: "product in registers" },
    depthwise: { depthwise_pad: "sums in registers or direct", depthwise: "sums in registers or direct" },
    matvec: { y: "sum in lanes" },
    softmax: { top: "rows", power: "rows", total: "rows", out: "rows" },
    layer_norm: { total: "rows", mean: "rows", centred: "rows", squares: "rows", out: "rows" },
    max_pool: { padded: "sums in registers or direct", pool: "sums in registers or direct" },
    elementwise_chain: { shifted: "inline", r: "inline", out: "map" },
  },
  "cuda/sm_90": {
    conv2d: { pad_temp: "inline", conv: "product of tiles" },
    conv2d_bias_relu: { pad_temp: "inline", conv: "product of tiles", biased: "product of tiles", out: "product of tiles" },
    conv2d_grouped: { pad_temp: "inline", conv: "product of tiles" },
    conv2d_nhwc_f16: { pad_temp: "inline", sums: "product on tensor cores", conv: "product on tensor cores" },
    depthwise: { depthwise_pad: "inline", depthwise: "sums by threads" },
    matvec: { y: "sums by threads or rows of threads" },
    softmax: { top: "rows", power: "rows", total: "rows", out: "rows" },
    layer_norm: { total: "rows", mean: "rows", centred: "rows", squares: "rows", out: "rows" },
    attention_scores: {
      scores: "product of tiles",
      scaled: "product of tiles",
      top: "rows",
      power: "rows",
      total: "rows",
      out: "rows",
    },
    elementwise_chain: { shifted: "inline", r: "inline", out: "map" },
  },
} as const;

it.each(targets)("each stage is taken by the rule for its kind, on %s", (target) => {
  for (const [name, rules] of Object.entries(usual[target]))
    expect([name, rulesOf(opened(name, target).derived)]).toEqual([name, rules]);
});

it("says why a reduction is no product", () => {
  const why = (name: string) => opened(name, "cuda/sm_90").derived.explained.find(({ rule }) => rule.startsWith("sums"))?.why;
  expect(why("max_pool")).toBe("no product of tiles: it reduces by max");
  expect(why("depthwise")).toBe("no product of tiles: it has no two groups of axes that different operands read");
});

it.each(targets)("equal computations have equal spaces, starts and programs, on %s", (target) => {
  for (const name of ["conv2d", "attention_scores", "max_pool"]) {
    const [one, other] = [opened(name, target).derived, opened(name, target).derived];
    expect([other.digest, other.start, canonicalJson(other.schedule(other.start).trace)]).toEqual([
      one.digest,
      one.start,
      canonicalJson(one.schedule(one.start).trace),
    ]);
  }
  const digests = names.map((name) => opened(name, target).derived.digest);
  expect(new Set(digests).size).toBeGreaterThan(names.length / 2);
});

it.each(targets)("knobs are named after stages, have several values, and the start is valid, on %s", (target) => {
  for (const name of names) {
    const { derived } = opened(name, target, "usual");
    const stages = new Set(derived.explained.map(({ stage }) => stage));
    for (const knob of derived.space.knobs) {
      expect(stages).toContain(knob.name.split(".")[0]);
      expect(knob.size).toBeGreaterThan(1);
    }
    expect([name, derived.space.valid.has(derived.start)]).toEqual([name, true]);
  }
});

it("a space has some hundred thousand configs at most for one product, and is their product for several", () => {
  expect(opened("matmul", "cuda/sm_90", "usual").derived.space.valid.count).toBeLessThan(1e6);
  const { derived } = opened("attention_scores", "cuda/sm_90", "usual");
  expect(derived.space.valid.count).toBeGreaterThan(1e6);
});

it.each([
  ["matmul", "float16", ["mma_splits", "splits"], ["stages"]],
  ["softmax", "float32", ["row_blocks"], ["hold"]],
] as const)("a config of %s in %s from before %j joined is found by its values; one without %j is not", (name, dtype, later, first) => {
  const x = placeholder("x", name === "softmax" ? [4, 65_536] : [64, 4096], dtype);
  const graph = graphOf(
    [x],
    [name === "softmax" ? softmax(x, { name: "C" }) : matmul(x, x, { name: "C", layout: "TN", outDtype: "float32" })],
  );
  const { space, start } = derive(graph, "cuda/sm_90a");
  const without = (names: readonly string[]) =>
    configNamed(
      space,
      entityOf(space, start).filter(([knob]) => !names.includes(knob.split(".").at(-1) as string)),
    );
  const found = without(later);
  const values = found.ok ? space.get(found.value).values : new Map();
  expect(later.map((knob) => [...values].find(([key]) => key.endsWith(`.${knob}`))?.[1])).toEqual(later.map(() => 1));
  expect(values.size).toBe(space.knobs.length);
  expect(without(first).ok).toBe(false);
});

it("a grouped convolution is a product whose batch is its groups", () => {
  const { derived } = opened("conv2d_grouped", "cuda/sm_90", "usual");
  expect(derived.outline?.(derived.start)).toMatchObject({ extents: [32, 28 * 28, 32 * 9], batch: 4 });
});

it("splits divide the reduction: twice the splits are twice the blocks", () => {
  const { derived } = opened("matmul", "cuda/sm_90", "usual");
  const { space } = derived;
  const values = space.get(derived.start).values;
  const grids = [1, 2, 4].map((splits) => {
    const index = space.indexOf(new Map([...values, ["C.splits", splits]]));
    const inferred = infer(derived.schedule(index as never).state);
    return inferred.ok ? inferred.value.launches.map(({ grid }) => grid.reduce((a, b) => a * b, 1)) : [];
  });
  const [whole] = grids[0] as number[];
  expect(grids.map((blocks) => (blocks[0] as number) / (whole as number))).toEqual([1, 2, 4]);
  expect(grids.map((blocks) => blocks.length)).toEqual([1, 2, 2]);
});

const productOf = (side: number, terms: number) => {
  const [a, b] = [placeholder("a", [side, terms]), placeholder("b", [terms, side])];
  return graphOf([a, b], [matmul(a, b, { name: "C" })]);
};

it("nests beyond the largest space have the schedule that they have alone", () => {
  const many = (count: number) => {
    const pairs = Array.from({ length: count }, (_, i) => [placeholder(`a${i}`, [512, 256]), placeholder(`b${i}`, [256, 512])]);
    const products = pairs.map(([a, b], i) => matmul(a as Buffer, b as Buffer, { name: `C${i}` }));
    const derived = derive(graphOf(pairs.flat(), products), "cuda/sm_90");
    const inferred = infer(derived.schedule(derived.start).state);
    const launches = inferred.ok ? inferred.value.launches.map(({ grid, block }) => [grid, block]) : [];
    return { launches, closed: derived.explained.filter(({ why = "" }) => why.includes("keep their start")).length };
  };
  const [one, all] = [many(1), many(4)];
  expect([one.closed, all.closed > 0]).toEqual([0, true]);
  expect(all.launches).toEqual(Array(4).fill(one.launches).flat());
});

it("splits have whole chunks of the reduction", () => {
  const derived = derive(productOf(64, 352), "cuda/sm_90");
  const { space } = derived;
  const blocks = (chunk: number) => {
    const values = new Map([...space.get(derived.start).values, ["C.splits", 8], ["C.chunk", chunk]] as const);
    const inferred = infer(derived.schedule(space.indexOf(values) as never).state);
    return inferred.ok ? inferred.value.launches[0]?.grid[2] : inferred.error;
  };
  // An eighth of 352 terms is 44: 48 in whole chunks of 16, 64 of 32.
  expect([16, 32].map(blocks)).toEqual([8, 6]);
});

describe("windows", () => {
  const chunksIn = ({ space }: Derived) =>
    (space.knobs.find(({ name }) => name.endsWith(".chunk")) as ChoiceKnob | undefined)?.values;
  const chunksOf = (name: string) => chunksIn(opened(name, "cuda/sm_90", "usual").derived);
  it("are copied in chunks of whole channels", () => {
    expect(chunksOf("conv2d")).toEqual([9, 18, 36]);
    // One value is no knob.
    expect(chunksOf("conv3d")).toBeUndefined();
    expect(chunksOf("conv2d_grouped")).toEqual([9, 18, 36]);
    expect(["matmul", "batched_matmul"].map(chunksOf)).toEqual([1, 2].map(() => [8, 16, 32]));
    // Of a window of one tap the channels of a group are none, though their place is a sum too.
    const [d, w] = [placeholder("data", [1, 64, 8, 8]), placeholder("kernel", [64, 16, 1, 1])];
    expect(chunksIn(derive(graphOf([d, w], [conv2dNchw(d, w, { groups: 4 })]), "cuda/sm_90"))).toEqual([8, 16, 32]);
  });

  it("have tests of the border that no chunk changes, in copies that go on by themselves", () => {
    for (const name of ["conv2d", "conv3d", "conv2d_grouped"]) {
      const { derived } = opened(name, "cuda/sm_90", "usual");
      const { graph, trace } = derived.schedule(derived.start);
      const made = compileProgram({ kind: "schedule", version: 1, target: "cuda/sm_90", graph, trace });
      if (!made.ok) throw new Error(made.error.message);
      const copies = made.value.text.split("\n").filter((line) => line.includes("cp_async_4_or_zero(("));
      expect(copies.length).toBeGreaterThan(1);
      const tests = copies.map((line) => line.slice(line.lastIndexOf("data, ") + 6).split(" & "));
      expect(tests.flat().filter((test) => test.includes("k_"))).toEqual([]);
      expect(made.value.text).not.toMatch(/right_shared\[[^=]*\] = /);
    }
  });
});

it("a row of softmax is read from memory once where threads hold it", () => {
  const { graph, derived } = opened("softmax", "cuda/sm_90", "usual");
  expect(derived.space.get(derived.start).values.get("out.hold")).toBe("registers");
  const inferred = infer(derived.schedule(derived.start).state);
  const held = inferred.ok ? inferred.value.allocations.filter(({ scope }) => scope === "local").map(({ bytes }) => bytes) : [];
  // Of 1,024 elements by 128 threads each holds 8 of the row and 8 powers.
  expect(held.filter((bytes) => bytes === 32).length).toBe(2);
  expect(Math.max(...held)).toBe(32);
  expect(graph.inputs.length).toBe(1);
});

it("the computation that is scheduled is the given one where no stage is a product or a row", () => {
  const { graph, derived } = opened("elementwise_chain", "cuda/sm_90");
  expect(derived.graph).toBe(graph);
});
