/**
 * A schedule's state: an immutable description, after TVM's te (docs/reference/source-programs.md 6.1). Stages hold relations
 * between loops (split, fuse), the order of their leaves, marks on loops, scopes and attach points. No loop nest and no region
 * exists here; infer.ts makes them.
 *
 * Refs are numbers given once and never again: graph.ops in order give stages 0.. and, op by op, loops 0.. (axes, then reduce
 * axes). They survive every primitive. Primitives make the next state with the functions below and share what they did not touch.
 */
import type { Brand, Refusal } from "@warpfarm/common";
import type { Buffer, Scope } from "../ir/buffer.ts";
import { variable } from "../ir/build.ts";
import type { Expr, Var } from "../ir/expr.ts";
import type { Intrinsic } from "../ir/intrinsic.ts";
import type { CopyEngine, ForKind, KernelAttrs, Pragmas, ThreadTag } from "../ir/stmt.ts";
import { rewriteExpr } from "../ir/visit.ts";
import { formulasOf, orderedAxis } from "../te/access.ts";
import type { Axis, Combiner, Graph } from "../te/graph.ts";
import type { Curve } from "./infer/curves.ts";
import type { Plan } from "./infer/plan.ts";

export type StageRef = Brand<number, "StageRef">;
export type LoopRef = Brand<number, "LoopRef">;

export interface Loop {
  readonly ref: LoopRef;
  readonly stage: StageRef;
  readonly name: string;
  readonly kind: "spatial" | "reduce";
  readonly loopVar: Var;
  readonly extent: number;
  /** Whether nothing later can make it shorter: a loop of a reduction, or of an output. */
  readonly exact: boolean;
  /** Whether each iteration needs the one before: of a scan, or of a sum with a decay. It stays one serial loop. */
  readonly ordered: boolean;
  /** How it runs. A loop has at most one mark, anything but serial. */
  readonly forKind: ForKind;
  readonly thread: ThreadTag | undefined;
  readonly step: number;
  readonly pragmas: Pragmas;
}

export type Relation =
  | {
      readonly kind: "split";
      readonly parent: LoopRef;
      readonly parts: readonly LoopRef[];
      /** null: as many as cover the parent. */
      readonly factors: readonly (number | null)[];
      readonly step: number;
    }
  | {
      readonly kind: "fuse";
      readonly parts: readonly LoopRef[];
      readonly fused: LoopRef;
      /** The order in which it visits its two parts; absent: row by row. */
      readonly curve?: Curve;
      readonly step: number;
    };

export type Placement =
  | { readonly kind: "root" }
  | { readonly kind: "inline" }
  /** First in the loop's body, for its consumer there. */
  | { readonly kind: "at"; readonly loop: LoopRef; readonly step: number }
  /** Last in the body of a loop of its producer, for what that loop has computed. */
  | { readonly kind: "after"; readonly loop: LoopRef; readonly step: number };

export interface StorageAlign {
  readonly axis: number;
  readonly factor: number;
  readonly offset: number;
  readonly step: number;
}

/** What a schedule asks of a stage's kernel, and of whatever copies the stage. */
export interface Asked extends KernelAttrs {
  readonly engine?: CopyEngine;
  readonly ring?: StageRef;
}
/**
 * A primitive's request for a stage, which lowering reads. It changes no loop and no region. Inference calls the request's own
 * rule and hands it to the nest, so the primitive defines both.
 */
interface Request<K extends keyof Asked = keyof Asked> {
  readonly key: K;
  readonly value: NonNullable<Asked[K]>;
  readonly step: number;
  /** Refuses places, scopes and extents that the request does not allow. */
  rule?(stage: Stage, plan: Plan): Refusal | undefined;
}

export interface Annotations {
  readonly aligned?: readonly StorageAlign[];
  /** The step that asked to permute the 16-byte units of its rows. */
  readonly swizzled?: { readonly step: number };
  readonly tensorized?: { readonly loop: LoopRef; readonly intrinsic: Intrinsic; readonly step: number };
  /** Filled `arrays - 1` iterations of its loop before its use, in `arrays` arrays. */
  readonly ahead?: { readonly by: "doubleBuffer" | "pipeline"; readonly arrays: number; readonly step: number };
  /** The leaf before which a reduction starts; absent: its outermost reduction loop. */
  readonly start?: { readonly loop: LoopRef; readonly step: number };
  /** Requests, at most one for each key. */
  readonly requests?: readonly Request[];
}
export const noAnnotations: Annotations = {};

