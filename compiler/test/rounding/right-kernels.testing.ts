/**
 * Kernels that compute a graph right, each in its own way: other orders of a sum, wider registers, stages fused so that what lies
 * between them is not rounded, products that are not rounded before they are added. Written by hand, apart from the interpreter.
 */
import { type DType, isFloat, machineEpsilon } from "@warpfarm/common";
import { type Buffer, bufferSize } from "../../src/ir/buffer.ts";
import { combineNumbers } from "../../src/ir/combiner.ts";
import type { Expr, Var } from "../../src/ir/expr.ts";
import { mathValues } from "../../src/ir/math.ts";
import { createData, floorMod, roundTo, type TensorData, truncateTo } from "../../src/ir/numeric.ts";
import type { Axis, ComputeOp, Graph } from "../../src/te/graph.ts";

type Round = (x: number) => number;
type Terms = readonly number[];

export interface Way {
  readonly name: string;
  /** How a value of this dtype is kept in a register, and in memory between stages. */
  readonly register: (dtype: DType) => Round;
  readonly memory: (dtype: DType) => Round;
  readonly order: (terms: Terms, round: Round) => number;
  /** By how many units in the last place functions are off. */
  readonly functionUlps: number;
}

const asIs: Round = (x) => x;
const forward = (terms: Terms, round: Round): number => terms.reduce((total, x) => round(total + x), 0);
const backward = (terms: Terms, round: Round): number => terms.reduceRight((total, x) => round(total + x), 0);
const halves = (terms: Terms, round: Round): number =>
  terms.length <= 1
    ? (terms[0] ?? 0)
    : round(halves(terms.slice(0, terms.length >> 1), round) + halves(terms.slice(terms.length >> 1), round));
/** As threads of a warp do: every 8th term to one of 8 sums, then these. */
const strided = (terms: Terms, round: Round): number =>
  forward(
    Array.from({ length: 8 }, (_, lane) =>
      forward(
        terms.filter((_, i) => i % 8 === lane),
        round,
      ),
    ),
    round,
  );
/** As tensor cores do: 16 products at once, the sum cut off instead of rounded. */
const truncated = (terms: Terms, round: Round): number => {
  let total = 0;
  for (let at = 0; at < terms.length; at += 16) {
    const exact = terms.slice(at, at + 16).reduce((a, b) => a + b, total);
    const rounded = round(exact);
    total = Math.abs(rounded) > Math.abs(exact) ? round(exact - (rounded - exact)) : rounded;
  }
  return total;
};

const own = (dtype: DType): Round => roundTo(dtype);
const wide = (dtype: DType): Round => (isFloat(dtype) && dtype !== "float64" ? Math.fround : roundTo(dtype));
export const ways: readonly Way[] = [
  { name: "as written", register: own, memory: own, order: forward, functionUlps: 0 },
  { name: "backward", register: own, memory: own, order: backward, functionUlps: 1 },
  { name: "by halves, functions two ulp high", register: own, memory: own, order: halves, functionUlps: 2 },
  { name: "strided, wide registers", register: wide, memory: own, order: strided, functionUlps: 1 },
  { name: "fused, wide registers", register: wide, memory: wide, order: forward, functionUlps: -2 },
  { name: "tensor cores", register: wide, memory: own, order: truncated, functionUlps: 0 },
];
/** As references are: sums in float64, rounded once. */
export const reference: Way = {
  name: "the reference",
  register: own,
  memory: own,
  order: (terms) => forward(terms, asIs),
  functionUlps: 0,
};
export const truth: Way = {
  name: "truth",
  register: (dtype) => (isFloat(dtype) ? asIs : roundTo(dtype)),
  memory: (dtype) => (isFloat(dtype) ? asIs : roundTo(dtype)),
  order: forward,
  functionUlps: 0,
};

class Evaluator {
  readonly values = new Map<Var, { at: number }>();
  readonly #way: Way;
  readonly #data: ReadonlyMap<Buffer, TensorData>;
  constructor(way: Way, data: ReadonlyMap<Buffer, TensorData>) {
    this.#way = way;
    this.#data = data;
  }
  place(v: Var): { at: number } {
    const known = this.values.get(v) ?? { at: 0 };
    this.values.set(v, known);
    return known;
  }
  compile(e: Expr): () => number {
    const round = this.#way.register(e.dtype);
    switch (e.kind) {
      case "IntImm":
        return () => e.value;
      case "FloatImm": {
        const value = round(e.value);
        return () => value;
      }
      case "Var": {
        const place = this.place(e);
        return () => place.at;
      }
      case "Cast": {
        const value = this.compile(e.value);
        const convert = isFloat(e.value.dtype) && !isFloat(e.dtype) ? truncateTo(e.dtype) : round;
        return () => convert(value());
      }
      case "Select": {
        const [cond, yes, no] = [this.compile(e.cond), this.compile(e.whenTrue), this.compile(e.whenFalse)];
        return () => (cond() ? yes() : no());
      }
      case "Load": {
        const data = this.#data.get(e.buffer) as TensorData;
        const indices = e.indices.map((i) => this.compile(i));
        const { shape } = e.buffer;
        return () => data[indices.reduce((offset, index, d) => offset * (shape[d] ?? 1) + index(), 0)] ?? Number.NaN;
      }
      case "Call": {
        const [x, y] = e.args.map((a) => this.compile(a));
        const off = this.#way.functionUlps * machineEpsilon(this.#way.register(e.dtype) === Math.fround ? "float32" : e.dtype);
        const share = ["abs", "sqrt", "floor", "ceil", "round"].includes(e.name) ? 1 : 1 + off;
        return () => round(mathValues[e.name](x?.() ?? 0, y?.()) * share);
      }
      case "Not":
      case "Lookup":
      case "Ramp":
      case "Broadcast":
        throw new Error(`no ${e.kind} here`);
      default: {
        const [a, b] = [this.compile(e.a), this.compile(e.b)];
        return (binaries[e.kind] as Maker)(a, b, round);
      }
    }
  }
}

