/**
 * Values with their errors, and what operations make of them (rounding.ts). An error has three parts: each element's own, one
 * that elements of a result share, one that all share.
 */
import { type DType, isFloat, isFloat8, machineEpsilon } from "./dtype.ts";

export const stageBinaries = ["add", "sub", "mul", "div", "floor_div", "floor_mod", "min", "max", "select", "pow"] as const;
export const stageUnaries = [
  "exp",
  "exp2",
  "log",
  "sqrt",
  "tanh",
  "erf",
  "sin",
  "cos",
  "floor",
  "ceil",
  "round",
  "abs",
  "tf32",
  "square",
] as const;

/** Parts of an error: each element's own, shared by elements of the result, shared by all. */
export type Parts = readonly [number, number, number];
export const none: Parts = [0, 0, 0];

export interface Value {
  readonly dtype: DType;
  readonly low: number;
  readonly high: number;
  /** The smallest magnitude of an element. */
  readonly nearest: number;
  /** The size of elements; never beyond low and high. */
  readonly rms: number;
  /** When elements have both signs, a shared error multiplied by this one is no longer equal in all of them. */
  readonly mean: number;
  /** The size of most elements, where the largest ones alone make `rms`, as for exponentials; absent: `rms`. */
  readonly usual?: number;
  readonly absolute: Parts;
  readonly relative: Parts;
  /** It was a float of 8 bits, or is a product of two: tensor cores may add it up with few digits. */
  readonly isEight?: true;
}

/** Standard deviation of one rounding, in unit round-offs of the result. */
export const rounding = 0.4;
/** The same for rounding every step of a sum, divided by the root of the number of steps, in the largest partial sum. */
export const roundingSteps = 0.3;
/** Tensor cores truncate towards 0 instead of rounding, after each 16 terms or more. */
export const cutSteps = 1 / 128;
/**
 * Of factors of 8 bits, tensor cores of 9.0 keep 13 bits of a sum behind its first, and cut off the rest after each 32 terms, and
 * of these terms ("DeepSeek-V3 Technical Report", 2024, section 3.3.2).
 */
export const cutOfEights = (terms: number): number => 2 ** -15 * (terms / 32 + 4 * Math.sqrt(terms / 32));
/** Libraries and devices compute functions to two units in the last place, with all elements off to one side. */
const functionOff = 0.9;
/** The same for quotients and roots, which most devices compute to the last place. */
const quotientOff = 0.25;
/** The unit round-off of the factors that tensor cores take of float32. */
const tf32Unit = 2 ** -11;
/** Divisors are assumed not to be nearer to 0 than this share of their size. A nearer one leaves no digits to compare. */
const nearestShare = 1 / 256;
/** Each of two kernels is at most this many standard deviations off, in millions of elements. */
export const deviations = 3.5;
/** What flushing to zero may cost. For narrower floats than bfloat16, which nobody flushes, it is the spacing there. */
const leastStep: Partial<Record<DType, number>> = {
  float16: 2 ** -24,
  bfloat16: 2 ** -126,
  float32: 2 ** -126,
  float64: 2 ** -1022,
  float8_e4m3fn: 2 ** -9,
  float8_e5m2: 2 ** -16,
};

export const unitOf = (dtype: DType): number => machineEpsilon(dtype) / 2;
export const plus = (x: Parts, y: Parts): Parts => [x[0] + y[0], x[1] + y[1], x[2] + y[2]];
/** 0 times infinity is 0 here: without an error, magnification gives none. */
export const scaled = (x: Parts, by: number): Parts => x.map((part) => (part === 0 ? 0 : part * by)) as unknown as Parts;
const larger = (x: Parts, y: Parts): Parts => [Math.max(x[0], y[0]), Math.max(x[1], y[1]), Math.max(x[2], y[2])];
export const total = (x: Parts): number => x[0] + x[1] + x[2];
export const magnitude = ({ low, high }: Pick<Value, "low" | "high">): number => Math.max(Math.abs(low), Math.abs(high));
export const finite = (x: number, otherwise: number): number => (Number.isFinite(x) ? x : otherwise);
const nearestIn = (low: number, high: number, otherwise: number): number => (low > 0 ? low : high < 0 ? -high : otherwise);

