import { Random } from "@warpfarm/common";
import { expect, test } from "vitest";
import { type Lifetime, placeTensors } from "./memory.ts";

const of = (bytes: number, from: number, to: number): Lifetime => ({ bytes, from, to });

test.each([
  ["a chain needs its two largest neighbours", [of(256, 0, 1), of(1024, 1, 2), of(512, 2, 3)], 1536],
  ["what is needed in one step lies apart, also at the ends of lifetimes", [of(256, 0, 2), of(256, 2, 4), of(256, 3, 5)], 512],
  ["a tensor that is kept is never covered", [of(256, 0, 9), of(512, 1, 2), of(512, 3, 4)], 768],
  ["sizes are rounded up", [of(1, 0, 1), of(257, 1, 1)], 768],
  ["nothing", [], 0],
])("%s", (_, lifetimes, bytes) => {
  expect(placeTensors(lifetimes, 256).bytes).toBe(bytes);
});

test("random lifetimes never overlap in both memory and steps, and the block ends where the last tensor does", () => {
  const random = new Random(5);
  for (let round = 0; round < 200; round++) {
    const all = Array.from({ length: 1 + random.below(12) }, () => {
      const from = random.below(10);
      return of(1 + random.below(2000), from, from + random.below(5));
    });
    const { bytes, offsets } = placeTensors(all, 64);
    const ends = all.map((one, i) => (offsets[i] ?? 0) + one.bytes);
    for (const [i, a] of all.entries()) {
      expect((offsets[i] ?? 1) % 64).toBe(0);
      for (const [j, b] of all.entries()) {
        if (i === j || a.to < b.from || b.to < a.from) continue;
        expect((ends[i] ?? 0) <= (offsets[j] ?? 0) || (ends[j] ?? 0) <= (offsets[i] ?? 0)).toBe(true);
      }
    }
    expect(bytes).toBe(Math.ceil(Math.max(...ends) / 64) * 64);
    // Whatever the places, the tensors of one step need as much.
    const steps = Array.from({ length: 16 }, (_, at) =>
      all.reduce((sum, { bytes: size, from, to }) => sum + (from <= at && at <= to ? size : 0), 0),
    );
    expect(bytes).toBeGreaterThanOrEqual(Math.max(...steps));
  }
});
