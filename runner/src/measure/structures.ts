/**
 * Inputs of other structure than those that are timed. A kernel that relies on what random inputs are like (no great value, no
 * small one, rows of all lengths, a weight that is declared to be 1) is wrong on some of them; an honest one is right on all.
 *
 *   scaled by 10, moved by 5, small    floats of a normal distribution; moved by 5 of its deviations
 *   tails                              one element of 61 is 100 times as great
 *   ramp                               elements ascend, so that the greatest are neighbours
 *   high, low                          ranges at one end; floats within a 64th of it
 *   uneven                             of a range of integers, one of 64 is the upper end and the others the lower
 *   perturbed                          floats that are declared constant, by a quarter
 *
 * Files, permutations, constant integers and integers without a range stay what they are.
 */
import { dtypeBytes, type Fill, isFloat, type ManifestBuffer, machineEpsilon, normalValue, philoxBits } from "@warpfarm/common";
import { elementCount, fillElements } from "./inputs.ts";

/** How an input differs from the usual: its fill, and the value of each of its first elements, given random bits. */
export interface Change {
  readonly fill?: Fill;
  readonly first?: (index: number, bits: number) => number;
}

export interface Structure {
  readonly name: string;
  /** Undefined: this input is as its program says. */
  readonly changeOf: (input: ManifestBuffer) => Change | undefined;
}

interface Normal {
  readonly mean: number;
  readonly deviation: number;
}

/** The distribution of a float input; undefined where the program says another thing. */
function normalOf({ dtype, fill }: ManifestBuffer): Normal | undefined {
  if (!isFloat(dtype)) return undefined;
  if (fill === undefined) return { mean: 0, deviation: 1 };
  if (typeof fill !== "object" || fill.kind !== "normal") return undefined;
  return { mean: Number(fill.mean), deviation: Number(fill.deviation) };
}

const normal = (mean: number, deviation: number): Change => ({
  fill: { kind: "normal", mean: String(mean), deviation: String(deviation) },
});
const constant = (value: number): Change => ({ fill: { kind: "constant", value: String(value) } });

const ofNormal = (name: string, change: (given: Normal, input: ManifestBuffer) => Change): Structure => ({
  name,
  changeOf: (input) => {
    const given = normalOf(input);
    return given && change(given, input);
  },
});

const ofRange = (name: string, change: (from: number, to: number, isFloats: boolean) => Change | undefined): Structure => ({
  name,
  changeOf: ({ dtype, fill }) =>
    typeof fill === "object" && fill.kind === "range" ? change(Number(fill.from), Number(fill.to), isFloat(dtype)) : undefined,
});

const range = (from: number, to: number): Change => ({ fill: { kind: "range", from: String(from), to: String(to) } });
/** Half-precision products of smaller values have no bits left. */
const smallness = ({ dtype }: ManifestBuffer): number => (machineEpsilon(dtype) > 2 ** -12 ? 2 ** -4 : 2 ** -14);

export const structures: readonly Structure[] = [
  ofNormal("scaled by 10", ({ mean, deviation }) => normal(10 * mean, 10 * deviation)),
  ofNormal("moved by 5", ({ mean, deviation }) => normal(mean + 5 * deviation, deviation)),
  ofNormal("small", ({ mean, deviation }, input) => normal(mean * smallness(input), deviation * smallness(input))),
  ofNormal("tails", ({ mean, deviation }) => ({
    first: (index, bits) => mean + deviation * normalValue(bits) * (index % 61 === 7 ? 100 : 1),
  })),
  ofNormal("ramp", ({ mean, deviation }) => ({ first: (index) => mean + deviation * ((index % 8192) / 2048 - 2) })),
  ofRange("high", (from, to, isFloats) => (isFloats ? range(to - (to - from) / 64, to) : constant(to))),
  ofRange("low", (from, to, isFloats) => (isFloats ? range(from, from + (to - from) / 64) : constant(from))),
  ofRange("uneven", (from, to, isFloats) =>
    isFloats ? undefined : { ...constant(from), first: (index) => (index % 64 === 5 ? to : from) },
  ),
  {
    name: "perturbed",
    changeOf: ({ dtype, fill }) =>
      isFloat(dtype) && typeof fill === "object" && fill.kind === "constant"
        ? normal(Number(fill.value), Math.abs(Number(fill.value)) / 4 || 0.25)
        : undefined,
  },
];

/** Elements that JavaScript writes in a few milliseconds. */
const mostWritten = 1 << 16;

/** The bytes of the first elements. `number`: the input's among the buffers. */
export function firstBytes(
  { dtype, shape }: ManifestBuffer,
  first: NonNullable<Change["first"]>,
  seed: number,
  number: number,
): Uint8Array {
  const count = Math.min(elementCount({ shape }), mostWritten);
  const bytes = new Uint8Array(new ArrayBuffer(8 * Math.ceil(dtypeBytes(dtype, count) / 8)));
  fillElements(dtype, bytes, count, seed, number, (index) => first(index, philoxBits(seed, number, index)));
  return bytes.subarray(0, dtypeBytes(dtype, count));
}
