/**
 * The public face of scheduling: one method per primitive, each a recorded step. The object moves from one immutable state to the
 * next; `state` and `trace` are values. A method throws ScheduleError on a local fault, and then nothing has changed. Inference
 * (infer.ts) finds regional faults and reports them for the step that caused them.
 */

import type { Refusal } from "@warpfarm/common";
import { didYouMean, err, type Json, ok, type Result } from "@warpfarm/common";
import type { Intrinsic } from "../ir/intrinsic.ts";
import type { Axis, Graph } from "../te/graph.ts";
import type { Arg, Primitive, Returns, Values } from "./define-primitive.ts";
import { ScheduleError } from "./error.ts";
import * as primitives from "./primitives/index.ts";
import { initialState, type Loop, type LoopRef, type Stage, type StageRef, type State } from "./state.ts";
import { checkOut, decodeStep, encodeStep, printStep, type Step, type TraceStep } from "./trace.ts";

type Given<Args extends readonly Arg[]> = {
  [I in keyof Args]: Args[I] extends Arg<string, infer _, infer G> ? G : never;
};
type Tiles = [LoopRef, LoopRef, LoopRef, LoopRef];
type Returned<R extends Exclude<Returns, "parts">> = {
  tiles: Tiles;
  loops: LoopRef[];
  loop: LoopRef;
  stage: StageRef;
  nothing: undefined;
}[R];
/** As many loops as factors, so that they can be destructured: `const [outer, inner] = sch.split(i, [null, 8])`. */
type Parts = <const F extends readonly (number | null)[]>(loop: LoopRef, factors: F) => { -readonly [I in keyof F]: LoopRef };
type Method<P> =
  P extends Primitive<string, infer Args, infer R>
    ? R extends Exclude<Returns, "parts">
      ? (...args: Given<Args>) => Returned<R>
      : Parts
    : never;
export type PrimitiveName = keyof typeof primitives;
type Methods = { readonly [K in keyof typeof primitives]: Method<(typeof primitives)[K]> };

/**
 * A state, and the last step taken from it. A task's candidates begin alike, so their common first steps, which make caches and
 * layouts, are taken once.
 */
interface Point {
  readonly state: State;
  last: { readonly step: Step; readonly to: Point } | undefined;
}

const methods: ReadonlyMap<string, Primitive> = new Map(Object.entries(primitives) as [string, Primitive][]);

const starts = new WeakMap<Graph, Point>();
function startOf(graph: Graph): Point {
  let start = starts.get(graph);
  if (!start) {
    start = { state: initialState(graph), last: undefined };
    starts.set(graph, start);
  }
  return start;
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => item === b[i]);
  const keys = Object.keys(a) as never[];
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

class Stepping {
  #at: Point;
  readonly #steps: Step[] = [];
  #trace: TraceStep[] = [];

  readonly #declared: readonly Intrinsic[];
  readonly #used: Intrinsic[] = [];

  constructor(graph: Graph, intrinsics: readonly Intrinsic[] = []) {
    this.#at = startOf(graph);
    this.#declared = intrinsics;
  }

