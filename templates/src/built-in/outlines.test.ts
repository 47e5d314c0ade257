/**
 * Outlines of hand-written templates, compared with the kernels that their schedules give: blocks of the grid, threads, steps.
 */
import type { Json } from "@warpfarm/common";
import { expect, it } from "vitest";
import { type Outline, stepsOf, wavesOf } from "../outline.ts";
import { createTask } from "../task.ts";
import { compiled, indexWith } from "./template.testing.ts";

interface Row {
  readonly args: Json;
  readonly knobs: Readonly<Record<string, Json>>;
  readonly extents: Outline["extents"];
  readonly steps: number;
  readonly target?: string;
}

const conv = { CO: 256, CI: 128, KH: 3, KW: 3, stride: 1, padding: 1 };
const simt = { thread_rows: 4, thread_cols: 4, row_warps: 1, col_warps: 1, lane_rows: 4, min_blocks: 0, sum_threads: 64 };
const mma = { row_warps: 2, col_warps: 2, warp_rows: 2, warp_cols: 4, chunk: 2, stages: 2 };
const tma = { consumers: 2, columns: 128, stages: 4, group: 1, producer: 0, cluster: 1, order: "rows", parts: 1 };
const rows: readonly [string, Row][] = [
  ["matmul_mma", { args: { M: 256, N: 384, K: 96 }, knobs: { ...mma, swizzle: 1, group: 1 }, extents: [256, 384, 96], steps: 3 }],
  [
    "matmul_latency",
    {
      args: { M: 48, N: 4096, K: 2048 },
      knobs: { warps: 4, warp_rows: 1, warp_cols: 4, chunk: 2, stages: 3, own: 0 },
      ...{ extents: [48, 4096, 2048], steps: 16 },
    },
  ],
  [
    "matmul_tma",
    {
      args: { M: 512, N: 1024, K: 2048 },
      knobs: { ...tma, waves: 1, epilogue: 4 },
      ...{ extents: [512, 1024, 2048], steps: 8, target: "cuda/sm_90a" },
    },
  ],
  [
    "grouped_tma",
    {
      args: { groups: 4, tiles: 6, tile: 128, N: 512, K: 1024 },
      knobs: { ...tma, waves: 1, epilogue: "direct" },
      ...{ extents: [128, 512, 1024], steps: 16, target: "cuda/sm_90a" },
    },
  ],
  [
    "linear_w4",
    {
      args: { M: 40, N: 256, K: 2048 },
      knobs: { warps: 4, weight_tiles: 2, row_tiles: 1, stages: 2 },
      ...{ extents: [40, 256, 2048], steps: 4 },
    },
  ],
  [
    "conv2d_nchw_gemm",
    {
      args: { ...conv, N: 1, H: 14, W: 14, CO: 512 },
      knobs: { ...simt, chunk: 16, stages: 3, splits: 4 },
      ...{ extents: [512, 196, 1152], steps: 18 },
    },
  ],
  ["conv2d_nhwc_mma", { args: { ...conv, N: 7, H: 10, W: 10 }, knobs: mma, extents: [700, 256, 1152], steps: 36 }],
  ["conv2d_nhwc_mma", { args: { ...conv, N: 64, H: 7, W: 7 }, knobs: mma, extents: [64, 256, 1152], steps: 36 }],
  [
    "conv2d_nhwc_mma",
    { args: { ...conv, N: 64, H: 7, W: 7 }, knobs: { ...mma, warp_rows: 4 }, extents: [64, 256, 1152], steps: 36 },
  ],
];

it.each(rows)("%s %o", (name, { args, knobs, extents, steps, target = "cuda/sm_90" }) => {
  const task = createTask(name, args, target);
  const index = task.space.toIndex(indexWith(task, knobs));
  const [kernel] = compiled(task, index).kernels;
  const outline = task.outline?.(index) as Outline;
  expect([outline.extents, stepsOf(outline)]).toEqual([extents, steps]);
  expect(Math.round(wavesOf(outline, target) * 132)).toBe(kernel?.grid.reduce((a, b) => a * b));
  expect(outline.threads).toBe(kernel?.block.reduce((a, b) => a * b));
});

it("conv2d_nhwc_tma has an outline of its tiles, of which a block for each multiprocessor has some", () => {
  const task = createTask("conv2d_nhwc_tma", { ...conv, N: 32, H: 14, W: 14, dtype: "float16" }, "cuda/sm_90a");
  const knobs = { consumers: 2, columns: 128, step: 64, stages: 4, group: 8, producer: 40, epilogue: "direct", cluster: 1 };
  const outline = task.outline?.(task.space.toIndex(indexWith(task, { ...knobs, order: "rows", parts: 1 })));
  expect(outline).toMatchObject({ extents: [6272, 256, 1152], block: [128, 128, 64], threads: 256, splits: 1 });
  const few = createTask("conv2d_nhwc_tma", { ...conv, N: 2, H: 7, W: 7, dtype: "float16" }, "cuda/sm_90a");
  const index = few.space.toIndex(
    indexWith(few, { ...knobs, consumers: 1, columns: 64, epilogue: 2, waves: 1, order: "rows", parts: 1, group: 1 }),
  );
  const split = few.outline?.(index) as Outline;
  const [kernel] = compiled(few, index).kernels;
  expect([stepsOf(split), Math.round(wavesOf(split, "cuda/sm_90a") * 132)]).toEqual([9, kernel?.grid[0]]);
});
