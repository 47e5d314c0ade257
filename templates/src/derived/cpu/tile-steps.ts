/**
 * The steps of a register tile (tile.ts):
 *
 *   for batch, outer group, inner group:     the first loops in parallel
 *     for reduction: for tile, lanes: acc += term
 *     for tile, lanes: out = acc             through an array of elements where lanes are not the result's last axis
 */
import type { LoopRef, Schedule, StageRef } from "@warpfarm/compiler/language";
import { accumulator, fused } from "../part.ts";
import type { TileChoice, TileOf } from "./tile.ts";
import { packedLayout } from "./vectors.ts";

export function scheduleTile(schedule: Schedule, of: TileOf, choice: TileChoice): void {
  const { op, root } = of;
  const { vectors } = choice;
  const isPacked = vectors.axis !== undefined && vectors.axis !== op.axes.length - 1;
  for (const { output } of of.inside) schedule.computeInline(schedule.stage(output.name));
  pack(schedule, of, choice);
  const first = accumulator(schedule, op, root);
  // Vectors alone touch the innermost array, so that it stays in registers; elements are read from the other.
  const own = isPacked ? schedule.cacheWrite(first, "local") : first;
  const between = isPacked ? first : undefined;
  const arrays = between === undefined ? [own] : [between, own];
  if (isPacked)
    for (const stage of arrays)
      schedule.transformLayout(stage, packedLayout(op.axes.length, vectors.axis as number, vectors.lanes));
  placeTile(schedule, of, choice, arrays);
  if (between !== undefined) {
    const loops = schedule.axes(between);
    for (const loop of loops.slice(0, -1)) schedule.unroll(loop);
    schedule.vectorize(loops.at(-1) as LoopRef);
  }
  accumulate(schedule, of, choice, own);
}

function pack(schedule: Schedule, { op }: TileOf, { vectors }: TileChoice): void {
  for (const { buffer, dim } of vectors.packs) {
    const source = schedule.graph.inputs.includes(buffer) ? buffer : schedule.stage(buffer.name);
    const copy = schedule.cacheRead(source, "global", [schedule.stage(op.output.name)]);
    schedule.transformLayout(copy, packedLayout(buffer.shape.length, dim, vectors.lanes));
    schedule.parallel(schedule.axes(copy)[0] as LoopRef);
  }
}

/** Loops of the result: outside of the tile, and within. */
function placeTile(schedule: Schedule, of: TileOf, choice: TileChoice, arrays: readonly StageRef[]): void {
  const { root, groups, tiled } = of;
  const { vectors, tile, outer, tasks } = choice;
  const out = schedule.stage(root.output.name);
  const axes = schedule.axes(out);
  const isLast = vectors.axis === axes.length - 1;
  const outside: LoopRef[] = [];
  const within: LoopRef[] = [];
  let lane: LoopRef | undefined;
  for (const [position, axis] of axes.entries()) {
    const elements = tile[tiled.indexOf(position)] ?? 1;
    if (position === vectors.axis && isLast && vectors.lanes > 1) {
      const [o, i, l] = schedule.split(axis, [null, elements, vectors.lanes]);
      outside.push(o);
      within.push(i);
      lane = l;
    } else {
      const [o, i] = schedule.split(axis, [null, elements * (position === vectors.axis ? vectors.lanes : 1)]);
      outside.push(o);
      within.push(i);
    }
  }
  const batch = axes.flatMap((_, position) => (groups.length > 1 && groups.some((g) => g.includes(position)) ? [] : [position]));
  const order =
    groups.length > 1 ? [...batch, ...(outer === "first" ? groups : groups.toReversed()).flat()] : axes.map((_, p) => p);
  const loops = order.map((position) => outside[position] as LoopRef);
  schedule.reorder([...loops, ...within, ...(lane === undefined ? [] : [lane])]);
  if (vectors.axis === undefined || isLast) for (const loop of within) schedule.unroll(loop);
  if (lane !== undefined) schedule.vectorize(lane);
  for (const stage of arrays) schedule.computeAt(stage, out, loops.at(-1) as LoopRef);
  schedule.parallel(fused(schedule, loops.slice(0, Math.min(Math.max(1, loops.length - 1), batch.length + tasks))));
}

function accumulate(schedule: Schedule, { op, windows, plain }: TileOf, choice: TileChoice, own: StageRef): void {
  const { vectors, step, inside, unroll } = choice;
  const spatial = [...schedule.axes(own)];
  let lane: LoopRef | undefined;
  if (vectors.lanes > 1) {
    const last = spatial.pop() as LoopRef;
    if (vectors.axis !== op.axes.length - 1) lane = last;
    else {
      const [o, l] = schedule.split(last, [null, vectors.lanes]);
      spatial.push(o);
      lane = l;
    }
  }
  const reduction = schedule.reduceAxes(own);
  const loopsOf = (list: TileOf["plain"]) => list.map((axis) => reduction[op.reduce.indexOf(axis)] as LoopRef);
  const inWindows = loopsOf(windows);
  const others = loopsOf(plain);
  const last = others.pop();
  const [outer, inner] = last === undefined ? [] : schedule.split(last, [null, step]);
  const beforeLast = outer === undefined ? [] : [...others, outer];
  const innermost = inner === undefined ? [] : [inner];
  const order = inside === "windows" ? [...beforeLast, ...innermost, ...inWindows] : [...beforeLast, ...inWindows, ...innermost];
  schedule.reorder([...order, ...spatial, ...(lane === undefined ? [] : [lane])]);
  for (const loop of spatial) schedule.unroll(loop);
  if (lane !== undefined) schedule.vectorize(lane);
  for (const loop of order.slice(order.length - unroll)) schedule.unroll(loop);
}
