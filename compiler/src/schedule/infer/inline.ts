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

/** The stage's formulas, with those of inlined stages in them. */
export function inlined(state: State, { body, decay }: Stage): Pick<Stage, "body" | "decay"> {
  const stages = state.stages.filter((s) => s.placement.kind === "inline");
  const put = (formula: Expr): Expr => {
    if (stages.length === 0) return formula;
    const known = expanded.get(formula);
    if (known?.inlined.length === stages.length && known.inlined.every((s, i) => s === stages[i])) return known.body;
    const made = expand(state, formula);
    expanded.set(formula, { inlined: stages, body: made });
    return made;
  };
  return { body: put(body), decay: decay && put(decay) };
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
