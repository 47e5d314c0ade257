/** The tolerance against the errors that right kernels make, measured against float64, and against kernels that are wrong. */
import {
  type Contents,
  type DType,
  filledValue,
  fillFor,
  fillValue,
  inputSeed,
  isFloat,
  philoxBits,
  Random,
  stageTolerances,
  type Tolerance,
} from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { type Buffer, bufferSize } from "../../src/ir/buffer.ts";
import { float } from "../../src/ir/build.ts";
import type { Expr, Var } from "../../src/ir/expr.ts";
import { createData, roundTo, type TensorData } from "../../src/ir/numeric.ts";
import { compute as computeTensor, placeholder, reduceAxis, scan, sum } from "../../src/te/compute.ts";
import * as te from "../../src/te/expr.ts";
import { fills } from "../../src/te/fill.ts";
import type { Graph } from "../../src/te/graph.ts";
import { graphOf } from "../../src/te/graph-of.ts";
import { conv2dHwcn, conv2dNchw, conv2dNhwc, conv2dNhwcnc } from "../../src/te/ops/conv2d.ts";
import { elementwise } from "../../src/te/ops/elementwise.ts";
import { matmul } from "../../src/te/ops/matmul.ts";
import { pad } from "../../src/te/ops/pad.ts";
import { stageModels } from "../../src/te/stage-models.ts";
import { randomGraph } from "./random-graphs.testing.ts";
import { compute, contentsOf, reference as referenceWay, truth, type Way, ways } from "./right-kernels.testing.ts";

/** Values of full precision in [-1, 1]: sums of them are not exact. Whole numbers below 100 for indices. */
function inputsOf(graph: Graph, random: Random): Map<string, TensorData> {
  return new Map(
    graph.inputs.map((input) => {
      const data = createData(input.dtype, bufferSize(input));
      const round = roundTo(input.dtype);
      for (let i = 0; i < data.length; i++) data[i] = isFloat(input.dtype) ? round(2 * random.float() - 1) : random.below(100);
      return [input.name, data];
    }),
  );
}

interface Run {
  readonly inputs: ReadonlyMap<string, TensorData>;
  readonly reference: ReadonlyMap<string, TensorData>;
  readonly tolerances: ReadonlyMap<string, Tolerance>;
}

/** As a runner does: the reference is run, its stages are looked at. */
function referenceRun(graph: Graph, random: Random, inputs = inputsOf(graph, random)): Run {
  const reference = compute(graph, inputs, referenceWay);
  const held = new Map<string, Contents & { readonly dtype: DType }>();
  const look = ({ name, dtype }: Buffer, data: TensorData): void => void held.set(name, { ...contentsOf(data), dtype });
  for (const input of graph.inputs) look(input, inputs.get(input.name) as TensorData);
  for (const { output } of graph.ops) look(output, reference.get(output.name) as TensorData);
  return { inputs, reference, tolerances: stageTolerances(stageModels(graph), held) };
}

const [zero] = [{ atol: 0, rtol: 0 }];
const limitOf = ({ atol, rtol }: Tolerance, reference: number): number => atol + rtol * Math.abs(reference);
/** Elements that are refused. */
function refusals(got: TensorData, reference: TensorData, tolerance: Tolerance): number {
  let count = 0;
  for (const [i, x] of got.entries()) {
    const want = reference[i] as number;
    if (x !== want && !(Math.abs(x - want) <= limitOf(tolerance, want))) count++;
  }
  return count;
}

/** Of each series of random graphs. The first one beyond the bound is the 81st of the second series: the campaign meets it. */
const graphCount = isFull ? 200 : 12;

