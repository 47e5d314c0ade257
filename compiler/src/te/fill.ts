/**
 * How an input is filled for measuring, and the tolerance of an output, where the defaults do not suit a computation. Fills
 * belong to placeholders, tolerances to graphs; both travel in the program.
 */
import { type DType, type Fill, fillFault, isFloat, numberOf, type StatedTolerance } from "@warpfarm/common";
import type { Buffer } from "../ir/buffer.ts";
import { optionsOf, refuse } from "./graph-error.ts";

const fillOfInput = new WeakMap<Buffer, Fill>();

/** Undefined = the default: floats of a standard normal distribution, whole numbers of a byte. */
export const fillOf = (input: Buffer): Fill | undefined => fillOfInput.get(input);

/** Values for a placeholder's last argument. */
export const fills = {
  /** Floats uniform from `from` to `to`, or integers from `from` to `to`, both included. */
  range: (from: number, to: number): Fill => ({ kind: "range", from: String(from), to: String(to) }),
  /** Floats from 1/256 to 1: variances, arguments of logarithms and roots. */
  positive: { kind: "range", from: "0.00390625", to: "1" } as Fill,
  /** Integers from 0, below `n`: indices into n elements. */
  below: (n: number): Fill => ({ kind: "range", from: "0", to: String(n - 1) }),
  /** Each row has 0 .. n-1 once each, in a random order of its own. */
  permutation: { kind: "permutation" } as Fill,
  constant: (value: number): Fill => ({ kind: "constant", value: String(value) }),
  /** Floats of a normal distribution, `deviation` > 0 its standard deviation: weights whose size matters. */
  normal: (mean: number, deviation: number): Fill => ({ kind: "normal", mean: String(mean), deviation: String(deviation) }),
} as const;

const kinds: readonly unknown[] = ["range", "permutation", "constant", "normal"] satisfies Fill["kind"][];

/** Throws GraphError naming the tensor. */
export function setFill(input: Buffer, fill: Fill): Buffer {
  if (!kinds.includes((fill as Partial<Fill> | null)?.kind))
    refuse(
      `fill of "${input.name}" is ${typeof fill === "function" ? "a function that is not called" : JSON.stringify(fill)}; it takes fills.range(from, to), fills.positive, fills.below(n), fills.permutation, fills.constant(x) or fills.normal(mean, deviation)`,
    );
  const fault = fillFault(input.dtype, input.shape, fill);
  if (fault !== undefined) refuse(`fill of "${input.name}": ${fault}`);
  fillOfInput.set(input, fill);
  return input;
}

/** An absent number is 0. */
export interface ToleranceOptions {
  readonly atol?: number;
  readonly rtol?: number;
}

/** Why an output of this dtype cannot have this tolerance, as the end of a sentence. */
export function toleranceFault(dtype: DType, { atol, rtol }: StatedTolerance): string | undefined {
  if (!isFloat(dtype)) return `it is of ${dtype}; whole numbers are compared exactly`;
  const bad = [atol, rtol].find((text) => !((numberOf(text) ?? -1) >= 0));
  return bad === undefined ? undefined : `${JSON.stringify(bad)} is not a number from 0`;
}

export function statedTolerance(output: Buffer, options: ToleranceOptions): StatedTolerance {
  const { atol = 0, rtol = 0 } = optionsOf(`the tolerance of "${output.name}"`, options, ["atol", "rtol"]);
  const stated = { atol: String(atol), rtol: String(rtol) };
  const fault = toleranceFault(output.dtype, stated);
  return fault === undefined ? stated : refuse(`tolerance of "${output.name}": ${fault}`);
}
