/** Evaluates a graph by its definition, element by element in row-major order, with reductions in the order of their axes. */
import { assertNever, type DType, InternalError, invariant, isFloat } from "@warpfarm/common";
import { type Buffer, bufferSize } from "../ir/buffer.ts";
import { combineNumbers, identityOf } from "../ir/combiner.ts";
import type { Binary, Call, Expr, Var } from "../ir/expr.ts";
import { mathValues } from "../ir/math.ts";
import { createData, floorMod, roundTo, type TensorData, truncateTo } from "../ir/numeric.ts";
import type { Axis, ComputeOp, Graph } from "../te/graph.ts";
import { InterpError } from "./error.ts";

export interface EvaluateOptions {
  /** `native` rounds every operation to its dtype. `float64` keeps all floats in float64, which is nearly the true value. */
  readonly accumulate?: "native" | "float64";
}

type Thunk = () => number;

interface Cell {
  value: number;
}

class Evaluator {
  readonly #data: ReadonlyMap<Buffer, TensorData>;
  readonly #native: boolean;
  readonly #cells = new Map<Var, Cell>();

  constructor(data: ReadonlyMap<Buffer, TensorData>, native: boolean) {
    this.#data = data;
    this.#native = native;
  }

  cell(of: Var): Cell {
    const cell = this.#cells.get(of) ?? { value: Number.NaN };
    this.#cells.set(of, cell);
    return cell;
  }

  round(dtype: DType): (x: number) => number {
    return isFloat(dtype) && !this.#native ? (x) => x : roundTo(dtype);
  }

  compile(e: Expr): Thunk {
    switch (e.kind) {
      case "IntImm":
        return () => e.value;
      case "FloatImm": {
        const value = this.round(e.dtype)(e.value);
        return () => value;
      }
      case "Var": {
        const cell = this.cell(e);
        return () => cell.value;
      }
      case "Not": {
        const value = this.compile(e.value);
        return () => (value() ? 0 : 1);
      }
      case "Cast":
        return this.#cast(e.dtype, e.value.dtype, this.compile(e.value));
      case "Select": {
        const [cond, yes, no] = [this.compile(e.cond), this.compile(e.whenTrue), this.compile(e.whenFalse)];
        return () => (cond() ? yes() : no());
      }
      case "Load":
        return this.#load(e.buffer, e.indices);
      case "Call":
        return this.#call(e);
      case "Lookup":
      case "Ramp":
      case "Broadcast":
        throw new InternalError(`a ${e.kind} in a body`);
      default:
        return this.#binary(e);
    }
  }

  #load(buffer: Buffer, indices: readonly Expr[]): Thunk {
    const data = this.#data.get(buffer);
    invariant(data, `"${buffer.name}" is read before it is computed`);
    const thunks = indices.map((i) => this.compile(i));
    // Most indices are variables, and reading a cell takes a fraction of a call.
    const cells = indices.map((i) => (i.kind === "Var" ? this.cell(i) : undefined));
    const { shape, name } = buffer;
    return () => {
      let offset = 0;
      for (let d = 0; d < thunks.length; d++) {
        const cell = cells[d];
        const index = cell ? cell.value : (thunks[d] as Thunk)();
        const extent = shape[d] as number;
        if (!(index >= 0 && index < extent))
          throw new InterpError(
            "interp.bounds",
            `the graph reads "${name}" at index ${index} of dimension ${d}, which has extent ${extent}`,
          );
        offset = offset * extent + index;
      }
      return data[offset] as number;
    };
  }

  #cast(to: DType, from: DType, value: Thunk): Thunk {
    if (to === from || widens[from]?.includes(to)) return value;
    if (to === "bool") return () => (value() === 0 ? 0 : 1);
    const convert = isFloat(from) && !isFloat(to) ? truncateTo(to) : this.round(to);
    return () => convert(value());
  }

  #call(e: Call): Thunk {
    const [x, y] = e.args.map((a) => this.compile(a)) as [Thunk, Thunk?];
    const round = this.round(e.dtype);
    const f = mathValues[e.name];
    return y ? () => round(f(x(), y())) : () => round(f(x()));
  }

  #binary(e: Binary): Thunk {
    const [a, b] = [this.compile(e.a), this.compile(e.b)];
    const round = this.round(e.dtype);
    switch (e.kind) {
      case "Add":
        return () => round(a() + b());
      case "Sub":
        return () => round(a() - b());
      case "Mul":
        return e.dtype === "int32" ? () => Math.imul(a(), b()) : () => round(a() * b());
      case "Div":
        return () => round(a() / b());
      case "FloorDiv":
        return () => round(Math.floor(a() / divisor(b())));
      case "FloorMod":
        return () => round(floorMod(a(), divisor(b())));
      case "Min":
        return () => lesser(a(), b());
      case "Max":
        return () => greater(a(), b());
      case "EQ":
        return () => Number(a() === b());
      case "NE":
        return () => Number(a() !== b());
      case "LT":
        return () => Number(a() < b());
      case "LE":
        return () => Number(a() <= b());
      case "GT":
        return () => Number(a() > b());
      case "GE":
        return () => Number(a() >= b());
      case "And":
        return () => (a() ? b() : 0);
      case "Or":
        return () => (a() ? 1 : b());
      default:
        return assertNever(e.kind);
    }
  }
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

function forEachPoint(axes: readonly Axis[], cells: readonly Cell[], visit: () => void, d = 0): void {
  const [axis, cell] = [axes[d], cells[d]];
  if (!axis || !cell) visit();
  else
    for (let i = 0; i < axis.extent; i++) {
      cell.value = i;
      forEachPoint(axes, cells, visit, d + 1);
    }
}

function evaluateOp(op: ComputeOp, evaluator: Evaluator, out: TensorData): void {
  const body = evaluator.compile(op.body);
  const cellsOf = (axes: readonly Axis[]) => axes.map(({ loopVar }) => evaluator.cell(loopVar));
  const outer = cellsOf(op.axes);
  let offset = 0;
  if (!op.combiner) {
    forEachPoint(op.axes, outer, () => {
      out[offset++] = body();
    });
    return;
  }
  const identity = identityOf(op.combiner, op.output.dtype);
  invariant(identity?.kind === "IntImm" || identity?.kind === "FloatImm", `no start value for ${op.combiner}`);
  const round = evaluator.round(op.output.dtype);
  const combine = combineNumbers(op.combiner, round);
  const inner = cellsOf(op.reduce);
  let value = identity.value;
  const addTerm = (): void => {
    value = combine(value, body());
  };
  const decay = op.decay && evaluator.compile(op.decay);
  const reduced = (): void => {
    if (!decay) forEachPoint(op.reduce, inner, addTerm);
    else
      forEachPoint(op.reduce.slice(0, 1), inner, () => {
        value = round(value * decay());
        forEachPoint(op.reduce.slice(1), inner.slice(1), addTerm);
      });
  };
  forEachPoint(op.axes, outer, () => {
    value = identity.value;
    reduced();
    out[offset++] = value;
  });
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
    evaluateOp(op, new Evaluator(data, accumulate === "native"), out);
    results.set(op.output.name, out);
  }
  return results;
}
