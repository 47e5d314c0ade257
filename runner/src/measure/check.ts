/**
 * Does an output agree with the reference? Every element is compared (design §3a): integers exactly; floats pass when
 * |x - ref| <= atol + rtol * |ref|, with rtol = 4 eps(output) and atol = 4 eps(lowest input or accumulate) * sqrt(K) * max|a| * max|b|.
 * NaN never passes, on either side. Worst is the element furthest beyond its tolerance; NaN is beyond any number, the first one wins.
 */
import { type DType, isFloat, type ManifestBuffer, type Mismatch, machineEpsilon } from "@warpfarm/common";
import { type Elements, elementsOf } from "./elements.ts";
import { elementCount } from "./inputs.ts";

export interface Tolerance {
  readonly rtol: number;
  readonly atol: number;
}

export interface InputFacts {
  readonly dtype: DType;
  readonly maxAbs: number;
}

/** The manifest does not name the accumulator's type; it is at least as wide as the output. */
export function toleranceOf(output: Pick<ManifestBuffer, "dtype" | "reduction">, inputs: readonly InputFacts[]): Tolerance {
  if (!isFloat(output.dtype)) return { rtol: 0, atol: 0 };
  const epsilon = Math.max(...[output.dtype, ...inputs.map((i) => i.dtype)].map(machineEpsilon));
  const [a = 1, b = 1] = inputs.map((i) => i.maxAbs).sort((x, y) => y - x);
  return { rtol: 4 * machineEpsilon(output.dtype), atol: 4 * epsilon * Math.sqrt(output.reduction) * a * b };
}

/** The worst disagreement of two raw buffers of the same dtype and shape, or undefined. */
export function worstMismatch(
  spec: ManifestBuffer,
  got: Uint8Array,
  expected: Uint8Array,
  tolerance: Tolerance,
): Mismatch | undefined {
  const count = elementCount(spec);
  const x = elementsOf(spec.dtype, got, count);
  const ref = elementsOf(spec.dtype, expected, count);
  const found = isFloat(spec.dtype) ? worstFloat(x, ref, count, tolerance) : worstInteger(x, ref, count);
  if (found === undefined) return undefined;
  const { index, wrong } = found;
  return { buffer: spec.name, index, expected: Number(ref[index]), got: Number(x[index]), count: wrong };
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
