/**
 * The interval is compared with published results, with the test that it inverts, with enumeration, and by how often it contains
 * the truth.
 */
import { Random } from "@warpfarm/common";
import { describe, expect, test } from "vitest";
import { judge, ratioInTurns } from "./judge.ts";
import { leastRounds, logRatios, logTimes, signedRank } from "./statistics.ts";

/** The two-sided exact p-value of "symmetric about `shift`", over all 2^n patterns of signs; no zeros, no ties. */
function pValue(values: readonly number[], shift: number): number {
  const moved = values.map((v) => v - shift);
  const order = moved.map((_, i) => i).sort((a, b) => Math.abs(moved[a] as number) - Math.abs(moved[b] as number));
  const positive = order.reduce((sum, i, rank) => sum + ((moved[i] as number) > 0 ? rank + 1 : 0), 0);
  const n = values.length;
  let [below, above] = [0, 0];
  for (let signs = 0; signs < 2 ** n; signs++) {
    let sum = 0;
    for (let rank = 0; rank < n; rank++) if ((signs >> rank) & 1) sum += rank + 1;
    if (sum <= positive) below++;
    if (sum >= positive) above++;
  }
  return Math.min(1, (2 * Math.min(below, above)) / 2 ** n);
}

const noisy = (random: Random): number => {
  // Symmetric, with an occasional outlier.
  const uniform = random.float() + random.float() + random.float() - 1.5;
  return random.float() < 0.1 ? uniform * 8 : uniform;
};

describe("the signed-rank interval", () => {
  test("is the published one: Hollander, Wolfe, table 3.1, depression scale factors before and after", () => {
    const before = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
    const after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    const { estimate, low, high, confidence } = signedRank(
      before.map((x, i) => (after[i] as number) - x),
      0.95,
    );
    expect(estimate).toBeCloseTo(-0.46, 10);
    expect([low, high]).toEqual([expect.closeTo(-0.786, 10), expect.closeTo(-0.01, 10)]);
    expect(confidence).toBeCloseTo(0.961, 3);
  });

  test("is what the test does not reject: just inside its ends p is above, just outside not", () => {
    const random = new Random(7);
    for (const n of [6, 8, 11, 13])
      for (let i = 0; i < 5; i++) {
        const values = Array.from({ length: n }, () => noisy(random) + 0.3);
        const { low, high } = signedRank(values, 0.95);
        const step = 1e-9;
        for (const end of [low + step, high - step]) expect(pValue(values, end)).toBeGreaterThan(0.05);
        for (const end of [low - step, high + step]) expect(pValue(values, end)).toBeLessThanOrEqual(0.05);
      }
  });

  test("of too few values is all there is, with the confidence that it has", () => {
    expect(signedRank([3], 0.95)).toEqual({ estimate: 3, low: 3, high: 3, confidence: 0 });
    expect(signedRank([1, 2, 4, 8, 9], 0.95)).toMatchObject({ low: 1, high: 9, confidence: 1 - 2 / 2 ** 5 });
    expect(signedRank([1, 2, 4, 8, 9, 10], 0.95).confidence).toBeGreaterThanOrEqual(0.95);
  });

  test("holds the truth as often as it says, and not much more, with few units and with many", () => {
    const random = new Random(3);
    for (const n of [10, 60]) {
      let held = 0;
      const tries = 1_500;
      for (let i = 0; i < tries; i++) {
        const { low, high } = signedRank(
          Array.from({ length: n }, () => noisy(random)),
          0.95,
        );
        if (low <= 0 && high >= 0) held++;
      }
      expect(held / tries).toBeGreaterThan(0.935);
      expect(held / tries).toBeLessThan(0.975);
    }
  });

  test("beyond 50 values agrees with the exact one at 50", () => {
    const random = new Random(5);
    const values = Array.from({ length: 50 }, () => noisy(random));
    const [exact, approximate] = [signedRank(values, 0.95), signedRank([...values, values[0] as number], 0.95)];
    for (const end of ["low", "high", "estimate"] as const) expect(Math.abs(exact[end] - approximate[end])).toBeLessThan(0.1);
    expect(approximate.confidence).toBeCloseTo(0.95, 2);
  });
});

describe("units", () => {
  test("a steady change of the device and the place in the round cancel", () => {
    // a before b in even rounds, after it in odd ones; each turn is 1 % slower than the one before; b takes 1.2 times as long.
    const drift = (turn: number) => 1.01 ** turn;
    const a = Array.from({ length: 8 }, (_, i) => drift(2 * i + (i % 2)));
    const b = Array.from({ length: 8 }, (_, i) => 1.2 * drift(2 * i + 1 - (i % 2)));
    for (const unit of logRatios(b, a)) expect(unit).toBeCloseTo(Math.log(1.2), 12);
    const { estimate, low, high } = ratioInTurns(b, a);
    for (const value of [estimate, low, high]) expect(value).toBeCloseTo(1.2, 10);
  });

  test("an odd round at the end counts alone", () => {
    expect(logRatios([1, 1, 4], [1, 1, 1])).toEqual([0, Math.log(4)]);
    expect(logRatios([4], [1])).toEqual([Math.log(4)]);
  });
});

