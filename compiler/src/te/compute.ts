/**
 * Declares tensors: `placeholder` for inputs, `compute` for everything else. A tensor is its Buffer, and its op is remembered
 * with it. So a body reads another tensor by loading from its buffer, and graphOf finds the rest.
 */
import { type DType, defined, type Fill, intRanges } from "@warpfarm/common";
import { type Buffer, mostElements } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import { identityOf } from "../ir/combiner.ts";
import { exprEqual } from "../ir/equal.ts";
import type { Expr, Var } from "../ir/expr.ts";
import { printExpr } from "../ir/print.ts";
import { children, rewriteExpr, substitute, walkExpr } from "../ir/visit.ts";
import { formulasOf } from "./access.ts";
import { type Outside, readOutside, type Tensors } from "./contained.ts";
import { fillOf, setFill } from "./fill.ts";
import type { Axis, Combiner, ComputeOp } from "./graph.ts";
import { checkExtent, checkName, checkType, optionsOf, refuse } from "./graph-error.ts";
import { anyValue, type Box, boxOf, elementValues, isKnown } from "./value-range.ts";

const opOf = new WeakMap<Buffer, ComputeOp>();
export const computeOpOf = (tensor: Buffer): ComputeOp | undefined => opOf.get(tensor);

/** A reduction stands only at the top of a body: combiner over all iterations of `axes` of `body`. */
export interface Reduction {
  readonly kind: "Reduction";
  readonly combiner: Combiner;
  readonly body: Expr;
  readonly axes: readonly Axis[];
  readonly decay?: Expr;
}

/** Elements along an axis, each from the one before: `body` reads `own` there. */
interface Scan {
  readonly kind: "Scan";
  readonly along: Axis;
  readonly dtype: DType;
  body(own: Buffer): Expr;
}

function tensor(name: string, dtype: DType, shape: readonly number[]): Buffer {
  checkName("tensor", name);
  checkType(`tensor "${name}"`, dtype);
  if (shape.length === 0) refuse(`tensor "${name}" has no dimensions; a scalar is a tensor of shape [1]`);
  shape.forEach((extent, d) => {
    checkExtent(`dimension ${d} of tensor "${name}"`, extent);
  });
  return { name, dtype, shape, scope: "global" };
}

/** Refuses a tensor that has too many elements for memory. One that is computed may have more: its schedule keeps parts of it. */
export function checkStored({ name, shape }: Buffer): void {
  const elements = shape.reduce((a, b) => a * b, 1);
  if (elements > mostElements) refuse(`tensor "${name}" has ${elements} elements; at most ${mostElements} can be numbered`);
}

/** An input. `fill`: its contents when it is measured. Throws GraphError that names the tensor. */
export function placeholder(name: string, shape: readonly number[], dtype: DType = "float32", fill?: Fill): Buffer {
  if (!Array.isArray(shape)) refuse(`placeholder "${name}" has the shape ${String(shape)}; a shape is a list of whole numbers`);
  const input = tensor(name, dtype, [...shape]);
  checkStored(input);
  return fill === undefined ? input : setFill(input, fill);
}

export const axis = (name: string, extent: number): Axis => ({
  loopVar: b.variable(checkName("axis", name)),
  extent: checkExtent(`axis "${name}"`, extent),
});

/** An axis to reduce over; it belongs to the one compute that uses it. */
export const reduceAxis = axis;

const reductionOf =
  (combiner: Combiner) =>
  (body: Expr, axes: readonly Axis[]): Reduction => {
    if (!Array.isArray(axes)) refuse(`the ${combiner} of a reduction is over a list of axes, such as [reduceAxis("k", 64)]`);
    return { kind: "Reduction", combiner, body, axes };
  };

interface SumOptions {
  /** See ComputeOp.decay. */
  readonly decay?: Expr;
}
/**
 * With `decay` a recurrence: over [b, j] it is acc = acc * decay(b) + (sum over j of the body at b, j), for each b in order, from
 * 0. The decay is an expression over the axes of the compute and the first reduce axis.
 */
