/**
 * The tolerance of every template at its default shapes, of attention at fewer keys. It is so small that nearly every element of
 * the output is refused when it is 0, so an output of zeros and one with a missing tile fail. Stages of such sizes are sampled:
 * elements are computed one by one, by the definition.
 */
import {
  type Contents,
  type DType,
  filledValue,
  fillValue,
  isFloat,
  philoxBits,
  Random,
  stageTolerances,
} from "@warpfarm/common";
import {
  type ComputeOp,
  combineNumbers,
  compileProgram,
  decodeProgram,
  fillOf,
  type Graph,
  mathValues,
} from "@warpfarm/compiler";
import { expect, it } from "vitest";
import { usualTarget } from "../fitting-target.ts";
import { createTask } from "../task.ts";
import { templates } from "./index.ts";

type Body = ComputeOp["body"];
type Tensor = Graph["inputs"][number];
const sizeOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

const operations: Readonly<Record<string, (a: number, b: number) => number>> = {
  Add: (a, b) => a + b,
  Sub: (a, b) => a - b,
  Mul: (a, b) => a * b,
  Div: (a, b) => a / b,
  FloorDiv: (a, b) => Math.floor(a / b),
  FloorMod: (a, b) => a - b * Math.floor(a / b),
  EQ: (a, b) => Number(a === b),
  NE: (a, b) => Number(a !== b),
  LT: (a, b) => Number(a < b),
  LE: (a, b) => Number(a <= b),
  GT: (a, b) => Number(a > b),
  GE: (a, b) => Number(a >= b),
  And: (a, b) => Number(a !== 0 && b !== 0),
  Or: (a, b) => Number(a !== 0 || b !== 0),
  Min: Math.min,
  Max: Math.max,
};

/** An element's value by the definition; made once for each tensor. */
type Element = (offset: number) => number;

