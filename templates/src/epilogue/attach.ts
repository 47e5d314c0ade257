/**
 * An epilogue behind a computation: the same inputs and then those of the epilogue, the same name of the result.
 *
 *   C = f(...)            ->   C = epilogue(f(...))           an elementwise stage computes the epilogue with its element
 *   C = sum(...)          ->   C_sums = sum(...); C = epilogue(C_sums)
 */
import { dtypeBits, isFloat } from "@warpfarm/common";
import {
  at,
  axis,
  type Buffer,
  type ComputeOp,
  cast,
  defineOp,
  type Expr,
  type Graph,
  graphOf,
  remade,
  walkExpr,
} from "@warpfarm/compiler/language";
import { computedIn, type Element, type Place, type Tail, TailFault } from "./tails.ts";

export interface Followed {
  readonly graph: Graph;
  /** Those of the computation without the epilogue. */
  readonly inputs: readonly Buffer[];
  /** The reduction before the epilogue, where the result was one. */
  readonly sums?: string;
}

/**
 * The axes along which a result has channels, from where its inputs are read: axes along which the first input after the first
 * is read, and the first is not (filters, columns of a product, values of attention); else those of the second input, else the
 * last.
 */
export function channelsOf({ inputs, ops, outputs }: Graph): readonly number[] {
  const [result] = outputs as readonly [Buffer];
  /** Axes of the result by tensor and dimension. */
  const reached = new Map<Buffer, readonly Set<number>[]>([[result, result.shape.map((_, d) => new Set([d]))]]);
  for (const { output, axes, body } of ops.toReversed()) {
    const own = reached.get(output) ?? [];
    walkExpr(body, (e) => {
      if (e.kind !== "Load") return;
      const there = reached.get(e.buffer) ?? e.indices.map(() => new Set<number>());
      reached.set(e.buffer, there);
      for (const [d, index] of e.indices.entries())
        walkExpr(index, (v) => {
          const position = axes.findIndex(({ loopVar }) => loopVar === v);
          for (const axis of own[position] ?? []) there[d]?.add(axis);
        });
    });
  }
  const [first, ...others] = inputs.map((input) => new Set((reached.get(input) ?? []).flatMap((axes) => [...axes])));
  const all = result.shape.map((_, d) => d);
  const along = others.map((other) => all.filter((d) => other.has(d)));
  const alone = along.map((axes) => axes.filter((d) => !first?.has(d)));
  const found = alone.find((axes) => axes.length > 0) ?? along[0] ?? [];
  return found.length > 0 && found.length < all.length ? found : all.slice(-1);
}

/** The value before it is rounded to a narrower float. */
const unrounded = (e: Expr): Expr =>
  e.kind === "Cast" && isFloat(e.dtype) && isFloat(e.value.dtype) && dtypeBits(e.value.dtype) > dtypeBits(e.dtype) ? e.value : e;

/** Requires one output. Throws TailFault that names the operation. */
export function attach(graph: Graph, tails: readonly Tail[], channels: readonly number[]): Followed {
  const [result] = graph.outputs as readonly [Buffer];
  const op = graph.ops.find(({ output }) => output === result) as ComputeOp;
  const taken = new Set([...graph.inputs, ...graph.ops.map(({ output }) => output)].map(({ name }) => name));
  const free = (name: string): string => {
    let found = name;
    for (let n = 2; taken.has(found); n++) found = `${name}_${n}`;
    taken.add(found);
    return found;
  };
  const inputs: Buffer[] = [];
  const { body, combiner, scan } = op;
  const sums = combiner || scan ? remade(op, free(`${result.name}_sums`)) : undefined;
  const axes = sums ? op.axes.map(({ loopVar, extent }) => axis(loopVar.name, extent)) : op.axes;
  const indices = axes.map(({ loopVar }) => loopVar);
  const place: Place = {
    shape: result.shape,
    indices,
    channels,
    input(name, make) {
      const input = make(free(name));
      inputs.push(input);
      return input;
    },
  };
  const value = sums ? at(sums, ...indices) : unrounded(body);
  const end = followed({ value: cast(computedIn(result.dtype), value), dtype: result.dtype }, tails, place);
  const output = defineOp(result.name, axes, cast(end.dtype, end.value));
  const made = graphOf([...graph.inputs, ...inputs], [output]);
  const keeps = graph.tolerances !== undefined && isFloat(output.dtype);
  return {
    graph: keeps ? { ...made, tolerances: graph.tolerances } : made,
    inputs: graph.inputs,
    ...(sums && { sums: sums.name }),
  };
}

function followed(start: Element, tails: readonly Tail[], place: Place): Element {
  return tails.reduce((element, tail) => {
    try {
      return tail.follow(element, place);
    } catch (error) {
      if (error instanceof TailFault) throw new TailFault(`${tail.text} ${error.message}`);
      throw error;
    }
  }, start);
}
