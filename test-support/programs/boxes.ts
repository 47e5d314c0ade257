/**
 * Random programs with copies by the copy engine: tensors of odd shapes and one to four dimensions, boxes that extend beyond
 * their ends, rings of one to four slots, and several loops of one block around a ring. Threads write the results, or the engine
 * stores them from the ring, or from memory that threads wrote. Some programs have a producer, some have clusters whose blocks
 * copy each other's boxes. A random combination may be refused; then there is no schedule.
 */
import { type DType, dtypeBytes, Random } from "@warpfarm/common";
import { indexMap } from "../../compiler/src/json/index-map.ts";
import { ScheduleError } from "../../compiler/src/schedule/error.ts";
import { createSchedule, type Schedule } from "../../compiler/src/schedule/schedule.ts";
import type { LoopRef, StageRef } from "../../compiler/src/schedule/state.ts";
import { compute, placeholder } from "../../compiler/src/te/compute.ts";
import { add, at, floorDiv, floorMod } from "../../compiler/src/te/expr.ts";
import type { Graph } from "../../compiler/src/te/graph.ts";
import { graphOf } from "../../compiler/src/te/graph-of.ts";

const results = ["by threads", "copied on", "made by threads"] as const;

export interface BoxProgram {
  readonly name: string;
  readonly graph: Graph;
  readonly schedule: Schedule;
}

interface Draft {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** Of a tile of a block. */
  readonly tile: readonly number[];
  readonly result: (typeof results)[number];
  /** Number of blocks that read the same boxes, each for a part of the result's first dimension; 1 = no cluster. */
  readonly cluster: number;
}

function draft(random: Random): Draft {
  const dtype = random.pick(["float32", "float16", "int8", "int32", "float64"] as const);
  const unit = 16 / dtypeBytes(dtype);
  const rank = 1 + random.below(4);
  const small = rank > 2 ? 4 : 9;
  const shape = Array.from({ length: rank }, (_, d) => (d < rank - 1 ? 1 + random.below(small) : unit * (1 + random.below(5))));
  // A tensor of one dimension has no stride that must be a multiple of 16.
  if (rank === 1) shape[0] = 1 + random.below(9 * unit);
  const tile = shape.map((extent, d) => (d < rank - 1 ? 1 + random.below(extent) : unit * random.pick([1, 1, 2, 4])));
  const result = random.pick(results);
  // A separate generator, so that the programs of a seed without clusters do not change.
  const apart = new Random([...shape, ...tile].reduce((hash, extent) => (hash * 31 + extent) % 65_536, 7));
  const cluster = rank > 1 && apart.below(4) === 0 ? apart.pick([2, 2, 3, 4]) : 1;
  if (cluster > 1) {
    // Shares of whole eight rows begin where a swizzle does.
    tile[rank - 2] = 8 * cluster;
    shape[rank - 2] = 8 * cluster + apart.below(10 * cluster);
  }
  return { dtype, shape, tile, result, cluster };
}

/** Undefined when the schedule is refused. */
export function drawBoxes(random: Random): BoxProgram | undefined {
  const made = draft(random);
  const { dtype, shape, tile, result, cluster } = made;
  const a = placeholder("A", shape, dtype);
  const copies: [string, number][] = cluster > 1 ? [["copy", cluster]] : [];
  const axes = [...copies, ...shape.map((extent, d): [string, number] => [`i${d}`, extent])];
  const value = (indices: Parameters<typeof at>[1][]) => at(a, ...indices.slice(copies.length));
  const graph = graphOf(
    [a],
    [compute("B", axes, (...i) => (result === "copied on" ? value(i) : add(value(i), result === "by threads" ? 1 : value(i))))],
  );
  const name = `${dtype}[${shape}] in tiles of [${tile}]${cluster > 1 ? ` by clusters of ${cluster}` : ""}, ${result}`;
  try {
    return { name, graph, schedule: scheduleBoxes(createSchedule(graph), made, random) };
  } catch (error) {
    if (error instanceof ScheduleError) return undefined;
    throw error;
  }
}

