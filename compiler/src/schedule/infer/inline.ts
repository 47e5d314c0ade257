/** Substitutes inlined stages: every load of an inlined tensor becomes its formula at those indices. */
import type { Expr, Load, Var } from "../../ir/expr.ts";
import { children, mapChildren, substitute } from "../../ir/visit.ts";
import type { Stage, State } from "../state.ts";

/** Tensors are few and inlined ones fewer, so a search is faster than a map. */
const inlinedBy = (state: State, load: Load): Stage | undefined =>
  state.stages.find((s) => s.placement.kind === "inline" && s.buffer === load.buffer);

function expand(state: State, e: Expr): Expr {
  const made = mapChildren(e, (child) => expand(state, child));
  const stage = made.kind === "Load" ? inlinedBy(state, made) : undefined;
  if (!stage || made.kind !== "Load") return made;
  const values = new Map<Var, Expr>(stage.axes.map((v, d) => [v, made.indices[d] as Expr]));
  return expand(state, substitute(stage.body, values));
}

interface Expanded {
  readonly inlined: readonly Stage[];
  readonly body: Expr;
}
/** Cached by formula, because a task's candidates share most formulas. */
const expanded = new WeakMap<Expr, Expanded>();

export function bodyOf(state: State, stage: Stage): Expr {
  const inlined = state.stages.filter((s) => s.placement.kind === "inline");
  if (inlined.length === 0) return stage.body;
  const known = expanded.get(stage.body);
  if (known?.inlined.length === inlined.length && known.inlined.every((s, i) => s === inlined[i])) return known.body;
  const body = expand(state, stage.body);
  expanded.set(stage.body, { inlined, body });
  return body;
}

const loads = new WeakMap<Expr, readonly Load[]>();

export function loadsOf(e: Expr): readonly Load[] {
  let found = loads.get(e);
  if (!found) {
    found = collected(e, []);
    loads.set(e, found);
  }
  return found;
}

function collected(e: Expr, found: Load[]): Load[] {
  if (e.kind === "Load") found.push(e);
  for (const child of children(e)) collected(child, found);
  return found;
}
