import { Random } from "@warpfarm/common";
import { type ConfigIndex, ConfigSpace, choiceKnob, splitKnob } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { type ContractSizes, drain, measured, smallSpace, tunerContract } from "./contract.testing.ts";
import { gaTuner } from "./ga.ts";
import { type TunerName, tuners } from "./index.ts";
import { Permutation } from "./permutation.ts";
import { withStarts } from "./starts.ts";
import type { MakeTuner, ShareSource } from "./tuner.ts";

/** `xgb` has a model after its first plan of 64, `auto` after five. */
const sizes = { xgb: { share: 0.1, proposals: 150 }, auto: { share: 0.1, proposals: 60 } } as const satisfies Partial<
  Record<TunerName, ContractSizes>
>;

for (const [name, make] of Object.entries(tuners)) tunerContract(name, make, sizes[name as keyof typeof sizes]);

const anyConfig = () => true;
const numbers = (n: number) => Array.from({ length: n }, (_, i) => i);

/** Starts that repeat, and that the inner tuner proposes too. */
const starts = [5, 1, 5, 9] as ConfigIndex[];
tunerContract("random with starts", withStarts(tuners.random, starts));
tunerContract("grid with starts", withStarts(tuners.grid, starts));

const inner: MakeTuner = () => {
  const left = [2, 5, 7, 3, 8] as ConfigIndex[];
  return { exhausted: false, mostOutstanding: 2, ask: (n) => left.splice(0, n), tell: () => {} };
};
const sixteen = new ConfigSpace([choiceKnob("a", numbers(16))]);
const started = (records: readonly ShareSource[]) =>
  withStarts(inner, starts)({ space: sixteen, seed: 0, isValid: (index) => index !== 9, records });

it("starts come first where nothing is known, as many in flight as there are", () => {
  const tuner = started([]);
  expect(tuner.mostOutstanding).toBe(Number.POSITIVE_INFINITY);
  expect([tuner.ask(1), tuner.ask(1)]).toEqual([[5], [1]]);
  expect(tuner.ask(9)).toEqual([2, 7, 3, 8]);
  expect(tuner.mostOutstanding).toBe(2);
});

it("one proposal of the records comes before the starts, the others after them; a start that was measured is none", () => {
  const tuner = started([{ name: "a record", rows: [{ index: sixteen.toIndex(2), seconds: 1 }] }]);
  expect(tuner.ask(2)).toEqual([2, 5]);
  tuner.tell([measured(1 as ConfigIndex)]);
  expect(tuner.ask(9)).toEqual([7, 3, 8]);
});

describe("a permutation", () => {
  it("draws every number once, and every order of three about equally often", () => {
    const counts = new Map<string, number>();
    const random = new Random(11);
    for (let i = 0; i < 6000; i++) {
      const order = new Permutation(3, random);
      const drawn = [order.next(), order.next(), order.next()].join("");
      counts.set(drawn, (counts.get(drawn) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(["012", "021", "102", "120", "201", "210"]);
    // 1000 expected, standard deviation 29.
    for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});

describe("grid", () => {
  it("walks the tutorial's space from 0, tile_f first (docs/reference/autotvm.md 4.10)", () => {
    const space = new ConfigSpace([
      splitKnob("tile_f", { loop: "f", extent: 512 }, { parts: 4 }),
      splitKnob("tile_y", { loop: "y", extent: 7 }, { parts: 4 }),
    ]);
    const first = tuners.grid({ space, seed: 0, isValid: anyConfig }).ask(3);
    expect(first).toEqual([0, 1, 2]);
    expect(first.map((i) => space.get(i).values.get("tile_f"))).toEqual([
      [-1, 1, 1, 1],
      [-1, 2, 1, 1],
      [-1, 4, 1, 1],
    ]);
  });
});

describe("ga", () => {
  it("on a space of 150 points, generation 2 is the 50 unvisited in index order (docs/reference/autotvm.md 4.10)", () => {
    const space = new ConfigSpace([choiceKnob("a", numbers(15)), choiceKnob("b", numbers(10))]);
    const ga = gaTuner({ space, seed: 4, isValid: anyConfig });
    const first = ga.ask(100);
    ga.tell(first.map(measured));
    const seen = new Set<number>(first);
    expect(ga.ask(100)).toEqual(numbers(150).filter((i) => !seen.has(i)));
    expect(ga.exhausted).toBe(true);
  });

  /** Speed depends on every digit alone, so crossing good parents helps. */
  const space = new ConfigSpace(numbers(6).map((k) => choiceKnob(`k${k}`, numbers(10))));
  const seconds = (index: ConfigIndex) => 1 / (1 + space.digits(index).reduce((sum, d) => sum + d * d, 0));
  const best = (proposed: readonly ConfigIndex[]) => Math.min(...proposed.map(seconds));
  const told = (index: ConfigIndex) => ({ index, outcome: { kind: "timed", seconds: seconds(index) } as const });

  it.each([1, 64])("with %i in flight ends faster than random search, on average over 10 seeds", (inFlight) => {
    const search = (name: "ga" | "random", seed: number) => {
      const tuner = tuners[name]({ space, seed, isValid: anyConfig });
      const proposed: ConfigIndex[] = [];
      const flying: ConfigIndex[] = [];
      while (proposed.length < 600) {
        const next = tuner.ask(inFlight - flying.length);
        proposed.push(...next);
        flying.push(...next);
        tuner.tell(flying.splice(0, 1).map(told));
      }
      return best(proposed);
    };
    const total = (name: "ga" | "random") => numbers(10).reduce((sum, seed) => sum + search(name, seed), 0);
    expect(total("ga")).toBeLessThan(0.95 * total("random"));
  });

  it("children of generation 2 are prefix and suffix of two parents when nothing mutates", () => {
    const ga = gaTuner({ space, seed: 9, isValid: anyConfig }, { population: 20, elites: 3, mutation: 0 });
    const parents = ga.ask(20);
    ga.tell(parents.map(told));
    const digits = parents.map((p) => space.digits(p));
    const isCross = (child: readonly number[]) =>
      numbers(6).some(
        (cut) =>
          digits.some((a) => child.slice(0, cut).every((d, i) => d === a[i])) &&
          digits.some((b) => child.slice(cut).every((d, i) => d === b[cut + i])),
      );
    // A child equal to a parent is mutated further, so a few may not be pure crosses.
    expect(ga.ask(20).filter((c) => isCross(space.digits(c))).length).toBeGreaterThanOrEqual(15);
  });

  it("breeds from what is there when a whole generation is in flight", () => {
    const ga = gaTuner({ space: smallSpace(), seed: 1, isValid: anyConfig }, { population: 10, elites: 2, mutation: 0.1 });
    expect(ga.ask(50)).toHaveLength(50);
    expect(drain(ga, { inFlight: 10, seed: 1 }).length).toBe(smallSpace().size - 50);
  });
});
