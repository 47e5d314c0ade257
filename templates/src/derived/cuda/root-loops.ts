/**
 * The loops of a product's root stage as its batch, rows and columns; stages between its sums and the root are inlined. Where the
 * sum is split, blocks write the sums of a part of the terms, and a second kernel adds the parts where it computes the root.
 */
import type { LoopRef, Schedule, StageRef } from "@warpfarm/compiler/language";
import { exactly } from "../../exactly.ts";
import type { Group } from "../groups.ts";
import { fused } from "../part.ts";
import type { Product } from "./canonical.ts";
import type { Digit } from "./factors.ts";

interface ProductLoops {
  /** Undefined where there is no batch. */
  readonly batch: LoopRef | undefined;
  readonly rows: LoopRef;
  readonly columns: LoopRef;
}

export function inlineAround(schedule: Schedule, { root, sums, inside }: Group, { left, right }: Product): void {
  for (const { view } of [left, right]) schedule.computeInline(schedule.stage(view));
  for (const op of [...sums, ...inside])
    if (op.output.name !== root.output.name) schedule.computeInline(schedule.stage(op.output.name));
}

export function rootLoops(schedule: Schedule, { root }: Group, { batch, left, right }: Product): ProductLoops {
  const axes = schedule.axes(schedule.stage(root.output.name));
  const digits = [...batch, ...left.digits, ...right.digits];
  const parts = new Map<number, readonly LoopRef[]>();
  const loopOf = ({ axis, below }: Digit): LoopRef => {
    const all = digits.filter((digit) => digit.axis === axis);
    if (all.length === 1) return axes[axis] as LoopRef;
    const known = parts.get(axis) ?? schedule.split(axes[axis] as LoopRef, [null, Math.max(...all.map((digit) => digit.below))]);
    parts.set(axis, known);
    return known[below > 1 ? 0 : 1] as LoopRef;
  };
  const [z, r, p] = [batch, left.digits, right.digits].map((list) => list.map(loopOf)) as [LoopRef[], LoopRef[], LoopRef[]];
  schedule.reorder([...z, ...r, ...p]);
  return { batch: z.length > 0 ? fused(schedule, z) : undefined, rows: fused(schedule, r), columns: fused(schedule, p) };
}

const addingThreads = 128;

/** The stage [part, z, r, p] of the sums of `each` terms. */
export function partOf(schedule: Schedule, sums: StageRef, each: number): StageRef {
  const [part] = schedule.split(exactly(1, schedule.reduceAxes(sums))[0], [null, each]);
  return schedule.rfactor(part as LoopRef, 0);
}

export function addParts(schedule: Schedule, { root }: Group, product: Product, { batch, rows, columns }: ProductLoops): void {
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
