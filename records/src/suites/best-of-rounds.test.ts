/** Which of kernels that are known by their rounds alone is the best. */
import { defaultMeasureOptions, defaultPaired, digestOf, toProgramDigest } from "@warpfarm/common";
import { expect, test } from "vitest";
import type { Finals } from "../paired/finals.ts";
import { bestOfRounds } from "./best-of-rounds.ts";

const device = { key: "cpu/arm64", name: "a board", uuid: "", node: "here", driver: "" };
const program = (name: string) => toProgramDigest(digestOf(name));
const kernel = (name: string) => ({
  config: [["name", "ot", name]] as Finals["finalists"][number]["config"],
  program: program(name),
});
/** Rounds in which each takes its seconds, and who failed. */
const finals = (seconds: Readonly<Record<string, number>>, ...failed: readonly string[]): Finals => ({
  finalists: Object.keys(seconds).map(kernel),
  runs: [{ device, costs: Object.values(seconds).map((each) => Array.from({ length: 24 }, (_, i) => each * (1 + 1e-4 * i))) }],
  failed: failed.map((name) => ({ ...kernel(name), message: "" })),
  ...{ paired: defaultPaired, options: defaultMeasureOptions("cpu") },
});
const best = (...all: readonly Finals[]) => {
  const found = bestOfRounds(all, new Set(["a", "b", "c"].map(program)));
  return found && [found.best, ...found.tied].map(({ config }) => config[0]?.[2]);
};

test("one that failed in its last rounds is out, and one that runs again is in", () => {
  expect(best(finals({ a: 1, b: 2, c: 3 }))).toEqual(["a"]);
  expect(best(finals({ a: 1, b: 2, c: 3 }), finals({ b: 2, c: 3 }, "a"))).toEqual(["b"]);
  expect(best(finals({ b: 2, c: 3 }, "a"), finals({ a: 1, b: 2, c: 3 }))).toEqual(["a"]);
  // Nothing is left that it could be compared with.
  expect(best(finals({ a: 1, b: 2 }), finals({ a: 1 }, "b"))).toBeUndefined();
});

test("only those that are asked for count, and two that nobody can tell apart are tied", () => {
  expect(best(finals({ stranger: 0.5, b: 2, a: 2 }))).toEqual(["a", "b"]);
});
