/** The verdict on programs measured interleaved; its test is that of common's rounds.ts. */
import { defaultMeasureOptions, defaultPaired, leastRoundsOf, Random, toProgramDigest } from "@warpfarm/common";
import { describe, expect, test } from "vitest";
import type { Entity } from "../tuning-record.ts";
import type { Finals } from "./finals.ts";
import { finalsNote, finalsOf } from "./finals-note.ts";
import { verdictOf } from "./verdict.ts";

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
    expect(verdict.ranks.map(({ ratio }) => Math.round(10 * ratio.estimate) / 10)).toEqual([1, 1.1, 1.2]);
    for (const { ratio } of verdict.ranks.slice(1)) expect(ratio.low > 1 && ratio.low < ratio.high).toBe(true);
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
    // Costs vary by 0.5 %, and the interval of a ratio of theirs is no wider than their range.
    expect(verdict.tiedWithin).toBeGreaterThan(0.0005);
    expect(verdict.tiedWithin).toBeLessThan(0.01);
    expect(verdict.ranks.find(({ at }) => at === 0)?.isToldApart).toBe(true);
    expect(verdictOf([[nearest, slow, near, fastest]]).winner.at).toBe(0);
  });

  test("equal costs: the first, no gap", () => {
    const equal = new Array<number>(12).fill(1);
    expect(verdictOf([[equal, equal]])).toMatchObject({
      isDecided: true,
      winner: { at: 0 },
      tied: [{ at: 1 }],
      tiedWithin: 0,
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
    for (const [programs, least] of [9, 11, 12, 13, 13, 14, 14].map((rounds, i) => [i + 2, rounds] as const)) {
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
});

test("a note of finals has two programs or more, with costs of each in every run; another one is passed over", () => {
  const program = `sha256:${"0".repeat(64)}`;
  const [a, b] = [1, 2].map((tile) => ({ config: [["tile", "ot", tile]] as Entity, program: toProgramDigest(program) }));
  const device = { key: "cpu/arm64", name: "a board", uuid: "", node: "here", driver: "" };
  const note = (configs: readonly (typeof a)[], ...costs: readonly number[][]) =>
    finalsNote(
      { task: "toy", args: [], target: "cpu/arm64" },
      {
        ...{ finalists: configs as Finals["finalists"], failed: [], runs: [{ device, costs }] },
        ...{ paired: defaultPaired, options: defaultMeasureOptions("cpu") },
      },
    );
  const [found, ...others] = finalsOf([note([a, b], [1], [2]), note([a], [1]), note([a, b], [1]), { finalists: 1 }, null]);
  expect(found?.finals.runs[0]?.costs).toEqual([[1], [2]]);
  expect(others).toEqual([]);
});
