/**
 * How far two right kernels of one computation may differ: running error analysis, stage by stage (docs/contracts.md, "Check").
 * A StageModel describes the effect of a stage of the graph on errors: its body as a postfix program over values, without the
 * arithmetic of indices. The builder writes one per stage into the manifest of a reference. The runner measures the contents of
 * every stage of the reference and computes the tolerance of each output from both. The computed value of an element v lies
 * within a + r |v| of the true one.
 * Errors of one source may be equal in many elements, and then add up in a sum. Errors of different sources have both signs, so
 * their sum grows by the square root (Higham and Mary, "A new approach to probabilistic rounding error analysis", 2019). So an
 * error has three parts.
 */
import { type DType, isFloat, machineEpsilon } from "./dtype.ts";

/** Who shares an operand's element: `inside` terms of one sum, `outside` elements of the result, `own` neither. */
export const sharings = ["own", "outside", "inside"] as const;
export type Sharing = (typeof sharings)[number];

export const stageBinaries = ["add", "sub", "mul", "div", "floor_div", "floor_mod", "min", "max", "select"] as const;
export const stageUnaries = ["exp", "log", "sqrt", "tanh", "abs", "square"] as const;

/** One step of a stage's body: it takes its operands from a stack and leaves its value there. */
export type StageStep =
  | readonly ["load", string, Sharing]
  /** A number as ECMAScript prints it, or inf, -inf, nan. */
  | readonly ["constant", DType, string]
  /** An axis's variable: a whole number from 0, below this one. */
  | readonly ["index", number]
  | readonly ["cast", DType]
  /** `select` chooses one of two values; the condition is not an operand. A condition by itself is `truth`. */
  | readonly [(typeof stageBinaries)[number] | (typeof stageUnaries)[number] | "truth"];

export interface StageModel {
  readonly name: string;
  readonly dtype: DType;
  readonly combine?: "sum" | "max" | "min";
  /** Terms of the reduction; 1 without one. */
  readonly terms: number;
  readonly body: readonly StageStep[];
}

/**
 * What a tensor holds: the range of its finite elements, the smallest magnitude, the mean and the root of the mean square, and
 * how many elements are not finite.
 */
export interface Contents {
  readonly low: number;
  readonly high: number;
  /** The smallest magnitude. */
  readonly nearest: number;
  readonly mean: number;
  readonly rms: number;
  readonly nan: number;
  readonly infinite: number;
}

export interface Tolerance {
  readonly rtol: number;
  readonly atol: number;
}

/** Parts of an error: each element's own, shared by elements of the result, shared by all. */
type Parts = readonly [number, number, number];
const none: Parts = [0, 0, 0];

interface Value {
  readonly dtype: DType;
  readonly low: number;
  readonly high: number;
  /** The smallest magnitude of an element. */
  readonly nearest: number;
  /** The size of elements; never beyond low and high. */
  readonly rms: number;
  /** When elements have both signs, a shared error multiplied by this one is no longer equal in all of them. */
  readonly mean: number;
  readonly absolute: Parts;
  readonly relative: Parts;
}

/** Standard deviation of one rounding, in unit round-offs of the result. */
const rounding = 0.4;
/** The same for rounding every step of a sum, divided by the root of the number of steps, in the largest partial sum. */
const roundingSteps = 0.3;
/** Tensor cores truncate towards 0 instead of rounding, after each 16 terms or more. */
const cutSteps = 1 / 128;
/** Libraries and devices compute functions to two units in the last place, with all elements off to one side. */
const functionOff = 0.9;
/** The same for quotients and roots, which most devices compute to the last place. */
const quotientOff = 0.25;
/** Divisors are assumed not to be nearer to 0 than this share of their size. A nearer one leaves no digits to compare. */
const nearestShare = 1 / 256;
/** Each of two kernels is at most this many standard deviations off, in millions of elements. */
const deviations = 3.5;
/** What flushing to zero may cost. For float16, which nobody flushes, it is the spacing there. */
const leastStep: Partial<Record<DType, number>> = {
  float16: 2 ** -24,
  bfloat16: 2 ** -126,
  float32: 2 ** -126,
  float64: 2 ** -1022,
};

const unitOf = (dtype: DType): number => machineEpsilon(dtype) / 2;
const plus = (x: Parts, y: Parts): Parts => [x[0] + y[0], x[1] + y[1], x[2] + y[2]];
/** 0 times infinity is 0 here: without an error, magnification gives none. */
const scaled = (x: Parts, by: number): Parts => x.map((part) => (part === 0 ? 0 : part * by)) as unknown as Parts;
const larger = (x: Parts, y: Parts): Parts => [Math.max(x[0], y[0]), Math.max(x[1], y[1]), Math.max(x[2], y[2])];
const total = (x: Parts): number => x[0] + x[1] + x[2];
const magnitude = ({ low, high }: Pick<Value, "low" | "high">): number => Math.max(Math.abs(low), Math.abs(high));
const finite = (x: number, otherwise: number): number => (Number.isFinite(x) ? x : otherwise);
const nearestIn = (low: number, high: number, otherwise: number): number => (low > 0 ? low : high < 0 ? -high : otherwise);

