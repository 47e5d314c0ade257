/** The fastest programs of a run, for its finals. */
import { expect, test } from "vitest";
import { timedResult } from "../measure/scripted.testing.ts";
import { RunTally } from "./run-tally.ts";
import { programOf } from "./session.testing.ts";
import type { TuneEvent } from "./tune-events.ts";

type Trial = Extract<TuneEvent, { readonly kind: "trial" }>["trial"];

test("a program has the config that was measured, not one that has its result", () => {
  const { digest } = programOf("one");
  const trial = (tile: number, more: Partial<Trial> = {}) =>
    ({
      program: digest,
      config: { index: tile, code_hash: null, entity: [["tile", "ot", tile]] },
      result: timedResult(1),
      ...more,
    }) as Trial;
  const tally = new RunTally(1, () => programOf("one"));
  tally.count(trial(4));
  tally.count(trial(2, { duplicateOf: 1 }));
  expect(tally.fastest(5).map(({ config }) => config[0]?.[2])).toEqual([4]);
  expect([tally.told, tally.deviceSeconds]).toEqual([2, 0.002]);
});