  get graph(): Graph {
    return this.#at.state.graph;
  }
  get state(): State {
    return this.#at.state;
  }
  get trace(): readonly TraceStep[] {
    if (this.#trace.length < this.#steps.length)
      this.#trace = [...this.#trace, ...this.#steps.slice(this.#trace.length).map(encodeStep)];
    return this.#trace;
  }

  get intrinsics(): readonly Intrinsic[] {
    return [...this.#used];
  }

  stage(name: string): StageRef {
    const stage = this.#at.state.stages.find((s) => s.name === name);
    if (stage) return stage.ref;
    const names = this.#at.state.stages.map((s) => s.name);
    const known = names.map((each) => `"${each}"`).join(", ");
    throw new ScheduleError({
      rule: "stage.unknown",
      message: `stage: "${name}" is not a stage${didYouMean(name, names)}; known are ${known}`,
    });
  }
  /** Loops over the result, without that of a scan, which stays as it is. */
  axes(stage: StageRef): LoopRef[] {
    return this.#known(stage).spatial.filter((loop) => !this.#at.state.loops[loop]?.ordered);
  }
  /** The loop along which a scan goes; none of another stage. */
  scanAxes(stage: StageRef): LoopRef[] {
    return this.#known(stage).spatial.filter((loop) => this.#at.state.loops[loop]?.ordered);
  }
  reduceAxes(stage: StageRef): LoopRef[] {
    return [...this.#known(stage).reduction];
  }
  leaves(stage: StageRef): LoopRef[] {
    return [...this.#known(stage).leaves];
  }
  extent(loop: LoopRef): number {
    const known: Loop | undefined = this.#at.state.loops[loop];
    if (known) return known.extent;
    throw new ScheduleError({ rule: "loop.unknown", message: `extent: l${loop} is not a loop of this schedule` });
  }
  #known(ref: StageRef): Stage {
    const stage: Stage | undefined = this.#at.state.stages[ref];
    if (stage) return stage;
    throw new ScheduleError({ rule: "stage.unknown", message: `s${ref} is not a stage of this schedule` });
  }

  print(): string {
    const lines = [`const sch = createSchedule(graph${this.intrinsics.length > 0 ? ", intrinsics" : ""});`];
    let loop = 0;
    for (const [i, op] of this.graph.ops.entries()) {
      const named = (axes: readonly Axis[]) => axes.map((axis) => ({ axis, name: `l${loop++}` }));
      const loops = (method: string, of: readonly { readonly name: string }[]) => {
        if (of.length > 0) lines.push(`const [${of.map(({ name }) => name).join(", ")}] = sch.${method}(s${i});`);
      };
      lines.push(`const s${i} = sch.stage(${JSON.stringify(op.output.name)});`);
      const axes = named(op.axes);
      loops(
        "axes",
        axes.filter(({ axis }) => axis !== op.scan),
      );
      loops(
        "scanAxes",
        axes.filter(({ axis }) => axis === op.scan),
      );
      loops("reduceAxes", named(op.reduce));
    }
    return `${[...lines, ...this.#steps.map(printStep)].join("\n")}\n`;
  }

  /** What the method of that name does. A schedule of another kind may do another thing. */
  call(name: PrimitiveName, args: readonly unknown[]): unknown {
    const primitive = methods.get(name) as Primitive;
    const done = this.step(primitive, args);
    if (!done.ok) throw new ScheduleError({ ...done.error, at: this.state.step });
    const { stages = [], loops = [] } = done.value.made;
    switch (primitive.returns) {
      case "parts":
      case "tiles":
      case "loops":
        return [...loops];
      case "loop":
        return loops[0];
      case "stage":
        return stages[0];
      case "nothing":
        return undefined;
    }
  }

  step(primitive: Primitive, given: readonly unknown[]): Result<Step, Refusal> {
    const values: Record<string, unknown> = {};
    for (let i = 0; i < primitive.args.length; i++) {
      const { name, type } = primitive.args[i] as Arg;
      const value = type.isRef
        ? type.accept(given[i], this.#at.state)
        : type.resolve
          ? type.resolve(given[i], [...this.#declared, ...this.#used])
          : type.read(given[i] as Json);
      if (value === undefined)
        return err({
          rule: `${primitive.name}.args`,
          message: `${primitive.name}: ${name} is ${show(given[i])}; it takes ${type.allowed}`,
        });
      // The caller's list is the caller's to change.
      values[name] = Array.isArray(value) ? value.slice() : value;
    }
    const { state, last } = this.#at;
    let taken = last;
    if (
      taken?.step.primitive !== primitive ||
      !primitive.args.every(({ name }) => isSame(last?.step.values[name], values[name]))
    ) {
      const refusal = primitive.check(state, values as Values<readonly Arg[]>);
      if (refusal) return err(refusal);
      const made = primitive.apply(state, values as Values<readonly Arg[]>);
      const { graph, stages, loops, order } = made.state;
      const to: Point = { state: { graph, stages, loops, order, step: state.step + 1 }, last: undefined };
      taken = { step: { primitive, values, made }, to };
      this.#at.last = taken;
    }
    this.#at = taken.to;
    this.#steps.push(taken.step);
    for (const { name, type } of primitive.args)
      if (!type.isRef && type.resolve && !this.#used.includes(values[name] as Intrinsic))
        this.#used.push(values[name] as Intrinsic);
    return ok(taken.step);
  }
}

const show = (value: unknown): string =>
  (typeof value === "object" && value !== null && "name" in value ? String(value.name) : JSON.stringify(value)) ?? "missing";

for (const name of Object.keys(primitives) as PrimitiveName[])
  Object.defineProperty(Stepping.prototype, name, {
    value(this: Stepping, ...args: unknown[]): unknown {
      return this.call(name, args);
    },
  });

export type Schedule = Stepping & Methods;
/** With a method for each primitive. */
export const ScheduleBase = Stepping as new (graph: Graph, intrinsics?: readonly Intrinsic[]) => Schedule;

/** `intrinsics`: those that tensorize may name. */
export const createSchedule = (graph: Graph, intrinsics: readonly Intrinsic[] = []): Schedule =>
  new ScheduleBase(graph, intrinsics);

export function replay(
  graph: Graph,
  trace: readonly TraceStep[],
  intrinsics: readonly Intrinsic[] = [],
): Result<Schedule, ScheduleError> {
  const schedule = createSchedule(graph, intrinsics);
  for (const [i, step] of trace.entries()) {
    const read = decodeStep(step);
    if (!read.ok) return err(new ScheduleError({ ...read.error, at: i }));
    const done = schedule.step(read.value.primitive, read.value.values);
    if (!done.ok) return err(new ScheduleError({ ...done.error, at: i }));
    const wrong = checkOut(step, done.value.made);
    if (wrong) return err(new ScheduleError({ ...wrong, at: i }));
  }
  return ok(schedule);
}
