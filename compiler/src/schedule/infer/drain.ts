/**
 * Stages computed after a loop of their producer (reverseComputeAt). The producer then is drained: of its tensor only what the
 * loops inside that one compute is kept, and the consumer takes exactly that, so what is kept must be a box of elements that are
 * all there:
 *
 *   for i: for j in 4: c[i*4 + j]  ->  for i: { alloc c[4]; for j: c[j] = ...; for j': d[i*4 + j'] = f(c[j']) }      d after loop i
 *
 * Each dimension of a box is a fixed part plus a mixed-radix number of loops that only it uses.
 */
import type { Refusal } from "@warpfarm/common";
import { addScaled, type Linear, pick, type VarAtom } from "../../arith/linear.ts";
import { scopeRank } from "../../ir/buffer.ts";
import type { Load, Var } from "../../ir/expr.ts";
import { threadRank } from "../../ir/stmt.ts";
import { attachedAt, type LoopRef, loopOf, type Placement, type Stage, stageOf } from "../state.ts";
import { refuseAt } from "./loops.ts";
import { around, innerScope } from "./place.ts";
import type { Drain, Plan, StagePlan } from "./plan.ts";
import { type Region, Relaxation, readersOf, Unreachable } from "./regions.ts";

const refuse = (rule: string, step: number, message: string): Refusal =>
  refuseAt(`reverseComputeAt.${rule}`, step, `reverseComputeAt: ${message}`);

/** Where and how a stage is drained; undefined when nothing is computed after its loops. */
export function drainOf(plan: Plan, stage: Stage, outer: readonly LoopRef[]): Drain | Refusal | undefined {
  const { state } = plan;
  if (!state.stages.some((s) => s.placement.kind === "after")) return undefined;
  const takers = stage.leaves.flatMap((leaf) => attachedAt(state, leaf, ["after"]));
  const [taker] = takers;
  if (taker?.placement.kind !== "after") return undefined;
  const { loop, step } = taker.placement;
  const other = takers.find((t) => "loop" in t.placement && t.placement.loop !== loop);
  if (other)
    return refuse("places", stepOf(other), `"${taker.name}" and "${other.name}" take "${stage.name}" after different loops`);
  const [otherReader] = readersOf(plan, stage);
  if (otherReader)
    return refuse(
      "readers",
      step,
      `"${otherReader.stage.name}" reads "${stage.name}" too, of which only what "${taker.name}" takes is kept`,
    );
  const at = stage.leaves.indexOf(loop);
  const above = stage.leaves.slice(0, at + 1).map((leaf) => loopOf(state, leaf));
  const sum = above.find((l) => l.kind === "reduce");
  if (sum)
    return refuse(
      "sum",
      step,
      `the sums of "${stage.name}" are not done after loop "${loopOf(state, loop).name}", inside its reduction loop "${sum.name}"`,
    );
  const { start } = stage.annotations;
  if (start && stage.leaves.indexOf(start.loop) <= at)
    return refuse(
      "start",
      step,
      `"${stage.name}" is started before loop "${loopOf(state, start.loop).name}", but kept only inside loop "${loopOf(state, loop).name}"`,
    );
  const path = around(stage.leaves, loop, outer);
  const scope = innerScope(plan, stage, path, step);
  return typeof scope === "object" ? scope : { loop, step, scope, path, below: stage.leaves.slice(at + 1) };
}

const stepOf = ({ placement }: Stage): number => ("step" in placement ? placement.step : 0);