function exact(dtype: DType, low: number, high: number, nearest: number): Value {
  const range = { low, high, nearest: nearestIn(low, high, nearest) };
  return { dtype, ...range, rms: magnitude(range), mean: magnitude(range), absolute: none, relative: none };
}

/** The value after an operation that rounds; integers do not. `off`: the error of a function to one side. */
function rounded(value: Value, off = 0): Value {
  const { dtype, absolute, relative, nearest, low, high } = value;
  const rms = Math.min(value.rms, magnitude(value));
  if (!isFloat(dtype)) return { ...value, rms, absolute: none, relative: none };
  const step = leastStep[dtype] ?? 0;
  const flushed = (nearest > step * 2 ** 24 || (low === 0 && high === 0) ? 0 : step) / deviations;
  return {
    ...value,
    rms,
    absolute: plus(absolute, [flushed, 0, 0]),
    relative: plus(relative, [rounding * unitOf(dtype), 0, off * unitOf(dtype)]),
  };
}

function constant(dtype: DType, text: string): Value {
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
    return { ...sum, absolute: plus(x.absolute, y.absolute), relative };
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
  };
}

const sized = (rms: number): { readonly rms: number; readonly mean: number } => ({ rms, mean: rms });

function times(error: Parts, by: Value): Parts {
  const shared = Math.abs(by.mean);
  return plus(scaled(error, shared), [(total(error) - error[0]) * (by.rms - shared) + error[0] * (by.rms - shared), 0, 0]);
}

/** 1 divided by it is 1 / x for most x, exactly so for values spread evenly from the nearest to twice the size. */
const distance = ({ nearest, rms }: Value): number => Math.sqrt(Math.max(nearest, rms * nearestShare) * rms);

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

function binary(word: (typeof stageBinaries)[number], x: Value, y: Value): Value {
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
    case "floor_mod":
      return exact(x.dtype, y.low >= 0 ? 0 : -magnitude(y), magnitude(y), 0);
  }
}

