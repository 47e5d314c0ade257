/** The trees of `auto`: what they rank first, and when they are asked. */
import { Random } from "@warpfarm/common";
import { type ConfigIndex, ConfigSpace, choiceKnob } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import type { Outcome } from "../tuner.ts";
import { Visited } from "../visited.ts";
import { Metric } from "./metric.ts";
import { Results } from "./results.ts";
import { Trees } from "./trees.ts";

const space = new ConfigSpace([
  choiceKnob("tile", [1, 2, 4, 8, 16, 32]),
  choiceKnob("unroll", [0, 1]),
  choiceKnob("order", ["a", "b", "c", "d"]),
]);
const all = Array.from({ length: space.size }, (_, index) => space.toIndex(index));

/** Fast only with order c, and then by the tile; unrolled code fails. */
function outcome(index: ConfigIndex): Outcome {
  const [tile, unroll, order] = space.digits(index) as [number, number, number];
  return unroll === 1 ? { kind: "failed" } : { kind: "timed", seconds: order === 2 ? 1 + tile : 20 };
}

function after(measured: readonly ConfigIndex[]) {
  const results = new Results(new Metric(space));
  const visited = new Visited({ space, seed: 1, isValid: () => true });
  for (const index of measured) {
    visited.add(index);
    results.told({ index, outcome: outcome(index) });
  }
  return { trees: new Trees(space, results, new Random(1)), visited };
}

describe("the trees of auto", () => {
  const shuffled = new Random(3).shuffle([...all]);
  const isBest = (index: ConfigIndex) => space.digits(index)[1] === 0 && space.digits(index)[2] === 2;

  it("rank first what fits the order of the results, never what is visited", () => {
    const held = shuffled.filter(isBest).slice(0, 3);
    const others = shuffled.filter((index) => !isBest(index)).slice(0, 7);
    const { trees, visited } = after(shuffled.filter((index) => !held.includes(index) && !others.includes(index)));
    const firsts = held.map(() => {
      const next = trees.first(visited, () => all) as ConfigIndex;
      visited.claim(next);
      return next;
    });
    expect(new Set(firsts)).toEqual(new Set(held));
  });

  it("gather candidates only when there are new results", () => {
    const { trees, visited } = after(shuffled.slice(0, 40));
    let gathered = 0;
    const gather = () => {
      gathered++;
      return all;
    };
    visited.claim(trees.first(visited, gather) as ConfigIndex);
    trees.first(visited, gather);
    expect(gathered).toBe(1);
  });

  it("have nothing to say before a config ran, and when no candidate is left", () => {
    const failed = all.filter((index) => outcome(index).kind === "failed");
    const none = after(failed);
    expect(none.trees.first(none.visited, () => all)).toBeUndefined();
    const done = after(all);
    expect(done.trees.first(done.visited, () => all)).toBeUndefined();
  });
});