export interface Stage {
  readonly ref: StageRef;
  readonly name: string;
  readonly buffer: Buffer;
  /** Undefined: the scope follows from the place of attachment. */
  readonly scope: Scope | undefined;
  /**
   * The formula: buffer[axes] = body, or combiner over `reduce` of body. These variables stand for the values of the root loops.
   */
  readonly axes: readonly Var[];
  readonly reduce: readonly Var[];
  readonly combiner: Combiner | undefined;
  readonly body: Expr;
  readonly decay: Expr | undefined;
  readonly isOutput: boolean;
  readonly spatial: readonly LoopRef[];
  readonly reduction: readonly LoopRef[];
  /** Relations in order of creation. */
  readonly relations: readonly Relation[];
  readonly leaves: readonly LoopRef[];
  readonly placement: Placement;
  readonly annotations: Annotations;
}

export interface State {
  readonly graph: Graph;
  readonly stages: readonly Stage[];
  readonly loops: readonly Loop[];
  readonly order: readonly StageRef[];
  readonly step: number;
}

export const root: Placement = { kind: "root" };

export const loopOf = (state: State, ref: LoopRef): Loop => state.loops[ref] as Loop;
export const stageOf = (state: State, ref: StageRef): Stage => state.stages[ref] as Stage;

export const isReduction = (state: State, relation: Relation): boolean =>
  loopOf(state, relation.kind === "split" ? relation.parent : relation.fused).kind === "reduce";

/** Stages computed at a loop, first or last in its body, in program order. */
export function attachedAt(state: State, loop: LoopRef, kinds: readonly Placement["kind"][] = ["at", "after"]): Stage[] {
  const attached: Stage[] = [];
  for (const ref of state.order) {
    const stage = stageOf(state, ref);
    const { placement } = stage;
    if ("loop" in placement && placement.loop === loop && kinds.includes(placement.kind)) attached.push(stage);
  }
  return attached;
}

/** Whether the nest of `stage`, through its attach points, is inside the nest of `other`. */
export function standsIn(state: State, stage: Stage, other: Stage): boolean {
  for (let s = stage; ; s = stageOf(state, loopOf(state, s.placement.loop).stage)) {
    if (s.ref === other.ref) return true;
    if (!("loop" in s.placement)) return false;
  }
}

export interface NewLoop {
  readonly name: string;
  readonly kind: Loop["kind"];
  readonly extent: number;
  readonly exact: boolean;
  readonly ordered?: boolean;
}

const noPragmas: Loop["pragmas"] = {};

export function addLoops(state: State, stage: StageRef, made: readonly NewLoop[]): [State, LoopRef[]] {
  const first = state.loops.length;
  const { graph, stages, order, step } = state;
  // Written without a spread, because a search replays thousands of schedules a second and makes most of its objects here.
  const added = made.map(({ name, kind, extent, exact, ordered = false }, i): Loop => {
    const ref = (first + i) as LoopRef;
    const loopVar = variable(name);
    return {
      ref,
      stage,
      name,
      kind,
      loopVar,
      extent,
      exact,
      ordered,
      forKind: "serial",
      thread: undefined,
      step,
      pragmas: noPragmas,
    };
  });
  return [{ graph, stages, loops: state.loops.concat(added), order, step }, added.map((loop) => loop.ref)];
}

export function replaceStage(state: State, stage: Stage): State {
  const { graph, loops, order, step } = state;
  const stages = state.stages.slice();
  stages[stage.ref] = stage;
  return { graph, stages, loops, order, step };
}

export function replaceLoop(state: State, loop: Loop): State {
  const { graph, stages, order, step } = state;
  const loops = state.loops.slice();
  loops[loop.ref] = loop;
  return { graph, stages, loops, order, step };
}

/** Puts a request on a stage. A later one of the same key replaces an earlier one. */
export function request<K extends keyof Asked>(state: State, ref: StageRef, made: Omit<Request<K>, "step">): State {
  const stage = stageOf(state, ref);
  const others = stage.annotations.requests?.filter(({ key }) => key !== made.key) ?? [];
  const requests = [...others, { ...made, step: state.step }];
  return replaceStage(state, { ...stage, annotations: { ...stage.annotations, requests } });
}

