/**
 * Evaluates a graph by its definition, element by element in row-major order, with reductions in the order of their axes.
 * Expressions are printed by expr-js.ts, as those of interpret.ts are; direct/ alone is independent of both (direct.test.ts).
 */
import { InternalError, invariant, isFloat } from "@warpfarm/common";
import { type Buffer, bufferSize } from "../ir/buffer.ts";
import { combineNumbers, identityOf } from "../ir/combiner.ts";
import type { Expr, Var } from "../ir/expr.ts";
import { createData, roundTo, type TensorData } from "../ir/numeric.ts";
import type { Axis, ComputeOp, Graph } from "../te/graph.ts";
import { InterpError } from "./error.ts";
import { exprHelpers, exprText, type Namer } from "./expr-js.ts";

export interface EvaluateOptions {
  /** `native` rounds every operation to its dtype. `float64` keeps all floats in float64, which is nearly the true value. */
  readonly accumulate?: "native" | "float64";
}

/** The loops of an op as JavaScript. Names of the IR never enter it. */
class LoopText implements Namer {
  readonly isWide: boolean;
  readonly buffers: Buffer[] = [];
  readonly #variables = new Map<Var, string>();

  constructor(isWide: boolean) {
    this.isWide = isWide;
  }

  variable(v: Var): string {
    const name = this.#variables.get(v) ?? `v${this.#variables.size}`;
    this.#variables.set(v, name);
    return name;
  }

  buffer(buffer: Buffer): number {
    const known = this.buffers.indexOf(buffer);
    return known >= 0 ? known : this.buffers.push(buffer) - 1;
  }

  table(): never {
    throw new InternalError("a table in a body");
  }

  /** `body` at every point of the axes. */
  loops(axes: readonly Axis[], body: string): string {
    const heads = axes.map(({ loopVar, extent }) => {
      const i = this.variable(loopVar);
      return `for(let ${i}=0;${i}<${extent};${i}++)`;
    });
    return `${heads.join("")}{${body}}`;
  }

  /** L<n>(indices), which loads. */
  get loads(): string {
    const load = ({ shape }: Buffer, n: number): string => {
      const place = shape.reduce((outer, extent, d) => `(${outer})*${extent}+at(i${d},${extent},${d},${n})`, "0");
      return `function L${n}(${shape.map((_, d) => `i${d}`).join()}){return data[${n}][${place}];}`;
    };
    return this.buffers.map(load).join("");
  }
}

function evaluateOp(op: ComputeOp, known: ReadonlyMap<Buffer, TensorData>, out: TensorData, isWide: boolean): void {
  const { dtype } = op.output;
  const names = new LoopText(isWide);
  const text = (e: Expr): string => exprText(e, names);
  const body = dtype === "bool" ? `+(${text(op.body)})` : text(op.body);
  let all = names.loops(op.axes, `out[n++]=${body};`);
  const round = isWide && isFloat(dtype) ? (x: number) => x : roundTo(dtype);
  if (op.combiner) {
    const identity = identityOf(op.combiner, dtype);
    invariant(identity?.kind === "IntImm" || identity?.kind === "FloatImm", `no start value for ${op.combiner}`);
    const addTerm = `value=combined(value,${body});`;
    const [first, rest] = [op.reduce.slice(0, 1), op.reduce.slice(1)];
    const reduced = op.decay
      ? names.loops(first, `value=round(value*${text(op.decay)});${names.loops(rest, addTerm)}`)
      : names.loops(op.reduce, addTerm);
    all = names.loops(op.axes, `let value=${exprText(identity, names)};${reduced}out[n++]=value;`);
  }
  const data = names.buffers.map((buffer) => {
    const found = known.get(buffer);
    invariant(found, `"${buffer.name}" is read before it is computed`);
    return found;
  });
  const at = (index: number, extent: number, dimension: number, n: number): number => {
    if (index >= 0 && index < extent) return index;
    throw new InterpError(
      "interp.bounds",
      `the graph reads "${names.buffers[n]?.name}" at index ${index} of dimension ${dimension}, which has extent ${extent}`,
    );
  };
  const combined = op.combiner && combineNumbers(op.combiner, round);
  const given = { ...exprHelpers, data, out, at, round, combined };
  new Function("given", `const {${Object.keys(given).join()}}=given;let n=0;${names.loads}${all}`)(given);
}

/** Every computed tensor of the graph by name. Inputs are by name, row-major, in the arrays of ir/numeric.ts. */
export function evaluate(
  graph: Graph,
  inputs: ReadonlyMap<string, TensorData>,
  { accumulate = "native" }: EvaluateOptions = {},
): Map<string, TensorData> {
  const data = new Map<Buffer, TensorData>();
  for (const input of graph.inputs) {
    const given = inputs.get(input.name);
    if (given?.length !== bufferSize(input))
      throw new InterpError(
        "interp.arguments",
        `input "${input.name}" has ${given?.length ?? "no"} elements; it takes ${bufferSize(input)}`,
      );
    data.set(input, given);
  }
  const results = new Map<string, TensorData>();
  for (const op of graph.ops) {
    const dtype = accumulate === "float64" && isFloat(op.output.dtype) ? "float64" : op.output.dtype;
    const out = createData(dtype, bufferSize(op.output));
    // A scan reads its own elements.
    data.set(op.output, out);
    evaluateOp(op, data, out, accumulate === "float64");
    results.set(op.output.name, out);
  }
  return results;
}
