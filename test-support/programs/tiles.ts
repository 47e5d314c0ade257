/**
 * Random matrix products by intrinsics: the length of a step's sum, how the work is distributed, in which order, and how far
 * ahead operands are loaded. Random loops match no intrinsic, so this file places the tiles of intrinsics.ts.
 */
import type { Random } from "@warpfarm/common";
import { createSchedule, type Schedule } from "../../compiler/src/schedule/schedule.ts";
import type { LoopRef } from "../../compiler/src/schedule/state.ts";
import { placeholder } from "../../compiler/src/te/compute.ts";
import type { Graph } from "../../compiler/src/te/graph.ts";
import { graphOf } from "../../compiler/src/te/graph-of.ts";
import { matmul } from "../../compiler/src/te/ops/matmul.ts";
import { copyA, copyB, copyOut, product } from "./intrinsics.ts";

export const tileIntrinsics = [copyA, copyB, copyOut, product];

export function tiledGraph(): Graph {
  const a = placeholder("A", [8, 8]);
  const b = placeholder("B", [8, 8]);
  return graphOf([a, b], [matmul(a, b)]);
}

export function tiledProduct(graph: Graph, random: Random): Schedule {
  const s = createSchedule(graph, tileIntrinsics);
  const c = s.stage("C");
  const [as, bs] = graph.inputs.map((input) => s.cacheRead(input, "shared", [c])) as [typeof c, typeof c];
  const af = s.cacheRead(as, "wmma.matrix_a", [c]);
  const bf = s.cacheRead(bs, "wmma.matrix_b", [c]);
  const cf = s.cacheWrite(c, "wmma.accumulator");
  if (random.below(2) === 0) s.storageAlign(random.pick([as, bs]), 0, 4, 2);

  const [i, j] = s.axes(c) as [LoopRef, LoopRef];
  const [io, ii] = s.split(i, [null, 4]);
  const [jo, ji] = s.split(j, [null, 4]);
  const outer = random.shuffle([io, jo]);
  s.reorder([...outer, ii, ji]);
  const warps = random.below(2) === 0;
  s.bind(outer[0] as LoopRef, warps ? "threadIdx.y" : random.pick(["blockIdx.x", "blockIdx.y"]));
  if (random.below(3) === 0) s.bind(outer[1] as LoopRef, warps ? "threadIdx.z" : "blockIdx.z");
  s.computeAt(cf, c, outer[1] as LoopRef);

  const [ci, cj] = s.axes(cf) as [LoopRef, LoopRef];
  const [ko, km, ki] = s.split((s.reduceAxes(cf) as [LoopRef])[0], [null, random.pick([1, 2, 4]), 2]);
  s.reorder([ko, km, ci, cj, ki]);
  s.computeAt(af, cf, km);
  s.computeAt(bf, cf, km);
  if (random.below(2) === 0) s.unroll(km);
  const ahead = random.pick(["none", "double", "pipeline"] as const);
  for (const stage of random.shuffle([as, bs])) {
    s.computeAt(stage, cf, ko);
    if (ahead === "double") s.doubleBuffer(stage);
    if (ahead === "pipeline") s.pipeline(stage, 3);
    let rest = s.fuse(s.axes(stage));
    if (warps && random.below(2) === 0) {
      const [ty, each] = s.split(rest, [2, null]);
      s.bind(ty, "threadIdx.y");
      rest = each;
    }
    s.bind(s.split(rest, [null, 32])[1], "threadIdx.x");
  }
  const marks = [
    () => s.tensorize(s.axes(af)[0] as LoopRef, copyA),
    () => s.tensorize(s.axes(bf)[0] as LoopRef, copyB),
    () => s.tensorize(ii, copyOut),
    () => s.tensorize(ci, product),
  ];
  for (const mark of random.shuffle(marks)) mark();
  return s;
}
