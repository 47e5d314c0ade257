/** Finalists that the user stops, and finals of a log that are those which are asked for. */
import { defaultMeasureOptions, FarmError } from "@warpfarm/common";
import { entityOf } from "@warpfarm/compiler";
import { expect, test } from "vitest";
import type { MeasureInTurns } from "../measure/in-turns.ts";
import { isOf, measureFinals } from "./finalists.ts";
import { programOf, space } from "./session.testing.ts";

const options = defaultMeasureOptions("cpu");
const paired = { rounds: 24, idleMs: 1 };
const leaderAt = (index: number) => {
  const program = programOf(`program ${index}`);
  return { config: entityOf(space, space.toIndex(index)), program: program.digest, seconds: 1 + index, bytes: () => program };
};

test("those that the user stops are not skipped: what they throw is thrown, whatever it says", async () => {
  const of = { reference: programOf("default"), base: { program: programOf("default"), seconds: undefined } };
  const final = (stop: AbortController, { signal }: AbortController) => {
    const measure: MeasureInTurns = async () => {
      stop.abort(new Error("Ctrl-C"));
      throw new FarmError("FAILED_PRECONDITION", "the session is closed");
    };
    return measureFinals([leaderAt(0), leaderAt(1)], of, { count: 2, paired, options, measure }, { signal });
  };
  const stop = new AbortController();
  await expect(final(stop, stop)).rejects.toThrow("the session is closed");
  expect(await final(stop, new AbortController())).toMatchObject({ kind: "skipped", why: "the session is closed" });
});

test("finals of a log are those that are asked for only when programs, rounds and every option are the same", () => {
  const [first, second, third] = [leaderAt(0), leaderAt(1), leaderAt(2)];
  const leaders = [first, second, third];
  const finals = { finalists: [third, first], runs: [], failed: [{ ...second, message: "" }], paired, options };
  const measure: MeasureInTurns = async () => [];
  const asked = { count: 3, paired, options, measure };
  expect(isOf(finals, leaders, asked)).toBe(true);
  expect(isOf(finals, [first, second], asked)).toBe(false);
  expect(isOf(finals, [first, second, leaderAt(3)], asked)).toBe(false);
  const others = <T extends object>(of: T): readonly T[] =>
    Object.entries(of).map(([name, value]) => ({ ...of, [name]: typeof value === "number" ? value + 1 : `no ${value}` }));
  for (const other of others(paired)) expect([other, isOf(finals, leaders, { ...asked, paired: other })]).toEqual([other, false]);
  const changed = [...others(options), { ...options, incumbent: 1 }];
  expect(changed).toHaveLength(13);
  for (const other of changed) expect([other, isOf(finals, leaders, { ...asked, options: other })]).toEqual([other, false]);
});
