/**
 * Checks of a body, whoever wrote it: not too deep for recursive functions, numbers that fit their type, indices within their
 * tensor.
 */
import { intRanges } from "@warpfarm/common";
import type { Expr, Var } from "../ir/expr.ts";
import { children, walkExpr } from "../ir/visit.ts";
import { refuse } from "./graph-error.ts";

/** Programs nest less (serial/program.ts), and their limit has its own message. */
const maxDepth = 500;

/** `extents`: those of the axes. Throws GraphError that names the compute. */
export function checkNumbersAndIndices(name: string, body: Expr, extents: ReadonlyMap<Var, number>): void {
  if (isDeeper(body, maxDepth))
    refuse(`compute "${name}" nests more than ${maxDepth} deep; split a long expression over several computes`);
  walkExpr(body, (e) => {
    if (e.kind === "IntImm") {
      const [least, most] = intRanges[e.dtype] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
      if (!Number.isInteger(e.value) || e.value < least || e.value > most)
        refuse(`compute "${name}" uses the ${e.dtype} number ${e.value}; at least ${least}, at most ${most}`);
    }
    if (e.kind !== "Load") return;
    for (const [d, index] of e.indices.entries()) {
      const extent = e.buffer.shape[d] ?? 0;
      const [least, most] = rangeOf(index, extents) ?? [0, 0];
      if (most >= 0 && least < extent) continue;
      const where = least === most ? `at ${least}` : `at ${least} to ${most}`;
      refuse(`compute "${name}" reads "${e.buffer.name}" ${where} in dimension ${d}, which has the elements 0 to ${extent - 1}`);
    }
  });
}

function isDeeper(e: Expr, depth: number): boolean {
  return depth === 0 || children(e).some((child) => isDeeper(child, depth - 1));
}

/**
 * The possible values of a sum of axes and numbers; undefined for other expressions. An index may leave its tensor only under a
 * condition.
 */
function rangeOf(e: Expr, extents: ReadonlyMap<Var, number>): readonly [number, number] | undefined {
  if (e.kind === "IntImm") return [e.value, e.value];
  if (e.kind === "Var") return [0, (extents.get(e) ?? 1) - 1];
  if (e.kind !== "Add" && e.kind !== "Sub" && e.kind !== "Mul") return undefined;
  const [a, b] = [rangeOf(e.a, extents), rangeOf(e.b, extents)];
  if (a === undefined || b === undefined) return undefined;
  if (e.kind === "Add") return [a[0] + b[0], a[1] + b[1]];
  if (e.kind === "Sub") return [a[0] - b[1], a[1] - b[0]];
  const ends = [a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]];
  return [Math.min(...ends), Math.max(...ends)];
}