/** The first are those that the analysis was fitted to; the others nobody looked at before. */
describe.each(
  [
    { first: 0, beyond: [] },
    { first: 5000, beyond: [5080, 5157] },
  ].map(({ first, beyond }) => ({ first, beyond: beyond.filter((seed) => seed < first + graphCount) })),
)(`${graphCount} random graphs, seeds from $first`, ({ first, beyond }) => {
  const runs = Array.from({ length: graphCount }, (_, i) => {
    const seed = first + i;
    const random = new Random(seed);
    const graph = randomGraph(random);
    const run = referenceRun(graph, random);
    const [output] = graph.outputs as readonly [Buffer];
    const made = ways.map((way) => compute(graph, run.inputs, way).get(output.name) as TensorData);
    const right = compute(graph, run.inputs, truth).get(output.name) as TensorData;
    const reference = run.reference.get(output.name) as TensorData;
    return { seed, output, made, right, reference, tolerance: run.tolerances.get(output.name) ?? zero };
  });

  it("no right kernel is refused, whichever is the reference's neighbour", () => {
    for (const { seed, made, reference, tolerance } of runs)
      for (const [i, got] of made.entries())
        expect([seed, ways[i]?.name, refusals(got, reference, tolerance)]).toEqual([seed, ways[i]?.name, 0]);
  });

  it(`the tolerance is at most 64 times the largest error${beyond.length > 0 ? ` but of ${beyond.join(" and ")}` : ""}`, () => {
    const found: number[] = [];
    for (const { seed, made, right, reference, tolerance } of runs) {
      let [error, limit] = [0, 0];
      for (const got of made)
        for (const [i, x] of got.entries()) {
          const off = Math.abs(x - (right[i] as number));
          if (off > error) [error, limit] = [off, limitOf(tolerance, reference[i] as number)];
        }
      if (error > 0 && limit / error > 64) found.push(seed);
    }
    expect(found).toEqual(beyond);
  });

  it("an error of twice the tolerance in one element is caught, and so are zeros and a missing tile", () => {
    const random = new Random(1);
    for (const { seed, output, made, reference, tolerance } of runs) {
      const round = roundTo(output.dtype);
      for (const got of made) {
        const at = random.below(got.length);
        const spoilt = got.slice();
        const twice = 2 * limitOf(tolerance, reference[at] as number) * (random.below(2) === 0 ? 1 : -1);
        // Where the dtype is coarser than the tolerance, to its next value.
        spoilt[at] = (got[at] as number) + twice;
        expect([seed, refusals(spoilt, reference, tolerance)]).toEqual([seed, twice === 0 ? 0 : 1]);
      }
      if (reference.every((x) => x === 0)) continue;
      expect([
        seed,
        refusals(
          reference.map(() => round(0)),
          reference,
          tolerance,
        ) > 0,
      ]).toEqual([seed, true]);
    }
  });
});

/** Kernels with a fault each. */
const wrong: readonly (readonly [string, Partial<Way>, (out: TensorData) => TensorData])[] = [
  [
    "the last term of a sum is left out",
    { order: (terms, round) => terms.slice(0, -1).reduce((a, x) => round(a + x), 0) },
    (out) => out,
  ],
  [
    "the first term of a sum is counted twice",
    { order: (terms, round) => terms.reduce((a, x) => round(a + x), terms[0] ?? 0) },
    (out) => out,
  ],
  ["elements lie one further", {}, (out) => out.map((_, i) => out[(i + 1) % out.length] as number)],
  ["a tile of 8 elements is not written", {}, (out) => out.map((x, i) => (i >= 8 && i < 16 ? 0 : x))],
  ["all is zero", {}, (out) => out.map(() => 0)],
];

const f = (name: string, shape: readonly number[], dtype: DType = "float32"): Buffer => placeholder(name, shape, dtype);
/** f of sums far from 0 on both sides, so that exponentials of them are of all sizes. */
function ofSums(of: (x: Expr) => Expr): Graph {
  const [a, b] = [f("a", [48, 96]), f("b", [96, 48])];
  const product = matmul(a, b, { name: "product" });
  return graphOf([a, b], [elementwise("out", [product], (x) => of(te.mul(x as Expr, 4)))]);
}

