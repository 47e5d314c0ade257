/**
 * Softmax and normalizations of float tensors. Scales and biases are broadcast (elementwise.ts), so they end with the dimensions
 * they have.
 */
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import { add, div, exp, log, mul, rsqrt, sub } from "../expr.ts";
import { optionsOf, refuse } from "../graph-error.ts";
import { elementwise } from "./elementwise.ts";
import { dimensionOf, maxOver, meanOver, sumOver } from "./reductions.ts";
import { reshape } from "./shapes.ts";

interface SoftmaxOptions {
  readonly name?: string;
  /** Absent: the last. */
  readonly dimension?: number;
}

function powers(name: string, x: Buffer, dimension: number) {
  const d = dimensionOf(name, x, dimension);
  const top = maxOver(x, [d], { name: `${name}_max` });
  const power = elementwise(`${name}_exp`, [x, top], (a, m) => exp(sub(a as Expr, m as Expr)));
  return { top, power, total: sumOver(power, [d], { name: `${name}_sum` }) };
}

/** e^(x - max), divided by the sum of these. */
export function softmax(x: Buffer, options: SoftmaxOptions = {}): Buffer {
  const { name = "softmax", dimension = -1 } = optionsOf("softmax", options, ["name", "dimension"]);
  const { power, total } = powers(name, x, dimension);
  return elementwise(name, [power, total], (a, s) => div(a as Expr, s as Expr));
}

/** x - max - log of the sum of e^(x - max) */
export function logSoftmax(x: Buffer, options: SoftmaxOptions = {}): Buffer {
  const { name = "log_softmax", dimension = -1 } = optionsOf("logSoftmax", options, ["name", "dimension"]);
  const { top, total } = powers(name, x, dimension);
  return elementwise(name, [x, top, total], (a, m, s) => sub(sub(a as Expr, m as Expr), log(s as Expr)));
}

export interface NormOptions {
  readonly name?: string;
  readonly scale?: Buffer;
  readonly bias?: Buffer;
  /** Added to the variance or the mean square; absent: 1e-5. */
  readonly epsilon?: number;
}

const normNames = ["name", "scale", "bias", "epsilon"] as const;

type Part = (x: Expr, ...rest: readonly Expr[]) => Expr;

/** part(operands) scale + bias */
function affine(name: string, operands: readonly Buffer[], { scale, bias }: NormOptions, part: Part): Buffer {
  const extra = [scale, bias].filter((each) => each !== undefined);
  return elementwise(name, [...operands, ...extra], (...elements) => {
    const own = part(...(elements.slice(0, operands.length) as [Expr, ...Expr[]]));
    const [first, last] = [elements[operands.length] as Expr, elements.at(-1) as Expr];
    const scaled = scale ? mul(own, first) : own;
    return bias ? add(scaled, last) : scaled;
  });
}

const square = (name: string, x: Buffer): Buffer => elementwise(name, [x], (a) => mul(a as Expr, a as Expr));

interface OverOptions extends NormOptions {
  /** Absent: the last. */
  readonly dimensions?: readonly number[];
}

/** (x - mean) / sqrt(variance + epsilon), with mean and variance over the dimensions. */
export function layerNorm(x: Buffer, options: OverOptions = {}): Buffer {
  const {
    name = "norm",
    dimensions = [-1],
    epsilon = 1e-5,
    ...rest
  } = optionsOf("layerNorm", options, [...normNames, "dimensions"]);
  const mean = meanOver(x, dimensions, { name: `${name}_mean` });
  const centred = elementwise(`${name}_centred`, [x, mean], (a, m) => sub(a as Expr, m as Expr));
  const variance = meanOver(square(`${name}_square`, centred), dimensions, { name: `${name}_variance` });
  return affine(name, [centred, variance], rest, (a, v) => mul(a, rsqrt(add(v as Expr, epsilon))));
}

/** x / sqrt(mean of x^2 + epsilon), with the mean over the dimensions. */
export function rmsNorm(x: Buffer, options: OverOptions = {}): Buffer {
  const {
    name = "norm",
    dimensions = [-1],
    epsilon = 1e-5,
    ...rest
  } = optionsOf("rmsNorm", options, [...normNames, "dimensions"]);
  const mean = meanOver(square(`${name}_square`, x), dimensions, { name: `${name}_mean` });
  return affine(name, [x, mean], rest, (a, m) => mul(a, rsqrt(add(m as Expr, epsilon))));
}

/** Layer norm of each of `groups` parts of the channels of (N, C, ...). Scale and bias have the shape (C, 1, ...). */
export function groupNorm(x: Buffer, groups: number, options: NormOptions = {}): Buffer {
  const { name = "norm", epsilon = 1e-5, ...rest } = optionsOf("groupNorm", options, normNames);
  const [n = 1, channels = 1, ...spatial] = x.shape;
  if (!Number.isSafeInteger(groups) || groups < 1 || channels % groups !== 0)
    refuse(`${name}: groups is ${groups}; it divides the ${channels} channels of "${x.name}"`);
  const inner = spatial.reduce((a, b) => a * b, channels / groups);
  const parts = layerNorm(reshape(x, [n, groups, inner], { name: `${name}_parts` }), { name: `${name}_normal`, epsilon });
  return affine(name, [reshape(parts, x.shape, { name: `${name}_whole` })], rest, (a) => a);
}

/** With statistics of before: (x - mean) / sqrt(variance + epsilon), each of shape (C, 1, ...) for x of (N, C, ...). */
export function batchNorm(x: Buffer, mean: Buffer, variance: Buffer, options: NormOptions = {}): Buffer {
  const { name = "norm", epsilon = 1e-5, ...rest } = optionsOf("batchNorm", options, normNames);
  return affine(name, [x, mean, variance], rest, (a, m, v) => mul(sub(a, m as Expr), rsqrt(add(v as Expr, epsilon))));
}