export function exact(dtype: DType, low: number, high: number, nearest: number): Value {
  const range = { low, high, nearest: nearestIn(low, high, nearest) };
  return { dtype, ...range, rms: magnitude(range), mean: magnitude(range), absolute: none, relative: none };
}

/**
 * The value after an operation that rounds; integers do not, and keep the error of the float that they were cast from. `off`: the
 * error of a function to one side.
 */
function rounded(value: Value, off = 0): Value {
  const { dtype, absolute, relative, nearest, low, high } = value;
  const rms = Math.min(value.rms, magnitude(value));
  if (!isFloat(dtype)) return { ...value, rms };
  const step = leastStep[dtype] ?? 0;
  const flushed = (nearest > step * 2 ** 24 || (low === 0 && high === 0) ? 0 : step) / deviations;
  return {
    ...value,
    rms,
    absolute: plus(absolute, [flushed, 0, 0]),
    relative: plus(relative, [rounding * unitOf(dtype), 0, off * unitOf(dtype)]),
  };
}

export function constant(dtype: DType, text: string): Value {
  const value = text === "inf" ? Infinity : text === "-inf" ? -Infinity : text === "nan" ? Number.NaN : Number(text);
  // A value that is not finite gives no bound. Where it comes out, numbers are compared for equality.
  if (!Number.isFinite(value)) return exact(dtype, 0, 0, 0);
  const here = exact(dtype, value, value, Math.abs(value));
  const units = value / (unitOf(dtype) * 2 ** Math.floor(Math.log2(Math.abs(value) || 1)) * 2);
  return !isFloat(dtype) || Number.isInteger(units) ? here : { ...here, relative: [0, 0, rounding * unitOf(dtype)] };
}

/** The share of a sum of one sign, at most. */
const shareOf = (x: Value, y: Value): number => magnitude(x) / (magnitude(x) + y.nearest || 1);

function added(x: Value, y: Value, sign: 1 | -1): Value {
  const [low2, high2] = sign === 1 ? [y.low, y.high] : [-y.high, -y.low];
  const [low, high] = [x.low + low2, x.high + high2];
  const oneSided = (x.low >= 0 && low2 >= 0) || (x.high <= 0 && high2 <= 0);
  const sum = {
    dtype: x.dtype,
    low,
    high,
    nearest: nearestIn(low, high, 0),
    ...sized(oneSided ? x.rms + y.rms : Math.hypot(x.rms, y.rms)),
  };
  if (oneSided) {
    const shares = plus(scaled(x.relative, shareOf(x, y)), scaled(y.relative, shareOf(y, x)));
    const relative = total(shares) < total(larger(x.relative, y.relative)) ? shares : larger(x.relative, y.relative);
    const usual = (x.usual ?? x.rms) + (y.usual ?? y.rms);
    return { ...sum, usual, absolute: plus(x.absolute, y.absolute), relative };
  }
  return { ...sum, absolute: plus(asAbsolute(x), asAbsolute(y)), relative: none };
}

const asAbsolute = (x: Value): Parts => plus(x.absolute, scaled(x.relative, x.rms));

function multiplied(x: Value, y: Value): Value {
  // Large factors may meet.
  const rms = Math.min(1.5 * x.rms * y.rms, x.rms * magnitude(y), y.rms * magnitude(x));
  const corners = [x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high];
  return {
    dtype: x.dtype,
    low: Math.min(...corners),
    high: Math.max(...corners),
    nearest: x.nearest * y.nearest,
    ...sized(rms),
    absolute: plus(times(x.absolute, y), times(y.absolute, x)),
    relative: plus(x.relative, y.relative),
    ...(x.isEight && y.isEight ? { isEight: true } : {}),
  };
}

export const sized = (rms: number): { readonly rms: number; readonly mean: number } => ({ rms, mean: rms });

function times(error: Parts, by: Value): Parts {
  const shared = Math.abs(by.mean);
  return plus(scaled(error, shared), [(total(error) - error[0]) * (by.rms - shared) + error[0] * (by.rms - shared), 0, 0]);
}

/** 1 divided by it is 1 / x for most x, exactly so for values spread evenly from the nearest to twice the size. */
export const distance = ({ nearest, rms, usual = rms }: Value): number =>
  Math.sqrt(Math.max(nearest, usual * nearestShare) * usual);

