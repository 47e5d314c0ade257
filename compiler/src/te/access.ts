/**
 * How the loads of a body move with its axes, from the index expressions alone: what rules for schedules ask of a computation.
 */
import { gcd } from "../arith/linear.ts";
import { exprEqual } from "../ir/equal.ts";
import type { Expr, Load, Var } from "../ir/expr.ts";
import { children, someExpr, walkExpr } from "../ir/visit.ts";
import type { Axis, ComputeOp } from "./graph.ts";

/** All expressions of an op. */
export const formulasOf = (op: { readonly body: Expr; readonly decay?: Expr | undefined }): readonly Expr[] =>
  op.decay === undefined ? [op.body] : [op.body, op.decay];

/** The axis whose steps are done in order. */
export const orderedAxis = ({ scan, decay, reduce }: ComputeOp): Axis | undefined => (decay === undefined ? scan : reduce[0]);

/** Different accesses of a body; equal ones count once. */
export function accessesOf(body: Expr): readonly Load[] {
  const found: Load[] = [];
  walkExpr(body, (e) => {
    if (e.kind === "Load" && !found.some((known) => exprEqual(known, e))) found.push(e);
  });
  return found;
}

/** Does a variable of which `some` holds occur in the expression? */
export const reads = (e: Expr, some: (v: Var) => boolean): boolean => someExpr(e, (part) => part.kind === "Var" && some(part));

/** Does the load's place depend on other tensors? */
export const gathers = ({ indices }: Load): boolean => indices.some((index) => accessesOf(index).length > 0);

/** Coefficients of the variables; undefined where the expression is not a sum of multiples of variables. */
export function coefficients(e: Expr): ReadonlyMap<Var, number> | undefined {
  switch (e.kind) {
    case "IntImm":
      return new Map();
    case "Var":
      return new Map([[e, 1]]);
    case "Add":
    case "Sub": {
      const [a, b] = [coefficients(e.a), coefficients(e.b)];
      if (!a || !b) return undefined;
      const sum = new Map(a);
      for (const [v, c] of b) sum.set(v, (sum.get(v) ?? 0) + (e.kind === "Add" ? c : -c));
      return sum;
    }
    case "Mul": {
      const [factor, rest] = e.a.kind === "IntImm" ? [e.a, e.b] : [e.b, e.a];
      const of = factor.kind === "IntImm" ? coefficients(rest) : undefined;
      return of && new Map([...of].map(([v, c]) => [v, c * (factor as { readonly value: number }).value]));
    }
    default:
      return undefined;
  }
}

/**
 * How a load moves when an axis goes on by one: not at all; to the next element in memory; by one in dimension `dim` alone, whose
 * index is that axis; or otherwise.
 */
export type Move = { readonly kind: "none" | "next" | "other" } | { readonly kind: "dim"; readonly dim: number };

export function moveOf({ indices }: Load, axis: Var): Move {
  const dims = indices.flatMap((index, d) => (reads(index, (v) => v === axis) ? [d] : []));
  const [dim] = dims;
  if (dim === undefined) return { kind: "none" };
  const linear = coefficients(indices[dim] as Expr);
  if (dims.length > 1 || linear?.get(axis) !== 1) return { kind: "other" };
  if (dim === indices.length - 1) return { kind: "next" };
  return linear.size === 1 ? { kind: "dim", dim } : { kind: "other" };
}

/**
 * F where the load reads the axis only as axis // F or as whole multiples of it, 1 where it reads the axis itself, 0 where it
 * does not.
 */
export function grainOf({ indices }: Load, axis: Var): number {
  let grain = 0;
  const visit = (e: Expr): void => {
    if (e.kind === "FloorDiv" && e.a === axis && e.b.kind === "IntImm") grain = gcd(e.b.value, grain);
    else if (e === axis) grain = 1;
    else children(e).forEach(visit);
  };
  indices.forEach(visit);
  return grain;
}
