import { expect, it } from "vitest";
import { Random } from "./random.ts";

const seeds = Array.from({ length: 4096 }, (_, i) => i - 96);

it.each([0, 1, 2, 7])("draw %i of neighbouring seeds is as good as drawn", (nth) => {
  const draws = seeds.map((seed) => {
    const random = new Random(seed);
    for (let i = 0; i < nth; i++) random.float();
    return random.float();
  });
  const mean = draws.reduce((a, b) => a + b) / draws.length;
  const products = draws.slice(1).map((draw, i) => (draw - mean) * ((draws[i] as number) - mean));
  // The correlation of a draw with the next seed's has a standard deviation of 1/64, the mean of draws of 1/222.
  expect(Math.abs(products.reduce((a, b) => a + b) / draws.length) * 12).toBeLessThan(5 / 64);
  expect(Math.abs(mean - 0.5)).toBeLessThan(5 / 222);
  // 256 a bin, standard deviation 15.5.
  const bins = new Array<number>(16).fill(0);
  for (const draw of draws) bins[Math.floor(16 * draw)] = (bins[Math.floor(16 * draw)] ?? 0) + 1;
  expect(Math.max(...bins.map((n) => Math.abs(n - 256)))).toBeLessThan(5 * 15.5);
});

it("equal seeds draw equally", () => {
  const drawn = (seed: number) => {
    const random = new Random(seed);
    return [random.below(2 ** 40), random.float(), random.shuffle([1, 2, 3, 4, 5])];
  };
  expect(drawn(7)).toEqual(drawn(7));
  expect(drawn(7)).not.toEqual(drawn(8));
});
