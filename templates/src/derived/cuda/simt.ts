/**
 * A product without tensor cores: blocks and register tiles as built-in/simt-tile.ts has them, chunks of both views copied to
 * shared memory ahead of their use, and the reduction in `splits` blocks whose sums a second kernel adds.
 */

import type { LoopRef, Schedule, StageRef } from "@warpfarm/compiler/language";
import { gpuLimits } from "@warpfarm/compiler/language";
import {
  blockOf,
  copyTogether,
  copyTransposed,
  copyWindows,
  cutIntoTiles,
  mostChunk,
  type TileShape,
  vector,
} from "../../built-in/simt-tile.ts";
import { simtCycles } from "../../cuda-cycles.ts";
import { exactly } from "../../exactly.ts";
import { outlineOf } from "../../outline.ts";
import type { Group } from "../groups.ts";
import { allowed, fused, knobsOf, type Part } from "../part.ts";
import { extentsOf, type Product } from "./canonical.ts";
import { inlineAround, type Summed, summed } from "./root-loops.ts";

/** Rows of a usual block. */
const usualRows = 64;

interface Choice extends TileShape {
  readonly chunk: number;
  readonly stages: number;
  readonly min_blocks: number;
  /** Blocks are numbered in groups of so many rows of blocks, so that those that run together share rows and columns. */
  readonly group: number;
  readonly splits: number;
}

/** Of a sum over windows a chunk is a few channels with all their taps. */
const mostOfWindows = 40;

function chunksOf({ terms, window }: Product): readonly [number, ...number[]] {
  if (window === 1) return [8, 16, 32];
  const channels = [2, 3, 4, 6, 8, 12, 16].filter((n) => n * window <= mostOfWindows && terms.extent % (n * window) === 0);
  const [first = window, ...rest] = [1, ...channels].map((n) => n * window).slice(-4);
  return [first, ...rest];
}

export function simtPart(group: Group, product: Product, target: string): Part {
  const { left, right, terms, name } = product;
  const knobs = knobsOf(name, {
    thread_rows: [4, 8, 16],
    thread_cols: [4, 8, 16],
    row_warps: [1, 2, 4, 8],
    col_warps: [1, 2, 4],
    lane_rows: [2, 4, 8],
    chunk: chunksOf(product),
    stages: [2, 3, 4],
    min_blocks: [0, 1, 2, 3],
    group: allowed([1, 2, 4, 8], (group) => group === 1 || group * usualRows <= left.extent.padded),
    interleaved: [0, 1],
    splits: allowed([1, 2, 4, 8, 16, 32], (splits) => splits === 1 || splits * mostChunk <= terms.extent),
  });
  const { names } = knobs;
  const rows = `${names.thread_rows} * ${names.row_warps} * ${names.lane_rows}`;
  const columns = `${names.thread_cols} * ${names.col_warps} * (32 // ${names.lane_rows})`;
  const of = (values: Parameters<Part["score"]>[0]): Choice => {
    const { thread_rows, thread_cols, row_warps, col_warps, lane_rows, interleaved, ...rest } = knobs.of(values);
    return {
      ...rest,
      threadRows: thread_rows,
      threadCols: thread_cols,
      rowWarps: row_warps,
      colWarps: col_warps,
      laneRows: lane_rows,
      interleaved: interleaved === 1,
    };
  };
  return {
    rule: "product of tiles",
    knobs: knobs.knobs,
    constraints: [
      `${names.thread_rows} * ${names.thread_cols} <= 128`,
      `${names.row_warps} * ${names.col_warps} <= 16`,
      `${rows} <= ${Math.max(32, 2 * left.extent.padded)}`,
      `${columns} <= ${Math.max(32, 2 * right.extent.padded)}`,
    ],
    outline: (values) => {
      const choice = of(values);
      return outlineOf(extentsOf(product), { ...blockOf(choice), step: choice.chunk, splits: choice.splits });
    },
    score: (values) => scoreOf(product, of(values), target),
    apply: (schedule, values) => scheduleProduct(schedule, group, product, of(values)),
  };
}

function scheduleProduct(schedule: Schedule, group: Group, product: Product, choice: Choice): void {
  inlineAround(schedule, group, product);
  // Whole chunks for each split.
  const each = Math.ceil(product.terms.padded / (choice.splits * choice.chunk)) * choice.chunk;
  const made = summed(schedule, group, product, "local", choice.splits > 1 ? each : undefined);
  const lane = placeTiles(schedule, made.at, made, choice, made.isPart ? product.right.extent.padded : product.run);
  schedule.computeAt(made.sums, made.at, lane);
  multiply(schedule, made.sums, product, choice);
}

/** `run`: neighbours in a row of the result, which are stored in vectors where these fit. */
function placeTiles(schedule: Schedule, out: StageRef, { batch, rows, columns }: Summed, choice: Choice, run: number): LoopRef {
  const { rowBlock, colBlock, lane, inRow } = cutIntoTiles(schedule, rows, columns, choice);
  if (batch.length > 0) schedule.bind(fused(schedule, batch), "blockIdx.z");
  const [groups, inGroup] = schedule.split(rowBlock, [null, choice.group]);
  schedule.reorder([groups, colBlock, inGroup]);
  schedule.bind(schedule.fuse([groups, colBlock, inGroup]), "blockIdx.x");
  if (run % vector === 0) schedule.vectorize(inRow);
  if (choice.min_blocks > 0) schedule.minBlocks(out, choice.min_blocks);
  return lane;
}

function multiply(
  schedule: Schedule,
  sums: StageRef,
  { left, right, window }: Product,
  { rowWarps, colWarps, chunk, stages }: Choice,
): void {
  const sides = [left, right].map((side) => {
    const copy = schedule.cacheRead(schedule.stage(side.view), "shared", [sums]);
    return { side, copy };
  });
  const owned = sides.map(({ copy, side }) => ({ side, copy, own: schedule.cacheRead(copy, "local", [sums]) }));
  const [outer, inner] = schedule.split(exactly(1, schedule.reduceAxes(sums))[0], [null, chunk]);
  schedule.reorder([outer, inner, ...schedule.axes(sums)]);
  schedule.unroll(inner);
  for (const { side, copy, own } of owned) {
    schedule.computeAt(copy, sums, outer);
    schedule.pipeline(copy, stages);
    schedule.computeAt(own, sums, inner);
    schedule.vectorize(exactly(3, schedule.axes(own))[2]);
    if (side.hasWindows) copyWindows(schedule, copy, rowWarps * colWarps, window);
    else if (side.along === "sum") copyTransposed(schedule, copy, rowWarps * colWarps);
    else copyTogether(schedule, copy, rowWarps * colWarps, side.isPlain ? side.row : 1);
  }
}

/** By estimated cycles, and small preferences where these do not tell. */
function scoreOf(product: Product, choice: Choice, target: string): number {
  const { rows, columns } = blockOf(choice);
  // Rows that are copied transposed are longer by four.
  const sharedBytes = 4 * choice.stages * choice.chunk * (rows + columns + 8);
  if (sharedBytes > gpuLimits(target).sharedBytesPerBlock) return -100;
  const scattered = [product.left, product.right].map((side) => side.along !== "sum" && !side.isPlain) as [boolean, boolean];
  return (
    -4 * Math.log2(simtCycles(extentsOf(product), choice, { scattered, target })) +
    (choice.stages === 3 ? 0.1 : 0) +
    (choice.chunk === 16 ? 0.1 : 0) +
    (choice.min_blocks === 0 ? 0.05 : 0) +
    (choice.interleaved ? 0.02 : 0)
  );
}