const graphs: Readonly<Record<string, () => Graph>> = {
  matmul: () => {
    const [a, b] = [f("a", [12, 48]), f("b", [48, 16])];
    return graphOf([a, b], [matmul(a, b)]);
  },
  "matmul of float16 into float32": () => {
    const [a, b] = [f("a", [12, 48], "float16"), f("b", [48, 16], "float16")];
    return graphOf([a, b], [matmul(a, b, { outDtype: "float32" })]);
  },
  "running totals": () => {
    const x = f("x", [5, 96]);
    const axes = [
      ["i", 5],
      ["b", 96],
    ] as const;
    return graphOf(
      [x],
      [
        scan(
          "out",
          axes,
          "b",
          () => float(0),
          (before, i, b) => te.add(before, te.at(x, i, b)),
        ),
      ],
    );
  },
  "a sum with a decay": () => {
    const [x, a] = [f("x", [12, 1024, 2]), f("a", [12, 1024])];
    const [b, j] = [reduceAxis("b", 1024), reduceAxis("j", 2)];
    const decay = (i: Var) => te.add(te.mul(te.at(a, i, b.loopVar), 2 ** -9), 1 - 2 ** -9);
    const body = (i: Var) => sum(te.at(x, i, b.loopVar, j.loopVar), [b, j], { decay: decay(i) });
    return graphOf([x, a], [computeTensor("out", [["i", 12]], body)]);
  },
  conv2dNchw: () => {
    const [a, b] = [f("a", [1, 8, 9, 9]), f("b", [6, 8, 3, 3])];
    return graphOf([a, b], [conv2dNchw(a, b, { stride: 1, padding: 1 })]);
  },
  conv2dNhwc: () => {
    const [a, b] = [f("a", [1, 9, 9, 8], "float16"), f("b", [3, 3, 8, 6], "float16")];
    return graphOf([a, b], [conv2dNhwc(a, b, { stride: 1, padding: 1, outDtype: "float32" })]);
  },
  conv2dHwcn: () => {
    const [a, b] = [f("a", [9, 9, 8, 2]), f("b", [3, 3, 8, 6])];
    return graphOf([a, b], [conv2dHwcn(a, b, { stride: 2, padding: 1 })]);
  },
  conv2dNhwcnc: () => {
    const [a, b] = [f("a", [1, 5, 5, 2, 4, 8], "float16"), f("b", [3, 3, 2, 1, 8, 8], "float16")];
    return graphOf([a, b], [conv2dNhwcnc(a, b, { stride: 1, padding: 1 })]);
  },
  conv2dNchwDepthwise: () => {
    const [a, b] = [f("a", [1, 6, 9, 9], "bfloat16"), f("b", [12, 1, 3, 3], "bfloat16")];
    return graphOf([a, b], [conv2dNchw(a, b, { padding: 1, groups: 6 })]);
  },
  elementwise: () => {
    const [a, b] = [f("a", [16, 40]), f("b", [40])];
    return graphOf([a, b], [elementwise("out", [a, b], (x, y) => te.mul(te.exp(x), te.add(y, 2)))]);
  },
  pad: () => {
    const a = f("a", [8, 30], "float16");
    return graphOf([a], [pad(a, { name: "out", axes: ["i", "j"], before: [0, 2] })]);
  },
  "SiLU of sums": () => ofSums((x) => te.div(x, te.add(1, te.exp(te.sub(0, x))))),
  "softplus of sums": () => ofSums((x) => te.log(te.add(1, te.exp(x)))),
  "softplus of sums and a bias": () => ofSums((x) => te.log(te.add(1, te.exp(te.add(x, 0.3))))),
  "a sum of gathered rows": () => {
    const [table, rows] = [f("table", [100, 16]), placeholder("rows", [12, 20], "int32", fills.below(100))];
    const k = reduceAxis("k", 20);
    const axes = [
      ["i", 12],
      ["c", 16],
    ] as const;
    return graphOf([table, rows], [computeTensor("out", axes, (i, c) => sum(te.at(table, te.at(rows, i, k.loopVar), c), [k]))]);
  },
};

describe.for(Object.entries(graphs))("%s", ([, make]) => {
  const graph = make();
  const run = referenceRun(graph, new Random(5));
  const [output] = graph.outputs as readonly [Buffer];
  const reference = run.reference.get(output.name) as TensorData;
  const tolerance = run.tolerances.get(output.name) ?? zero;
  const hasSum = graph.ops.some((op) => op.combiner !== undefined);

  it.for(ways.map((way) => [way.name, way] as const))("right: %s", ([, way]) => {
    const got = compute(graph, run.inputs, way).get(output.name) as TensorData;
    expect(refusals(got, reference, tolerance)).toBe(0);
  });
  it.for(wrong)("wrong: %s", ([, change, spoil]) => {
    if (change.order !== undefined && !hasSum) return;
    const got = spoil(compute(graph, run.inputs, { ...(ways[0] as Way), ...change }).get(output.name) as TensorData);
    expect(refusals(got, reference, tolerance)).toBeGreaterThan(0);
  });
});

it("an error that all terms of a sum share adds up: a rounded factor of a row is no reason to refuse", () => {
  const [a, w] = [f("a", [64], "bfloat16"), f("w", [1024])];
  const factor = computeTensor("factor", [["i", 64]], (i) => te.add(te.at(a, i), 1.25));
  const k = reduceAxis("k", 1024);
  const term = (i: Var): Expr => te.mul(te.cast("float32", te.at(factor, i)), te.add(te.at(w, k.loopVar), 0.75));
  const out = computeTensor("out", [["i", 64]], (i) => sum(term(i), [k]));
  const graph = graphOf([a, w], [out]);
  const { inputs, reference, tolerances } = referenceRun(graph, new Random(2));
  for (const way of ways) {
    const got = compute(graph, inputs, way).get("out") as TensorData;
    expect([way.name, refusals(got, reference.get("out") as TensorData, tolerances.get("out") ?? zero)]).toEqual([way.name, 0]);
  }
});

