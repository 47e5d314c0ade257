/**
 * A product of float16 or bfloat16 on tensor cores (mma.sync): the tiles of built-in/product-of-tiles.ts, for the views of a
 * product, which lie in shared memory as their operands do in global memory.
 */

import { usualMultiprocessors } from "@warpfarm/common/occupancy";
import {
  type Expr,
  floorDiv,
  floorMod,
  indexMap,
  type LoopRef,
  mmaSync,
  type Schedule,
  type StageRef,
} from "@warpfarm/compiler/language";
import { halvesAtOnce } from "../../built-in/padded.ts";
import { tile, warpSize } from "../../built-in/product-of-tiles.ts";
import { type MmaTile, mmaCycles } from "../../cuda-cycles.ts";
import { exactly } from "../../exactly.ts";
import { outlineOf } from "../../outline.ts";
import type { Group } from "../groups.ts";
import { allowed, fused, knobsOf, type Part } from "../part.ts";
import { extentsOf, type Product, type Side } from "./canonical.ts";
import { hasFewTiles, inlineAround, layInTiles, type Summed, summed } from "./root-loops.ts";

const inTiles = (i: Expr, j: Expr): readonly Expr[] => [
  floorDiv(i, tile),
  floorDiv(j, tile),
  floorMod(i, tile),
  floorMod(j, tile),
];
const tiles = indexMap(["z", "i", "j"], (z, i, j): readonly Expr[] => [z, ...inTiles(i, j)]);
const turned = indexMap(["z", "i", "j"], (z, i, j) => [
  z,
  floorDiv(j, tile),
  floorDiv(i, tile),
  floorMod(j, tile),
  floorMod(i, tile),
]);

const isTurned = ({ along }: Side): boolean => along === "sum";
/** Elements that a lane copies at once. */
const lanesOf = ({ along, row }: Side): number => (along === "none" ? 1 : halvesAtOnce(row));

interface Choice extends Omit<MmaTile, "splits"> {
  readonly swizzle: number;
  readonly mma_splits: number;
}

export function mmaPart(group: Group, product: Product, half: "float16" | "bfloat16", target: string): Part {
  const { left, right, terms, name } = product;
  const isSmall = hasFewTiles(product, usualMultiprocessors(target));
  const knobs = knobsOf(
    name,
    {
      row_warps: [1, 2, 4],
      col_warps: [1, 2, 4],
      warp_rows: [1, 2, 4],
      warp_cols: [1, 2, 4],
      chunk: allowed([1, 2, 4], (chunk) => terms.padded % (tile * chunk) === 0),
      stages: [1, 2, 3, 4],
      swizzle: [0, 1],
      /** Parts of the sum that have blocks of their own, where there are few tiles. */
      mma_splits: allowed([1, 2, 4, 8, 16], (splits) => splits === 1 || (isSmall && terms.padded % (tile * splits) === 0)),
    },
    { mma_splits: 1 },
  );
  const { names } = knobs;
  const [rows, columns] = [
    `${tile} * ${names.row_warps} * ${names.warp_rows}`,
    `${tile} * ${names.col_warps} * ${names.warp_cols}`,
  ];
  return {
    rule: "product on tensor cores",
    knobs: knobs.knobs,
    constraints: [
      `${left.extent.padded} % (${rows}) == 0`,
      `${right.extent.padded} % (${columns}) == 0`,
      `${names.warp_rows} * ${names.warp_cols} <= 16`,
      `${terms.padded} % (${tile} * ${names.chunk} * ${names.mma_splits}) == 0`,
    ],
    outline(values) {
      const { row_warps, col_warps, warp_rows, warp_cols, chunk, mma_splits } = knobs.of(values);
      const [rows, columns] = [tile * row_warps * warp_rows, tile * col_warps * warp_cols];
      const threads = warpSize * row_warps * col_warps;
      return outlineOf(extentsOf(product), { rows, columns, step: tile * chunk, threads, splits: mma_splits });
    },
    score(values) {
      const choice = knobs.of(values);
      return (
        -4 * Math.log2(mmaCycles(extentsOf(product), { ...choice, splits: choice.mma_splits }, target)) + 0.2 * choice.swizzle
      );
    },
    apply(schedule, values) {
      const choice = knobs.of(values);
      inlineAround(schedule, group, product);
      multiply(schedule, group, product, choice, half);
    },
  };
}

