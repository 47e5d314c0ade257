/** How `auto` begins: what it proposes before it knows anything, over several seeds. */
import { type ConfigIndex, ConfigSpace, choiceKnob, listedConfigs } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { autoTuner } from "./auto.ts";
import { neighbours } from "./candidates.ts";

const sizes = [1, 2, 4, 8, 16, 32, 64];
const knobs = ["block", "tile", "unroll"].map((name) => choiceKnob(name, sizes));
const whole = new ConfigSpace(knobs);
/** A budget that the three knobs share: small configs have many valid neighbours, those at its edge few. */
const constrained = new ConfigSpace(
  knobs,
  listedConfigs(
    Array.from({ length: whole.size }, (_, index) => index).filter(
      (index) => whole.digits(whole.toIndex(index)).reduce((sum, digit) => sum + digit, 0) <= 7,
    ),
  ),
);
/** The corners cut off: the middle has all its neighbours still. */
const rounded = new ConfigSpace(
  knobs,
  listedConfigs(
    Array.from({ length: whole.size }, (_, index) => index).filter(
      (index) => whole.digits(whole.toIndex(index)).reduce((sum, digit) => sum + Math.abs(digit - 3), 0) <= 7,
    ),
  ),
);
const firstTwo = (space: ConfigSpace) =>
  [1, 2, 3, 4, 5].map((seed) => autoTuner({ space, seed, isValid: () => true }).ask(2) as [ConfigIndex, ConfigIndex]);

describe("the start of auto", () => {
  it("is the middle of the space", () => {
    for (const [first] of firstTwo(whole)) expect(whole.digits(first)).toEqual([3, 3, 3]);
  });

  it("then, where constraints press on the middle, one that most single changes leave valid", () => {
    const counts = Array.from(
      { length: constrained.valid.count },
      (_, rank) => neighbours(constrained, constrained.toIndex(constrained.valid.nth(rank))).length,
    ).sort((a, b) => b - a);
    const atLeast = counts[Math.floor(0.05 * counts.length)] as number;
    for (const [, second] of firstTwo(constrained))
      expect(neighbours(constrained, second).length).toBeGreaterThanOrEqual(atLeast);
  });

  it.each([
    ["every config is valid", whole],
    ["constraints leave the middle its neighbours", rounded],
  ])("then, where %s, one far away", (_, space) => {
    for (const [, second] of firstTwo(space)) {
      const away = space.digits(second).map((digit) => Math.abs(digit - 3));
      expect(Math.hypot(...away)).toBeGreaterThan(3);
    }
  });
});

it("auto wants five in flight at first, and then half as many as there are results; those that nobody measured are none", () => {
  const tuner = autoTuner({ space: whole, seed: 3, isValid: () => true });
  const limits = Array.from({ length: 16 }, (_, i) => {
    const [index] = tuner.ask(1) as [ConfigIndex];
    const ran = i % 2 === 0 ? ({ kind: "failed" } as const) : ({ kind: "timed", seconds: 1 + i } as const);
    tuner.tell([{ index, outcome: i === 0 ? { kind: "skipped" } : ran }]);
    tuner.ask(0);
    return tuner.mostOutstanding;
  });
  expect(limits).toEqual([5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 7, 7]);
});
