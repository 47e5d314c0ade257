/** Formulas with inlined stages put in: every load of an inlined tensor becomes its formula at those indices. */
import type { Expr, Load, Var } from "../../ir/expr.ts";
import { children, mapChildren, substitute } from "../../ir/visit.ts";
import type { Stage, State } from "../state.ts";

/** Tensors are few and inlined ones fewer: a search beats a map here. */
const inlinedBy = (state: State, load: Load): Stage | undefined =>
  state.stages.find((s) => s.placement.kind === "inline" && s.buffer === load.buffer);

function expand(state: State, e: Expr): Expr {
  const made = mapChildren(e, (child) => expand(state, child));
  const stage = made.kind === "Load" ? inlinedBy(state, made) : undefined;
  if (!stage || made.kind !== "Load") return made;
  const values = new Map<Var, Expr>(stage.axes.map((v, d) => [v, made.indices[d] as Expr]));
  return expand(state, substitute(stage.body, values));
}

export const bodyOf = (state: State, stage: Stage): Expr =>
  state.stages.some((s) => s.placement.kind === "inline") ? expand(state, stage.body) : stage.body;

export function loadsOf(e: Expr, found: Load[] = []): Load[] {
  if (e.kind === "Load") found.push(e);
  for (const child of children(e)) loadsOf(child, found);
  return found;
}
