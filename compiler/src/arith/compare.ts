/**
 * Comparisons of sums with 0, decided by bounds where possible. Otherwise they get one canonical form: common terms cancel,
 * common factors and fine parts are divided out, and positive terms are on the left. The forms against a constant are `x < c` and
 * `x >= c`.
 */
import * as b from "../ir/build.ts";
import type { CompareKind, Expr } from "../ir/expr.ts";
import { type Atom, coefficientGcd, constantOf, isConstant, type Linear, pick, scaled, shift, soleAtom } from "./linear.ts";
import { coarsen, type DivisionContext } from "./rules.ts";

interface CompareContext extends DivisionContext {
  sum(a: Linear, b: Linear, k?: number): Linear;
  expr(l: Linear): Expr;
  compareAtoms(x: Atom, y: Atom): number;
}

export function comparison(context: CompareContext, kind: CompareKind, difference: Linear): Expr {
  switch (kind) {
    case "LT":
      return negative(context, difference);
    case "LE":
      return negative(context, shift(difference, -1));
    case "GT":
      return negative(context, scaled(difference, -1));
    case "GE":
      return negative(context, shift(scaled(difference, -1), -1));
    case "EQ":
    case "NE":
      return zeroOrNot(context, difference, kind);
  }
}

export function negative(context: CompareContext, l: Linear): Expr {
  const bounds = context.boundsOf(l);
  if (bounds.hi < 0) return b.bool(true);
  if (bounds.lo >= 0) return b.bool(false);
  // l < 0 exactly when floor(l / g) < 0, for any g > 0.
  const g = coefficientGcd(l);
  if (g > 1) return negative(context, context.floorDiv(l, g));
  const parts = coarsen(l, 0, context);
  if (parts) return negative(context, parts.coarse);
  const through = throughDivision(context, l);
  if (through) return negative(context, through);
  const [left, right] = sides(l);
  const c = l.constant;
  if (isConstant(right)) return b.lt(context.expr(left), b.int(-c));
  if (isConstant(left)) return b.ge(context.expr(right), b.int(c + 1));
  return b.lt(context.expr(shift(left, Math.max(c, 0))), context.expr(shift(right, Math.max(-c, 0))));
}

/** x/a + c < 0 -> x + c*a < 0, and c - x/a < 0 -> (c+1)*a - 1 - x < 0. */
function throughDivision(context: CompareContext, l: Linear): Linear | undefined {
  const atom = l.atoms.length === 1 ? l.atoms[0] : undefined;
  if (atom?.kind !== "split" || atom.upper !== Infinity) return undefined;
  if (soleAtom(l)) return shift(atom.base, l.constant * atom.lower);
  if (l.coefs[0] === -1) return context.sum(constantOf((l.constant + 1) * atom.lower - 1), atom.base, -1);
  return undefined;
}

function zeroOrNot(context: CompareContext, l: Linear, kind: "EQ" | "NE"): Expr {
  const bounds = context.boundsOf(l);
  const g = coefficientGcd(l);
  if (bounds.lo > 0 || bounds.hi < 0 || (g > 1 && l.constant % g !== 0)) return b.bool(kind === "NE");
  if (isConstant(l)) return b.bool(kind === "EQ");
  const reduced = g > 1 ? context.floorDiv(l, g) : l;
  const [p, n] = sides(reduced);
  const first = (side: Linear): Atom => side.atoms.reduce((x, y) => (context.compareAtoms(x, y) <= 0 ? x : y));
  const flip = isConstant(p) || (!isConstant(n) && context.compareAtoms(first(p), first(n)) > 0);
  const [left, right, c] = flip ? [n, p, -reduced.constant] : [p, n, reduced.constant];
  if (isConstant(right)) return b.compare(kind, context.expr(left), b.int(-c));
  return b.compare(kind, context.expr(shift(left, Math.max(c, 0))), context.expr(shift(right, Math.max(-c, 0))));
}

/** Terms with positive coefficients, and those with negative ones, negated. */
function sides(l: Linear): readonly [Linear, Linear] {
  const negated = scaled(
    pick(l, (c) => c < 0),
    -1,
  );
  return [pick(l, (c) => c > 0), negated];
}