function multiply(schedule: Schedule, group: Group, product: Product, choice: Choice, half: "float16" | "bfloat16"): void {
  const { left, right, terms } = product;
  const { loadA, loadB, mma } = mmaSync(half);
  const splits = choice.mma_splits;
  const made = summed(schedule, group, product, "wmma.accumulator", splits > 1 ? terms.padded / splits : undefined);
  const { sums, isPart } = made;
  const copies = [left, right].map((side) => ({ side, copy: schedule.cacheRead(schedule.stage(side.view), "shared", [sums]) }));
  const [ofLeft, ofRight] = copies as [(typeof copies)[0], (typeof copies)[0]];
  const a = schedule.cacheRead(ofLeft.copy, "wmma.matrix_a", [sums]);
  const b = schedule.cacheRead(ofRight.copy, "wmma.matrix_b", [sums]);
  schedule.transformLayout(a, isTurned(left) ? tiles : turned);
  schedule.transformLayout(b, isTurned(right) ? turned : tiles);
  const [before, inBlock] = layInTiles(schedule, made, inTiles);
  const warp = placeTiles(schedule, made, choice, isPart ? right.extent.padded : product.run);
  schedule.computeAt(sums, made.at, warp);
  const [si, sj, ii, jj] = exactly(4, inBlock);
  const [ko, ki, kk] = exactly(3, schedule.split(exactly(1, schedule.reduceAxes(sums))[0], [null, choice.chunk, tile]));
  schedule.reorder([ko, ki, ...before, si, sj, ii, jj, kk]);
  schedule.unroll(ki);
  for (const fragment of [a, b]) {
    schedule.computeAt(fragment, sums, ki);
    // The next tiles' loads come before the products of these.
    if (choice.chunk > 1) schedule.doubleBuffer(fragment);
  }
  for (const { side, copy } of copies) copyByLanes(schedule, side, copy, sums, ko, choice);
  schedule.tensorize(schedule.axes(a)[3] as LoopRef, loadA[isTurned(left) ? "row" : "col"]);
  schedule.tensorize(schedule.axes(b)[3] as LoopRef, loadB[isTurned(right) ? "col" : "row"]);
  schedule.tensorize(ii, mma);
}

/** A lane has two neighbours in each 8x8 part of a tile: rows of four lanes. Returns the loop over a block's warps. */
function placeTiles(
  schedule: Schedule,
  { batch, rows, columns }: Summed,
  { row_warps, col_warps, warp_rows, warp_cols }: Choice,
  run: number,
): LoopRef {
  const [io, iw, it, ih, il] = exactly(5, schedule.split(rows, [null, row_warps, warp_rows, 2, 8]));
  const [jo, jw, jt, jh, jl, jv] = exactly(6, schedule.split(columns, [null, col_warps, warp_cols, 2, 4, 2]));
  schedule.reorder([io, jo, iw, jw, il, jl, it, ih, jt, jh, jv]);
  if (batch.length > 0) schedule.bind(fused(schedule, batch), "blockIdx.z");
  schedule.bind(schedule.fuse([io, jo]), "blockIdx.x");
  schedule.bind(iw, "threadIdx.y");
  schedule.bind(jw, "threadIdx.z");
  schedule.bind(schedule.fuse([il, jl]), "threadIdx.x");
  if (run % 2 === 0) schedule.vectorize(jv);
  return jw;
}

function copyByLanes(schedule: Schedule, side: Side, copy: StageRef, sums: StageRef, at: LoopRef, choice: Choice): void {
  schedule.computeAt(copy, sums, at);
  if (choice.swizzle === 1) schedule.swizzle(copy);
  if (choice.stages > 1) schedule.pipeline(copy, choice.stages);
  const lanes = lanesOf(side);
  const factors = [null, choice.row_warps, choice.col_warps, warpSize, lanes];
  const [turn, ty, tz, tx, element] = exactly(5, schedule.split(schedule.fuse(schedule.axes(copy)), factors));
  schedule.unroll(turn);
  schedule.bind(ty, "threadIdx.y");
  schedule.bind(tz, "threadIdx.z");
  schedule.bind(tx, "threadIdx.x");
  if (lanes > 1) schedule.vectorize(element);
}
