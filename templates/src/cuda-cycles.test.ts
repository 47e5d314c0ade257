/** Estimates of products' times order configs as the parts of a GPU do. */
import { expect, it } from "vitest";
import { mmaCycles, simtCycles, wgmmaCycles } from "./cuda-cycles.ts";

const target = "cuda/sm_90";
const tile = {
  threadRows: 8,
  threadCols: 8,
  rowWarps: 2,
  colWarps: 2,
  laneRows: 4,
  chunk: 16,
  stages: 3,
  min_blocks: 0,
  splits: 1,
};
const copies = { scattered: [false, false], target } as const;
const halves = { row_warps: 2, col_warps: 2, warp_rows: 4, warp_cols: 4, chunk: 2, stages: 3, splits: 1 };
const squares = (blocks: number, terms = 4096, side = 128) => ({ M: 64 * blocks, N: side, K: terms });

it("a sum of twice the terms takes twice the cycles, and a batch of two turns too", () => {
  const sizes = squares(132);
  const once = simtCycles(sizes, tile, copies);
  expect(simtCycles({ ...sizes, K: 8192 }, tile, copies) / once).toBeCloseTo(2, 1);
  const most = { ...sizes, batch: 40 };
  expect(simtCycles({ ...most, batch: 80 }, tile, copies) / simtCycles(most, tile, copies)).toBeCloseTo(2, 1);
  const whole = { M: 8192, N: 8192, K: 4096 };
  expect(mmaCycles({ ...whole, K: 8192 }, halves, target) / mmaCycles(whole, halves, target)).toBeCloseTo(2, 1);
});

it("splits serve few blocks with long sums, and no others", () => {
  const gain = (sizes: Parameters<typeof simtCycles>[0]) =>
    simtCycles(sizes, tile, copies) / simtCycles(sizes, { ...tile, splits: 16 }, copies);
  expect(gain(squares(4))).toBeGreaterThan(4);
  expect(gain(squares(4, 64))).toBeLessThan(1);
  expect(gain({ M: 8192, N: 8192, K: 4096 })).toBeLessThan(1);
});

it("sums that do not fit into registers, sides copied by elements, and copies that wait cost more", () => {
  const sizes = { M: 4096, N: 4096, K: 4096 };
  const usual = simtCycles(sizes, tile, copies);
  expect(simtCycles(sizes, { ...tile, min_blocks: 6 }, copies)).toBeGreaterThan(usual);
  const small = { ...tile, rowWarps: 1, colWarps: 1 };
  expect(simtCycles(sizes, small, { ...copies, scattered: [true, true] })).toBeGreaterThan(simtCycles(sizes, small, copies));
  expect(mmaCycles(sizes, { ...halves, stages: 1 }, target)).toBeGreaterThan(mmaCycles(sizes, halves, target));
  expect(mmaCycles(sizes, { ...halves, warp_rows: 1, warp_cols: 1 }, target)).toBeGreaterThan(mmaCycles(sizes, halves, target));
});

it("blocks of a pair bring half of what both read, which counts where the cache binds", () => {
  const tile = {
    consumers: 2,
    columns: 64,
    line: 64,
    slots: 4,
    group: 1,
    waves: 0,
    producer: 24,
    order: "",
    parts: 0,
    splits: 1,
  };
  const sizes = { M: 8192, N: 8192, K: 4096, batch: 1 };
  const [alone, rows, columns] = [1, "2m", "2n"].map((cluster) => wgmmaCycles(sizes, { ...tile, cluster }, target));
  // Of 128 rows and 64 columns, rows are more.
  expect(rows).toBeLessThan(alone ?? 0);
  expect(columns).toBeLessThan(rows ?? 0);
});
