/**
 * Inference: one pass from a schedule's state to its meaning. Stages are planned consumers first: the place of a stage, the
 * needed region of its tensor (infer/regions), the lengths of its loops (infer/loops), then its launch (infer/launch). The loop
 * nest (infer/nest) is built on demand.
 */
import type { Refusal } from "@warpfarm/common";
import { type DType, dtypeBytes, err, ok, type Result } from "@warpfarm/common";
import { type Linear, zero } from "../arith/linear.ts";
import { type Buffer, bufferSpan, mostElements, type Scope } from "../ir/buffer.ts";
import { bulkAlignmentOf, bulkUnit, slotBarrierBytes } from "../ir/bulk.ts";
import type { Var } from "../ir/expr.ts";
import { exchangeArray, foldArray, foldBarrierBytes } from "../ir/fold.ts";
import type { PrimFunc } from "../ir/prim-func.ts";
import { printExpr } from "../ir/print.ts";
import { ScheduleError } from "./error.ts";
import { arraysOf, checkAhead } from "./infer/double.ts";
import { drainedRegion, drainOf, keptBox } from "./infer/drain.ts";
import { blocksLoop, carryOf, partOf } from "./infer/fold.ts";
import { guardsOf } from "./infer/guards.ts";
import { inlined, loadsOf } from "./infer/inline.ts";
import { inferLaunches, type Launch, launchesOf } from "./infer/launch.ts";
import { inferLoops, isRefusal, refuseAt } from "./infer/loops.ts";
import { buildNest } from "./infer/nest.ts";
import { checkDecay, checkOrder, checkStart, innerScope, pathOf, planningOrder, rootScope } from "./infer/place.ts";
import { isCopiedByEngine, isInRing, Plan, type StagePlan } from "./infer/plan.ts";
import { inferRegion } from "./infer/regions.ts";
import { allocated, atRoot, several } from "./infer/storage.ts";
import { type LoopRef, loopOf, type Placement, type Stage, type State, stepsOf } from "./state.ts";

export type { Launch };

export interface Allocation {
  /** The array in the shape of the region. */
  readonly buffer: Buffer;
  readonly bytes: number;
  readonly scope: Scope;
  readonly inTiles: boolean;
  /** Alignment in bytes when the copy engine accesses it. */
  readonly align?: number;
  readonly launch: number;
}

export interface Vector {
  readonly name: string;
  readonly dtype: DType;
  readonly lanes: number;
}

export interface Inferred {
  /**
   * One per kernel of a GPU, in order: one per root stage, and one where a reduction starts in front of all its loops. On a CPU
   * all ones.
   */
  readonly launches: readonly Launch[];
  /** Buffers inside the nests. Intermediates between root nests are params of func(), not allocations. */
  readonly allocations: readonly Allocation[];
  readonly vectors: readonly Vector[];
  func(): PrimFunc<"scheduled">;
}

const stepOf = (placement: Placement): number => ("step" in placement ? placement.step : 0);

