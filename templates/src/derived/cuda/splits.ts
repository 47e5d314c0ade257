/**
 * A product whose sum is split: blocks write the sums of a part of the terms, and a second kernel adds the parts where it computes
 * the root.
 */
import type { LoopRef, Schedule, StageRef } from "@warpfarm/compiler/language";
import { exactly } from "../../exactly.ts";
import type { Group } from "../groups.ts";
import { fused } from "../part.ts";
import type { Product } from "./canonical.ts";
import type { rootLoops } from "./root-loops.ts";

const addingThreads = 128;

/** The stage [part, z, r, p] of the sums of `each` terms. */
export function partOf(schedule: Schedule, sums: StageRef, each: number): StageRef {
  const [part] = schedule.split(exactly(1, schedule.reduceAxes(sums))[0], [null, each]);
  return schedule.rfactor(part as LoopRef, 0);
}

export function addParts(
  schedule: Schedule,
  { root }: Group,
  product: Product,
  { batch, rows, columns }: ReturnType<typeof rootLoops>,
): void {
  const out = schedule.stage(root.output.name);
  const sums = schedule.stage(product.sums);
  const all = fused(schedule, [...(batch === undefined ? [] : [batch]), rows, columns]);
  const [block, thread] = schedule.split(all, [null, addingThreads]);
  schedule.bind(block as LoopRef, "blockIdx.x");
  schedule.bind(thread as LoopRef, "threadIdx.x");
  schedule.setScope(sums, "local");
  schedule.computeAt(sums, out, thread as LoopRef);
  schedule.unroll(exactly(1, schedule.reduceAxes(sums))[0]);
}