function squared(x: Value): Value {
  const product = multiplied(x, x);
  return { ...product, low: x.nearest ** 2, high: magnitude(x) ** 2 };
}

function divided(x: Value, y: Value): Value {
  const most = 1 / distance(y);
  const positive = y.low > 0;
  const corners = positive
    ? [x.low / y.low, x.low / y.high, x.high / y.low, x.high / y.high]
    : [-magnitude(x) * most, magnitude(x) * most];
  return {
    dtype: x.dtype,
    low: Math.min(...corners),
    high: Math.max(...corners),
    nearest: x.nearest / magnitude(y),
    ...sized(x.rms * most),
    absolute: scaled(x.absolute, most),
    // An error of the divisor is a share of the quotient.
    relative: plus(plus(x.relative, y.relative), scaled(y.absolute, most)),
  };
}

function chosen(x: Value, y: Value, low: number, high: number): Value {
  return {
    dtype: x.dtype,
    low,
    high,
    nearest: nearestIn(low, high, Math.min(x.nearest, y.nearest)),
    ...sized(Math.max(x.rms, y.rms)),
    absolute: larger(x.absolute, y.absolute),
    relative: larger(x.relative, y.relative),
  };
}

/** d(x^y) = x^y (y dx / x + log x dy). Of a negative base the powers have either sign. */
function raised(x: Value, y: Value): Value {
  const bases = [Math.max(x.nearest, x.rms * nearestShare), magnitude(x)];
  const powers = bases.flatMap((base) => [base ** y.low, base ** y.high]);
  const [least, most] = [Math.min(...powers), Math.max(...powers)];
  const logarithm = Math.max(...bases.map((base) => Math.abs(Math.log(base))));
  return {
    dtype: x.dtype,
    low: x.low < 0 ? -most : least,
    high: most,
    nearest: least,
    ...sized(most),
    absolute: none,
    relative: plus(
      scaled(plus(x.relative, scaled(x.absolute, 1 / distance(x))), magnitude(y)),
      scaled(asAbsolute(y), finite(logarithm, 0)),
    ),
  };
}

/** A curve of at most this slope, where |x f'(x)| is at most `most`. */
function bounded(x: Value, slope: number, most: number, [low, high]: readonly [number, number]): Value {
  const { dtype, absolute, relative, rms } = x;
  const off = plus(scaled(absolute, slope), scaled(relative, Math.min(rms * slope, most)));
  const range = { dtype, low, high, nearest: nearestIn(low, high, 0), ...sized(magnitude({ low, high })) };
  return rounded({ ...range, absolute: off, relative: none }, functionOff);
}

/** A value that is off may fall on the other side of a whole number, or of its half. */
function toWhole(x: Value, f: (x: number) => number): Value {
  const [low, high] = [f(x.low), f(x.high)];
  const isExact = total(x.absolute) + total(x.relative) === 0;
  const range = { dtype: x.dtype, low, high, nearest: nearestIn(low, high, 0), ...sized(x.rms + 1) };
  return { ...range, absolute: isExact ? none : [1 / (2 * deviations), 0, 0], relative: none };
}

export function binary(word: (typeof stageBinaries)[number], x: Value, y: Value): Value {
  switch (word) {
    case "add":
      return rounded(added(x, y, 1));
    case "sub":
      // 0 - y is y with another sign: nothing is lost.
      return x.low === 0 && x.high === 0 ? { ...y, low: -y.high, high: -y.low, mean: -y.mean } : rounded(added(x, y, -1));
    case "mul":
      return rounded(multiplied(x, y));
    case "div":
      return rounded(divided(x, y), quotientOff);
    case "min":
      return chosen(x, y, Math.min(x.low, y.low), Math.min(x.high, y.high));
    case "max":
      return chosen(x, y, Math.max(x.low, y.low), Math.max(x.high, y.high));
    case "select":
      return chosen(x, y, Math.min(x.low, y.low), Math.max(x.high, y.high));
    case "floor_div": {
      const most = magnitude(x) / Math.max(1, y.nearest);
      return exact(x.dtype, x.low >= 0 && y.low >= 0 ? 0 : -most - 1, most, 0);
    }
    case "pow":
      return rounded(raised(x, y), 2 * functionOff);
    case "floor_mod":
      return exact(x.dtype, y.low >= 0 ? 0 : -magnitude(y), magnitude(y), 0);
  }
}

