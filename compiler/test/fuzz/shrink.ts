/** Makes a failing trace small: drops steps, with those that use what they made, as long as it still fails. */
import type { Intrinsic } from "../../src/ir/intrinsic.ts";
import { createSchedule } from "../../src/schedule/schedule.ts";
import { decodeStep } from "../../src/schedule/trace.ts";
import type { TraceStep } from "../../src/serial/program.ts";
import type { Graph } from "../../src/te/graph.ts";

/** The steps that can still be done, with references renumbered. */
export function retrace(graph: Graph, steps: readonly TraceStep[], intrinsics: readonly Intrinsic[] = []): readonly TraceStep[] {
  const sch = createSchedule(graph, intrinsics);
  const now = new Map<string, string>();
  for (const { ref } of sch.state.stages) now.set(`s${ref}`, `s${ref}`);
  for (const { ref } of sch.state.loops) now.set(`l${ref}`, `l${ref}`);
  for (const step of steps) {
    const refs = step.in.map((ref) => (ref.startsWith("i") ? ref : now.get(ref)));
    if (refs.includes(undefined)) continue;
    const read = decodeStep({ ...step, in: refs as string[] });
    if (!read.ok || !sch.step(read.value.primitive, read.value.values).ok) continue;
    for (const [i, ref] of (sch.trace.at(-1)?.out ?? []).entries()) now.set(step.out[i] as string, ref);
  }
  return sch.trace;
}

export function shrink(
  graph: Graph,
  trace: readonly TraceStep[],
  fails: (trace: readonly TraceStep[]) => boolean,
  intrinsics: readonly Intrinsic[] = [],
): readonly TraceStep[] {
  let best = trace;
  for (let i = best.length - 1; i >= 0; i--) {
    const smaller = retrace(graph, best.toSpliced(i, 1), intrinsics);
    if (smaller.length < best.length && fails(smaller)) {
      best = smaller;
      i = Math.min(i, best.length);
    }
  }
  return best;
}
