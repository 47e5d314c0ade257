import { describe, expect, it } from "vitest";
import { fillValue, philox4x32, philoxBits } from "./philox.ts";

describe("philox4x32-10", () => {
  // Known answers published with Random123 (kat_vectors, philox 4x32 10).
  it.each([
    [
      [0, 0, 0, 0],
      [0, 0],
      [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8],
    ],
    [
      [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
      [0xffffffff, 0xffffffff],
      [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
    ],
    [
      [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
      [0xa4093822, 0x299f31d0],
      [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
    ],
  ])("of %j under %j", (counter, key, words) => {
    expect(philox4x32(counter as [number, number, number, number], key as [number, number])).toEqual(words);
  });
});

it("the bits of an element are the first word at its counter", () => {
  for (const [seed, buffer, index] of [
    [7, 1, 0],
    [2 ** 40 + 5, 3, 2 ** 35 + 1],
    [2 ** 53 - 1, 4_294_967_295, 2 ** 32 - 1],
  ] as const) {
    const halves = (x: number) => [x % 2 ** 32, Math.floor(x / 2 ** 32)] as const;
    expect(philoxBits(seed, buffer, index)).toBe(philox4x32([...halves(index), buffer, 0], halves(seed))[0]);
  }
});

describe("fillValue", () => {
  const draws = Array.from({ length: 20_000 }, (_, i) => philoxBits(7, 1, i));
  it.each([
    ["float32", -1, 255 / 256, 512],
    ["int8", -128, 127, 256],
    ["uint8", 0, 255, 256],
    ["int32", -128, 127, 256],
    ["int4", -8, 7, 16],
    ["int1", 0, 1, 2],
  ] as const)("%s covers [%d, %d] in %i values", (dtype, low, high, count) => {
    const values = new Set(draws.map((bits) => fillValue(dtype, bits)));
    expect([Math.min(...values), Math.max(...values), values.size]).toEqual([low, high, count]);
  });
  it("differs between seeds and buffers", () => {
    const first = (seed: number, buffer: number) => Array.from({ length: 8 }, (_, i) => philoxBits(seed, buffer, i));
    expect(new Set([first(1, 0), first(1, 1), first(2, 0), first(1 + 2 ** 32, 0)].map(String)).size).toBe(4);
  });
});
