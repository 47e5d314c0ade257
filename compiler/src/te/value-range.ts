/**
 * The values that an expression of a body may have while its variables run over a box of intervals. The interval contains every
 * value, and may contain more. A variable of one value gives exact integers. `everything` means that nothing is known: a float
 * without bounds, or int32 arithmetic that may overflow, which C leaves undefined.
 */
import { assertNever, type DType, fillValue, intRanges, isFloat, machineEpsilon } from "@warpfarm/common";
import { everything, hull, type Interval, range, times } from "../arith/interval.ts";
import type { Buffer } from "../ir/buffer.ts";
import type { Binary, CompareKind, Expr, Var } from "../ir/expr.ts";
import { tf32 } from "../ir/math.ts";
import { floorMod, roundTo } from "../ir/numeric.ts";
import { fillOf } from "./fill.ts";
import type { Axis, ComputeOp } from "./graph.ts";

export type Box = ReadonlyMap<Var, Interval>;
export type ValuesOf = (tensor: Buffer) => Interval;

const unknown: Interval = { lo: 0, hi: 1 };
const truth = (isTrue: boolean, isFalse: boolean): Interval => (isTrue ? { lo: 1, hi: 1 } : isFalse ? { lo: 0, hi: 0 } : unknown);
export const isKnown = ({ lo, hi }: Interval): boolean => Number.isFinite(lo) && Number.isFinite(hi);

/** The result of an operation of this dtype whose exact result is within `exact`. */
export function kept(dtype: DType, exact: Interval): Interval {
  if (Number.isNaN(exact.lo) || Number.isNaN(exact.hi)) return everything;
  if (isFloat(dtype)) {
    const round = roundTo(dtype);
    return { lo: round(exact.lo), hi: round(exact.hi) };
  }
  const [least, most] = intRanges[dtype] ?? [0, 0];
  if (exact.lo >= least && exact.hi <= most) return exact;
  if (dtype === "int32" || dtype === "int64") return everything;
  if (exact.lo !== exact.hi || !isKnown(exact)) return { lo: least, hi: most };
  const wrapped = roundTo(dtype)(exact.lo);
  return { lo: wrapped, hi: wrapped };
}

/** One unit in the last place wider on both sides: a compiler may fuse a product and a sum, which rounds once. */
function widened(dtype: DType, { lo, hi }: Interval): Interval {
  const unit = machineEpsilon(dtype) || 2 ** -52;
  return { lo: lo - Math.abs(lo) * unit, hi: hi + Math.abs(hi) * unit };
}

export function rangeOf(e: Expr, box: Box, valuesOf: ValuesOf): Interval {
  const of = (part: Expr): Interval => rangeOf(part, box, valuesOf);
  switch (e.kind) {
    case "IntImm":
    case "FloatImm":
      return { lo: e.value, hi: e.value };
    case "Var":
      return box.get(e) ?? everything;
    case "Load":
      return valuesOf(e.buffer);
    case "Not": {
      const { lo, hi } = of(e.value);
      return { lo: 1 - hi, hi: 1 - lo };
    }
    case "Cast":
      return converted(e.dtype, e.value.dtype, of(e.value));
    case "Select": {
      const { lo, hi } = of(e.cond);
      if (lo === 1) return of(e.whenTrue);
      return hi === 0 ? of(e.whenFalse) : hull(of(e.whenTrue), of(e.whenFalse));
    }
    case "Call":
      return called(e.name, e.dtype, of(e.args[0] as Expr));
    case "Lookup":
    case "Ramp":
    case "Broadcast":
      return everything;
    default:
      return combined(e, of);
  }
}

function combined(e: Binary, of: (part: Expr) => Interval): Interval {
  const a = of(e.a);
  // The second part of And and Or is read only where the first does not decide.
  if (e.kind === "And") return a.hi === 0 ? a : both(a, of(e.b), Math.min);
  if (e.kind === "Or") return a.lo === 1 ? a : both(a, of(e.b), Math.max);
  const b = of(e.b);
  const isInt = !isFloat(e.a.dtype);
  const isBlind = isInt && !(isKnown(a) && isKnown(b));
  switch (e.kind) {
    case "EQ":
    case "NE":
    case "LT":
    case "LE":
    case "GT":
    case "GE":
      return isKnown(a) && isKnown(b) ? compared(e.kind, a, b) : unknown;
    case "Add":
    case "Sub": {
      if (isBlind) return everything;
      const exact = e.kind === "Add" ? { lo: a.lo + b.lo, hi: a.hi + b.hi } : { lo: a.lo - b.hi, hi: a.hi - b.lo };
      const result = kept(e.dtype, exact);
      return isInt || (e.a.kind !== "Mul" && e.b.kind !== "Mul") ? result : widened(e.dtype, result);
    }
    case "Mul":
      return isBlind ? everything : kept(e.dtype, times(a, b));
    case "Div":
      return b.lo <= 0 && b.hi >= 0 ? everything : kept(e.dtype, quotients(a, b));
    case "FloorDiv": {
      if (isBlind || (b.lo <= 0 && b.hi >= 0)) return everything;
      const { lo, hi } = quotients(a, b);
      return kept(e.dtype, { lo: Math.floor(lo), hi: Math.floor(hi) });
    }
    case "FloorMod":
      return isBlind ? everything : remainders(a, b);
    case "Min":
      return isBlind ? everything : both(a, b, Math.min);
    case "Max":
      return isBlind ? everything : both(a, b, Math.max);
    default:
      return assertNever(e.kind);
  }
}

