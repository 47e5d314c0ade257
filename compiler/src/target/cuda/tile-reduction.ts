/**
 * A reduction whose operands are read again and again, a block a tile of the result: the operands' part of a chunk of the
 * reduction is copied to shared memory by all threads, and each thread sums a few elements in registers. Which axes are rows and
 * which are columns, the access pattern says. Each element's terms are added in the order of the definition, as one thread an
 * element does, so both give the same bits.
 *
 *   for chunk: operands' parts to shared memory; for each step of the chunk, for each element of the thread: sums += term
 */
import { isPacked } from "@warpfarm/common";
import type { Schedule } from "../../schedule/schedule.ts";
import type { LoopRef, StageRef } from "../../schedule/state.ts";
import type { ComputeOp } from "../../te/graph.ts";
import { reuseOf } from "../../te/reuse.ts";

const side = 64;
const threadsOfSide = 16;
/** Smaller tiles have too few threads to share the copying. */
const leastTile = 1024;
const chunkExtent = 32;

interface Tile {
  /** Elements per thread along the axis; their distance is the number of threads along it. */
  readonly each: number;
  readonly threads: number;
}

const powerUpTo = (x: number): number => 2 ** Math.floor(Math.log2(x));
const powerFrom = (x: number): number => 2 ** Math.ceil(Math.log2(x));

/** The tile of a group's axes, the innermost first; 1 element along all others. */
function tilesOf(extents: readonly number[], groups: readonly (readonly number[])[]): Tile[] {
  const tiles = extents.map((): Tile => ({ each: 1, threads: 1 }));
  for (const group of groups) {
    let [elements, threads] = [side, threadsOfSide];
    for (const position of group.toReversed()) {
      const along = Math.min(elements, powerFrom(extents[position] as number));
      const across = Math.min(along, threads);
      tiles[position] = { each: along / across, threads: across };
      elements /= along;
      threads /= across;
    }
  }
  return tiles;
}

/** Binds the result's loops; returns the loop over threads. */
function shareOut(schedule: Schedule, out: StageRef, tiles: readonly Tile[]): LoopRef {
  const blocks: LoopRef[] = [];
  const several: LoopRef[] = [];
  const threads: LoopRef[] = [];
  for (const [position, loop] of schedule.axes(out).entries()) {
    const tile = tiles[position] as Tile;
    if (tile.each * tile.threads === 1) {
      blocks.push(loop);
      continue;
    }
    const [block, each, thread] = schedule.split(loop, [null, tile.each, tile.threads]);
    blocks.push(block);
    several.push(each);
    threads.push(thread);
  }
  schedule.reorder([...blocks, ...several, ...threads]);
  schedule.bind(schedule.fuse(blocks), "blockIdx.x");
  for (const loop of several) if (schedule.extent(loop) > 1) schedule.bind(loop, "vthread");
  const thread = schedule.fuse(threads);
  schedule.bind(thread, "threadIdx.x");
  return thread;
}

/** Cuts the reduction into chunks and keeps its order. Returns the loop over chunks. */
function cutIntoChunks(schedule: Schedule, sums: StageRef): LoopRef {
  const loops = schedule.reduceAxes(sums);
  const extents = loops.map((loop) => schedule.extent(loop));
  let [steps, whole] = [chunkExtent, loops.length];
  for (; whole > 0 && (extents[whole - 1] as number) <= steps; whole--)
    steps = Math.floor(steps / (extents[whole - 1] as number));
  // Cuts the last axis that does not fit whole into a chunk.
  const cut = Math.max(0, whole - 1);
  const part = whole === 0 ? (extents[0] as number) : powerUpTo(steps);
  const [chunk, step] = schedule.split(loops[cut] as LoopRef, [null, part]);
  schedule.reorder([...loops.slice(0, cut), chunk, step, ...loops.slice(cut + 1), ...schedule.axes(sums)]);
  return chunk;
}

function copyTogether(schedule: Schedule, copy: StageRef, threads: number): void {
  const axes = schedule.axes(copy);
  const [, thread] = schedule.split(axes.length > 1 ? schedule.fuse(axes) : (axes[0] as LoopRef), [null, threads]);
  schedule.bind(thread, "threadIdx.x");
}

/** Returns the stage of the sums. It returns undefined and changes nothing if the pattern of the op does not fit. */
export function tileReduction(schedule: Schedule, op: ComputeOp): StageRef | undefined {
  const reuse = (op.combiner && op.decay === undefined && reuseOf(op)) || undefined;
  // Threads would write parts of one word.
  if (!reuse || [op.output, ...reuse.operands.map(({ buffer }) => buffer)].some(({ dtype }) => isPacked(dtype))) return undefined;
  const extents = op.axes.map(({ extent }) => extent);
  const tiles = tilesOf(extents, reuse.groups);
  const threads = tiles.reduce((n, tile) => n * tile.threads, 1);
  if (tiles.reduce((n, tile) => n * tile.each, threads) < leastTile) return undefined;

  const out = schedule.stage(op.output.name);
  const copies = reuse.operands.map(({ buffer }) => schedule.cacheRead(buffer, "shared", [out]));
  const sums = schedule.cacheWrite(out, "local");
  schedule.computeAt(sums, out, shareOut(schedule, out, tiles));
  const chunk = cutIntoChunks(schedule, sums);
  for (const [i, { buffer, dimension }] of reuse.operands.entries()) {
    const copy = copies[i] as StageRef;
    schedule.computeAt(copy, sums, chunk);
    // Neighbouring threads read neighbours along this dimension, and an odd stride takes them to different banks.
    if (dimension < buffer.shape.length - 1) schedule.storageAlign(copy, dimension, 2, 1);
    copyTogether(schedule, copy, threads);
  }
  return sums;
}