type Maker = (a: () => number, b: () => number, round: Round) => () => number;
const binaries: Record<string, Maker> = {
  Add: (a, b, r) => () => r(a() + b()),
  Sub: (a, b, r) => () => r(a() - b()),
  Mul: (a, b, r) => () => r(a() * b()),
  Div: (a, b, r) => () => r(a() / b()),
  FloorDiv: (a, b, r) => () => r(Math.floor(a() / b())),
  FloorMod: (a, b, r) => () => r(floorMod(a(), b())),
  Min: (a, b) => () => Math.min(a(), b()),
  Max: (a, b) => () => Math.max(a(), b()),
  EQ: (a, b) => () => Number(a() === b()),
  NE: (a, b) => () => Number(a() !== b()),
  LT: (a, b) => () => Number(a() < b()),
  LE: (a, b) => () => Number(a() <= b()),
  GT: (a, b) => () => Number(a() > b()),
  GE: (a, b) => () => Number(a() >= b()),
  And: (a, b) => () => (a() ? b() : 0),
  Or: (a, b) => () => (a() ? 1 : b()),
} satisfies Record<string, Maker>;

function points(axes: readonly Axis[], evaluator: Evaluator, visit: () => void, d = 0): void {
  const axis = axes[d];
  if (!axis) {
    visit();
    return;
  }
  const place = evaluator.place(axis.loopVar);
  for (place.at = 0; place.at < axis.extent; place.at++) points(axes, evaluator, visit, d + 1);
}

function stage(op: ComputeOp, way: Way, data: ReadonlyMap<Buffer, TensorData>, out: TensorData): void {
  const evaluator = new Evaluator(way, data);
  const body = evaluator.compile(op.body);
  const decay = op.decay && evaluator.compile(op.decay);
  const [register, memory] = [way.register(op.output.dtype), way.memory(op.output.dtype)];
  let offset = 0;
  points(op.axes, evaluator, () => {
    let value: number;
    if (op.combiner === undefined) value = body();
    else if (decay) {
      value = 0;
      points(op.reduce.slice(0, 1), evaluator, () => {
        const terms: number[] = [register(value * decay())];
        points(op.reduce.slice(1), evaluator, () => void terms.push(body()));
        value = way.order(terms, register);
      });
    } else {
      const terms: number[] = [];
      points(op.reduce, evaluator, () => void terms.push(body()));
      value = op.combiner === "sum" ? way.order(terms, register) : terms.reduce(combineNumbers(op.combiner, register));
    }
    out[offset++] = memory(value);
  });
}

/** Every stage's elements by name. Outputs are rounded to their dtype, unless this is the truth. */
export function compute(graph: Graph, inputs: ReadonlyMap<string, TensorData>, way: Way): Map<string, TensorData> {
  const data = new Map<Buffer, TensorData>(graph.inputs.map((input) => [input, inputs.get(input.name) as TensorData]));
  for (const op of graph.ops) {
    const out = isFloat(op.output.dtype)
      ? new Float64Array(bufferSize(op.output))
      : createData(op.output.dtype, bufferSize(op.output));
    data.set(op.output, out);
    stage(op, way, data, out);
    if (way !== truth && graph.outputs.includes(op.output)) {
      const round = roundTo(op.output.dtype);
      for (const [i, x] of out.entries()) out[i] = round(x);
    }
    data.set(op.output, out);
  }
  return new Map(graph.ops.map((op) => [op.output.name, data.get(op.output) as TensorData]));
}

export function contentsOf(data: TensorData): {
  low: number;
  high: number;
  nearest: number;
  mean: number;
  rms: number;
  nan: number;
  infinite: number;
} {
  const found = { low: Infinity, high: -Infinity, nearest: Infinity, mean: 0, rms: 0, nan: 0, infinite: 0 };
  for (const x of data) {
    if (Number.isNaN(x)) found.nan++;
    else if (!Number.isFinite(x)) found.infinite++;
    else {
      found.mean += x / data.length;
      found.rms += (x * x) / data.length;
      found.low = Math.min(found.low, x);
      found.high = Math.max(found.high, x);
      found.nearest = Math.min(found.nearest, Math.abs(x));
    }
  }
  return { ...found, rms: Math.sqrt(found.rms) };
}