function unary(word: (typeof stageUnaries)[number], x: Value): Value {
  const { dtype, low, high, nearest, rms, absolute, relative } = x;
  switch (word) {
    case "abs": {
      const crosses = low < 0 && high > 0;
      const ends = [Math.abs(low), Math.abs(high)];
      return { ...x, low: crosses ? nearest : Math.min(...ends), high: Math.max(...ends), mean: rms };
    }
    case "square":
      return rounded(squared(x));
    case "exp": {
      // d(e^x) = e^x dx; for negative x, |x| e^x is at most 1/e.
      const share = plus(absolute, scaled(relative, Math.min(rms, Math.max(0, high))));
      const small = scaled(relative, low < 0 ? Math.min(-low, 1 / Math.E) : 0);
      const range = { low: Math.exp(low), high: Math.exp(high), nearest: Math.exp(low), ...sized(Math.exp(high)) };
      return rounded({ dtype, ...range, absolute: small, relative: share }, functionOff);
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
    case "tanh": {
      const range = { low: Math.tanh(low), high: Math.tanh(high), nearest: Math.tanh(nearest), ...sized(Math.tanh(rms)) };
      // d(tanh x) = dx / cosh(x)^2; |x| / cosh(x)^2 is below 0.45, and below |x|.
      const slope = 1 / Math.cosh(nearest) ** 2;
      const off = plus(scaled(absolute, slope), scaled(relative, Math.min(rms * slope, 0.45)));
      return rounded({ dtype, ...range, absolute: off, relative: none }, functionOff);
    }
  }
}

function cast(dtype: DType, x: Value): Value {
  const next = { ...x, dtype };
  if (!isFloat(dtype)) return exact(dtype, Math.trunc(x.low), Math.trunc(x.high), 0);
  const fits = isFloat(x.dtype)
    ? unitOf(dtype) <= unitOf(x.dtype) && (leastStep[dtype] ?? 0) <= (leastStep[x.dtype] ?? 0)
    : magnitude(x) * unitOf(dtype) <= 1;
  return fits ? next : rounded(next);
}

/** The cost of rounding the steps of a sum, in unit round-offs of its largest partial sum. */
function stepsOf(terms: number, unit: number, alike: boolean): number {
  const steps = terms - 1;
  // Equal terms are rounded alike, and so are terms that are small against one unit of the sum.
  if (alike) return steps / deviations;
  return roundingSteps * Math.sqrt(steps) * Math.max(1, Math.sqrt(8 * steps * unit)) + cutSteps * steps;
}

function summed(x: Value, terms: number, result: Contents): Value {
  const { dtype, low, high, rms } = x;
  if (!isFloat(dtype)) return exact(dtype, Math.min(0, low * terms), Math.max(0, high * terms), 0);
  const unit = unitOf(dtype);
  const spread = Math.sqrt(terms);
  const own = stepsOf(terms, unit, low === high) * unit;
  const absolute: Parts = [spread * x.absolute[0], spread * x.absolute[1], terms * x.absolute[2]];
  const sum = { dtype, low: low * terms, high: high * terms, nearest: 0, ...sized(terms * rms) };
  if (low >= 0 || high <= 0) return { ...sum, absolute, relative: plus(x.relative, [own, 0, 0]) };
  // Partial sums are as large as results, or as a random walk of as many steps as there are terms.
  const partial = Math.min(terms * rms, Math.max(result.rms, spread * rms));
  const [free, outside, shared] = x.relative;
  const shares: Parts = [spread * rms * free, spread * rms * outside, partial * shared];
  return { ...sum, absolute: plus(plus(absolute, shares), [own * partial, 0, 0]), relative: [own, 0, shared] };
}

function bodyValue(stage: StageModel, known: ReadonlyMap<string, Value>, result: Contents): Value {
  const stack: Value[] = [];
  const pop = (): Value => {
    const value = stack.pop();
    if (value === undefined) throw new RangeError(`stage "${stage.name}": an operand is missing`);
    return value;
  };
  for (const step of stage.body) {
    const [word, first, second] = step as readonly [StageStep[0], ...unknown[]];
    if (word === "load") stack.push(loaded(known.get(first as string), first as string, second as Sharing));
    else if (word === "constant") stack.push(constant(first as DType, second as string));
    else if (word === "index") stack.push(exact("int32", 0, (first as number) - 1, 0));
    else if (word === "truth") stack.push(exact("bool", 0, 1, 0));
    else if (word === "cast") stack.push(cast(first as DType, pop()));
    else if ((stageUnaries as readonly string[]).includes(word)) stack.push(unary(word as (typeof stageUnaries)[number], pop()));
    else {
      const y = pop();
      stack.push(binary(word as (typeof stageBinaries)[number], pop(), y));
    }
  }
  const body = pop();
  return stage.combine === "sum" ? summed(body, stage.terms, result) : body;
}

function loaded(value: Value | undefined, name: string, sharing: Sharing): Value {
  if (value === undefined) throw new RangeError(`"${name}" is read before it is there`);
  const shared = ([own, , all]: Parts): Parts =>
    sharing === "own" ? [own, 0, all] : sharing === "outside" ? [0, own, all] : [0, 0, own + all];
  return { ...value, absolute: shared(value.absolute), relative: shared(value.relative) };
}

/** An output may differ by at most this share of the largest element, whatever the bound, so an output of zeros never passes. */
const largestShare = 0.5;

/**
 * The tolerance of every stage by name. `contents`: those of every input and stage, as the reference leaves them. Throws
 * RangeError for a model whose stages read something unknown.
 */
export function stageTolerances(
  stages: readonly StageModel[],
  contents: ReadonlyMap<string, Contents & { readonly dtype: DType }>,
): ReadonlyMap<string, Tolerance> {
  const known = new Map<string, Value>();
  const tolerances = new Map<string, Tolerance>();
  const measured = (name: string): Contents & { readonly dtype: DType } => {
    const found = contents.get(name);
    if (found === undefined) throw new RangeError(`"${name}" was not measured`);
    return found;
  };
  const computed = new Set(stages.map((stage) => stage.name));
  for (const [name, held] of contents) if (!computed.has(name)) known.set(name, { ...held, absolute: none, relative: none });
  for (const stage of stages) {
    const result = measured(stage.name);
    const { absolute, relative } = bodyValue(stage, known, result);
    const most = magnitude(result);
    const [a, r] = [settled(absolute, most), settled(relative, 1)];
    known.set(stage.name, { ...result, absolute: a, relative: r });
    tolerances.set(
      stage.name,
      isFloat(stage.dtype) ? limited(2 * deviations * total(a), 2 * deviations * total(r), most) : { atol: 0, rtol: 0 },
    );
  }
  return tolerances;
}

/** An error that elements of the result share is shared by all later sums. A useless error is cut to `most`. */
function settled([own, outside, all]: Parts, most: number): Parts {
  const cut = (x: number): number => Math.min(finite(x, most), most);
  return [cut(own), 0, cut(outside + all)];
}

function limited(atol: number, rtol: number, most: number): Tolerance {
  const share = (atol + rtol * most) / (largestShare * most);
  return share > 1 ? { atol: atol / share, rtol: rtol / share } : { atol, rtol };
}