export function unary(word: (typeof stageUnaries)[number], x: Value): Value {
  const { dtype, low, high, nearest, rms, absolute, relative } = x;
  switch (word) {
    case "abs": {
      const crosses = low < 0 && high > 0;
      const ends = [Math.abs(low), Math.abs(high)];
      return { ...x, low: crosses ? nearest : Math.min(...ends), high: Math.max(...ends), mean: rms };
    }
    case "square":
      return rounded(squared(x));
    case "exp2": {
      const off = Math.LN2;
      const natural = { ...x, low: low * off, high: high * off, rms: rms * off, absolute: scaled(absolute, off) };
      return unary("exp", natural);
    }
    case "exp": {
      // d(e^x) = e^x dx; for negative x, |x| e^x is at most 1/e.
      const share = plus(absolute, scaled(relative, Math.min(rms, Math.max(0, high))));
      const small = scaled(relative, low < 0 ? Math.min(-low, 1 / Math.E) : 0);
      const range = { low: Math.exp(low), high: Math.exp(high), nearest: Math.exp(low), ...sized(Math.exp(high)) };
      // The mean of what was computed within a stage is not known, only that it is at most the size.
      const usual = Math.exp(Math.min(high, Math.max(low, Math.min(0, x.mean))));
      return rounded({ dtype, ...range, usual, absolute: small, relative: share }, functionOff);
    }
    case "log": {
      const from = Math.log(Math.max(low, nearest, Number.MIN_VALUE));
      const to = Math.log(Math.max(high, Number.MIN_VALUE));
      const off = plus(relative, scaled(absolute, 1 / distance(x)));
      const range = { low: from, high: to, nearest: nearestIn(from, to, 0) };
      return rounded({ dtype, ...range, ...sized(magnitude(range)), absolute: off, relative: none }, functionOff);
    }
    case "sqrt": {
      const range = { low: Math.sqrt(Math.max(0, low)), high: Math.sqrt(Math.max(0, high)), nearest: Math.sqrt(nearest) };
      const off = scaled(absolute, 0.5 / Math.sqrt(distance(x)));
      return rounded({ dtype, ...range, ...sized(Math.sqrt(rms)), absolute: off, relative: scaled(relative, 0.5) }, quotientOff);
    }
    // d(tanh x) = dx / cosh(x)^2; |x| / cosh(x)^2 is below 0.45, and below |x|.
    case "tanh":
      return bounded(x, 1 / Math.cosh(nearest) ** 2, 0.45, [Math.tanh(low), Math.tanh(high)]);
    // d(erf x) = 2 / sqrt(pi) e^(-x^2) dx; with |x| it is below 0.49. |erf x| is below |tanh 2x|.
    case "erf":
      return bounded(x, (2 / Math.sqrt(Math.PI)) * Math.exp(-(nearest ** 2)), 0.49, [
        Math.tanh(2 * Math.min(low, 0)),
        Math.tanh(2 * Math.max(high, 0)),
      ]);
    case "sin":
    case "cos":
      return bounded(x, 1, Infinity, [-1, 1]);
    case "floor":
    case "ceil":
      return toWhole(x, Math[word]);
    case "round":
      return toWhole(x, Math.round);
    case "tf32":
      return { ...x, relative: plus(x.relative, [rounding * tf32Unit, 0, 0]) };
  }
}

export function cast(dtype: DType, x: Value): Value {
  const next: Value = { ...x, dtype, ...(isFloat8(x.dtype) ? { isEight: true } : {}) };
  if (!isFloat(dtype))
    return { ...exact(dtype, Math.trunc(x.low), Math.trunc(x.high), 0), absolute: toWhole(x, Math.trunc).absolute };
  const fits = isFloat(x.dtype)
    ? unitOf(dtype) <= unitOf(x.dtype) && (leastStep[dtype] ?? 0) <= (leastStep[x.dtype] ?? 0)
    : magnitude(x) * unitOf(dtype) <= 1;
  return fits ? next : rounded(next);
}
