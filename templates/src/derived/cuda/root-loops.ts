/**
 * The loops of a product's root stage as its batch, rows and columns; stages between its sums and the root are inlined. Where the
 * sum is split, blocks write the sums of a part of the terms, and a second kernel adds the parts where it computes the root.
 */
import { type Expr, indexMap, type LoopRef, type Schedule, type Scope, type StageRef } from "@warpfarm/compiler/language";
import { exactly } from "../../exactly.ts";
import type { Group } from "../groups.ts";
import { fused } from "../part.ts";
import { sizeOf } from "../stages.ts";
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

function rootLoops(schedule: Schedule, { root }: Group, { batch, left, right }: Product): ProductLoops {
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

/** Where blocks sum: at the root's loops, or at those of a stage of parts. */
export interface Summed {
  readonly at: StageRef;
  readonly sums: StageRef;
  readonly batch: readonly LoopRef[];
  readonly rows: LoopRef;
  readonly columns: LoopRef;
  readonly isPart: boolean;
}

/** The sums in `scope`. `each`: the terms of a part, when a second kernel adds the parts; unset: one sum has all terms. */
export function summed(schedule: Schedule, group: Group, product: Product, scope: Scope, each?: number): Summed {
  const loops = rootLoops(schedule, group, product);
  const sums = schedule.stage(product.sums);
  if (each === undefined) {
    schedule.setScope(sums, scope);
    const batch = loops.batch === undefined ? [] : [loops.batch];
    return { at: schedule.stage(group.root.output.name), sums, ...loops, batch, isPart: false };
  }
  const [split] = schedule.split(exactly(1, schedule.reduceAxes(sums))[0], [null, each]);
  const part = schedule.rfactor(split as LoopRef, 0);
  addParts(schedule, group, sums, loops);
  const [s, z, rows, columns] = exactly(4, schedule.axes(part));
  return { at: part, sums: schedule.cacheWrite(part, scope), batch: [s, z], rows, columns, isPart: true };
}

/** Lays the sums out in tiles of (rows, columns). Returns their axes before the tiles, and those of the tiles. */
export function layInTiles(
  schedule: Schedule,
  { sums, isPart }: Summed,
  tilesOf: (i: Expr, j: Expr) => readonly Expr[],
): readonly [before: readonly LoopRef[], tiles: readonly LoopRef[]] {
  schedule.transformLayout(
    sums,
    isPart
      ? indexMap(["s", "z", "i", "j"], (s, z, i, j): readonly Expr[] => [s, z, ...tilesOf(i, j)])
      : indexMap(["z", "i", "j"], (z, i, j): readonly Expr[] => [z, ...tilesOf(i, j)]),
  );
  const axes = schedule.axes(sums);
  const first = isPart ? 2 : 1;
  return [axes.slice(0, first), axes.slice(first)];
}

/** Whether blocks of a common size are so few that parts of the sum may have blocks of their own. */
export const hasFewTiles = ({ batch, left, right }: Product, processors: number): boolean =>
  sizeOf(batch) * left.extent.padded * right.extent.padded <= 4 * processors * usualSide ** 2;
const usualSide = 64;

function addParts(schedule: Schedule, { root }: Group, sums: StageRef, { batch, rows, columns }: ProductLoops): void {
  const out = schedule.stage(root.output.name);
  const all = fused(schedule, [...(batch === undefined ? [] : [batch]), rows, columns]);
  const [block, thread] = schedule.split(all, [null, addingThreads]);
  schedule.bind(block as LoopRef, "blockIdx.x");
  schedule.bind(thread as LoopRef, "threadIdx.x");
  schedule.setScope(sums, "local");
  schedule.computeAt(sums, out, thread as LoopRef);
  schedule.unroll(exactly(1, schedule.reduceAxes(sums))[0]);
}
