/** Reductions that blocks of a cluster share out, for tests. */
import type { DType } from "@warpfarm/common";
import type { Var } from "../src/ir/expr.ts";
import { createSchedule, type Schedule } from "../src/schedule/schedule.ts";
import type { LoopRef } from "../src/schedule/state.ts";
import { compute, maxOf, minOf, placeholder, reduceAxis, sum } from "../src/te/compute.ts";
import { at, sub } from "../src/te/expr.ts";
import type { Graph } from "../src/te/graph.ts";
import { graphOf } from "../src/te/graph-of.ts";

export function rows(m: number, n: number, combiner = sum, dtype: DType = "float32"): Graph {
  const a = placeholder("a", [m, n], dtype);
  const k = reduceAxis("k", n);
  return graphOf([a], [compute("s", [["i", m]], (i) => combiner(at(a, i, k.loopVar), [k]))]);
}

interface Shape {
  readonly blocks: number;
  readonly threads: number;
  readonly inBlock?: number;
  /** The threads that rows of a block differ by. */
  readonly along?: "threadIdx.y" | "threadIdx.z";
}

/** A block of a cluster has a part of each row, one after the other. */
export function byClusters(graph: Graph, { blocks, threads, inBlock = 1, along = "threadIdx.y" }: Shape): Schedule {
  const s = createSchedule(graph);
  const stage = s.stage("s");
  const [i] = s.axes(stage) as [LoopRef];
  const [block, row] = s.split(i, [null, inBlock]) as [LoopRef, LoopRef];
  const [, part, lane] = s.split(s.reduceAxes(stage)[0] as LoopRef, [null, blocks, threads]) as LoopRef[];
  s.bind(block, "blockIdx.x");
  s.bind(row, along);
  s.bind(part as LoopRef, "clusterIdx.x");
  s.bind(lane as LoopRef, "threadIdx.x");
  return s;
}

interface TwoFolds {
  readonly blocks: number;
  /** Of these, those that share a reduction out. */
  readonly parts: number;
  /** Each block has four rows, one after the other, in a loop or written out. */
  readonly rows?: "loop" | "unrolled";
}

/** Each row has two reductions. */
export function twoFolds({ blocks, parts, rows }: TwoFolds): Schedule {
  const a = placeholder("a", [8, 256]);
  const [k, l] = [reduceAxis("k", 256), reduceAxis("l", 256)];
  const top = compute("top", [["i", 8]], (i) => maxOf(at(a, i, k.loopVar), [k]));
  const low = compute("low", [["i", 8]], (i) => minOf(at(a, i, l.loopVar), [l]));
  const axes = [
    ["i", 8],
    ["j", 256],
  ] as const;
  const body = (i: Var, j: Var) => sub(sub(at(a, i, j), at(top, i)), at(low, i));
  const s = createSchedule(graphOf([a], [compute("out", axes, body)]));
  const out = s.stage("out");
  const [i, j] = s.axes(out) as [LoopRef, LoopRef];
  const [block, row] = s.split(i, [null, rows ? 4 : 1]) as [LoopRef, LoopRef];
  const [turn, rank, thread] = s.split(j, [null, blocks, 32]) as [LoopRef, LoopRef, LoopRef];
  s.reorder([block, rank, row, thread, turn]);
  s.bind(block, "blockIdx.x");
  s.bind(rank, "clusterIdx.x");
  s.bind(thread, "threadIdx.x");
  if (rows === "unrolled") s.unroll(row);
  for (const name of ["top", "low"]) {
    const stage = s.stage(name);
    s.setScope(stage, "local");
    s.computeAt(stage, out, thread);
    const [, part, lane] = s.split(s.reduceAxes(stage)[0] as LoopRef, [null, parts, 32]) as LoopRef[];
    s.bind(part as LoopRef, "clusterIdx.x");
    s.bind(lane as LoopRef, "threadIdx.x");
  }
  return s;
}
