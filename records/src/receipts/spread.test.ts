/** The intervals of receipts: against published quantiles, and against repeated sessions that were recorded on GPUs. */
import { readFileSync } from "node:fs";
import { Random } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { leastDeviation, leastSessions, spreadOf, studentQuantile } from "./spread.ts";

const recorded = JSON.parse(readFileSync(new URL("../../test/vectors/repeated-sessions.json", import.meta.url), "utf8")) as {
  readonly groups: readonly { readonly task: string; readonly seconds: readonly number[] }[];
};
const isInside = (medians: readonly number[], next: number): boolean => {
  const { low, high } = spreadOf(medians).prediction;
  return next >= low && next <= high;
};
/** Two uniform numbers to a normal one (Box, Muller). */
const normal = (random: Random): number => Math.sqrt(-2 * Math.log(1 - random.float())) * Math.cos(2 * Math.PI * random.float());

describe("Student's quantile", () => {
  // NIST/SEMATECH e-Handbook, 1.3.6.7.2: one-sided .995 and .975.
  it.each([
    [0.99, 1, 63.657],
    [0.99, 2, 9.925],
    [0.99, 3, 5.841],
    [0.99, 4, 4.604],
    [0.99, 5, 4.032],
    [0.99, 9, 3.25],
    [0.99, 30, 2.75],
    [0.99, 100, 2.626],
    [0.95, 4, 2.776],
    [0.95, 7, 2.365],
  ])("of %d with %d degrees of freedom is %d", (share, freedom, table) => {
    expect(studentQuantile(share, freedom)).toBeCloseTo(table, 3);
  });
});

describe("the intervals", () => {
  it("are those of the formula, about the geometric mean", () => {
    // Logarithms -0.02, -0.01, 0, 0.01, 0.02: mean 0, deviation sqrt(0.001 / 4).
    const { seconds, deviation, confidence, prediction } = spreadOf([-0.02, -0.01, 0, 0.01, 0.02].map(Math.exp));
    expect(seconds).toBeCloseTo(1, 12);
    expect(deviation).toBeCloseTo(Math.sqrt(0.001 / 4), 12);
    expect(Math.log(confidence.high)).toBeCloseTo((4.604 * Math.sqrt(0.001 / 4)) / Math.sqrt(5), 4);
    expect(Math.log(confidence.low)).toBeCloseTo(-Math.log(confidence.high), 12);
    expect(Math.log(prediction.high)).toBeCloseTo(4.604 * Math.sqrt(0.001 / 4) * Math.sqrt(1.2), 4);
    expect(Math.log(prediction.low)).toBeCloseTo(-Math.log(prediction.high), 12);
  });

  it("are never narrower than sessions of other minutes differ", () => {
    const { deviation, prediction } = spreadOf([1, 1, 1, 1, 1]);
    expect(deviation).toBe(leastDeviation);
    expect(Math.log(prediction.high)).toBeCloseTo(4.604 * leastDeviation * Math.sqrt(1.2), 5);
  });
});

describe("of the next session", () => {
  const long = recorded.groups.filter(({ seconds }) => seconds.length > leastSessions);

  it(`${leastSessions} recorded ones predict 99 of 100, whichever of them is the next`, () => {
    const cases = long.flatMap(({ seconds }) =>
      seconds.map((next, i) => isInside([...seconds.slice(0, i), ...seconds.slice(i + 1)], next)),
    );
    expect(cases.length).toBeGreaterThanOrEqual(360);
    expect(cases.filter((inside) => inside).length / cases.length).toBeGreaterThanOrEqual(0.99);
  });

  it("they do so within 3 %, and tell a kernel that is 4 % slower", () => {
    const halves = long
      .map(({ seconds }) =>
        Math.log(spreadOf(seconds.slice(0, leastSessions)).prediction.high / spreadOf(seconds.slice(0, leastSessions)).seconds),
      )
      .sort((a, b) => a - b);
    expect(halves[halves.length >> 1]).toBeLessThan(0.03);
    const slower = long.filter(({ seconds }) => isInside(seconds.slice(0, leastSessions), (seconds.at(-1) as number) * 1.04));
    expect(slower.length / long.length).toBeLessThan(0.25);
  });

  it("simulated ones predict 99 of 100, with normal noise and with that of the recorded sessions", () => {
    const random = new Random(11);
    const recordedNoise = recorded.groups.flatMap(({ seconds }) => {
      const logs = seconds.map(Math.log);
      const mean = logs.reduce((sum, x) => sum + x, 0) / logs.length;
      // Residuals of n values about their own mean are too small by this.
      return logs.map((x) => (x - mean) * Math.sqrt(logs.length / (logs.length - 1)));
    });
    const runs = 10_000;
    const inside = (noise: () => number): number => {
      let n = 0;
      for (let i = 0; i < runs; i++) {
        const sessions = Array.from({ length: leastSessions + 1 }, () => Math.exp(noise()));
        if (isInside(sessions.slice(1), sessions[0] as number)) n++;
      }
      return n / runs;
    };
    const ofNormal = inside(() => 0.01 * normal(random));
    expect(ofNormal).toBeGreaterThan(0.9875);
    expect(ofNormal).toBeLessThan(0.9925);
    expect(inside(() => recordedNoise[random.below(recordedNoise.length)] as number)).toBeGreaterThanOrEqual(0.988);
  });
});
