/**
 * Inference: one pass from a schedule's state to what it means. Stages are planned consumers first: where a stage stands, what of its tensor
 * is needed there (infer/regions), how long its loops are (infer/loops); then what it launches (infer/launch). That much is cheap, is done
 * once per state, and decides every refusal. The loop nest (infer/nest) is built when asked for.
 */
import { dtypeBytes, err, ok, type Result } from "@warpfarm/common";
import type { Linear } from "../arith/linear.ts";
import { type Buffer, bufferSpan, type Scope } from "../ir/buffer.ts";
import type { Var } from "../ir/expr.ts";
import type { PrimFunc } from "../ir/prim-func.ts";
import { printExpr } from "../ir/print.ts";
import { ScheduleError } from "./error.ts";
import { guardsOf } from "./infer/guards.ts";
import { bodyOf, loadsOf } from "./infer/inline.ts";
import { defaultScope, inferLaunches, type Launch } from "./infer/launch.ts";
import { type Fault, fault, inferLoops } from "./infer/loops.ts";
import { buildNest } from "./infer/nest.ts";
import { Plan, type StagePlan } from "./infer/plan.ts";
import { inferRegion, loopsAround, readersOf } from "./infer/regions.ts";
import { type Loop, type LoopRef, loopOf, type Stage, type State, type StorageAlign } from "./state.ts";

export type { Launch };

export interface Allocation {
  /** In the shape of the region. A vthread's copies of a local buffer are not counted. */
  readonly buffer: Buffer;
  readonly bytes: number;
  readonly scope: Scope;
  /** Index into launches. */
  readonly launch: number;
}

export interface Inferred {
  /** One per root stage, in program order; on a CPU all ones. */
  readonly launches: readonly Launch[];
  /** Buffers inside the nests. Intermediates between root nests are params of func(), not allocations. */
  readonly allocations: readonly Allocation[];
  /** The nest, built at the first call. */
  func(): PrimFunc<"scheduled">;
}

const isFault = <T extends object>(x: T | Fault): x is Fault => "refusal" in x;

/** The loops around an attached stage, or why it cannot stand there. */
function pathOf(plan: Plan, stage: Stage): readonly LoopRef[] | Fault {
  const { placement } = stage;
  if (placement.kind !== "at") return [];
  const { state } = plan;
  const loop = loopOf(state, placement.loop);
  const owner = plan.planOf(loop.stage);
  const here = `loop "${loop.name}" of "${state.stages[loop.stage]?.name}"`;
  const readers = readersOf(plan, stage);
  const outside = readers.find((reader) => !loopsAround(reader).includes(placement.loop));
  if (!owner || readers.length === 0 || outside) {
    const found = outside ? `its reader "${outside.stage.name}" stands outside` : "nothing there reads it";
    return fault("computeAt.reader", placement.step, `computeAt: "${stage.name}" is computed at ${here}, but ${found}`);
  }
  const { leaves } = owner.stage;
  const path = [...leaves.slice(0, leaves.indexOf(placement.loop) + 1).reverse(), ...owner.path];
  const lanes = path.map((ref) => loopOf(state, ref)).find((l) => l.forKind === "vectorized");
  if (lanes)
    return fault(
      "vectorize.attached",
      placement.step,
      `computeAt: "${stage.name}" is computed at ${here}, inside "${lanes.name}", which is vectorized; lanes hold no nest`,
    );
  return path;
}

function scopeOf(plan: Plan, stage: Stage, path: readonly LoopRef[]): Scope | Fault {
  const { placement, scope } = stage;
  if (placement.kind !== "at") {
    if (scope === undefined || scope === "global") return scope ?? "global";
    return fault(
      "scope.root",
      plan.state.step,
      `"${stage.name}" is ${scope}, but computed at the root, between kernels; give it a place with computeAt`,
    );
  }
  const around = path.map((ref) => loopOf(plan.state, ref)).find((loop) => loop.thread);
  if (scope === "global" && around)
    return fault(
      "scope.global",
      placement.step,
      `computeAt: "${stage.name}" is global, but is computed inside "${around.name}" (${around.thread}), where each block would write all of it; cache it in shared or local memory`,
    );
  return scope ?? defaultScope(plan, path);
}

/** Threads begin outside of what one thread or one processor does by itself. */
function checkOrder(plan: Plan, stage: Stage, path: readonly LoopRef[]): Fault | undefined {
  let outer: Loop | undefined;
  for (let i = path.length - 1; i >= -stage.leaves.length; i--) {
    const loop = loopOf(plan.state, (i >= 0 ? path[i] : stage.leaves[-i - 1]) as LoopRef);
    if (outer && loop.thread && loop.thread !== "vthread")
      return fault(
        "bind.order",
        Math.max(outer.step, loop.step),
        `bind: loop "${loop.name}" of "${stage.name}" is bound to ${loop.thread} inside the ${outer.forKind} loop "${outer.name}"; threads stand outside`,
      );
    if (loop.forKind === "vectorized" || loop.forKind === "parallel") outer = loop;
  }
  return undefined;
}

/** Elements between neighbours, each axis that asks for it padded to `offset` more than a multiple of `factor` (TVM's storage_align). */
function alignedStrides(aligned: readonly StorageAlign[], shape: readonly number[]): readonly number[] {
  const strides: number[] = new Array(shape.length);
  let stride = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    const wish = aligned.find(({ axis }) => axis === d);
    if (wish) stride += (wish.factor + wish.offset - (stride % wish.factor)) % wish.factor;
    strides[d] = stride;
    stride *= shape[d] as number;
  }
  return strides;
}

