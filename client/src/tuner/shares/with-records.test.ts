import type { ConfigIndex } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { autoTuner } from "../auto/auto.ts";
import { smallSpace, tunerContract } from "../contract.testing.ts";
import { randomTuner } from "../in-order.ts";
import type { MakeTuner, ShareSource } from "../tuner.ts";
import { ShareModel } from "./share-model.ts";
import { shareTable } from "./share-table.ts";
import { withRecords } from "./with-records.ts";

const space = smallSpace();
const all = Array.from({ length: space.size }, (_, i) => space.toIndex(i));
const sourceOf = (name: string, seconds: (index: number) => number | undefined, of = all): ShareSource => ({
  name,
  rows: of.map((index) => ({ index, seconds: seconds(index) })),
});
/** Smooth, with the best at `best`. */
const valley = (best: number) => (index: number) => 1e-3 * (1 + Math.abs(index - best) / 20);

const known: MakeTuner = (options) => {
  const of = Array.from({ length: 200 }, (_, i) => options.space.toIndex(Math.floor((i * options.space.size) / 200)));
  return withRecords(randomTuner, [sourceOf("a", valley(70), of), sourceOf("b", valley(90), of)])(options);
};
tunerContract("random with records", known, { share: 0.1, proposals: 150 });

describe("the table", () => {
  it("ranks by the geometric mean of shares of the best, a failure and a far share being the floor", () => {
    const [a, b, c] = [1, 2, 3].map((i) => space.toIndex(i)) as [ConfigIndex, ConfigIndex, ConfigIndex];
    const rows = (seconds: readonly (number | undefined)[]) => [a, b, c].map((index, i) => ({ index, seconds: seconds[i] }));
    const table = shareTable(space, [
      { name: "x", rows: rows([1, 1.25, undefined]) },
      { name: "y", rows: rows([4, 2, 2000]) },
    ]);
    expect(table.configs).toEqual([b, a, c]);
    expect([...table.mean]).toEqual([Math.log(0.8) / 2, Math.log(0.5) / 2, -1]);
    expect(table.deviations.map((of) => of[0])).toEqual([Math.log(0.8) / 2, -Math.log(0.8) / 2]);
  });
});

describe("the model", () => {
  const table = shareTable(space, [sourceOf("a", valley(40)), sourceOf("b", valley(130))]);
  it("believes what is solved the long way: a Gaussian process with a free level", () => {
    const model = new ShareModel(table);
    const [i, j] = [3, 120];
    model.add(i);
    model.add(j);
    const at = model.believe([-0.2, -0.5]);
    // Of what was measured, nearly the value; anything else moves with the rows it resembles.
    expect(at.mean[i]).toBeCloseTo(-0.2, 2);
    expect(at.mean[j]).toBeCloseTo(-0.5, 2);
    expect(at.deviation[i]).toBeLessThan(0.02);
    expect(at.deviation[60]).toBeGreaterThan(at.deviation[i] as number);
  });
  it("gives a source more weight that has predicted better", () => {
    const model = new ShareModel(table);
    const rows = [5, 30, 60, 90, 120, 160];
    for (const row of rows) model.add(row);
    const truth = valley(40);
    const values = rows.map((row) => Math.max(-1, Math.log(1e-3 / truth(table.configs[row] as number))));
    const { mean } = model.believe(values);
    const of = (index: number) => mean[table.configs.indexOf(space.toIndex(index))] as number;
    expect(of(44)).toBeGreaterThan(of(126) + 0.2);
  });
});

/** Proposals of a search, and the best share after each. */
function search(make: MakeTuner, seconds: (index: number) => number, count: number, seed = 1): number[] {
  const tuner = make({ space, seed, isValid: () => true });
  const best = Math.min(...all.map(seconds));
  let least = Infinity;
  const shares: number[] = [];
  while (shares.length < count) {
    const [index] = tuner.ask(1);
    if (index === undefined) break;
    least = Math.min(least, seconds(index));
    shares.push(best / least);
    tuner.tell([{ index, outcome: { kind: "timed", seconds: seconds(index) } }]);
  }
  return shares;
}

describe("records as a start", () => {
  it("begin with the best by geometric mean", () => {
    const make = withRecords(randomTuner, [sourceOf("a", valley(70)), sourceOf("b", valley(74))]);
    expect(search(make, valley(72), 1)[0]).toBeGreaterThan(0.9);
  });
  it("one of which is right and one wrong: results tell them apart", () => {
    const make = withRecords(randomTuner, [sourceOf("right", valley(40)), sourceOf("wrong", valley(140))]);
    expect(search(make, valley(42), 10).at(-1)).toBeGreaterThan(0.95);
  });
  it("that say the opposite do not hurt for long", () => {
    const opposite = (index: number) => 1e-3 * (40 - valley(120)(index) / 1e-3);
    const make = withRecords(autoTuner, [sourceOf("opposite", opposite)]);
    const seeds = [1, 2, 3, 4, 5, 6];
    const mean = (of: MakeTuner, count: number) =>
      seeds.reduce((sum, seed) => sum + (search(of, valley(120), count, seed).at(-1) ?? 0), 0) / seeds.length;
    expect(mean(make, 64)).toBeGreaterThan(0.95 * mean(autoTuner, 32));
  });
  it("whose beliefs explain nothing of the results fall silent after some of them", () => {
    // Those that records call good are good and bad by turns, whatever they have in common.
    const inner: number[] = [];
    const watched: MakeTuner = (options) => {
      const tuner = randomTuner(options);
      return {
        ...tuner,
        exhausted: false,
        tell: (pairs) => tuner.tell(pairs),
        ask: (n) => {
          const asked = tuner.ask(n);
          inner.push(...asked);
          return asked;
        },
      };
    };
    const tuner = withRecords(watched, [sourceOf("a", (index) => 1e-3 * (1 + (index % 7) / 100))])({
      space,
      seed: 1,
      isValid: () => true,
    });
    for (let i = 0; i < 20; i++)
      for (const index of tuner.ask(1)) tuner.tell([{ index, outcome: { kind: "timed", seconds: i % 2 === 0 ? 1e-3 : 2.2e-3 } }]);
    // Two of twenty are its own in any case.
    expect(inner.length).toBeGreaterThan(5);
  });
  it("propose the first eight alone; the ninth is the tuner's own", () => {
    const own = all[150] as ConfigIndex;
    const fixed: MakeTuner = () => ({ ask: (n) => Array.from({ length: n }, () => own), tell: () => {}, exhausted: false });
    const asked = withRecords(fixed, [sourceOf("a", valley(70))])({ space, seed: 1, isValid: () => true }).ask(10);
    expect(asked.indexOf(own)).toBe(8);
  });
  it("are begun with one config in flight, and each result lets one more begin", () => {
    const tuner = withRecords(randomTuner, [sourceOf("a", valley(70))])({ space, seed: 1, isValid: () => true });
    const limits = [tuner.mostOutstanding];
    for (const index of tuner.ask(3)) {
      tuner.tell([{ index, outcome: { kind: "timed", seconds: valley(70)(index) } }]);
      limits.push(tuner.mostOutstanding);
    }
    expect(limits).toEqual([1, 2, 3, 4]);
  });
  it("of configs that the static check refuses propose others", () => {
    const make = withRecords(randomTuner, [sourceOf("a", valley(70))]);
    const tuner = make({ space, seed: 1, isValid: (index) => index % 2 === 1 });
    const asked = tuner.ask(20);
    expect(asked).toHaveLength(20);
    for (const index of asked) expect(index % 2).toBe(1);
  });
});
