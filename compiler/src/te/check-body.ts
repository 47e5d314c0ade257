/**
 * Checks of a body, whoever wrote it: not too deep for recursive functions, numbers that fit their type, indices within their
 * tensor.
 */
import { intRanges } from "@warpfarm/common";
import type { Expr } from "../ir/expr.ts";
import { printExpr } from "../ir/print.ts";
import { children, walkExpr } from "../ir/visit.ts";
import { type Outside, readOutside, type Tensors } from "./contained.ts";
import { fillOf } from "./fill.ts";
import { refuse } from "./graph-error.ts";
import { type Box, isKnown } from "./value-range.ts";

/** Programs nest less (serial/program.ts), and their limit has its own message. */
const maxDepth = 500;

/** Throws GraphError that names the compute. */
export function checkNumbers(name: string, body: Expr): void {
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
export function checkReads(name: string, body: Expr, box: Box, tensors: Tensors): void {
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
