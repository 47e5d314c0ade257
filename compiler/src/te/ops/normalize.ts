/**
 * Softmax and normalizations of float tensors. Scales and biases are broadcast (elementwise.ts), so they end with the dimensions
 * they have.
 */
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import { compute } from "../compute.ts";
import { add, at, div, exp, log, mul, rsqrt, sub } from "../expr.ts";
import { refuse } from "../graph-error.ts";
import { axesOf, elementwise } from "./elementwise.ts";
import { dimensionOf, maxOver, meanOver, sumOver } from "./reductions.ts";
import { reshape } from "./shapes.ts";

interface SoftmaxOptions {
  readonly name?: string;
  /** Absent: the last. */
  readonly dimension?: number;
}

type Part = (x: Expr, ...rest: readonly Expr[]) => Expr;

/**
 * part(an element of x, its row's element of each statistic), where a row goes over the dimensions. Statistics lack these, so
 * that a schedule sees whose they are.
 */
function overRows(name: string, x: Buffer, dimensions: readonly number[], statistics: readonly Buffer[], part: Part): Buffer {
  const over = dimensions.map((d) => dimensionOf(name, x, d));
  return compute(name, axesOf(x.shape), (...index) => {
    const row = index.filter((_, d) => !over.includes(d));
    return part(at(x, ...index), ...statistics.map((each) => (row.length === 0 ? at(each, 0) : at(each, ...row))));
  });
}

function powers(name: string, x: Buffer, dimension: number) {
  const top = maxOver(x, [dimension], { name: `${name}_max`, drops: true });
  const power = overRows(`${name}_exp`, x, [dimension], [top], (a, m) => exp(sub(a, m as Expr)));
  return { top, power, total: sumOver(power, [dimension], { name: `${name}_sum`, drops: true }) };
}

/** e^(x - max), divided by the sum of these. */
export function softmax(x: Buffer, { name = "softmax", dimension = -1 }: SoftmaxOptions = {}): Buffer {
  const { power, total } = powers(name, x, dimension);
  return overRows(name, power, [dimension], [total], (a, s) => div(a, s as Expr));
}

/** x - max - log of the sum of e^(x - max) */
export function logSoftmax(x: Buffer, { name = "log_softmax", dimension = -1 }: SoftmaxOptions = {}): Buffer {
  const { top, total } = powers(name, x, dimension);
  return overRows(name, x, [dimension], [top, total], (a, m, s) => sub(sub(a, m as Expr), log(s as Expr)));
}

export interface NormOptions {
  readonly name?: string;
  readonly scale?: Buffer;
  readonly bias?: Buffer;
  /** Added to the variance or the mean square; absent: 1e-5. */
  readonly epsilon?: number;
}

/** normal scale + bias; the name of `normal` is another where it has one of these. */
function affine(name: string, { scale, bias }: NormOptions, normal: (name: string) => Buffer): Buffer {
  if (!scale && !bias) return normal(name);
  const extra = [scale, bias].filter((each) => each !== undefined);
  return elementwise(name, [normal(`${name}_normal`), ...extra], (own, ...rest) => {
    const scaled = scale ? mul(own as Expr, rest[0] as Expr) : (own as Expr);
    return bias ? add(scaled, rest.at(-1) as Expr) : scaled;
  });
}

const square = (name: string, x: Buffer): Buffer => elementwise(name, [x], (a) => mul(a as Expr, a as Expr));

interface OverOptions extends NormOptions {
  /** Absent: the last. */
  readonly dimensions?: readonly number[];
}

/** (x - mean) / sqrt(variance + epsilon), with mean and variance over the dimensions. */
export function layerNorm(x: Buffer, { name = "norm", dimensions = [-1], epsilon = 1e-5, ...rest }: OverOptions = {}): Buffer {
  const mean = meanOver(x, dimensions, { name: `${name}_mean`, drops: true });
  const centred = overRows(`${name}_centred`, x, dimensions, [mean], (a, m) => sub(a, m as Expr));
  const variance = meanOver(square(`${name}_square`, centred), dimensions, { name: `${name}_variance`, drops: true });
  return affine(name, rest, (own) =>
    overRows(own, centred, dimensions, [variance], (a, v) => mul(a, rsqrt(add(v as Expr, epsilon)))),
  );
}

/** x / sqrt(mean of x^2 + epsilon), with the mean over the dimensions. */
export function rmsNorm(x: Buffer, { name = "norm", dimensions = [-1], epsilon = 1e-5, ...rest }: OverOptions = {}): Buffer {
  const mean = meanOver(square(`${name}_square`, x), dimensions, { name: `${name}_mean`, drops: true });
  return affine(name, rest, (own) => overRows(own, x, dimensions, [mean], (a, m) => mul(a, rsqrt(add(m as Expr, epsilon)))));
}

/** Layer norm of each of `groups` parts of the channels of (N, C, ...). Scale and bias have the shape (C, 1, ...). */
export function groupNorm(x: Buffer, groups: number, { name = "norm", epsilon = 1e-5, ...rest }: NormOptions = {}): Buffer {
  const [n = 1, channels = 1, ...spatial] = x.shape;
  if (!Number.isSafeInteger(groups) || groups < 1 || channels % groups !== 0)
    refuse(`${name}: groups is ${groups}; it divides the ${channels} channels of "${x.name}"`);
  const inner = spatial.reduce((a, b) => a * b, channels / groups);
  const parts = layerNorm(reshape(x, [n, groups, inner], { name: `${name}_parts` }), { name: `${name}_groups`, epsilon });
  return affine(name, rest, (own) => reshape(parts, x.shape, { name: own }));
}

/** With statistics of before: (x - mean) / sqrt(variance + epsilon), each of shape (C, 1, ...) for x of (N, C, ...). */
export function batchNorm(
  x: Buffer,
  mean: Buffer,
  variance: Buffer,
  { name = "norm", epsilon = 1e-5, ...rest }: NormOptions = {},
): Buffer {
  return affine(name, rest, (own) =>
    elementwise(own, [x, mean, variance], (a, m, v) => mul(sub(a as Expr, m as Expr), rsqrt(add(v as Expr, epsilon)))),
  );
}
