/**
 * A schedule for templates that know nothing of epilogues. While a template makes it, its graph has the template's own inputs.
 * Where the result was a reduction, its stage is now the epilogue, and the reduction a stage before it (attach.ts). What a
 * template does to the reduction by the name of the result is done to that stage:
 *
 *   reduceAxes(C)                   those of the sums
 *   cacheRead(A, scope, [C])        the copy is read by the sums
 *   cacheWrite(C, scope)            the sums are kept in that scope; C reads them there, as it would read its cache
 *   computeAt(copy, C, loop)        at a loop of the sums
 *
 * Sums that a template leaves in place are kept in a register, innermost in the loops of the result. An instruction that
 * computes the result, such as wmma's store, cannot compute the epilogue: tensorize refuses it.
 */
import {
  type Buffer,
  createSchedule,
  type Graph,
  type LoopRef,
  type PrimitiveName,
  type Schedule,
  ScheduleBase,
  ScheduleError,
  type StageRef,
} from "@warpfarm/compiler/language";
import type { Followed } from "./attach.ts";

/** What `make` gives, and the schedule that it made. */
export function scheduleOf<T>(
  followed: Followed,
  make: (schedule: Schedule) => T,
): { readonly schedule: Schedule; readonly made: T } {
  const { graph, inputs, sums } = followed;
  if (inputs.length === graph.inputs.length && sums === undefined) {
    const schedule = createSchedule(graph);
    return { schedule, made: make(schedule) };
  }
  const schedule = new FollowedSchedule(followed);
  const made = make(schedule);
  schedule.settle();
  return { schedule, made };
}

/** Of a computation with an epilogue: it knows which stage sums. */
class FollowedSchedule extends ScheduleBase {
  readonly #result: StageRef;
  readonly #sums: StageRef | undefined;
  readonly #inputs: readonly Buffer[];
  #isCached = false;
  #isMade = false;

  constructor({ graph, inputs, sums }: Followed) {
    super(graph);
    this.#inputs = inputs;
    this.#result = this.stage(graph.outputs[0]?.name ?? "");
    this.#sums = sums === undefined ? undefined : this.stage(sums);
  }

  override get graph(): Graph {
    const { graph } = this.state;
    return this.#isMade ? graph : { ...graph, inputs: this.#inputs };
  }

  /** The stage that sums where a template names the result. */
  #summing(stage: StageRef): StageRef {
    return stage === this.#result && !this.#isCached ? (this.#sums ?? stage) : stage;
  }

  override reduceAxes(stage: StageRef): LoopRef[] {
    return super.reduceAxes(this.#summing(stage));
  }

  override call(name: PrimitiveName, args: readonly unknown[]): unknown {
    switch (name) {
      case "cacheRead": {
        const [tensor, scope, readers] = args as Parameters<Schedule["cacheRead"]>;
        return super.call(name, [tensor, scope, readers.map((reader) => this.#summing(reader))]);
      }
      case "cacheWrite": {
        const [stage, scope] = args as Parameters<Schedule["cacheWrite"]>;
        const summing = this.#summing(stage);
        if (summing === stage) return super.call(name, args);
        this.#isCached = true;
        super.call("setScope", [summing, scope]);
        return summing;
      }
      case "computeAt": {
        const [stage, consumer, loop] = args as Parameters<Schedule["computeAt"]>;
        const isOfResult = this.#sums !== undefined && consumer === this.#result;
        return super.call(name, [stage, isOfResult ? (this.state.loops[loop]?.stage ?? consumer) : consumer, loop]);
      }
      case "tensorize":
        this.#refuseStore(args as Parameters<Schedule["tensorize"]>);
        return super.call(name, args);
      default:
        return super.call(name, args);
    }
  }

  #refuseStore([loop, intrinsic]: Parameters<Schedule["tensorize"]>): void {
    const { loops, stages } = this.state;
    const stage = stages[this.#result];
    if (loops[loop]?.stage === this.#result && stage?.body.kind !== "Load")
      throw new ScheduleError({
        rule: "tensorize.match",
        message: `tensorize: ${typeof intrinsic === "string" ? intrinsic : intrinsic.name} computes "${stage?.name}" from its sums alone, without an epilogue`,
      });
  }

  /** The template is done: what it left in place is placed, and the graph is the whole one. */
  settle(): void {
    this.#isMade = true;
    const sums = this.#sums;
    if (sums === undefined || this.#isCached || this.state.stages[sums]?.placement.kind !== "root") return;
    const loop = this.leaves(this.#result).findLast((leaf) => this.state.loops[leaf]?.forKind !== "vectorized");
    if (loop === undefined) return;
    this.setScope(sums, "local");
    super.call("computeAt", [sums, this.#result, loop]);
  }
}
