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
import { type DType, isFloat } from "./dtype.ts";
import {
  binary,
  cast,
  constant,
  cutOfEights,
  cutSteps,
  deviations,
  distance,
  exact,
  finite,
  magnitude,
  none,
  type Parts,
  plus,
  rounding,
  roundingSteps,
  scaled,
  sized,
  stageBinaries,
  stageUnaries,
  total,
  unary,
  unitOf,
  type Value,
} from "./rounding-values.ts";

export { stageBinaries, stageUnaries };

/** Who shares an operand's element: `inside` terms of one sum, `outside` elements of the result, `own` neither. */
export const sharings = ["own", "outside", "inside"] as const;
export type Sharing = (typeof sharings)[number];

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
  readonly combine?: "sum" | "prod" | "max" | "min";
  /** Terms of the reduction, of one step where there is a decay; 1 without one. */
  readonly terms: number;
  /** Of a recurrence: how often its body is applied, to what it gave before. A body may load its own stage. */
  readonly steps?: number;
  /** What a sum so far is multiplied by before the terms of a step are added. */
  readonly decay?: readonly StageStep[];
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

/** The cost of rounding the steps of a sum, in unit round-offs of its largest partial sum. */
function stepsOf(terms: number, unit: number, alike: boolean): number {
  const steps = terms - 1;
  // Equal terms are rounded alike, and so are terms that are small against one unit of the sum.
  if (alike) return steps / deviations;
  return roundingSteps * Math.sqrt(steps) * Math.max(1, Math.sqrt(8 * steps * unit)) + cutSteps * steps;
}

function summed(x: Value, terms: number, result: Contents): Value {
  const { dtype, low, high, rms, isEight } = x;
  if (!isFloat(dtype)) return wholeSum(x, terms);
  const unit = unitOf(dtype);
  const spread = Math.sqrt(terms);
  const own = stepsOf(terms, unit, low === high) * unit + (isEight ? cutOfEights(terms) : 0);
  const absolute: Parts = [spread * x.absolute[0], spread * x.absolute[1], terms * x.absolute[2]];
  const sum = { dtype, low: low * terms, high: high * terms, nearest: 0, ...sized(terms * rms) };
  if (low >= 0 || high <= 0) return { ...sum, absolute, relative: plus(x.relative, [own, 0, 0]) };
  // Errors of terms are a random walk, too. Where rows are unlike, as those of masked weights are, a few large terms make the
  // largest results, and their errors.
  const walk = Math.max(spread * rms, Math.min(magnitude(x), magnitude(result)) / deviations);
  // Partial sums are as large as results, or as a random walk of as many steps as there are terms.
  const partial = Math.min(terms * rms, Math.max(result.rms, spread * rms));
  const [free, outside, shared] = x.relative;
  const shares: Parts = [walk * free, walk * outside, partial * shared];
  return { ...sum, absolute: plus(plus(absolute, shares), [own * partial, 0, 0]), relative: [own, 0, shared] };
}

/** A sum of integers rounds nothing. Terms that were floats may each be another integer. */
function wholeSum({ dtype, low, high, rms, absolute, relative }: Value, terms: number): Value {
  const [own, outside, all] = plus(absolute, scaled(relative, rms));
  const spread = Math.sqrt(terms);
  const sum = exact(dtype, Math.min(0, low * terms), Math.max(0, high * terms), 0);
  return { ...sum, absolute: [spread * own, spread * outside, terms * all] };
}

/** The errors of factors add up as shares of the product. */
function product(x: Value, terms: number, result: Contents): Value {
  const { dtype } = x;
  const { low, high, nearest, rms } = result;
  if (!isFloat(dtype)) return exact(dtype, low, high, nearest);
  const [own, outside, shared] = plus(x.relative, scaled(x.absolute, 1 / distance(x)));
  const steps = rounding * Math.sqrt(terms - 1) * unitOf(dtype);
  const relative: Parts = [Math.sqrt(terms) * own + steps, Math.sqrt(terms) * outside, terms * shared];
  return { dtype, low, high, nearest, ...sized(rms), absolute: none, relative };
}

function computed(stage: StageModel, known: ReadonlyMap<string, Value>, result: Contents): Value {
  const body = bodyValue(stage, stage.body, known);
  if (stage.combine === "prod") return product(body, stage.terms, result);
  return stage.combine === "sum" ? summed(body, stage.terms, result) : body;
}

/** Steps of a recurrence of which each is followed. Further ones are taken to add as much as the last of these on average. */
const mostSteps = 256;

/** What a stage computes. The values of a recurrence are as large at each step as in its result. */
function stageValue(stage: StageModel, known: ReadonlyMap<string, Value>, result: Contents & { readonly dtype: DType }): Value {
  const { steps, decay, name } = stage;
  if (steps === undefined) return computed(stage, known, result);
  let value: Value = { ...result, absolute: none, relative: none };
  const followed = Math.min(steps, mostSteps);
  for (let step = 0; step < followed; step++) {
    const next = computed(stage, new Map(known).set(name, value), result);
    const sum = decay ? binary("add", binary("mul", value, bodyValue(stage, decay, known)), next) : next;
    value = { ...value, absolute: finiteParts(sum.absolute), relative: finiteParts(sum.relative) };
  }
  const more = steps / followed;
  return { ...value, absolute: scaled(value.absolute, more), relative: scaled(value.relative, more) };
}

const finiteParts = (x: Parts): Parts => x.map((part) => finite(part, Number.MAX_VALUE)) as unknown as Parts;

function bodyValue(stage: StageModel, body: readonly StageStep[], known: ReadonlyMap<string, Value>): Value {
  const stack: Value[] = [];
  const pop = (): Value => {
    const value = stack.pop();
    if (value === undefined) throw new RangeError(`stage "${stage.name}": an operand is missing`);
    return value;
  };
  for (const step of body) {
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
  return pop();
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
 * The tolerance of every stage by name; of integers a whole number, 0 unless they were cast from floats. `contents`: those of
 * every input and stage, as the reference leaves them. Throws RangeError for a model whose stages read something unknown.
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
    const { absolute, relative } = stageValue(stage, known, result);
    const most = magnitude(result);
    const [a, r] = [settled(absolute, most), settled(relative, 1)];
    known.set(stage.name, { ...result, absolute: a, relative: r });
    const allowed = limited(2 * deviations * total(a), 2 * deviations * total(r), most);
    tolerances.set(
      stage.name,
      isFloat(stage.dtype) ? allowed : { atol: Math.floor(allowed.atol + allowed.rtol * most + 1e-6), rtol: 0 },
    );
  }
  return tolerances;
}

/**
 * An error that elements of the result share is shared by all later sums. A useless error is cut to `most`, which says nothing
 * where all elements are 0: the difference of a value and itself is no larger than its operands' errors in another right kernel.
 */
function settled([own, outside, all]: Parts, most: number): Parts {
  const cut = (x: number): number => Math.min(finite(x, most), most || Number.POSITIVE_INFINITY);
  return [cut(own), 0, cut(outside + all)];
}

function limited(atol: number, rtol: number, most: number): Tolerance {
  // Zeros are right where the reference has nothing else.
  if (most === 0) return { atol, rtol };
  const share = (atol + rtol * most) / (largestShare * most);
  return share > 1 ? { atol: atol / share, rtol: rtol / share } : { atol, rtol };
}
