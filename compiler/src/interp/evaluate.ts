/** Evaluates a graph by its definition, element by element in row-major order, with reductions in the order of their axes. */
import { assertNever, type DType, InternalError, invariant, isFloat } from "@warpfarm/common";
import { type Buffer, bufferSize } from "../ir/buffer.ts";
import { combineNumbers, identityOf } from "../ir/combiner.ts";
import type { Binary, Expr, Var } from "../ir/expr.ts";
import { mathValues } from "../ir/math.ts";
import { createData, floorMod, roundTo, type TensorData, truncateTo } from "../ir/numeric.ts";
import type { Axis, ComputeOp, Graph } from "../te/graph.ts";
import { InterpError } from "./error.ts";

export interface EvaluateOptions {
  /** `native` rounds every operation to its dtype. `float64` keeps all floats in float64, which is nearly the true value. */
  readonly accumulate?: "native" | "float64";
}

/** The text of an op's loops in JavaScript. Names of the IR never enter it; what it uses is passed to it: `given`. */
class LoopText {
  readonly given: unknown[] = [];
  readonly #data: ReadonlyMap<Buffer, TensorData>;
  readonly #native: boolean;
  readonly #names = new Map<unknown, string>();

  constructor(data: ReadonlyMap<Buffer, TensorData>, native: boolean) {
    this.#data = data;
    this.#native = native;
  }

  /** `key`: what tells the value from others, where each call makes it anew. */
  name(value: unknown, key = value): string {
    const name = this.#names.get(key) ?? `g${this.given.push(value) - 1}`;
    this.#names.set(key, name);
    return name;
  }

  variable(of: Var): string {
    const name = this.#names.get(of) ?? `v${this.#names.size}`;
    this.#names.set(of, name);
    return name;
  }

  keepsAll(dtype: DType): boolean {
    return isFloat(dtype) && !this.#native;
  }

  #rounded(dtype: DType, value: string): string {
    return this.keepsAll(dtype) ? `(${value})` : `${this.name(roundTo(dtype), `round ${dtype}`)}(${value})`;
  }

  expr(e: Expr): string {
    switch (e.kind) {
      case "IntImm":
        return literal(e.value);
      case "FloatImm":
        return literal(this.keepsAll(e.dtype) ? e.value : roundTo(e.dtype)(e.value));
      case "Var":
        return this.variable(e);
      case "Not":
        return `(${this.expr(e.value)}?0:1)`;
      case "Cast":
        return this.#cast(e.dtype, e.value.dtype, this.expr(e.value));
      case "Select":
        return `(${this.expr(e.cond)}?${this.expr(e.whenTrue)}:${this.expr(e.whenFalse)})`;
      case "Load":
        return this.#load(e.buffer, e.indices);
      case "Call":
        return this.#rounded(e.dtype, `${this.name(mathValues[e.name])}(${e.args.map((x) => this.expr(x)).join()})`);
      case "Lookup":
      case "Ramp":
      case "Broadcast":
        throw new InternalError(`a ${e.kind} in a body`);
      default:
        return this.#binary(e);
    }
  }

  #load(buffer: Buffer, indices: readonly Expr[]): string {
    const data = this.#data.get(buffer);
    invariant(data, `"${buffer.name}" is read before it is computed`);
    const [inside, of] = [this.name(insideOf), this.name(buffer)];
    const offset = indices.reduce(
      (outer, index, d) => `(${outer})*${buffer.shape[d]}+${inside}(${this.expr(index)},${buffer.shape[d]},${d},${of})`,
      "0",
    );
    return `${this.name(data)}[${offset}]`;
  }

  #cast(to: DType, from: DType, value: string): string {
    if (to === from || widens[from]?.includes(to)) return value;
    if (to === "bool") return `(${value}===0?0:1)`;
    return isFloat(from) && !isFloat(to) ? `${this.name(truncateTo(to), `truncate ${to}`)}(${value})` : this.#rounded(to, value);
  }

  #binary(e: Binary): string {
    const [a, b] = [this.expr(e.a), this.expr(e.b)];
    switch (e.kind) {
      case "Add":
        return this.#rounded(e.dtype, `${a}+${b}`);
      case "Sub":
        return this.#rounded(e.dtype, `${a}-${b}`);
      case "Mul":
        return e.dtype === "int32" ? `Math.imul(${a},${b})` : this.#rounded(e.dtype, `${a}*${b}`);
      case "Div":
        return this.#rounded(e.dtype, `${a}/${b}`);
      case "FloorDiv":
        return this.#rounded(e.dtype, `Math.floor(${a}/${this.name(divisor)}(${b}))`);
      case "FloorMod":
        return this.#rounded(e.dtype, `${this.name(floorMod)}(${a},${this.name(divisor)}(${b}))`);
      case "Min":
        return `${this.name(lesser)}(${a},${b})`;
      case "Max":
        return `${this.name(greater)}(${a},${b})`;
      case "And":
        return `(${a}?${b}:0)`;
      case "Or":
        return `(${a}?1:${b})`;
      case "EQ":
      case "NE":
      case "LT":
      case "LE":
      case "GT":
      case "GE":
        return `(${a}${comparisons[e.kind]}${b}?1:0)`;
      default:
        return assertNever(e.kind);
    }
  }

  /** `body` at every point of the axes. */
  loops(axes: readonly Axis[], body: string): string {
    const heads = axes.map(({ loopVar, extent }) => {
      const i = this.variable(loopVar);
      return `for(let ${i}=0;${i}<${extent};${i}++)`;
    });
    return `${heads.join("")}{${body}}`;
  }
}

