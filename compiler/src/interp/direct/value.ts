/** The value of an expression, by its definition: each operation rounds to its dtype. */
import { assertNever, type DType, isFloat } from "@warpfarm/common";
import { entryOf } from "../../ir/build.ts";
import type { Binary, Expr, Load, Var } from "../../ir/expr.ts";
import { mathValues } from "../../ir/math.ts";
import { floorMod, roundTo, truncateTo } from "../../ir/numeric.ts";
import { InterpError } from "../error.ts";

export interface Frame {
  readonly vars: ReadonlyMap<Var, number>;
  /** The lane of a vector; a scalar has lane 0 only. */
  readonly lane: number;
  load(e: Load, indices: readonly number[]): number;
}

/** Throws InterpError for a division by zero and for a variable outside its loop. */
export function value(e: Expr, frame: Frame): number {
  switch (e.kind) {
    case "IntImm":
      return e.value;
    case "FloatImm":
      return roundTo(e.dtype)(e.value);
    case "Var": {
      const x = frame.vars.get(e);
      if (x === undefined) throw new InterpError("interp.dialect", `the variable "${e.name}" is used outside its loop`);
      return x;
    }
    case "Not":
      return value(e.value, frame) ? 0 : 1;
    case "Cast":
      return cast(e.dtype, e.value.dtype, value(e.value, frame));
    case "Select":
      return value(value(e.cond, frame) ? e.whenTrue : e.whenFalse, frame);
    case "Load":
      return frame.load(
        e,
        e.indices.map((index) => value(index, frame)),
      );
    case "Call":
      return roundTo(e.dtype)(mathValues[e.name](...(e.args.map((arg) => value(arg, frame)) as [number, number?])));
    case "Lookup":
      return entryOf(e.table, value(e.index, frame));
    case "Ramp":
      return value(e.base, frame) + e.stride * frame.lane;
    case "Broadcast":
      return value(e.value, frame);
    case "And":
      return value(e.a, frame) ? value(e.b, frame) : 0;
    case "Or":
      return value(e.a, frame) ? 1 : value(e.b, frame);
    default:
      return binary(e.kind, e.dtype, value(e.a, frame), value(e.b, frame));
  }
}

function cast(to: DType, from: DType, x: number): number {
  if (to === "bool") return x === 0 ? 0 : 1;
  return (isFloat(from) && !isFloat(to) ? truncateTo(to) : roundTo(to))(x);
}

function divisor(x: number): number {
  if (x === 0) throw new InterpError("interp.division_by_zero", "an integer is divided by 0");
  return x;
}

function binary(kind: Exclude<Binary["kind"], "And" | "Or">, dtype: DType, x: number, y: number): number {
  const round = roundTo(dtype);
  switch (kind) {
    case "Add":
      return round(x + y);
    case "Sub":
      return round(x - y);
    case "Mul":
      return dtype === "int32" ? Math.imul(x, y) : round(x * y);
    case "Div":
      return round(x / y);
    case "FloorDiv":
      return round(Math.floor(x / divisor(y)));
    case "FloorMod":
      return round(floorMod(x, divisor(y)));
    case "Min":
      return x < y ? x : y;
    case "Max":
      return x > y ? x : y;
    case "EQ":
      return Number(x === y);
    case "NE":
      return Number(x !== y);
    case "LT":
      return Number(x < y);
    case "LE":
      return Number(x <= y);
    case "GT":
      return Number(x > y);
    case "GE":
      return Number(x >= y);
    default:
      return assertNever(kind);
  }
}
