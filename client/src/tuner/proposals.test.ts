/**
 * The first proposals of every tuner, by their digest: refactoring a tuner must not change its proposals. If you change a
 * tuner's search deliberately, take the new digests from the failure and say so in the commit.
 */
import { createHash } from "node:crypto";
import type { ConfigIndex } from "@warpfarm/compiler";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { drain, largeSpace, smallSpace } from "./contract.testing.ts";
import { type TunerName, tuners } from "./index.ts";
import type { Tuner } from "./tuner.ts";

/** `auto` takes four times as long for each, and has its model after five. */
const proposalsOf = (name: TunerName): number => (name === "auto" ? 100 : 200);
const isValid = (index: ConfigIndex): boolean => (index * 2654435761) % 3 !== 0;

const spaces = { small: smallSpace(), large: largeSpace() };
const digestOf = (indices: readonly ConfigIndex[]): string =>
  createHash("sha256").update(JSON.stringify(indices)).digest("hex").slice(0, 16);

const firstProposals = (tuner: Tuner, limit: number): string => digestOf(drain(tuner, { inFlight: 8, seed: 5, limit }));

const plain: readonly [TunerName, string, string][] = [
  ["random", "140af2b5b230d60c", "9e337a2503bdb1f9"],
  ["grid", "e0fc3b8bf840fc22", "4366fd3864547937"],
  ["ga", "2d260d3fb2262765", "8bff220f5a403381"],
  ["xgb", "df311994514fb857", "3bdbfac2fc568d08"],
  ["auto", "bfa0ab2acc817b7a", "4f19087cceda7a17"],
];

describe.each(plain)("the first proposals of %s", (name, small, large) => {
  it("are those of the digest", () => {
    const digest = (space: keyof typeof spaces) =>
      firstProposals(tuners[name]({ space: spaces[space], seed: 3, isValid }), proposalsOf(name));
    expect(digest("large")).toBe(large);
    // In npm test the fast tuners have their small space too; the slow ones come to its end in tuner.test.ts.
    if (isFull || !["xgb", "auto"].includes(name)) expect(digest("small")).toBe(small);
  });
});