const comparisons = { EQ: "===", NE: "!==", LT: "<", LE: "<=", GT: ">", GE: ">=" } as const;
const literal = (value: number): string => `(${Object.is(value, -0) ? "-0" : value})`;

function insideOf(index: number, extent: number, dimension: number, { name }: Buffer): number {
  if (index >= 0 && index < extent) return index;
  throw new InterpError(
    "interp.bounds",
    `the graph reads "${name}" at index ${index} of dimension ${dimension}, which has extent ${extent}`,
  );
}

/** Types that hold every value of a type. */
const widens: Partial<Readonly<Record<DType, readonly DType[]>>> = {
  float16: ["float32", "float64"],
  bfloat16: ["float32", "float64"],
  float8_e4m3fn: ["float16", "bfloat16", "float32", "float64"],
  float8_e5m2: ["float16", "bfloat16", "float32", "float64"],
  float32: ["float64"],
  int8: ["int32"],
  uint8: ["int32"],
  int4: ["int8", "int32"],
  int1: ["uint8", "int8", "int32"],
};
const lesser = (a: number, b: number): number => (a < b ? a : b);
const greater = (a: number, b: number): number => (a > b ? a : b);
function divisor(b: number): number {
  if (b === 0) throw new InterpError("interp.division_by_zero", "the graph divides an integer by 0");
  return b;
}

function evaluateOp(op: ComputeOp, text: LoopText, out: TensorData): void {
  const [result, body] = [text.name(out), text.expr(op.body)];
  let all = text.loops(op.axes, `${result}[n++]=${body}`);
  if (op.combiner) {
    const { dtype } = op.output;
    const identity = identityOf(op.combiner, dtype);
    invariant(identity?.kind === "IntImm" || identity?.kind === "FloatImm", `no start value for ${op.combiner}`);
    const round = text.keepsAll(dtype) ? (x: number) => x : roundTo(dtype);
    const addTerm = `value=${text.name(combineNumbers(op.combiner, round))}(value,${body})`;
    const [first, rest] = [op.reduce.slice(0, 1), op.reduce.slice(1)];
    const reduced = op.decay
      ? text.loops(first, `value=${text.name(round)}(value*${text.expr(op.decay)});${text.loops(rest, addTerm)}`)
      : text.loops(op.reduce, addTerm);
    all = text.loops(op.axes, `let value=${literal(identity.value)};${reduced}${result}[n++]=value`);
  }
  const names = text.given.map((_, i) => `g${i}`);
  new Function(...names, `let n=0;${all}`)(...text.given);
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
    evaluateOp(op, new LoopText(data, accumulate === "native"), out);
    results.set(op.output.name, out);
  }
  return results;
}