export function keptBox(plan: Plan, stage: Stage, drain: Drain, env: ReadonlyMap<Var, Linear>): Region | Refusal {
  const { state, extents } = plan;
  const here = `"${stage.name}" inside loop "${loopOf(state, drain.loop).name}"`;
  for (const relation of stage.relations) {
    if (relation.kind !== "split" || loopOf(state, relation.parent).kind === "reduce") continue;
    const covered = relation.parts.reduce((product, part) => product * (extents[part] as number), 1);
    const isWhole = stage.spatial.includes(relation.parent) && stage.placement.kind === "root";
    if (covered !== extents[relation.parent] && !isWhole)
      return refuse(
        "box",
        drain.step,
        `what is computed of ${here} is no box: the split of "${loopOf(state, relation.parent).name}" leaves a rest`,
      );
  }
  const outer = drain.path
    .map((ref) => loopOf(state, ref))
    .find((l) => l.thread && scopeRank(drain.scope) <= threadRank(l.thread) && (extents[l.ref] as number) > 1);
  if (outer)
    return refuse(
      "threads",
      drain.step,
      `"${stage.name}" is ${drain.scope}, but is taken inside loop "${outer.name}" (${outer.thread}), where each of these makes a part of it; take it outside`,
    );
  const loops = [...drain.below].reverse().concat(drain.path);
  const relaxation = new Relaxation(plan, drain.scope, loops, drain.loop);
  const used = new Set<VarAtom>();
  const base: Linear[] = [];
  const kept: number[] = [];
  try {
    for (const axis of stage.axes) {
      const side = sideOf(env.get(axis) as Linear, relaxation, used);
      if (!side)
        return refuse(
          "box",
          drain.step,
          `what is computed of ${here} is no box along "${axis.name}": its loops there are not the digits of one number`,
        );
      base.push(side.base);
      kept.push(side.extent);
    }
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    const inner = loopOf(state, error.loop);
    return refuse(
      "thread",
      drain.step,
      `"${stage.name}" is ${drain.scope}, of one thread, but loop "${inner.name}" (${inner.thread}) stands inside; set its scope to shared`,
    );
  }
  return { base, extents: kept };
}

/** One dimension of a box: its fixed part, and the number of values that the loops add, each once. */
function sideOf(value: Linear, relaxation: Relaxation, used: Set<VarAtom>): { base: Linear; extent: number } | undefined {
  const inner = pick(value, (_, atom) => relaxation.isRelaxed(atom));
  const base = addScaled(value, { ...inner, constant: 0 }, -1);
  const digits = inner.atoms.map((atom, i) => ({ atom, coef: inner.coefs[i] as number })).sort((p, q) => p.coef - q.coef);
  let extent = 1;
  for (const { atom, coef } of digits) {
    if (atom.kind !== "var" || used.has(atom) || coef !== extent) return undefined;
    used.add(atom);
    extent *= atom.bounds.hi + 1;
  }
  return { base, extent };
}

/** The region of a stage that is computed after a loop: the kept box, along its own axes. */
export function drainedRegion(
  plan: Plan,
  stage: Stage,
  placement: Extract<Placement, { kind: "after" }>,
  loads: readonly Load[],
): Region | Refusal {
  const owner = plan.planOf(loopOf(plan.state, placement.loop).stage) as StagePlan;
  const from = owner.stage.buffer;
  const reads = loads.filter((load) => load.buffer === from);
  const [first] = reads;
  const dims = stage.axes.map((axis) => first?.indices.indexOf(axis) ?? -1);
  const same = reads.every((load) => load.indices.every((index, d) => index === first?.indices[d]));
  const fits = dims.every((d, i) => d >= 0 && (stage.buffer.shape[i] as number) <= (from.shape[d] as number));
  if (!first || !same || !fits || new Set(dims).size !== from.shape.length || dims.length !== from.shape.length)
    return refuse(
      "reads",
      placement.step,
      `"${stage.name}" is computed after a loop of "${owner.stage.name}", so it must read "${stageOf(plan.state, owner.stage.ref).name}" at its own indices, each once, and nowhere else`,
    );
  const pickDims = <T>(list: readonly T[]): T[] => dims.map((d) => list[d] as T);
  return { base: pickDims(owner.origin), extents: pickDims(owner.buffer.shape) };
}
