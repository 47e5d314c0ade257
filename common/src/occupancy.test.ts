/**
 * The tables of the CUDA programming guide once more ("Compute capabilities", technical specifications), and its rules at their
 * edges.
 */
import { describe, expect, it } from "vitest";
import { occupancy, usualMultiprocessors } from "./occupancy.ts";

const KB = 1024;
/**
 * Warps and blocks of a multiprocessor, its shared memory, what the system takes of that for a block, its unit, and
 * multiprocessors of a card.
 */
const table: readonly (readonly [
  key: string,
  warps: number,
  blocks: number,
  shared: number,
  reserved: number,
  unit: number,
  count: number,
])[] = [
  ["cuda/sm_75", 32, 16, 64 * KB, 0, 256, 68],
  ["cuda/sm_80", 64, 32, 164 * KB, KB, 128, 108],
  ["cuda/sm_86", 48, 16, 100 * KB, KB, 128, 82],
  ["cuda/sm_89", 48, 24, 100 * KB, KB, 128, 128],
  ["cuda/sm_90", 64, 32, 228 * KB, KB, 128, 132],
];

describe.each(table)("%s", (key, warps, blocks, shared, reserved, unit, count) => {
  const of = (threads: number, registers: number, sharedBytes: number) => occupancy(key, { threads, registers, sharedBytes });

  it("has as many warps, blocks and bytes of shared memory as the guide says, and not one more", () => {
    expect(of(32, 1, 0)).toMatchObject({ blocks, warps: blocks, mostWarps: warps, limits: expect.arrayContaining(["blocks"]) });
    expect(of(512, 1, 0)).toMatchObject({ blocks: warps / 16, warps, limits: ["warps"] });
    expect(of(513, 1, 0)).toMatchObject({ blocks: Math.floor(warps / 17) });
    const half = shared / 2 - reserved;
    expect(of(32, 1, half)).toMatchObject({ blocks: 2, limits: ["shared memory"] });
    expect([of(32, 1, half + 1)?.blocks, of(32, 1, shared - reserved)?.blocks, of(32, 1, shared - reserved + 1)?.blocks]).toEqual(
      [1, 1, 0],
    );
    // Bytes are given in multiples of the unit.
    const third = Math.floor(shared / 3 / unit) * unit - reserved;
    expect([of(32, 1, third)?.blocks, of(32, 1, third + 1)?.blocks]).toEqual([3, 2]);
    expect(usualMultiprocessors(key)).toBe(count);
  });

  it("gives registers to a warp in multiples of 256, a quarter of them to each part", () => {
    expect(of(256, 128, 0)).toMatchObject({ blocks: 2, warps: 16, limits: ["registers"] });
    expect([of(256, 129, 0)?.blocks, of(256, 255, 0)?.blocks, of(512, 255, 0)?.blocks]).toEqual([1, 1, 0]);
  });
});

it("is that of the key with features of one architecture too, and unknown elsewhere", () => {
  const kernel = { threads: 128, registers: 32, sharedBytes: 0 };
  expect(occupancy("cuda/sm_90a", kernel)).toEqual(occupancy("cuda/sm_90", kernel));
  expect(["cuda/sm_70", "cpu/x86-64-v3", "cuda/sm_900", ""].map((key) => occupancy(key, kernel))).toEqual(
    Array(4).fill(undefined),
  );
  expect(occupancy("cuda/sm_90", { ...kernel, registers: 0 })).toBeUndefined();
  expect(usualMultiprocessors("cuda/sm_70")).toBe(132);
});
