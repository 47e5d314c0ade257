/** Spread-out configs beside drawn ones, by the distance that spreading is about. */
import { Random } from "@warpfarm/common";
import { type ConfigIndex, SpaceBuilder } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { KnobColumns } from "../features/knob-columns.ts";
import { Spread } from "./spread.ts";

const builder = new SpaceBuilder();
for (const name of ["a", "b", "c"]) builder.choice(name, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
const space = builder.build();
const columns = new KnobColumns(space);
const spreadOf = (seed: number, claim: (index: ConfigIndex) => boolean = () => true) => {
  const spread = new Spread(space, columns, new Random(seed));
  return (count: number) => Array.from({ length: count }, () => spread.next(claim));
};

/** As a model sees it: sizes by logarithm, with their alignment. */
function columnsOf(index: ConfigIndex | undefined): Float64Array {
  const values = new Float64Array(columns.width);
  columns.write(index as ConfigIndex, values, 0);
  return values;
}
const fromMiddle = (index: ConfigIndex | undefined) => Math.hypot(...columnsOf(index).map((value) => value - 0.5));
/** Mean distance of each to the nearest other. */
function gap(configs: readonly (ConfigIndex | undefined)[]): number {
  const all = configs.map(columnsOf);
  const least = all.map((a, i) =>
    Math.min(...all.filter((_, j) => j !== i).map((b) => Math.hypot(...a.map((value, k) => value - (b[k] as number))))),
  );
  return least.reduce((sum, distance) => sum + distance, 0) / least.length;
}

describe("spreading configs over a space", () => {
  it("begins in the middle and keeps each far from the others", () => {
    for (let seed = 0; seed < 5; seed++) {
      const configs = spreadOf(seed)(16);
      const random = new Random(seed);
      const closer = Array.from({ length: 500 }, () => space.random(random)).filter(
        (index) => fromMiddle(index) < fromMiddle(configs[0]),
      );
      expect(closer.length).toBeLessThan(10);
      expect(gap(configs)).toBeGreaterThan(1.3 * gap(configs.map(() => space.random(random))));
    }
  });

  it("takes the next best of what is refused, and has an end", () => {
    const asked: ConfigIndex[] = [];
    const claim = (index: ConfigIndex) => asked.push(index) > 0 && index % 4 === 0;
    const configs = spreadOf(1, claim)(30);
    for (const index of configs) expect((index as number) % 4).toBe(0);
    expect(asked.length).toBeGreaterThan(configs.length);
    expect(spreadOf(1, () => false)(1)).toEqual([undefined]);
    expect(spreadOf(1)(2000).at(-1)).toBeUndefined();
  });
});