const both = (a: Interval, b: Interval, pick: (x: number, y: number) => number): Interval => ({
  lo: pick(a.lo, b.lo),
  hi: pick(a.hi, b.hi),
});

/** Requires that 0 is no value of b. */
function quotients(a: Interval, b: Interval): Interval {
  const ends = [a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi];
  return { lo: Math.min(...ends), hi: Math.max(...ends) };
}

function remainders(a: Interval, b: Interval): Interval {
  if (b.lo <= 0 && b.hi >= 0) return everything;
  if (b.lo === b.hi) {
    const [first, last] = [floorMod(a.lo, b.lo), floorMod(a.hi, b.lo)];
    if (Math.floor(a.lo / b.lo) === Math.floor(a.hi / b.lo)) return { lo: first, hi: last };
  }
  return b.lo > 0 ? { lo: 0, hi: b.hi - 1 } : { lo: b.lo + 1, hi: 0 };
}

function compared(kind: CompareKind, a: Interval, b: Interval): Interval {
  switch (kind) {
    case "LT":
      return truth(a.hi < b.lo, a.lo >= b.hi);
    case "LE":
      return truth(a.hi <= b.lo, a.lo > b.hi);
    case "GT":
      return truth(a.lo > b.hi, a.hi <= b.lo);
    case "GE":
      return truth(a.lo >= b.hi, a.hi < b.lo);
    case "EQ":
      return truth(a.lo === a.hi && b.lo === b.hi && a.lo === b.lo, a.hi < b.lo || b.hi < a.lo);
    case "NE":
      return truth(a.hi < b.lo || b.hi < a.lo, a.lo === a.hi && b.lo === b.hi && a.lo === b.lo);
  }
}

function converted(to: DType, from: DType, value: Interval): Interval {
  if (to === "bool") return isKnown(value) ? truth(value.lo > 0 || value.hi < 0, value.lo === 0 && value.hi === 0) : unknown;
  if (isFloat(to) || !isFloat(from)) return kept(to, value);
  const [least, most] = intRanges[to] ?? [0, 0];
  const whole = { lo: Math.trunc(value.lo), hi: Math.trunc(value.hi) };
  return whole.lo >= least && whole.hi <= most ? whole : everything;
}

/** Devices compute functions to within some units in the last place, so only their limits are relied upon. */
function called(name: string, dtype: DType, x: Interval): Interval {
  switch (name) {
    case "tf32":
      return { lo: tf32(x.lo), hi: tf32(x.hi) };
    case "abs":
      return kept(dtype, { lo: Math.max(x.lo, -x.hi, 0), hi: Math.max(x.hi, -x.lo) });
    case "tanh":
    case "erf":
    case "sin":
    case "cos":
      return isKnown(x) ? { lo: -1, hi: 1 } : everything;
    case "exp":
    case "exp2":
      return isKnown(x) ? { lo: 0, hi: Infinity } : everything;
    case "sqrt":
      return isKnown(x) && x.lo >= 0 ? { lo: 0, hi: Math.max(1, x.hi) } : everything;
    case "floor":
    case "ceil":
      return { lo: Math[name](x.lo), hi: Math[name](x.hi) };
    case "round":
      return { lo: Math.floor(x.lo), hi: Math.ceil(x.hi) };
    default:
      return everything;
  }
}

type OpOf = (tensor: Buffer) => ComputeOp | undefined;

export const boxOf = (axes: readonly Axis[]): Box =>
  new Map<Var, Interval>(axes.map(({ loopVar, extent }) => [loopVar, range(extent)]));

const known = new WeakMap<Buffer, Interval>();

/**
 * The values of a tensor's elements where it is an index of another: of an input by its fill; of a computed tensor by its
 * formula.
 */
export function elementValues(tensor: Buffer, opOf: OpOf): Interval {
  let values = known.get(tensor);
  if (values === undefined) {
    const op = opOf(tensor);
    values = op === undefined ? filled(tensor) : computed(op, opOf);
    known.set(tensor, values);
  }
  return values;
}

function filled(input: Buffer): Interval {
  const fill = fillOf(input);
  const round = roundTo(input.dtype);
  switch (fill?.kind) {
    case "range":
      return { lo: round(Number(fill.from)), hi: round(Number(fill.to)) };
    case "constant":
      return { lo: round(Number(fill.value)), hi: round(Number(fill.value)) };
    case "permutation":
      return range(input.shape.at(-1) ?? 1);
    case "normal":
    case undefined:
      // Floats are normal by default.
      return isFloat(input.dtype) ? everything : { lo: fillValue(input.dtype, 0), hi: fillValue(input.dtype, 2 ** 32 - 1) };
  }
}

/** Of a tensor of which nothing is known but its type. */
export const anyValue = (dtype: DType): Interval => kept(dtype, everything);

function computed({ axes, reduce, body, combiner, decay, scan, output }: ComputeOp, opOf: OpOf): Interval {
  if (scan || decay) return anyValue(output.dtype);
  const term = rangeOf(body, boxOf([...axes, ...reduce]), (tensor) => elementValues(tensor, opOf));
  if (combiner === "prod") return everything;
  if (combiner !== "sum") return term;
  const terms = reduce.reduce((product, { extent }) => product * extent, 1);
  return isFloat(output.dtype) ? everything : kept(output.dtype, times(term, { lo: terms, hi: terms }));
}
