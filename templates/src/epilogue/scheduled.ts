/**
 * A schedule for templates that know nothing of epilogues. The graph that a template sees has its own inputs. Where the result
 * was a reduction, its stage is now the epilogue, and the reduction a stage before it (attach.ts). What a template does to the
 * reduction by the name of the result is done to that stage:
 *
 *   reduceAxes(C)                   those of the sums
 *   cacheRead(A, scope, [C])        the copy is read by the sums
 *   cacheWrite(C, scope)            the sums are kept in that scope; C reads them there, as it would read its cache
 *   computeAt(copy, C, loop)        at a loop of the sums
 *
 * Sums that a template leaves in place are kept in a register, innermost in the loops of the result. An instruction that
 * computes the result, such as wmma's store, cannot compute the epilogue: tensorize refuses it.
 */
import { createSchedule, type Schedule, ScheduleError, type StageRef } from "@warpfarm/compiler/language";
import type { Followed } from "./attach.ts";

/** What `make` gives, and the schedule that it made. */
export function scheduleOf<T>({ graph, inputs, sums }: Followed, make: (schedule: Schedule) => T) {
  const schedule = createSchedule(graph);
  if (inputs.length === graph.inputs.length && sums === undefined) return { schedule, made: make(schedule) };
  const result = schedule.stage(graph.outputs[0]?.name ?? "");
  const summing = sums === undefined ? undefined : summingFor(schedule, result, schedule.stage(sums));
  const own = { graph: { ...graph, inputs }, ...refusingStores(schedule, result), ...summing?.methods };
  for (const [name, value] of Object.entries(own)) Object.defineProperty(schedule, name, { value, configurable: true });
  const made = make(schedule);
  for (const name of Object.keys(own)) delete (schedule as unknown as Record<string, unknown>)[name];
  summing?.end();
  return { schedule, made };
}

function refusingStores(schedule: Schedule, result: StageRef): Pick<Schedule, "tensorize"> {
  const { tensorize } = schedule;
  return {
    tensorize(loop, intrinsic) {
      const { loops, stages } = schedule.state;
      const name = typeof intrinsic === "string" ? intrinsic : intrinsic.name;
      const stage = stages[result];
      if (loops[loop]?.stage === result && stage?.body.kind !== "Load")
        throw new ScheduleError({
          rule: "tensorize.match",
          message: `tensorize: ${name} computes "${stage?.name}" from its sums alone, without an epilogue`,
        });
      return tensorize.call(schedule, loop, intrinsic);
    },
  };
}

/** The methods above, in place of the schedule's own, and what remains to be done after the template. */
function summingFor(schedule: Schedule, result: StageRef, sums: StageRef) {
  const { cacheRead, cacheWrite, computeAt, reduceAxes } = schedule;
  let isCached = false;
  const summing = (stage: StageRef): StageRef => (stage === result && !isCached ? sums : stage);
  const methods: Pick<Schedule, "reduceAxes" | "cacheRead" | "cacheWrite" | "computeAt"> = {
    reduceAxes: (stage) => reduceAxes.call(schedule, summing(stage)),
    cacheRead: (tensor, scope, readers) => cacheRead.call(schedule, tensor, scope, readers.map(summing)),
    cacheWrite(stage, scope) {
      if (summing(stage) === stage) return cacheWrite.call(schedule, stage, scope);
      isCached = true;
      schedule.setScope(sums, scope);
      return sums;
    },
    computeAt(stage, consumer, loop) {
      const at = consumer === result ? (schedule.state.loops[loop]?.stage ?? consumer) : consumer;
      return computeAt.call(schedule, stage, at, loop);
    },
  };
  const end = (): void => {
    if (!isCached && schedule.state.stages[sums]?.placement.kind === "root") keepInside(schedule, sums, result);
  };
  return { methods, end };
}

function keepInside(schedule: Schedule, sums: StageRef, result: StageRef): void {
  const loop = schedule.leaves(result).findLast((leaf) => schedule.state.loops[leaf]?.forKind !== "vectorized");
  if (loop === undefined) return;
  schedule.setScope(sums, "local");
  schedule.computeAt(sums, result, loop);
}
