/**
 * Compares an output with the reference, element by element: one passes when |x - ref| <= atol + rtol * |ref|. Integers are
 * equal, except those that were rounded from floats, as quantization does: they may be the next integer.
 * The tolerance is what the program states, else what the analysis of the reference's rounding errors gives (common/rounding.ts),
 * else, without stages, a rule of thumb. NaN never passes, on either side. The worst element is the one furthest beyond its
 * tolerance; NaN is beyond any number, and the first one wins.
 */
import {
  type Contents,
  type DType,
  dtypeBits,
  isFloat,
  type ManifestBuffer,
  type Mismatch,
  machineEpsilon,
  type StageModel,
  stageTolerances,
  type Tolerance,
} from "@warpfarm/common";
import { type Elements, elementsOf } from "./elements.ts";
import { elementCount } from "./inputs.ts";

export type Held = Contents & { readonly dtype: DType };

/**
 * The tolerance without stages: rtol = 4 eps(output), atol = 4 eps(lowest input) * sqrt(K) * max|a| * max|b|. Integers are
 * indices or exact, not magnitudes.
 */
function ruleOfThumb(output: ManifestBuffer, inputs: readonly Held[]): Tolerance {
  const floats = inputs.filter(({ dtype }) => isFloat(dtype));
  const epsilon = Math.max(...[output.dtype, ...floats.map((i) => i.dtype)].map(machineEpsilon));
  return { rtol: 4 * machineEpsilon(output.dtype), atol: 4 * epsilon * Math.sqrt(output.reduction) * largestTerm(floats) };
}

/** The product of the two greatest magnitudes of these tensors. */
export function largestTerm(floats: readonly Held[]): number {
  // A tensor of zeros is the start of a sum and not a factor of its products.
  const [a = 1, b = 1] = floats.map(({ low, high }) => Math.max(-low, high) || 1).sort((x, y) => y - x);
  return a * b;
}

/** The tolerance of every output by name. `held`: the contents of each input, stage and output of the reference's run. */
export function tolerancesOf(
  buffers: readonly ManifestBuffer[],
  stages: readonly StageModel[] | undefined,
  held: ReadonlyMap<string, Held>,
): ReadonlyMap<string, Tolerance> {
  const analysed = stages === undefined ? undefined : stageTolerances(stages, held);
  const inputs = buffers.flatMap(({ name, role }) => (role === "in" || role === "inout" ? (held.get(name) ?? []) : []));
  return new Map(
    buffers.map((spec) => {
      const { name, dtype, tolerance: stated } = spec;
      if (stated !== undefined) return [name, { atol: Number(stated.atol), rtol: Number(stated.rtol) }];
      if (!isFloat(dtype)) return [name, analysed?.get(name) ?? { atol: 0, rtol: 0 }];
      return [name, analysed?.get(name) ?? ruleOfThumb(spec, inputs)];
    }),
  );
}

/** Why an output of the reference has NaN; undefined when none has. */
export function notANumber(
  buffers: readonly ManifestBuffer[],
  stages: readonly StageModel[] = [],
  held: ReadonlyMap<string, Held>,
): string | undefined {
  const hasNan = ({ name }: { readonly name: string }) => (held.get(name)?.nan ?? 0) > 0;
  const output = buffers.find((buffer) => buffer.role !== "in" && hasNan(buffer));
  if (output === undefined) return undefined;
  const first = (stages.find(hasNan) ?? output).name;
  const stage = stages.find(({ name }) => name === first);
  const causes = (stage?.body ?? []).flatMap(([word]) => cause[word] ?? []);
  const why = causes.length > 0 ? `, which takes ${[...new Set(causes)].join(" and ")}` : "";
  const advice =
    "say how the inputs are filled (`fills.range(from, to)` at a placeholder, `fill` in a kernel's spec), so that they hold only numbers for which the computation is defined";
  return `it computes NaN, with which no output agrees, in ${held.get(first)?.nan} elements of "${first}"${why}; ${advice}`;
}

const cause: { readonly [word: string]: string } = { sqrt: "square roots", log: "logarithms", div: "quotients" };

/** Sums over the finite elements, and the number of the others, from which contents are computed. */
export interface Sums {
  readonly low: number;
  readonly high: number;
  readonly nearest: number;
  readonly sum: number;
  readonly squares: number;
  readonly nan: number;
  readonly infinite: number;
}

export const sumsOfBoth = (a: Sums, b: Sums): Sums => ({
  low: Math.min(a.low, b.low),
  high: Math.max(a.high, b.high),
  nearest: Math.min(a.nearest, b.nearest),
  sum: a.sum + b.sum,
  squares: a.squares + b.squares,
  nan: a.nan + b.nan,
  infinite: a.infinite + b.infinite,
});