export const sum = (body: Expr, axes: readonly Axis[], options: SumOptions = {}): Reduction => ({
  ...reductionOf("sum")(body, axes),
  ...defined({ decay: optionsOf("sum", options, ["decay"]).decay }),
});
export const productOf = reductionOf("prod");
export const maxOf = reductionOf("max");
export const minOf = reductionOf("min");

const tensors: Tensors = { opOf: computeOpOf, valuesOf: (of) => elementValues(of, computeOpOf) };

/** `own`: the tensor of the compute, where its body may read it. */
function checkBody(name: string, body: Expr, axes: readonly Axis[], own?: Buffer): void {
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
  checkReads(name, body, vars, {
    ...tensors,
    valuesOf: (of) => (of === own ? anyValue(of.dtype) : tensors.valuesOf(of)),
  });
}

function checkDecay(name: string, { combiner, body, axes: reduce, decay }: Reduction, axes: readonly Axis[]): void {
  if (decay === undefined) return;
  if (combiner !== "sum") refuse(`compute "${name}" has a decay and reduces by ${combiner}; sums have a decay`);
  if (decay.dtype !== body.dtype)
    refuse(`compute "${name}" sums ${body.dtype} and has a decay of ${decay.dtype}; cast one of them`);
  checkBody(name, decay, [...axes, ...reduce.slice(0, 1)]);
}

/** Every element needs exactly the one before along the axis, so that one pass in order gives all. */
function checkOwnReads(name: string, own: Buffer, axes: readonly Axis[], along: Axis, body: Expr): void {
  let count = 0;
  walkExpr(body, (e) => {
    if (e.kind !== "Load" || e.buffer !== own) return;
    count++;
    const isBefore = axes.every((a, d) => exprEqual(e.indices[d] as Expr, a === along ? b.sub(a.loopVar, b.int(1)) : a.loopVar));
    if (!isBefore)
      refuse(
        `scan "${name}" reads itself at ${e.indices.map(shown).join(", ")}; a step reads the element before along "${along.loopVar.name}"`,
      );
  });
  if (count === 0) refuse(`scan "${name}" uses nothing of the element before; compute makes elements that need no other`);
}

/** The checked declaration behind compute, scan and the decoder of programs. */
export function defineOp(name: string, axes: readonly Axis[], body: Expr | Reduction | Scan): Buffer {
  const made = "dtype" in body ? body.dtype : body.body.dtype;
  const output = tensor(
    name,
    made,
    axes.map((a) => a.extent),
  );
  const reduce = body.kind === "Reduction" ? body.axes : [];
  const names = [...axes, ...reduce].map((a) => a.loopVar.name);
  const twice = names.find((n, i) => names.indexOf(n) !== i);
  if (twice !== undefined) refuse(`compute "${name}" has two axes named "${twice}"`);
  const source = body.kind === "Reduction" ? body.body : body.kind === "Scan" ? body.body(output) : body;
  if (source.dtype !== made) refuse(`scan "${name}" starts with ${made} and gives ${source.dtype}; cast one of them`);
  checkBody(name, source, [...axes, ...reduce], output);
  if (body.kind === "Scan") checkOwnReads(name, output, axes, body.along, source);
  if (body.kind === "Reduction") {
    if (reduce.length === 0) refuse(`compute "${name}" reduces over no axis`);
    if (!identityOf(body.combiner, source.dtype))
      refuse(`compute "${name}" reduces ${source.dtype} by ${body.combiner}, which has no start value`);
    checkDecay(name, body, axes);
  }
  opOf.set(output, {
    output,
    axes,
    reduce,
    body: source,
    ...(body.kind === "Reduction" ? { combiner: body.combiner, ...defined({ decay: body.decay }) } : {}),
    ...(body.kind === "Scan" ? { scan: body.along } : {}),
  });
  return output;
}

