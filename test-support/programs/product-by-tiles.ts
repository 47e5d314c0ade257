/** A matrix product (8 x 8 x 8 by default) of the 4x4x2 tiles of intrinsics.ts: two warps with a row of tiles each. */
import type { Buffer } from "../../compiler/src/ir/buffer.ts";
import { createSchedule, type Schedule } from "../../compiler/src/schedule/schedule.ts";
import type { LoopRef } from "../../compiler/src/schedule/state.ts";
import { placeholder } from "../../compiler/src/te/compute.ts";
import { graphOf } from "../../compiler/src/te/graph-of.ts";
import { matmul } from "../../compiler/src/te/ops/matmul.ts";
import { copyA, copyB, copyOut, product } from "./intrinsics.ts";

export interface TileOptions {
  readonly rows?: number;
  readonly sum?: number;
  /** Elements between rows of the shared copy of A, mod 4. */
  readonly pad?: number;
  readonly tensorize?: boolean;
}

export function matmulByTiles({ rows = 8, sum = 8, pad = 0, tensorize = true }: TileOptions = {}): Schedule {
  const a = placeholder("A", [rows, sum]);
  const b = placeholder("B", [sum, 8]);
  const graph = graphOf([a, b], [matmul(a, b)]);
  const s = createSchedule(graph);
  const c = s.stage("C");
  const [A, B] = graph.inputs as [Buffer, Buffer];
  const as = s.cacheRead(A, "shared", [c]);
  const bs = s.cacheRead(B, "shared", [c]);
  const af = s.cacheRead(as, "wmma.matrix_a", [c]);
  const bf = s.cacheRead(bs, "wmma.matrix_b", [c]);
  const cf = s.cacheWrite(c, "wmma.accumulator");
  if (pad > 0) s.storageAlign(as, 0, 4, pad);
  const [i, j] = s.axes(c) as [LoopRef, LoopRef];
  const [io, ii] = s.split(i, [null, 4]);
  const [jo, ji] = s.split(j, [null, 4]);
  s.reorder([io, jo, ii, ji]);
  s.bind(io, "threadIdx.y");
  s.computeAt(cf, c, jo);
  const [ci, cj] = s.axes(cf) as [LoopRef, LoopRef];
  const [k] = s.reduceAxes(cf) as [LoopRef];
  const [ko, ki] = s.split(k, [null, 2]);
  s.reorder([ko, ci, cj, ki]);
  for (const [stage, at] of [
    [as, ko],
    [bs, ko],
    [af, ko],
    [bf, ko],
  ] as const)
    s.computeAt(stage, cf, at);
  for (const stage of [as, bs]) {
    const fused = s.fuse(s.axes(stage));
    const [ty, rest] = s.split(fused, [2, null]);
    const [, tx] = s.split(rest, [null, 32]);
    s.bind(ty, "threadIdx.y");
    s.bind(tx, "threadIdx.x");
  }
  if (tensorize) {
    s.tensorize(s.axes(af)[0] as LoopRef, copyA);
    s.tensorize(s.axes(bf)[0] as LoopRef, copyB);
    s.tensorize(ii, copyOut);
    s.tensorize(ci, product);
  }
  return s;
}
