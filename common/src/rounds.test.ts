/**
 * The test by hand where it is small, and otherwise by what it promises: how often equal programs are told apart, and different
 * ones found. The whole simulation, on noise recorded on GPUs, is bench/finals.bench.mjs.
 */
import { describe, expect, test } from "vitest";
import { Random } from "./random.ts";
import { areSettled, confidenceOfPair, intervalOf, leastRoundsOf, logRatios } from "./rounds.ts";

const around = (centre: number, seed: number, count: number, spread = 0.01): number[] => {
  const random = new Random(seed);
  return Array.from({ length: count }, () => centre + spread * (random.float() - 0.5));
};

describe("the interval", () => {
  /** The capital of bets above 0, as the text of rounds.ts says it, term by term. */
  const capital = (values: readonly number[]): number => {
    const median = (sizes: readonly number[]) => {
      const sorted = sizes.toSorted((a, b) => a - b);
      return ((sorted[(sorted.length - 1) >> 1] as number) + (sorted[sorted.length >> 1] as number)) / 2;
    };
    const scales = values.map((_, i) => median(values.slice(0, i + 1).map(Math.abs)));
    const bet = (k: number) => values.reduce((c, v, i) => c * (1 + Math.tanh((k * v) / (scales[i] as number))), 1);
    return [0.25, 0.5, 1, 2, 4].reduce((sum, k) => sum + bet(k), 0) / 5;
  };

  test("leaves 0 out exactly when the bet against it has won, and its ends are where bets just win", () => {
    const confidence = 0.99;
    for (let seed = 0; seed < 40; seed++) {
      const values = around(0.0004 * seed, seed, 12, 0.02);
      const { low, high, estimate } = intervalOf(values, confidence);
      expect(low > 0, `${seed}`).toBe(capital(values) >= 200);
      expect(high < 0, `${seed}`).toBe(capital(values.map((v) => -v)) >= 200);
      expect(low <= estimate && estimate <= high).toBe(true);
      const step = 1e-7;
      for (const [end, sign] of [
        [low, 1],
        [high, -1],
      ] as const) {
        if (end === 0) continue;
        const above = (shift: number) => capital(values.map((v) => sign * (v - shift)));
        expect(above(end - sign * step)).toBeGreaterThanOrEqual(200);
        expect(above(end + sign * step)).toBeLessThan(200);
      }
    }
  });

  test("follows shifts, scales and signs of its values", () => {
    const values = around(0.3, 7, 20);
    const { estimate, low, high } = intervalOf(values, 0.99);
    const moved = intervalOf(
      values.map((v) => 2 - 3 * v),
      0.99,
    );
    expect(moved.estimate).toBeCloseTo(2 - 3 * estimate, 12);
    expect(moved.low).toBeCloseTo(2 - 3 * high, 9);
    expect(moved.high).toBeCloseTo(2 - 3 * low, 9);
  });

  test("of too few values is their range, with the confidence that it has", () => {
    expect(intervalOf([3], 0.99)).toEqual({ estimate: 3, low: 3, high: 3, confidence: 0 });
    const { low, high, confidence } = intervalOf([1, 2, 4, 8, 9, 7, 5], 0.99);
    expect([low, high]).toEqual([1, 9]);
    // Bets of seven equal values win at most the mean of (1 + tanh k)^7.
    expect(confidence).toBeCloseTo(1 - 2 / capital(new Array<number>(7).fill(1)), 12);
    expect(confidence).toBeGreaterThan(0.9);
  });

  test("the estimate is the median of pairwise means: Hollander, Wolfe, table 3.1", () => {
    const before = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
    const after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    expect(
      intervalOf(
        before.map((x, i) => (after[i] as number) - x),
        0.95,
      ).estimate,
    ).toBeCloseTo(-0.46, 10);
  });
});

test("fewer rounds than the least do not reach the confidence, and the least do", () => {
  for (const programs of [2, 3, 5, 8]) {
    const least = leastRoundsOf(programs);
    const settled = (rounds: number) =>
      areSettled(Array.from({ length: programs }, (_, i) => new Array<number>(rounds).fill(1 + i)));
    expect([settled(least - 1), settled(least)], `${programs}`).toEqual([false, true]);
  }
  expect([2, 5, 8].map((programs) => leastRoundsOf(programs))).toEqual([9, 13, 14]);
  expect(leastRoundsOf(2, 0.5), "no fewer than the floor").toBe(5);
});

test("programs that are as good as equal need no more rounds, and those that may yet differ do", () => {
  const near = (spread: number) => [around(1, 1, 30, spread), around(1, 2, 30, spread)];
  expect([areSettled(near(0.004)), areSettled(near(0.04))]).toEqual([true, false]);
  const third = [...near(0.004), around(1.02, 3, 30, 0.004)];
  expect(areSettled(third)).toBe(true);
  expect(areSettled([...near(0.004), around(1.006, 3, 30, 0.03)])).toBe(false);
});

describe("finals", () => {
  /**
   * Rounds on a device whose slowness wanders (an autoregression that keeps .9 from one repeat to the next) and jumps; the first
   * program gains the share. They end as the runner ends them.
   */
  function final(random: Random, programs: number, gain: number, isDrawn = true): readonly number[][] {
    const costs: number[][] = Array.from({ length: programs }, () => []);
    let wandering = 0;
    const inTurn = costs.map((_, i) => i);
    for (let round = 0; round < 60 && !areSettled(costs); round++)
      for (const program of isDrawn ? random.shuffle(inTurn) : inTurn) {
        wandering = 0.9 * wandering + 0.002 * (random.float() + random.float() + random.float() - 1.5);
        const jump = random.float() < 0.05 ? 0.05 * random.float() : 0;
        costs[program]?.push((program === 0 ? 1 - gain : 1) * Math.exp(wandering + jump));
      }
    return costs;
  }
  const apart = (costs: readonly number[][], a: number, b: number): boolean =>
    intervalOf(logRatios(costs[a] as number[], costs[b] as number[]), confidenceOfPair(costs.length, 0.99)).high < 0;

  test("of equal programs tell none apart, stopped at any round; a gain of 2 % is found", () => {
    const random = new Random(43);
    const pairs = (n: number) =>
      Array.from({ length: n * n }, (_, i) => [Math.floor(i / n), i % n] as const).filter(([a, b]) => a !== b);
    let declared = 0;
    for (let i = 0; i < 60; i++) {
      const programs = [2, 3, 5][i % 3] as number;
      const costs = final(random, programs, 0);
      if (pairs(programs).some(([a, b]) => apart(costs, a, b))) declared++;
    }
    // At 1 % each, more than 4 of 60 come once in 3,000 times.
    expect(declared).toBeLessThanOrEqual(4);
    for (let i = 0; i < 20; i++) {
      const costs = final(random, 3, 0.02);
      expect(apart(costs, 0, 1) && apart(costs, 0, 2), `${i}`).toBe(true);
    }
  });
});