test("fewer rounds than the least do not reach the confidence, and the least do", () => {
  for (const confidence of [0.9, 0.95, 0.995, 1 - 0.05 / 28])
    for (const runs of [1, 2, 3]) {
      const reached = (rounds: number) => {
        const units = logTimes(new Array<number>(rounds).fill(1));
        return signedRank(Array.from({ length: runs }, () => units).flat(), confidence).confidence;
      };
      const least = leastRounds(confidence, runs);
      expect(reached(least), `${confidence}, ${runs}`).toBeGreaterThanOrEqual(confidence - 1e-12);
      if (least > 1) expect(reached(least - 1), `${confidence}, ${runs}`).toBeLessThan(confidence);
    }
});

describe("the winner", () => {
  const device = { key: "cpu/x86-64-v3", name: "A CPU", uuid: "u", node: "n", driver: "" };
  /** Costs within 0.5 % of `seconds`, the same for each call with one seed. */
  const around = (seconds: number, seed: number, rounds = 20) => {
    const random = new Random(seed);
    return Array.from({ length: rounds }, () => seconds * (1 + 0.01 * (random.float() - 0.5)));
  };
  const run = (...costs: (readonly number[])[]) => ({ device, costs });

  test("is the fastest when it can be told from all others", () => {
    const verdict = judge(["7", "3", "9"], [run(around(1, 1), around(1.1, 2), around(1.2, 3))]);
    expect(verdict.winner.name).toBe("7");
    expect(verdict.tied).toEqual([]);
    expect(verdict.ranks.map(({ name }) => name)).toEqual(["7", "3", "9"]);
    expect(verdict.runnerUp.name).toBe("3");
    expect(verdict.gap).toBeCloseTo(0.1, 2);
    expect(verdict.gapInNoise).toBeGreaterThan(10);
    const { low, high } = verdict.winner.seconds;
    expect(low < 1 && 1 < high).toBe(true);
    expect(high / low).toBeLessThan(1.01);
  });

  test("of those that cannot be told from the fastest is the first by name, whatever the order they are named in", () => {
    const costs = new Map([
      ["5", around(1, 1)],
      ["4", around(1.0003, 2)],
      ["60", around(1.0001, 5)],
      ["2", around(1.05, 3)],
    ]);
    for (const order of [
      ["5", "4", "60", "2"],
      ["2", "60", "4", "5"],
    ]) {
      const verdict = judge(order, [run(...order.map((name) => costs.get(name) ?? []))]);
      expect(verdict.winner.name).toBe("4");
      expect(verdict.tied.toSorted()).toEqual(["5", "60"]);
      expect(verdict.gapInNoise).toBeLessThan(1);
      expect(verdict.ranks.find(({ name }) => name === "2")?.isToldApart).toBe(true);
    }
  });

  test("equal costs: the first by name, no gap", () => {
    const verdict = judge(["5", "2"], [run([1, 1, 1, 1], [1, 1, 1, 1])]);
    expect(verdict).toMatchObject({ winner: { name: "2" }, tied: ["5"], gap: 0, gapInNoise: 0 });
  });

  test("on nodes that disagree nobody is told apart", () => {
    const one = run(around(1, 1), around(1.1, 2));
    const two = { ...run(around(1.1, 3), around(1, 4)), device: { ...device, node: "m" } };
    expect(judge(["8", "1"], [one]).winner.name).toBe("8");
    expect(judge(["8", "1"], [one, two])).toMatchObject({ winner: { name: "1" }, tied: ["8"] });
    const agrees = { ...two, costs: one.costs };
    expect(judge(["8", "1"], [one, agrees])).toMatchObject({ winner: { name: "8" }, tied: [] });
  });

  test("with too few rounds for the confidence nobody is told apart", () => {
    expect(judge(["8", "1"], [run(around(1, 1, 6), around(2, 2, 6))])).toMatchObject({ winner: { name: "1" }, tied: ["8"] });
    expect(judge(["8", "1"], [run(around(1, 1, 12), around(2, 2, 12))])).toMatchObject({ winner: { name: "8" }, tied: [] });
  });

  test("many comparisons are each stricter: five equal programs are told apart in no more than 5 % of tries", () => {
    let apart = 0;
    const tries = 400;
    for (let i = 0; i < tries; i++) {
      const { tied } = judge([..."01234"], [run(...[1, 2, 3, 4, 5].map((of) => around(1, 1_000 * i + of)))]);
      if (tied.length < 4) apart++;
    }
    expect(apart / tries).toBeLessThan(0.06);
  });
});
