/**
 * Declares tensors: `placeholder` for inputs, `compute` for everything else. A tensor is its Buffer, and its op is remembered
 * with it. So a body reads another tensor by loading from its buffer, and graphOf finds the rest.
 */
import { type DType, type Fill, intRanges } from "@warpfarm/common";
import type { Buffer } from "../ir/buffer.ts";
import { variable } from "../ir/build.ts";
import { identityOf } from "../ir/combiner.ts";
import type { Expr, Var } from "../ir/expr.ts";
import { printExpr } from "../ir/print.ts";
import { children, walkExpr } from "../ir/visit.ts";
import { type Outside, readOutside, type Tensors } from "./contained.ts";
import { fillOf, setFill } from "./fill.ts";
import type { Axis, Combiner, ComputeOp } from "./graph.ts";
import { checkExtent, checkName, refuse } from "./graph-error.ts";
import { type Box, boxOf, elementValues, isKnown } from "./value-range.ts";

const opOf = new WeakMap<Buffer, ComputeOp>();
export const computeOpOf = (tensor: Buffer): ComputeOp | undefined => opOf.get(tensor);

/** A reduction stands only at the top of a body: combiner over all iterations of `axes` of `body`. */
export interface Reduction {
  readonly kind: "Reduction";
  readonly combiner: Combiner;
  readonly body: Expr;
  readonly axes: readonly Axis[];
}

function tensor(name: string, dtype: DType, shape: readonly number[]): Buffer {
  checkName("tensor", name);
  if (shape.length === 0) refuse(`tensor "${name}" has no dimensions; a scalar is a tensor of shape [1]`);
  shape.forEach((extent, d) => {
    checkExtent(`dimension ${d} of tensor "${name}"`, extent);
  });
  const elements = shape.reduce((a, b) => a * b, 1);
  if (elements >= 2 ** 31) refuse(`tensor "${name}" has ${elements} elements; at most 2147483647 can be indexed`);
  return { name, dtype, shape, scope: "global" };
}

/** An input. `fill`: its contents when it is measured. Throws GraphError that names the tensor. */
export function placeholder(name: string, shape: readonly number[], dtype: DType = "float32", fill?: Fill): Buffer {
  if (!Array.isArray(shape)) refuse(`placeholder "${name}" has the shape ${String(shape)}; a shape is a list of whole numbers`);
  const input = tensor(name, dtype, [...shape]);
  return fill === undefined ? input : setFill(input, fill);
}

export const axis = (name: string, extent: number): Axis => ({
  loopVar: variable(checkName("axis", name)),
  extent: checkExtent(`axis "${name}"`, extent),
});

/** An axis to reduce over; it belongs to the one compute that uses it. */
export const reduceAxis = axis;

const reductionOf =
  (combiner: Combiner) =>
  (body: Expr, axes: readonly Axis[]): Reduction => ({ kind: "Reduction", combiner, body, axes });
export const sum = reductionOf("sum");
export const productOf = reductionOf("prod");
export const maxOf = reductionOf("max");
export const minOf = reductionOf("min");

const tensors: Tensors = { opOf: computeOpOf, valuesOf: (of) => elementValues(of, computeOpOf) };

function checkBody(name: string, body: Expr, axes: readonly Axis[]): void {
  const vars = boxOf(axes);
  checkNumbers(name, body);
  walkExpr(body, (e) => {
    if (e.kind === "Var" && !vars.has(e))
      refuse(
        `compute "${name}" uses the variable "${e.name}", which is none of its axes ${axes.map((a) => a.loopVar.name).join(", ")}`,
      );
    if (e.kind === "Ramp" || e.kind === "Broadcast" || e.kind === "Lookup")
      refuse(
        `compute "${name}" uses a vector or a table; bodies are scalar formulas, vectorize and curve are steps of a schedule`,
      );
    if (e.kind === "Load" && e.buffer.scope !== "global")
      refuse(`compute "${name}" reads "${e.buffer.name}" of scope ${e.buffer.scope}; tensors are global`);
    if (e.kind === "Load" && e.indices.some((i) => i.dtype !== "int32"))
      refuse(`compute "${name}" indexes "${e.buffer.name}" by something that is not int32`);
  });
  checkReads(name, body, vars, tensors);
}

