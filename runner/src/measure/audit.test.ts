/** How long an audit is, and which times it suspects. */
import { describe, expect, test } from "vitest";
import { isSuspect, roundsFor, setsFor } from "./audit.ts";

const gib = 2 ** 30;

describe("the length of an audit", () => {
  test.each([
    ["a short kernel", 0.01, 0.1, 64, 5],
    ["one of some milliseconds", 2.5, 5, 64, 5],
    ["a long one", 50, 10, 10, 4],
    ["a very long one", 400, 10, 3, 2],
    ["one that takes longer than the audit's time", 5_000, 10, 3, 1],
    ["a slow reference", 0.01, 500, 4, 2],
  ])("of %s, %d ms with a reference of %d ms: %d sets, %d graphs", (_, runMs, referenceMs, sets, rounds) => {
    const times = { runMs, referenceMs };
    expect(setsFor(1e6, 4 * gib, times)).toBe(sets);
    expect(roundsFor(10, sets, times)).toBe(rounds);
  });
  test("has three sets or more, as many as fit, and no more graphs than repeats", () => {
    const times = { runMs: 0.01, referenceMs: 0.1 };
    expect([2 * gib, gib / 8, gib / 100].map((bytes) => setsFor(bytes, 4 * gib, times))).toEqual([3, 32, 64]);
    expect(roundsFor(2, 64, times)).toBe(2);
  });
});

describe("of times on a GPU", () => {
  const us = (...all: readonly number[]) => all.map((time) => time * 1e-6);
  // Scored and audited, in microseconds, with megabytes of a set: measured on an H200.
  test.each([
    ["honest on product", 80.65, 91.65, 3.1],
    ["honest on counts", 3484, 4550, 1],
    ["histogram on counts", 5.043, 8.509, 1],
    ["conv2d_no_batching", 2490, 2836, 9.6],
    ["output-there on product", 181.4, 208.6, 3.1],
  ])("%s is not suspected, by a margin", (_, scored, audited, megabytes) => {
    expect(isSuspect(us(scored), us(audited, 1.1 * audited), megabytes * 1e6, "cuda")).toBe(false);
    expect(isSuspect(us(0.9 * scored), us(audited), megabytes * 1e6, "cuda")).toBe(false);
  });
  test.each([
    ["memo-pointer on product", 4.391, 93.31, 3.1],
    ["memo-pointer on product once more", 4.912, 90.49, 3.1],
  ])("%s is suspected", (_, scored, audited, megabytes) => {
    expect(isSuspect(us(scored), us(audited), megabytes * 1e6, "cuda")).toBe(true);
    expect(isSuspect(us(5 * scored), us(audited), megabytes * 1e6, "cuda")).toBe(true);
  });
});