/** Distributes all loops of a stage that can be distributed over threads. */
function byThreads(s: Schedule, loops: readonly LoopRef[], threads: number, random: Random): void {
  const [rest, tx] = s.split(loops.length > 1 ? s.fuse(loops) : (loops[0] as LoopRef), [null, threads]) as [LoopRef, LoopRef];
  s.bind(tx, "threadIdx.x");
  if (random.below(3) === 0) s.unroll(rest);
}

/** Each block of a cluster copies a share, mostly of rows. */
function shareOut(s: Schedule, copy: StageRef, cluster: number, random: Random): void {
  const axes = s.axes(copy);
  const [rank] = s.split(random.below(5) > 0 ? (axes.at(-2) as LoopRef) : random.pick(axes), [cluster, null]);
  s.bind(rank as LoopRef, "clusterIdx.x");
}

/** Joins the first two loops of `order` along a curve, of which each block takes some steps; returns the other loops. */
function byBlocks(s: Schedule, order: LoopRef[], random: Random): void {
  const isHilbert = random.below(2) === 0;
  const tiles = s.curve(order.slice(0, 2), isHilbert ? "hilbert" : "group", isHilbert ? 1 : 1 + random.below(3));
  const [wave, block] = s.split(tiles, [null, 1 + random.below(4)]) as [LoopRef, LoopRef];
  s.reorder([block, wave]);
  s.bind(block, "blockIdx.x");
  order.splice(0, 2, wave);
}

function scheduleBoxes(s: Schedule, { tile, shape, result, cluster }: Draft, random: Random): Schedule {
  const [a] = s.graph.inputs;
  const out = s.stage("B");
  const threads = random.pick([1, 32, 96, 128, 128, 128]);
  const cs: StageRef | undefined = result === "made by threads" ? s.cacheWrite(out, "shared") : undefined;
  const as = s.cacheRead(a as NonNullable<typeof a>, "shared", [cs ?? out]);
  const [outer, inner]: [LoopRef[], LoopRef[]] = [[], []];
  const rank = cluster > 1 ? s.axes(out)[0] : undefined;
  for (const [d, axis] of s
    .axes(out)
    .slice(rank === undefined ? 0 : 1)
    .entries()) {
    const [o, i] = s.split(axis, [null, tile[d] as number]) as [LoopRef, LoopRef];
    outer.push(o);
    inner.push(i);
  }
  const order = random.shuffle(outer);
  s.reorder([...(rank === undefined ? [] : [rank]), ...order, ...inner]);
  if (rank !== undefined) s.bind(rank, "clusterIdx.x");
  // Some loops go to blocks. The others are loops of one block, and a ring may be outside or inside of them.
  const apart = new Random([...shape, ...tile].reduce((hash, extent) => (hash * 31 + extent) % 65_536, 11));
  if (order.length > 1 && apart.below(3) === 0) byBlocks(s, order, apart);
  else {
    const blocks = 1 + random.below(Math.min(2, order.length));
    for (const [k, loop] of order.slice(0, blocks).entries()) s.bind(loop, k === 0 ? "blockIdx.x" : "blockIdx.y");
  }
  const place = random.pick(order.slice(-2));
  const wide = shape.length === 2 && random.below(3) === 0;
  if (wide) {
    const half = Math.max(2, Math.floor((tile.at(-1) as number) / 2));
    s.transformLayout(
      as,
      indexMap(["i", "j"], (i, j) => [floorDiv(j, half), i, floorMod(j, half)]),
    );
  }
  s.computeAt(as, out, place);
  if (cluster > 1) shareOut(s, as, cluster, random);
  s.copyBy(as, "tma");
  if (random.below(3) > 0) s.swizzle(as);
  if (random.below(3) > 0) s.pipeline(as, 2 + random.below(3));
  if (cs !== undefined) {
    s.computeAt(cs, out, order.at(-1) as LoopRef);
    byThreads(s, s.axes(cs), threads, random);
    if (random.below(2) === 0) s.swizzle(cs);
  }
  if (result === "by threads") byThreads(s, inner, threads, random);
  else s.copyBy(out, "tma");
  if (threads === 128 && result !== "copied on" && random.below(4) > 0) s.specialize(out, 0, 0);
  return s;
}