function planStage(plan: Plan, stage: Stage): Refusal | undefined {
  const { state, analyzer, values } = plan;
  const { placement } = stage;
  const { body, decay } = inlined(state, stage);
  const path = pathOf(plan, stage);
  if (isRefusal(path)) return path;
  const order = checkOrder(plan, stage, path) ?? checkStart(plan, stage) ?? checkDecay(plan, stage);
  if (order) return order;
  const drain = drainOf(plan, stage, path);
  if (drain && isRefusal(drain)) return drain;
  const isInner = placement.kind === "at" || drain !== undefined;
  const scope = drain?.scope ?? (isInner ? innerScope(plan, stage, path, stepOf(placement)) : rootScope(plan, stage));
  if (typeof scope === "object") return scope;
  const loads = decay ? [...loadsOf(body), ...loadsOf(decay)] : loadsOf(body);
  const region = placement.kind === "after" ? drainedRegion(plan, stage, placement, loads) : inferRegion(plan, stage, scope);
  if (isRefusal(region)) return region;
  const found = inferLoops(plan, stage, region.extents);
  if (found) return found;
  const env = new Map<Var, Linear>();
  stage.axes.forEach((axis, d) => {
    env.set(axis, analyzer.sum(region.base[d] as Linear, values[stage.spatial[d] as LoopRef] as Linear));
  });
  stage.reduce.forEach((axis, d) => {
    env.set(axis, values[stage.reduction[d] as LoopRef] as Linear);
  });
  const kept = drain ? keptBox(plan, stage, drain, env) : region;
  if (isRefusal(kept)) return kept;
  const buffer = isInner ? allocated(stage, kept.extents, scope) : atRoot(stage, scope);
  if (isRefusal(buffer)) return buffer;
  if (bufferSpan(buffer) > mostElements)
    return refuseAt(
      "storage.size",
      "step" in placement ? placement.step : state.step,
      `"${stage.name}" has ${bufferSpan(buffer)} elements where it is stored; at most ${mostElements} can be numbered: compute it at an inner loop of its reader${stage.reduce.length > 0 ? "" : ", or inline it"}`,
    );
  const owner = placement.kind === "at" || placement.kind === "after" ? loopOf(state, placement.loop).stage : undefined;
  const made: StagePlan = {
    stage,
    body,
    decay,
    loads,
    ...region,
    buffer,
    isInner,
    origin: isInner ? kept.base : stage.axes.map(() => zero),
    drain,
    before: stepsOf(state, stage) && { ...buffer, name: `${stage.name}.before` },
    arrays: arraysOf(plan, stage),
    scope,
    path,
    root: owner === undefined ? stage.ref : (plan.planOf(owner)?.root ?? stage.ref),
    env,
  };
  plan.stages[stage.ref] = made;
  return undefined;
}

/** A tile is computed as a whole, so its statement cannot have a condition. */
function checkTensorized(plan: Plan): Refusal | undefined {
  for (const planned of plan.stages) {
    const { tensorized } = planned?.stage.annotations ?? {};
    if (!planned || !tensorized) continue;
    const { spatial, reduce } = guardsOf(plan, planned);
    const [guard] = [...spatial, ...reduce];
    if (guard)
      return refuseAt(
        "tensorize.guard",
        tensorized.step,
        `tensorize: "${planned.stage.name}" by ${tensorized.intrinsic.name}, but its statement is guarded by ${printExpr(guard)}; a tile is done whole: choose factors that divide`,
      );
  }
  return undefined;
}

function checkRequests(plan: Plan): Refusal | undefined {
  for (const stage of plan.state.stages)
    for (const { rule, step } of stage.annotations.requests ?? []) {
      const refusal = rule?.(stage, plan);
      if (refusal) return { ...refusal, at: step };
    }
  return undefined;
}

/** Whether the copy engine, or tensor cores by a descriptor, access it: a swizzle's whole pattern must begin with the array. */
function boxesOf(plan: Plan, planned: StagePlan): boolean {
  if (planned.scope !== "shared") return false;
  const takes = (stage: Stage) =>
    isCopiedByEngine(stage) || stage.annotations.tensorized?.intrinsic.operands.some(({ descriptor }) => descriptor);
  return (
    isCopiedByEngine(planned.stage) ||
    plan.stages.some((other) => other && takes(other.stage) && other.loads.some(({ buffer }) => buffer === planned.stage.buffer))
  );
}

const barriers = (of: string, bytes: number): Buffer => ({
  name: `${of}.barriers`,
  dtype: "int64",
  shape: [bytes / 8],
  scope: "shared",
});

