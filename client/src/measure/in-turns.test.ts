/** Programs that are measured in turns: on how many nodes, and what a runner's answer must have. */
import { Random } from "@warpfarm/common";
import { afterEach, expect, test } from "vitest";
import { costsInTurns } from "./costs-in-turns.ts";
import { inTurns } from "./in-turns.ts";
import { cleanUp, programOf, reference, signalOf, start } from "./remote.testing.ts";
import { failedResult, timedResult } from "./scripted.testing.ts";

afterEach(cleanUp);

const pairedResult = (...costs: readonly (readonly number[])[]) => {
  const timed = timedResult(1);
  if (timed.kind !== "timed") throw new Error("timed");
  return { ...timed, paired: costs.map((each) => ({ costs: each, number: 1, artifact: timed.artifact })) };
};

test.each([
  [["one"], 2, 1],
  [["one", "other"], 2, 2],
  [["one", "other"], 1, 1],
] as const)("where %j can measure, and %i nodes are asked for, it is done %i times", async (there, nodes, times) => {
  const of = await start({ execute: () => pairedResult([1, 2], [3, 4]), nodes: [...there] });
  const measure = inTurns({ ...of.remote, random: new Random(1), paired: { rounds: 2, idleMs: 0 }, nodes });
  const results = await measure({ program: programOf("a"), others: [programOf("b")], reference }, { signal: signalOf() });
  expect(results).toHaveLength(times);
});

test("costs are of every program in every round, each above 0; an answer without them is refused", () => {
  expect(costsInTurns(pairedResult([1, 2], [3, 4]), 2)).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(costsInTurns(failedResult(4), 2)).toBeUndefined();
  for (const wrong of [pairedResult([1, 2], [3]), pairedResult([1, 2]), pairedResult([1, 2], [0, 4]), timedResult(1)])
    expect(() => costsInTurns(wrong, 2)).toThrow("the runner of here did not give the costs of 2 interleaved programs");
});