function allocated({ name, buffer: { dtype }, annotations }: Stage, shape: readonly number[], scope: Scope): Buffer {
  const { aligned } = annotations;
  return aligned ? { name, dtype, shape, scope, strides: alignedStrides(aligned, shape) } : { name, dtype, shape, scope };
}

/** A whole tensor between root nests: memory of the caller's, dense. */
function atRoot({ name, buffer, annotations: { aligned } }: Stage, scope: Scope): Buffer | Fault {
  if (aligned)
    return fault(
      "storageAlign.root",
      Math.max(...aligned.map(({ step }) => step)),
      `storageAlign: "${name}" is computed at the root, and memory between kernels is dense; give it a place with computeAt`,
    );
  return buffer.scope === scope ? buffer : { ...buffer, scope };
}

/** What starts a reduction stands outside all that it sums over. */
function checkStart(plan: Plan, stage: Stage): Fault | undefined {
  const { start } = stage.annotations;
  if (!start) return undefined;
  const outside = stage.leaves.slice(0, stage.leaves.indexOf(start.loop)).map((leaf) => loopOf(plan.state, leaf));
  const sum = outside.find((loop) => loop.kind === "reduce");
  return (
    sum &&
    fault(
      "decomposeReduction.order",
      start.step,
      `decomposeReduction: "${stage.name}" would start before loop "${loopOf(plan.state, start.loop).name}", inside its reduction loop "${sum.name}", and lose what was added before`,
    )
  );
}

function planStage(plan: Plan, stage: Stage): Fault | undefined {
  const body = bodyOf(plan.state, stage);
  const path = pathOf(plan, stage);
  if (isFault(path)) return path;
  const order = checkOrder(plan, stage, path) ?? checkStart(plan, stage);
  if (order) return order;
  const scope = scopeOf(plan, stage, path);
  if (typeof scope === "object") return scope;
  const region = inferRegion(plan, stage, scope);
  if (isFault(region)) return region;
  const found = inferLoops(plan, stage, region.extents);
  if (found) return found;
  const env = new Map<Var, Linear>();
  stage.axes.forEach((axis, d) => {
    env.set(axis, plan.analyzer.sum(region.base[d] as Linear, plan.values[stage.spatial[d] as LoopRef] as Linear));
  });
  stage.reduce.forEach((axis, d) => {
    env.set(axis, plan.values[stage.reduction[d] as LoopRef] as Linear);
  });
  const owner = stage.placement.kind === "at" ? plan.planOf(loopOf(plan.state, stage.placement.loop).stage) : undefined;
  const buffer = owner ? allocated(stage, region.extents, scope) : atRoot(stage, scope);
  if (isFault(buffer)) return buffer;
  const made: StagePlan = {
    stage,
    body,
    loads: loadsOf(body),
    ...region,
    buffer,
    scope,
    path,
    root: owner?.root ?? stage.ref,
    env,
  };
  plan.stages[stage.ref] = made;
  return undefined;
}

/** A tile is done whole: a condition on its statement has no place. */
function checkTensorized(plan: Plan): Fault | undefined {
  for (const planned of plan.stages) {
    const { tensorized } = planned?.stage.annotations ?? {};
    if (!planned || !tensorized) continue;
    const { spatial, reduce } = guardsOf(plan, planned);
    const [guard] = [...spatial, ...reduce];
    if (guard)
      return fault(
        "tensorize.guard",
        tensorized.step,
        `tensorize: "${planned.stage.name}" by ${tensorized.intrinsic.name}, but its statement is guarded by ${printExpr(guard)}; a tile is done whole: choose factors that divide`,
      );
  }
  return undefined;
}

function allocationsOf(plan: Plan): Allocation[] {
  const launchOf = new Map(plan.state.order.filter((ref) => plan.planOf(ref)?.root === ref).map((ref, i) => [ref, i]));
  return plan.state.order.flatMap((ref) => {
    const planned = plan.planOf(ref);
    if (!planned || planned.root === ref) return [];
    const { buffer, scope, root } = planned;
    return [{ buffer, bytes: dtypeBytes(buffer.dtype, bufferSpan(buffer)), scope, launch: launchOf.get(root) ?? 0 }];
  });
}

function run(state: State): Result<Inferred, ScheduleError> {
  const plan = new Plan(state);
  const refused = (found: Fault) => err(new ScheduleError(found.refusal, found.step < state.step ? found.step : undefined));
  for (let i = state.order.length - 1; i >= 0; i--) {
    const stage = state.stages[state.order[i] as number] as Stage;
    if (stage.placement.kind === "inline") continue;
    const found = planStage(plan, stage);
    if (found) return refused(found);
  }
  const guarded = checkTensorized(plan);
  if (guarded) return refused(guarded);
  const launches = inferLaunches(plan);
  if (isFault(launches)) return refused(launches);
  let func: PrimFunc<"scheduled"> | undefined;
  return ok({
    launches,
    allocations: allocationsOf(plan),
    func: () => {
      func ??= buildNest(plan);
      return func;
    },
  });
}

const known = new WeakMap<State, Result<Inferred, ScheduleError>>();

/** What the schedule means, or the regional fault with the step that caused it. One pass per state, remembered. */
export function infer(state: State): Result<Inferred, ScheduleError> {
  let result = known.get(state);
  if (!result) {
    result = run(state);
    known.set(state, result);
  }
  return result;
}