/** Two barriers per slot of a channel. Stages that are copied at one loop, equally far ahead, share a channel. */
function barriersOf(plan: Plan, launches: ReadonlyMap<number, number>): Allocation[] {
  const seen = new Set<string>();
  return plan.stages.flatMap((planned): Allocation[] => {
    if (!planned?.isInner || !isCopiedByEngine(planned.stage) || isInRing(planned.stage)) return [];
    const { placement, name } = planned.stage;
    const key = `${"loop" in placement ? placement.loop : name} ${planned.arrays}`;
    if (seen.has(key)) return [];
    seen.add(key);
    const bytes = planned.arrays * slotBarrierBytes;
    return [{ buffer: barriers(name, bytes), bytes, scope: "shared", inTiles: false, launch: launches.get(planned.root) ?? 0 }];
  });
}

function allocationsOf(plan: Plan, launches: readonly Launch[]): Allocation[] {
  const places = launchesOf(plan);
  const arrays = plan.state.order.flatMap((ref) => {
    const planned = plan.planOf(ref);
    if (!planned) return [];
    const launch = places.get(planned.root) ?? 0;
    const isBoxed = boxesOf(plan, planned);
    const unit = isBoxed ? bulkUnit(planned.buffer) : undefined;
    const own = planned.arrays > 1 ? several(planned.buffer, planned.arrays, unit) : planned.buffer;
    const part = partOf(plan, planned)?.buffer;
    const carry = carryOf(plan, planned)?.buffer;
    const inTiles = plan.stages.some(
      (other) =>
        other?.stage.annotations.tensorized !== undefined &&
        (other === planned || other.loads.some((load) => load.buffer === planned.stage.buffer)),
    );
    const { block, cluster } = launches[launch] as Launch;
    const warps = part && foldArray(part, block);
    const exchange = part && cluster && blocksLoop(plan.state, planned.stage) ? exchangeArray(part, block, cluster) : undefined;
    const counted = exchange && barriers(exchange.name, foldBarrierBytes);
    const isKept = planned.isInner && !isInRing(planned.stage);
    return [isKept ? own : undefined, part, warps, exchange, counted, carry, planned.before]
      .filter((buffer) => buffer !== undefined)
      .map((buffer) => ({
        buffer,
        bytes: dtypeBytes(buffer.dtype, bufferSpan(buffer)),
        scope: buffer.scope,
        inTiles,
        ...(isBoxed && buffer === own ? { align: bulkAlignmentOf(planned.buffer) } : {}),
        launch,
      }));
  });
  return [...arrays, ...barriersOf(plan, places)];
}

function vectorsOf(plan: Plan): Vector[] {
  const vectors: Vector[] = [];
  for (const planned of plan.stages)
    for (const leaf of planned?.stage.leaves ?? [])
      if (planned && loopOf(plan.state, leaf).forKind === "vectorized")
        vectors.push({ name: planned.stage.name, dtype: planned.buffer.dtype, lanes: plan.extents[leaf] as number });
  return vectors;
}

function run(state: State): Result<Inferred, ScheduleError> {
  const plan = new Plan(state);
  // A refusal about later steps belongs to no step yet.
  const refused = ({ rule, message, at = state.step }: Refusal) =>
    err(new ScheduleError(at < state.step ? { rule, message, at } : { rule, message }));
  for (const stage of planningOrder(state)) {
    const found = planStage(plan, stage);
    if (found) return refused(found);
  }
  const guarded = checkTensorized(plan) ?? checkAhead(plan) ?? checkRequests(plan);
  if (guarded) return refused(guarded);
  const launches = inferLaunches(plan);
  if (isRefusal(launches)) return refused(launches);
  let func: PrimFunc<"scheduled"> | undefined;
  return ok({
    launches,
    allocations: allocationsOf(plan, launches),
    vectors: vectorsOf(plan),
    func: () => {
      func ??= buildNest(plan);
      return func;
    },
  });
}

const known = new WeakMap<State, Result<Inferred, ScheduleError>>();

/** The schedule's meaning, or the regional fault with its step. One pass per state, cached. */
export function infer(state: State): Result<Inferred, ScheduleError> {
  let result = known.get(state);
  if (!result) {
    result = run(state);
    known.set(state, result);
  }
  return result;
}
