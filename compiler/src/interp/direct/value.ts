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

type Value = (frame: Frame) => number;

const known = new WeakMap<Expr, Value>();

/** An expression is made a function once, which is called for each thread and point. */
function compiled(e: Expr): Value {
  let found = known.get(e);
  if (!found) {
    found = made(e);
    known.set(e, found);
  }
  return found;
}

/** Throws InterpError for a division by zero and for a variable outside its loop. */
export const value = (e: Expr, frame: Frame): number => compiled(e)(frame);

function made(e: Expr): Value {
  switch (e.kind) {
    case "IntImm":
      return () => e.value;
    case "FloatImm": {
      const x = roundTo(e.dtype)(e.value);
      return () => x;
    }
    case "Var":
      return ({ vars }) => {
        const x = vars.get(e);
        if (x === undefined) throw new InterpError("interp.dialect", `the variable "${e.name}" is used outside its loop`);
        return x;
      };
    case "Not": {
      const x = compiled(e.value);
      return (frame) => (x(frame) ? 0 : 1);
    }
    case "Cast": {
      const [x, change] = [compiled(e.value), cast(e.dtype, e.value.dtype)];
      return (frame) => change(x(frame));
    }
    case "Select": {
      const [cond, whenTrue, whenFalse] = [e.cond, e.whenTrue, e.whenFalse].map(compiled) as [Value, Value, Value];
      return (frame) => (cond(frame) ? whenTrue(frame) : whenFalse(frame));
    }
    case "Load": {
      const indices = e.indices.map(compiled);
      return (frame) =>
        frame.load(
          e,
          indices.map((index) => index(frame)),
        );
    }
    case "Call": {
      const [args, round] = [e.args.map(compiled), roundTo(e.dtype)];
      return (frame) => round(mathValues[e.name](...(args.map((arg) => arg(frame)) as [number, number?])));
    }
    case "Lookup": {
      const index = compiled(e.index);
      return (frame) => entryOf(e.table, index(frame));
    }
    case "Ramp": {
      const base = compiled(e.base);
      return (frame) => base(frame) + e.stride * frame.lane;
    }
    case "Broadcast":
      return compiled(e.value);
    case "And": {
      const [a, b] = [compiled(e.a), compiled(e.b)];
      return (frame) => (a(frame) ? b(frame) : 0);
    }
    case "Or": {
      const [a, b] = [compiled(e.a), compiled(e.b)];
      return (frame) => (a(frame) ? 1 : b(frame));
    }
    default: {
      const [a, b, operation] = [compiled(e.a), compiled(e.b), binary(e.kind, e.dtype)];
      return (frame) => operation(a(frame), b(frame));
    }
  }
}

function cast(to: DType, from: DType): (x: number) => number {
  if (to === "bool") return (x) => (x === 0 ? 0 : 1);
  return isFloat(from) && !isFloat(to) ? truncateTo(to) : roundTo(to);
}

function divisor(x: number): number {
  if (x === 0) throw new InterpError("interp.division_by_zero", "an integer is divided by 0");
  return x;
}

function binary(kind: Exclude<Binary["kind"], "And" | "Or">, dtype: DType): (x: number, y: number) => number {
  const round = roundTo(dtype);
  switch (kind) {
    case "Add":
      return (x, y) => round(x + y);
    case "Sub":
      return (x, y) => round(x - y);
    case "Mul":
      return dtype === "int32" ? Math.imul : (x, y) => round(x * y);
    case "Div":
      return (x, y) => round(x / y);
    case "FloorDiv":
      return (x, y) => round(Math.floor(x / divisor(y)));
    case "FloorMod":
      return (x, y) => round(floorMod(x, divisor(y)));
    case "Min":
      return (x, y) => (x < y ? x : y);
    case "Max":
      return (x, y) => (x > y ? x : y);
    case "EQ":
      return (x, y) => Number(x === y);
    case "NE":
      return (x, y) => Number(x !== y);
    case "LT":
      return (x, y) => Number(x < y);
    case "LE":
      return (x, y) => Number(x <= y);
    case "GT":
      return (x, y) => Number(x > y);
    case "GE":
      return (x, y) => Number(x >= y);
    default:
      return assertNever(kind);
  }
}