export const askedOf = ({ annotations: { requests = [] } }: Stage): Asked =>
  Object.fromEntries(requests.map(({ key, value }) => [key, value]));

export function insertStage(state: State, stage: Stage, before: StageRef): State {
  const order = state.order.slice();
  order.splice(order.indexOf(before), 0, stage.ref);
  return { ...state, stages: [...state.stages, stage], order };
}

/** A stage name that no tensor or stage has: `base`, else `base_1` ... */
export function freshName(state: State, base: string): string {
  const taken = (name: string) => state.stages.some((s) => s.name === name) || state.graph.inputs.some((b) => b.name === name);
  if (!taken(base)) return base;
  let i = 1;
  while (taken(`${base}_${i}`)) i++;
  return `${base}_${i}`;
}

/** Every op is a stage at the root, with loops in the order of its axes, the reduction innermost, or the loop of a scan. */
export function initialState(graph: Graph): State {
  let state: State = { graph, stages: [], loops: [], order: [], step: 0 };
  for (const op of graph.ops) {
    const ref = state.stages.length as StageRef;
    const isOutput = graph.outputs.includes(op.output);
    const inOrder = orderedAxis(op);
    const loopOfAxis =
      (kind: Loop["kind"], exact: boolean) =>
      (a: Axis): NewLoop => {
        const ordered = a === inOrder;
        return { name: a.loopVar.name, kind, extent: a.extent, exact: exact || ordered, ordered };
      };
    const [next, made] = addLoops(state, ref, [
      ...op.axes.map(loopOfAxis("spatial", isOutput)),
      ...op.reduce.map(loopOfAxis("reduce", true)),
    ]);
    const along = made[op.axes.indexOf(op.scan as Axis)] as LoopRef;
    const stage: Stage = {
      ref,
      name: op.output.name,
      buffer: op.output,
      scope: undefined,
      axes: op.axes.map((a) => a.loopVar),
      reduce: op.reduce.map((a) => a.loopVar),
      combiner: op.combiner,
      body: op.body,
      decay: op.decay,
      isOutput,
      spatial: made.slice(0, op.axes.length),
      reduction: made.slice(op.axes.length),
      relations: [],
      leaves: op.scan ? [...made.filter((loop) => loop !== along), along] : made,
      placement: root,
      annotations: noAnnotations,
    };
    state = { ...next, stages: [...next.stages, stage], order: [...next.order, ref] };
  }
  return state;
}

/** Iterations of each part. The null part gets what is needed to cover the extent. */
export function partExtents(extent: number, factors: readonly (number | null)[]): number[] {
  const known = factors.reduce<number>((product, f) => product * (f ?? 1), 1);
  return factors.map((f) => f ?? Math.ceil(extent / known));
}

/** Every reader of a tensor reads `moved` of the indices in its place. */
export function readersMoved(state: State, buffer: Buffer, moved: (indices: readonly Expr[]) => Expr): State {
  return { ...state, stages: state.stages.map((stage) => readingMoved(stage, buffer, moved)) };
}

export function readingMoved(stage: Stage, buffer: Buffer, moved: (indices: readonly Expr[]) => Expr): Stage {
  const put = (formula: Expr): Expr =>
    rewriteExpr(formula, (e) => (e.kind === "Load" && e.buffer === buffer ? moved(e.indices) : e));
  const [body, decay] = formulasOf(stage).map(put) as [Expr, Expr?];
  return body === stage.body && decay === stage.decay ? stage : { ...stage, body, decay };
}

/**
 * The ordered loop of another recurrence whose steps a scan goes along with: computed there, it makes one element in each step,
 * and of its tensor only that and the one before are kept.
 */
export function stepsOf(state: State, stage: Stage): Loop | undefined {
  if (stage.placement.kind !== "at" || orderedLoop(state, stage)?.kind !== "spatial") return undefined;
  const loop = loopOf(state, stage.placement.loop);
  return loop.ordered ? loop : undefined;
}

/** The loop of a stage that stays serial, if it is a recurrence. */
export const orderedLoop = (state: State, { spatial, reduction }: Stage): Loop | undefined =>
  [...spatial, ...reduction].map((ref) => loopOf(state, ref)).find(({ ordered }) => ordered);
