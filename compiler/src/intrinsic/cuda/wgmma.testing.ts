/**
 * A product by wgmma, for tests: blocks of `groups` warpgroups of 64 rows, operands brought by the copy engine into `slots`.
 */

import type { Buffer } from "../../ir/buffer.ts";
import { indexMap } from "../../json/index-map.ts";
import { createSchedule, type Schedule } from "../../schedule/schedule.ts";
import type { LoopRef } from "../../schedule/state.ts";
import { compute, placeholder } from "../../te/compute.ts";
import { at, cast, floorDiv, floorMod } from "../../te/expr.ts";
import type { Graph } from "../../te/graph.ts";
import { graphOf } from "../../te/graph-of.ts";
import { matmul } from "../../te/ops/matmul.ts";
import { type Wgmma, wgmma } from "./wgmma.ts";

export interface Product {
  readonly dtype: Wgmma["dtype"];
  readonly layout: "NN" | "NT" | "TN" | "TT";
  readonly size: readonly [M: number, N: number, K: number];
  readonly n: number;
  readonly groups: number;
  /** Of the reduction, in one slot. */
  readonly chunk: number;
  readonly slots: number;
  /** Bytes of a row of an operand that lies along m or n. */
  readonly span: 32 | 64 | 128;
  /** Blocks that take tiles in turn; absent = one each. */
  readonly blocks?: number;
  /** Registers of a producer's threads, and of the others. */
  readonly roles?: readonly [producer: number, consumer: number];
}

const isAlongK = ({ layout }: Product, operand: 0 | 1): boolean => layout[operand] === (operand === 0 ? "N" : "T");

export function productGraph({ dtype, layout, size: [M, N, K] }: Product): Graph {
  const A = placeholder("A", layout[0] === "T" ? [K, M] : [M, K], dtype);
  const B = placeholder("B", layout[1] === "T" ? [N, K] : [K, N], dtype);
  const sums = matmul(A, B, { layout: `${layout[1]}${layout[0]}` as Product["layout"], name: "sums", outDtype: "float32" });
  const axes = [
    ["i", M],
    ["j", N],
  ] as const;
  return graphOf([A, B], [compute("C", axes, (i, j) => cast(dtype, at(sums, i, j)))]);
}

export function wgmmaOf(p: Product) {
  const line = p.span / 2;
  const along = { major: "k", swizzle: (p.chunk * 2) as 32 | 64 | 128 } as const;
  const across = { major: "mn", swizzle: p.span } as const;
  return {
    line,
    intrinsic: wgmma({
      dtype: p.dtype,
      n: p.n,
      a: isAlongK(p, 0) ? along : { ...across, swizzle: 128 },
      b: isAlongK(p, 1) ? along : across,
    }),
  };
}

export function scheduleOf(p: Product): Schedule {
  const sch = createSchedule(productGraph(p));
  const { n, groups, chunk, slots } = p;
  const { line, intrinsic } = wgmmaOf(p);
  const [A, B] = sch.graph.inputs as [Buffer, Buffer];
  const [C, sums] = [sch.stage("C"), sch.stage("sums")];
  const copies = [sch.cacheRead(A, "shared", [sums]), sch.cacheRead(B, "shared", [sums])] as const;
  sch.setScope(sums, "warpgroup.accumulator");
  const hasPanels = !isAlongK(p, 1) && n > line;
  sch.transformLayout(
    sums,
    hasPanels
      ? indexMap(["i", "j"], (i, j) => [
          floorDiv(i, 64),
          floorDiv(j, n),
          floorMod(i, 64),
          floorDiv(floorMod(j, n), line),
          floorMod(j, line),
        ])
      : indexMap(["i", "j"], (i, j) => [floorDiv(i, 64), floorDiv(j, n), floorMod(i, 64), floorMod(j, n)]),
  );
  const [i, j] = sch.axes(C) as [LoopRef, LoopRef];
  const [io, ig, iw, ih, il] = sch.split(i, [null, groups, 4, 2, 8]);
  const [jo, jt, jl, jv] = sch.split(j, [null, n / 8, 4, 2]);
  sch.reorder([io, jo, ig, iw, il, jl, ih, jt, jv]);
  const tiles = sch.fuse([io, jo]);
  if (p.blocks === undefined) sch.bind(tiles, "blockIdx.x");
  else {
    const [wave, block] = sch.split(tiles, [null, p.blocks]);
    sch.reorder([block, wave]);
    sch.bind(block, "blockIdx.x");
  }
  sch.bind(ig, "threadIdx.y");
  sch.bind(sch.fuse([iw, il, jl]), "threadIdx.x");
  sch.vectorize(jv);
  sch.computeAt(sums, C, ig);
  const [si, sj, ii, ...columns] = sch.axes(sums) as [LoopRef, LoopRef, LoopRef, ...LoopRef[]];
  const [ko, ki, kk] = sch.split(sch.reduceAxes(sums)[0] as LoopRef, [null, chunk / 16, 16]);
  sch.reorder([ko, ki, si, sj, ii, ...columns, kk]);
  sch.unroll(ki);
  for (const [operand, copy] of [
    [0, copies[0]],
    [1, copies[1]],
  ] as const) {
    const width = operand === 0 ? 64 : line;
    const side = operand === 0 ? 64 * groups : n;
    if (!isAlongK(p, operand) && side > width)
      sch.transformLayout(
        copy,
        indexMap(["k", "j"], (k, jj) => [floorDiv(jj, width), k, floorMod(jj, width)]),
      );
    sch.computeAt(copy, sums, ko);
    sch.swizzle(copy);
    if (slots > 1) sch.pipeline(copy, slots);
    sch.copyBy(copy, "tma");
  }
  sch.tensorize(ii, intrinsic);
  if (p.roles) sch.specialize(C, ...p.roles);
  return sch;
}