describe.each(["exact", "full"] as const)("a layer norm on %s inputs", (kind) => {
  // Of the default inputs of [512, 1024]. Row 247 of the exact ones has the mean -2.5/256, so all squares of x - mean lie at one
  // place between multiples of the sum's last bit, and a serial float32 sum is off by 7e-6 in one direction.
  const [first, rows, columns] = [244, 6, 1024];
  const [x, gamma, beta] = [f("x", [rows, columns]), f("gamma", [columns]), f("beta", [columns])];
  const over = (name: string, term: (i: Var, k: Var) => Expr): Buffer => {
    const k = reduceAxis(`${name}_k`, columns);
    return computeTensor(name, [["i", rows]], (i) => sum(term(i, k.loopVar), [k]));
  };
  const total = over("total", (i, k) => te.at(x, i, k));
  const mean = computeTensor("mean", [["i", rows]], (i) => te.div(te.at(total, i), columns));
  const off = (i: Var, k: Var): Expr => te.sub(te.at(x, i, k), te.at(mean, i));
  const squares = over("squares", (i, k) => te.mul(off(i, k), off(i, k)));
  const axes = [
    ["i", rows],
    ["j", columns],
  ] as const;
  const out = computeTensor("out", axes, (i, j) => {
    const deviation = te.sqrt(te.add(te.div(te.at(squares, i), columns), 1e-5));
    const normal = te.div(te.sub(te.at(x, i, j), te.at(mean, i)), deviation);
    return te.add(te.mul(normal, te.at(gamma, j)), te.at(beta, j));
  });
  const graph = graphOf([x, gamma, beta], [out]);
  const filled = (number: number, from: number, count: number): TensorData =>
    Float32Array.from({ length: count }, (_, i) => {
      const given = fillFor("float32", undefined, kind);
      const [spec, at] = [{ dtype: "float32", shape: [count] } as const, from + i];
      return given ? filledValue(spec, given, inputSeed, number, at) : fillValue("float32", philoxBits(inputSeed, number, at));
    });
  const inputs = new Map([
    ["x", filled(0, first * columns, rows * columns)],
    ["gamma", filled(1, 0, columns)],
    ["beta", filled(2, 0, columns)],
  ]);
  const run = referenceRun(graph, new Random(1), inputs);
  const [want, tolerance] = [run.reference.get("out") as TensorData, run.tolerances.get("out") ?? zero];

  it.for(ways.filter(({ name }) => !name.startsWith("fused")).map((way) => [way.name, way] as const))("passes: %s", ([
    name,
    way,
  ]) => {
    const got = compute(graph, inputs, way).get("out") as TensorData;
    // A serial sum of the exact inputs' squares is what no tolerance of right kernels has room for.
    if (kind === "full" || !["as written", "backward"].includes(name)) expect(refusals(got, want, tolerance)).toBe(0);
  });
  it("notices four tolerances in one element", () => {
    const spoilt = want.slice();
    spoilt[3000] = (want[3000] as number) + 4 * limitOf(tolerance, want[3000] as number);
    expect(refusals(spoilt, want, tolerance)).toBe(1);
  });
});

it("an index is no magnitude: 50,000 in a tensor of indices changes nothing", () => {
  const tolerance = (most: number): Tolerance | undefined => {
    const [table, rows] = [f("table", [most + 1, 4]), placeholder("rows", [8], "int32", fills.below(most + 1))];
    const axes = [
      ["i", 8],
      ["c", 4],
    ] as const;
    const graph = graphOf([table, rows], [computeTensor("out", axes, (i, c) => te.mul(te.at(table, te.at(rows, i), c), 3))]);
    const held = { low: -1, high: 1, nearest: 0.5, mean: 0, rms: 0.6, nan: 0, infinite: 0 };
    const contents = new Map([
      ["table", { ...held, dtype: "float32" as const }],
      ["out", { ...held, dtype: "float32" as const }],
      ["rows", { ...held, high: most, rms: most / 2, mean: most / 2, dtype: "int32" as const }],
    ]);
    return stageTolerances(stageModels(graph), contents).get("out");
  };
  expect(tolerance(50_000)).toEqual(tolerance(10));
});
