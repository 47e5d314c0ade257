import { expect, test } from "vitest";
import { clearlyAbove, lowEnd, raceLimit, relativeHalfWidth } from "./mean-interval.ts";
import { Random } from "./random.ts";

/** By the polar method of Marsaglia (1964). */
function normal(random: Random): number {
  for (;;) {
    const [u, v] = [2 * random.float() - 1, 2 * random.float() - 1];
    const s = u * u + v * v;
    if (s > 0 && s < 1) return u * Math.sqrt((-2 * Math.log(s)) / s);
  }
}

test("values of equal size are known from the third on, whatever their unit", () => {
  expect([[], [1], [1, 1]].map(relativeHalfWidth)).toEqual([Infinity, Infinity, Infinity]);
  expect(relativeHalfWidth([2, 2, 2])).toBe(0);
  expect(relativeHalfWidth([1e-6, 1.01e-6, 0.99e-6])).toBeCloseTo(relativeHalfWidth([1, 1.01, 0.99]), 12);
});

test("the interval ends where the Bayes factor of the t statistic reaches 20", () => {
  const costs = [1, 1.02, 0.97, 1.01, 1.005];
  const logs = costs.map(Math.log);
  const n = costs.length;
  const mean = logs.reduce((a, b) => a + b) / n;
  const deviation = Math.sqrt(logs.reduce((a, b) => a + (b - mean) ** 2, 0) / (n - 1));
  // Rouder et al., Psychon. Bull. Rev. 16 (2009), with a normal prior of variance 1 / 0.1 on the effect size.
  const t = (Math.sqrt(n) * relativeHalfWidth(costs)) / deviation;
  const [v, g] = [n - 1, 1 + n / 0.1];
  const factor = g ** -0.5 * ((1 + (t * t) / v) / (1 + (t * t) / (v * g))) ** (n / 2);
  expect(factor).toBeCloseTo(20, 8);
});

test("of 2,000 times whose repeats end when the interval is narrow enough, at most 5 % lie outside it", () => {
  const random = new Random(7);
  let outside = 0;
  let repeats = 0;
  for (let trial = 0; trial < 2_000; trial++) {
    const costs: number[] = [];
    while (costs.length < 100 && relativeHalfWidth(costs) > 0.01) costs.push(Math.exp(0.01 * normal(random)));
    const mean = costs.map(Math.log).reduce((a, b) => a + b) / costs.length;
    if (Math.abs(mean) > relativeHalfWidth(costs)) outside++;
    repeats += costs.length;
  }
  expect(outside).toBeLessThanOrEqual(100);
  // It is no interval that is only wide: noise of 1 % takes 15 repeats.
  expect(repeats / 2_000).toBeGreaterThan(8);
  expect(repeats / 2_000).toBeLessThan(25);
});

test("one repeat says what the mixture of noise of 10 % allows, and more repeats no less", () => {
  // Robbins (1970): with a normal prior of variance 1 on the drift, exp(S^2 / (2 (n + 1))) / sqrt(n + 1) reaches 1 / 0.05, where
  // S is the sum of logarithms over 0.1.
  for (const n of [1, 2]) {
    const sum = (-n * Math.log(lowEnd(new Array<number>(n).fill(1)))) / 0.1;
    expect(Math.exp(sum ** 2 / (2 * (n + 1))) / Math.sqrt(n + 1)).toBeCloseTo(20, 9);
  }
  expect(lowEnd([3, 3, 3])).toBeCloseTo(3, 12);
  // A single repeat is clearly above a limit exactly where its low end is.
  expect(lowEnd([clearlyAbove(7)])).toBeCloseTo(7, 12);
  expect(raceLimit(2)).toBeCloseTo(2.2, 12);
});