/** The checked declaration behind compute and the decoder of programs. */
export function defineOp(name: string, axes: readonly Axis[], body: Expr | Reduction): Buffer {
  const reduce = body.kind === "Reduction" ? body.axes : [];
  const source = body.kind === "Reduction" ? body.body : body;
  const output = tensor(
    name,
    source.dtype,
    axes.map((a) => a.extent),
  );
  const names = [...axes, ...reduce].map((a) => a.loopVar.name);
  const twice = names.find((n, i) => names.indexOf(n) !== i);
  if (twice !== undefined) refuse(`compute "${name}" has two axes named "${twice}"`);
  checkBody(name, source, [...axes, ...reduce]);
  if (body.kind === "Reduction") {
    if (reduce.length === 0) refuse(`compute "${name}" reduces over no axis`);
    if (!identityOf(body.combiner, source.dtype))
      refuse(`compute "${name}" reduces ${source.dtype} by ${body.combiner}, which has no start value`);
  }
  opOf.set(output, {
    output,
    axes,
    reduce,
    body: source,
    ...(body.kind === "Reduction" ? { combiner: body.combiner } : {}),
  });
  return output;
}

/**
 * A tensor by its elements: `compute("c", [["i", n], ["j", m]], (i, j) => sum(mul(at(a, i, k), at(b, k, j)), [k]))`. Throws
 * GraphError that names the tensor on a bad name, extent or body.
 */
export function compute(
  name: string,
  axes: readonly (readonly [string, number])[],
  body: (...indices: Var[]) => Expr | Reduction,
): Buffer {
  if (!Array.isArray(axes) || !axes.every(Array.isArray))
    refuse(`compute "${name}" has the axes ${JSON.stringify(axes)}; axes are a list of [name, extent]`);
  const declared = axes.map(([axisName, extent]) => axis(axisName, extent));
  const made = body(...declared.map((a) => a.loopVar));
  if (typeof made?.kind !== "string")
    refuse(`the body of compute "${name}" gives ${JSON.stringify(made)}; it gives an expression, such as at(x, i)`);
  return defineOp(name, declared, made);
}

/** Programs nest less (serial/program.ts), and their limit has its own message. */
const maxDepth = 500;

function checkNumbers(name: string, body: Expr): void {
  if (isDeeper(body, maxDepth))
    refuse(`compute "${name}" nests more than ${maxDepth} deep; split a long expression over several computes`);
  walkExpr(body, (e) => {
    if (e.kind !== "IntImm") return;
    const [least, most] = intRanges[e.dtype] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    if (!Number.isInteger(e.value) || e.value < least || e.value > most)
      refuse(`compute "${name}" uses the ${e.dtype} number ${e.value}; at least ${least}, at most ${most}`);
  });
}

function isDeeper(e: Expr, depth: number): boolean {
  return depth === 0 || children(e).some((child) => isDeeper(child, depth - 1));
}

/** `box`: the values of the axes. Throws GraphError that names the compute, the tensor and the index. */
function checkReads(name: string, body: Expr, box: Box, tensors: Tensors): void {
  const outside = readOutside(body, box, tensors);
  if (outside) refuse(`compute "${name}" ${wordsOf(outside, tensors)}`);
}

/** Longer expressions are cut in the middle of a sentence. */
const mostLetters = 120;
const shown = (e: Expr): string => {
  const text = printExpr(e);
  return text.length <= mostLetters ? text : `${text.slice(0, mostLetters)}...`;
};

function wordsOf({ load, dimension, range, conditions, example }: Outside, { opOf }: Tensors): string {
  const { name, shape } = load.buffer;
  const index = load.indices[dimension] as Expr;
  const isConstant = index.kind === "IntImm";
  const verb = example?.isSure ? "reads" : "may read";
  const values = isConstant
    ? ""
    : isKnown(range)
      ? `, which is ${range.lo === range.hi ? range.lo : `${range.lo} to ${range.hi}`}`
      : ", whose values are unbounded or beyond int32";
  const under = conditions.length === 0 ? "" : ` under ${conditions.map(shown).join(" and ")}`;
  const place = `"${name}" at ${shown(index)} in dimension ${dimension}${values}${under}`;
  const has = `"${name}" has the elements 0 to ${(shape[dimension] ?? 0) - 1} there`;
  const at = example?.at.map(([what, value]) => `${shown(what)} = ${value}`).join(", ");
  const found =
    example === undefined
      ? "; it could not be proven that the index stays within"
      : at === ""
        ? ""
        : `, and where ${at} the index is ${Number.isFinite(example.index) ? example.index : "beyond them"}`;
  const inputs = [...new Set(example?.at.flatMap(([what]) => (what.kind === "Load" && !opOf(what.buffer) ? [what.buffer] : [])))];
  const fill = inputs.map((input) =>
    fillOf(input) === undefined
      ? `say what "${input.name}" holds by a fill (fills.below(n) at its placeholder), `
      : `narrow the fill of "${input.name}", `,
  );
  return `${verb} ${place}; ${has}${found}; ${fill.join("")}guard the read by select, clamp the index by minimum and maximum, or change an extent`;
}
