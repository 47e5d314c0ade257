/**
 * The interval is compared with published results, with the test that it inverts, with enumeration, and by how often it contains
 * the truth.
 */
import { Random } from "@warpfarm/common";
import { describe, expect, test } from "vitest";
import { leastRounds, logRatios, logTimes, signedRank } from "./statistics.ts";
import { leastRoundsOf, verdictOf } from "./verdict.ts";

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

/** P(W <= w) of the sum W of ranks 1 to n, each with probability 1/2: the share of subsets with such a sum. */
function atMost(n: number, w: number): number {
  let ways = new Map([[0, 1]]);
  for (let rank = 1; rank <= n; rank++) {
    const next = new Map<number, number>();
    for (const [sum, share] of ways)
      for (const to of [sum, sum + rank]) if (to <= w) next.set(to, (next.get(to) ?? 0) + share / 2);
    ways = next;
  }
  return [...ways.values()].reduce((all, share) => all + share, 0);
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

  test("beyond 50 values has the confidence of the exact distribution, to one in a thousand", () => {
    const random = new Random(9);
    for (const n of [51, 60, 83])
      for (const confidence of [0.02, 0.95]) {
        const values = Array.from({ length: n }, () => noisy(random));
        const walsh = values.flatMap((x, i) => values.slice(i).map((y) => (x + y) / 2)).sort((a, b) => a - b);
        const found = signedRank(values, confidence);
        // The interval begins at the q-th average: it lacks the shifts at which the sum of ranks is less than q.
        const exact = 1 - 2 * atMost(n, walsh.indexOf(found.low));
        expect(Math.abs(found.confidence - exact), `${n} values, ${confidence}`).toBeLessThan(0.001);
      }
  });
});

describe("units", () => {
  test("a steady change of the device and the place in the round cancel", () => {
    // a before b in even rounds, after it in odd ones; each turn is 1 % slower than the one before; b takes 1.2 times as long.
    const drift = (turn: number) => 1.01 ** turn;
    const a = Array.from({ length: 8 }, (_, i) => drift(2 * i + (i % 2)));
    const b = Array.from({ length: 8 }, (_, i) => 1.2 * drift(2 * i + 1 - (i % 2)));
    for (const unit of logRatios(b, a)) expect(unit).toBeCloseTo(Math.log(1.2), 12);
    const { estimate, low, high } = verdictOf([[b, a]]).ratioOf(0, 1);
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

describe("the verdict", () => {
  /** Costs within 0.5 % of `seconds`, the same for each call with one seed. */
  const around = (seconds: number, seed: number, rounds = 20) => {
    const random = new Random(seed);
    return Array.from({ length: rounds }, () => seconds * (1 + 0.01 * (random.float() - 0.5)));
  };
  const places = (ranks: readonly { readonly at: number }[]) => ranks.map(({ at }) => at);

  test("the fastest wins when it can be told from all others", () => {
    const verdict = verdictOf([[around(1.1, 2), around(1, 1), around(1.2, 3)]]);
    expect(verdict.winner.at).toBe(1);
    expect(verdict.tied).toEqual([]);
    expect(places(verdict.ranks)).toEqual([1, 0, 2]);
    expect(verdict.runnerUp.at).toBe(0);
    expect(verdict.gap).toBeCloseTo(0.1, 2);
    expect(verdict.gapInNoise).toBeGreaterThan(10);
    const { low, high } = verdict.winner.seconds;
    expect(low < 1 && 1 < high).toBe(true);
    expect(high / low).toBeLessThan(1.01);
    expect(verdict.ratioOf(0, 1).estimate * verdict.ratioOf(1, 0).estimate).toBeCloseTo(1, 12);
    expect(verdict.ratioOf(0, 1).estimate).toBeCloseTo(1.1, 2);
  });

  test("of those that cannot be told from the fastest the first wins", () => {
    const [fastest, near, nearest, slow] = [around(1, 1), around(1.0003, 2), around(1.0001, 5), around(1.05, 3)];
    const verdict = verdictOf([[slow, near, fastest, nearest]]);
    expect(verdict.winner.at).toBe(1);
    expect(places(verdict.tied).toSorted()).toEqual([2, 3]);
    expect(verdict.gapInNoise).toBeLessThan(1);
    expect(verdict.ranks.find(({ at }) => at === 0)?.isToldApart).toBe(true);
    expect(verdictOf([[nearest, slow, near, fastest]]).winner.at).toBe(0);
  });

  test("equal costs: the first, no gap", () => {
    const equal = new Array<number>(12).fill(1);
    expect(verdictOf([[equal, equal]])).toMatchObject({
      isDecided: true,
      winner: { at: 0 },
      tied: [{ at: 1 }],
      gap: 0,
      gapInNoise: 0,
    });
  });

  test("on nodes that disagree nobody is told apart", () => {
    const one = [around(1.1, 2), around(1, 1)];
    const two = [around(1, 4), around(1.1, 3)];
    expect(verdictOf([one]).winner.at).toBe(1);
    expect(verdictOf([one, two])).toMatchObject({ isDecided: true, winner: { at: 0 }, tied: [{ at: 1 }] });
    expect(verdictOf([one, one])).toMatchObject({ winner: { at: 1 }, tied: [] });
  });

  test("below the least number of rounds there is none, and the fastest wins; with the least there is one", () => {
    for (const [programs, least] of [11, 13, 15, 17, 19, 19, 21].map((rounds, i) => [i + 2, rounds] as const)) {
      expect(leastRoundsOf(programs), `${programs} programs`).toBe(least);
      // The last is the fastest in every round, and the first takes twice its time.
      const of = (rounds: number) =>
        verdictOf([
          Array.from({ length: programs }, (_, i) =>
            Array.from({ length: rounds }, (_, r) => (2 - i / (programs - 1)) * (1 + 1e-4 * r)),
          ),
        ]);
      const few = of(least - 1);
      expect(few).toMatchObject({ isDecided: false, leastRounds: least, winner: { at: programs - 1 }, tied: [] });
      expect(few.ranks.some(({ isToldApart }) => isToldApart)).toBe(false);
      expect(of(least)).toMatchObject({ isDecided: true, leastRounds: least, winner: { at: programs - 1 }, tied: [] });
    }
  });

  test("many comparisons are each stricter: five equal programs are told apart in no more than 5 % of tries", () => {
    let apart = 0;
    const tries = 400;
    for (let i = 0; i < tries; i++) {
      const { tied } = verdictOf([[1, 2, 3, 4, 5].map((of) => around(1, 1_000 * i + of))]);
      if (tied.length < 4) apart++;
    }
    expect(apart / tries).toBeLessThan(0.06);
  });
});