class Elements {
  readonly #graph: Graph;
  readonly #ops: ReadonlyMap<string, ComputeOp>;
  readonly #made = new Map<string, Element>();
  constructor(graph: Graph) {
    this.#graph = graph;
    this.#ops = new Map(graph.ops.map((op) => [op.output.name, op]));
  }
  of(tensor: Tensor): Element {
    const op = this.#ops.get(tensor.name);
    const made = this.#made.get(tensor.name) ?? (op ? this.#computed(op) : this.#input(tensor));
    this.#made.set(tensor.name, made);
    return made;
  }
  #computed({ axes, reduce, combiner, body }: ComputeOp): Element {
    const cells = new Map<unknown, { value: number }>([...axes, ...reduce].map(({ loopVar }) => [loopVar, { value: 0 }]));
    const places = (of: ComputeOp["axes"]) =>
      of.toReversed().map(({ loopVar, extent }) => ({ extent, cell: cells.get(loopVar) as { value: number } }));
    const [outer, inner] = [places(axes), places(reduce)];
    const put = (where: typeof outer, at: number): void => {
      let rest = at;
      for (const { extent, cell } of where) {
        cell.value = rest % extent;
        rest = Math.floor(rest / extent);
      }
    };
    const value = this.#value(body, cells);
    const terms = sizeOf(reduce.map(({ extent }) => extent));
    // Elements of a row read its maximum and its sum each.
    const known = new Map<number, number>();
    return (offset) => {
      const before = known.get(offset);
      if (before !== undefined) return before;
      put(outer, offset);
      if (combiner === undefined) return value();
      let total = { sum: 0, prod: 1, max: -Infinity, min: Infinity }[combiner];
      const combine = combineNumbers(combiner, (x) => x);
      for (let term = 0; term < terms; term++) {
        put(inner, term);
        total = combine(total, value());
      }
      known.set(offset, total);
      return total;
    };
  }
  #input(tensor: Tensor): Element {
    const [buffer, fill] = [this.#graph.inputs.indexOf(tensor), fillOf(tensor)];
    if (fill !== undefined) return (offset) => filledValue(tensor, fill, 0x5eed, buffer, offset);
    return (offset) => fillValue(tensor.dtype, philoxBits(0x5eed, buffer, offset));
  }
  #value(e: Body, cells: ReadonlyMap<unknown, { readonly value: number }>): () => number {
    switch (e.kind) {
      case "IntImm":
      case "FloatImm":
        return () => e.value;
      case "Var": {
        const cell = cells.get(e);
        return () => cell?.value ?? Number.NaN;
      }
      case "Cast":
        return this.#value(e.value, cells);
      case "Select": {
        const [cond, yes, no] = [e.cond, e.whenTrue, e.whenFalse].map((part) => this.#value(part, cells) as () => number);
        return () => (cond?.() ? yes?.() : no?.()) ?? Number.NaN;
      }
      case "Load": {
        const [element, { shape }] = [this.of(e.buffer), e.buffer];
        const indices = e.indices.map((index) => this.#value(index, cells));
        return () => element(indices.reduce((sum, index, d) => sum * (shape[d] ?? 1) + index(), 0));
      }
      case "Call": {
        const [x, y] = e.args.map((arg) => this.#value(arg, cells));
        return () => mathValues[e.name](x?.() ?? Number.NaN, y?.());
      }
      case "Not": {
        const x = this.#value(e.value, cells);
        return () => Number(!x());
      }
      case "Lookup":
      case "Ramp":
      case "Broadcast":
        throw new Error(`no ${e.kind} in a body`);
      default: {
        const [a, b] = [this.#value(e.a, cells), this.#value(e.b, cells)];
        const operation = operations[e.kind];
        return () => operation?.(a(), b()) ?? Number.NaN;
      }
    }
  }
}

function contentsOf(values: readonly number[]): Contents {
  const squares = values.reduce((sum, x) => sum + x * x, 0);
  return {
    low: Math.min(...values),
    high: Math.max(...values),
    nearest: Math.min(...values.map(Math.abs)),
    mean: values.reduce((sum, x) => sum + x, 0) / values.length,
    rms: Math.sqrt(squares / values.length),
    nan: 0,
    infinite: 0,
  };
}

const cases = templates.flatMap(({ name, targets }) =>
  targets.map(({ kind }) => [name, usualTarget(targets, kind === "cuda" ? "cuda/sm_90" : "cpu/x86-64-v3")] as const),
);

it.for(cases)("%s for %s: a tile of zeros fails", ([name, target]) => {
  const task = createTask(name, name.startsWith("attention") ? { M: 64, N: 64 } : undefined, target);
  const read = decodeProgram(task.reference.bytes);
  if (!read.ok || read.value.kind !== "schedule") throw new Error("the reference is a schedule");
  const { graph } = read.value;
  const built = compileProgram(read.value);
  if (!built.ok) throw new Error(built.error.message);
  const stages = built.value.stages ?? [];
  const elements = new Elements(graph);
  const random = new Random(3);
  const sampled = (tensor: Tensor): number[] =>
    Array.from({ length: 24 }, () => elements.of(tensor)(random.below(sizeOf(tensor.shape))));
  const held = new Map<string, Contents & { readonly dtype: DType }>();
  for (const tensor of [...graph.inputs, ...graph.ops.map((op) => op.output)])
    held.set(tensor.name, { ...contentsOf(sampled(tensor)), dtype: tensor.dtype });
  const tolerances = stageTolerances(stages, held);
  for (const output of graph.outputs) {
    if (isFloat(output.dtype)) expect(tolerances.has(output.name)).toBe(true);
    const { atol, rtol } = tolerances.get(output.name) ?? { atol: 0, rtol: 0 };
    const values = sampled(output);
    expect(values.filter((x) => Math.abs(x) > atol + rtol * Math.abs(x)).length).toBeGreaterThan(20);
  }
});