export function heldOf(dtype: DType, count: number, { low, high, nearest, sum, squares, nan, infinite }: Sums): Held {
  const finite = count - nan - infinite;
  if (finite === 0) return { dtype, low: 0, high: 0, nearest: 0, mean: 0, rms: 0, nan, infinite };
  return { dtype, low, high, nearest, mean: sum / finite, rms: Math.sqrt(squares / finite), nan, infinite };
}

/** Contents of the elements in these bytes, which may be only the first ones. */
export function contentsOf(spec: Pick<ManifestBuffer, "dtype" | "shape">, bytes: Uint8Array): Held {
  const { dtype } = spec;
  const count = Math.min(elementCount(spec), Math.floor((bytes.length * 8) / dtypeBits(dtype)));
  const elements = elementsOf(dtype, bytes, count);
  let [low, high, nearest, sum, squares, nan, infinite] = [Infinity, -Infinity, Infinity, 0, 0, 0, 0];
  for (let i = 0; i < count; i++) {
    const x = Number(elements[i]);
    if (Number.isNaN(x)) nan++;
    else if (x === Infinity || x === -Infinity) infinite++;
    else {
      if (x < low) low = x;
      if (x > high) high = x;
      const size = x < 0 ? -x : x;
      if (size < nearest) nearest = size;
      sum += x;
      squares += x * x;
    }
  }
  return heldOf(dtype, count, { low, high, nearest, sum, squares, nan, infinite });
}

/** The worst disagreement of two raw buffers of equal dtype and shape, or undefined. */
export function worstMismatch(
  spec: ManifestBuffer,
  got: Uint8Array,
  expected: Uint8Array,
  tolerance: Tolerance,
): Mismatch | undefined {
  const count = elementCount(spec);
  return worstOf(spec, elementsOf(spec.dtype, got, count), elementsOf(spec.dtype, expected, count), count, tolerance);
}

/** The worst disagreement of two tensors' elements, or undefined. */
export function worstOf(
  spec: Pick<ManifestBuffer, "name" | "dtype">,
  x: Elements,
  ref: Elements,
  count: number,
  tolerance: Tolerance,
): Mismatch | undefined {
  const found = isFloat(spec.dtype) ? worstFloat(x, ref, count, tolerance) : worstInteger(x, ref, count);
  if (found === undefined) return undefined;
  const { index, wrong } = found;
  return { buffer: spec.name, index, expected: Number(ref[index]), got: Number(x[index]), count: wrong };
}

/**
 * The sums over the axes `sum_over`, in the order of the others. Those of integers are exact: of int64 in 64 bits, which wrap.
 */
export function sumsOver(
  { dtype, shape, sum_over: axes = [] }: Pick<ManifestBuffer, "dtype" | "shape" | "sum_over">,
  bytes: Uint8Array,
): Elements {
  const count = elementCount({ shape });
  const elements = elementsOf(dtype, bytes, count);
  // The step of the sum's place along each axis; 0 along those that are added up.
  const steps = shape.map(() => 0);
  let sums = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (axes.includes(axis)) continue;
    steps[axis] = sums;
    sums *= shape[axis] as number;
  }
  const made = dtype === "int64" ? new BigInt64Array(sums) : new Float64Array(sums);
  const at = shape.map(() => 0);
  let place = 0;
  for (let i = 0; i < count; i++) {
    (made as { [index: number]: number | bigint })[place] = ((made[place] as number) + (elements[i] as number)) as number;
    // The next element's place.
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      const step = steps[axis] as number;
      at[axis] = (at[axis] as number) + 1;
      place += step;
      if ((at[axis] as number) < (shape[axis] as number)) break;
      place -= step * (shape[axis] as number);
      at[axis] = 0;
    }
  }
  return made;
}

interface Worst {
  readonly index: number;
  readonly wrong: number;
}

function worstFloat(x: Elements, ref: Elements, count: number, { rtol, atol }: Tolerance): Worst | undefined {
  let wrong = 0;
  let index = -1;
  let worst = -1;
  for (let i = 0; i < count; i++) {
    const got = Number(x[i]);
    const want = Number(ref[i]);
    // Equal infinities have a NaN difference.
    if (got === want) continue;
    const excess = Math.abs(got - want) / (atol + rtol * Math.abs(want));
    if (excess <= 1) continue;
    wrong++;
    const badness = Number.isNaN(excess) ? Number.POSITIVE_INFINITY : excess;
    if (badness > worst) {
      worst = badness;
      index = i;
    }
  }
  return wrong === 0 ? undefined : { index, wrong };
}

function worstInteger(x: Elements, ref: Elements, count: number): Worst | undefined {
  let wrong = 0;
  let index = -1;
  let worst = -1;
  for (let i = 0; i < count; i++) {
    if (x[i] === ref[i]) continue;
    wrong++;
    const badness = Math.abs(Number(x[i]) - Number(ref[i]));
    if (badness > worst) {
      worst = badness;
      index = i;
    }
  }
  return wrong === 0 ? undefined : { index, wrong };
}