/**
 * The op again, of another name and with axes of its own. `put`: rewrites its expressions, whose variables are still the op's.
 */
export function remade(op: ComputeOp, name: string, put: (e: Expr) => Expr = (e) => e): Buffer {
  const again = ({ loopVar, extent }: Axis): Axis => axis(loopVar.name, extent);
  const [axes, reduce] = [op.axes.map(again), op.reduce.map(again)];
  const old = [...op.axes, ...op.reduce];
  const vars = new Map<Var, Expr>([...axes, ...reduce].map(({ loopVar }, i) => [(old[i] as Axis).loopVar, loopVar]));
  const [body, decay] = formulasOf(op).map((e) => substitute(put(e), vars)) as [Expr, Expr?];
  if (op.combiner)
    return defineOp(name, axes, { kind: "Reduction", combiner: op.combiner, body, axes: reduce, ...defined({ decay }) });
  if (!op.scan) return defineOp(name, axes, body);
  const reading = (own: Buffer) =>
    rewriteExpr(body, (e) => (e.kind === "Load" && e.buffer === op.output ? b.load(own, e.indices) : e));
  const along = axes[op.axes.indexOf(op.scan)] as Axis;
  return defineOp(name, axes, { kind: "Scan", along, dtype: op.output.dtype, body: reading });
}

function declaredAxes(what: string, name: string, axes: readonly (readonly [string, number])[]): readonly Axis[] {
  if (!Array.isArray(axes) || !axes.every(Array.isArray))
    refuse(`${what} "${name}" has the axes ${JSON.stringify(axes)}; axes are a list of [name, extent]`);
  return axes.map(([axisName, extent]) => axis(axisName, extent));
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
  const declared = declaredAxes("compute", name, axes);
  const made = body(...declared.map((a) => a.loopVar));
  if (typeof made?.kind !== "string")
    refuse(`the body of compute "${name}" gives ${JSON.stringify(made)}; it gives an expression, such as at(x, i)`);
  return defineOp(name, declared, made);
}

/**
 * A tensor whose elements along one axis follow from each other, from its first to its last: with the axes i and b, and along b,
 *
 *   out[i, 0] = step(start(i, 0), i, 0)      out[i, b] = step(out[i, b - 1], i, b)
 *
 * `scan("total", [["i", n], ["b", m]], "b", () => constant(0, "float32"), (before, i, b) => add(before, at(x, i, b)))` sums along
 * the rows of x. Throws GraphError that names the tensor on a bad name, extent, start or step.
 */
export function scan(
  name: string,
  axes: readonly (readonly [string, number])[],
  along: string,
  start: (...indices: Var[]) => Expr,
  step: (before: Expr, ...indices: Var[]) => Expr,
): Buffer {
  const declared = declaredAxes("scan", name, axes);
  const over =
    declared.find(({ loopVar }) => loopVar.name === along) ??
    refuse(`scan "${name}" goes along "${along}", which is none of its axes ${axes.map(([axisName]) => axisName).join(", ")}`);
  const indices = declared.map((a) => a.loopVar);
  const first = expression(`the start of scan "${name}"`, start(...indices));
  return defineOp(name, declared, {
    kind: "Scan",
    along: over,
    dtype: first.dtype,
    body(own) {
      const before = b.load(
        own,
        indices.map((v) => (v === over.loopVar ? b.sub(v, b.int(1)) : v)),
      );
      const value = step(b.select(b.gt(over.loopVar, b.int(0)), before, first), ...indices);
      return expression(`the step of scan "${name}"`, value);
    },
  });
}

function expression(what: string, made: Expr | Reduction): Expr {
  if (made?.kind === "Reduction") refuse(`${what} gives a reduction; give it a compute of its own and read that by at`);
  if (typeof made?.kind !== "string" || !("dtype" in made))
    refuse(`${what} gives ${JSON.stringify(made)}; it gives an expression, such as at(x, i) or constant(0, "float32")`);
  return made as Expr;
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
