/** Which times are suspected: the fit of the bound on what a GPU measured, who is suspected by it, and who is not. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { allowed, isSuspect } from "./suspicion.ts";

const us = (...all: readonly number[]) => all.map((time) => time * 1e-6);
const h200 = { target: "cuda/sm_90a", name: "NVIDIA H200" };

interface Row {
  readonly name: string;
  readonly task: string;
  readonly us: string;
  readonly scored_us: string;
}
interface SuspectedRow {
  readonly name: string;
  /** Scored and audited, as the message tells them. */
  readonly suspected?: readonly [string, string];
}
const { figures } = JSON.parse(readFileSync(new URL("../../../bench/results/gpu-judged.json", import.meta.url), "utf8")) as {
  readonly figures: { readonly honest: readonly Row[]; readonly cheats: readonly SuspectedRow[] };
};
/** In microseconds. */
const remembering = figures.cheats.flatMap(({ name, suspected }) =>
  suspected && name.startsWith("memo")
    ? [{ name, scored: Number.parseFloat(suspected[0]), audited: Number.parseFloat(suspected[1]) }]
    : [],
);
/** In microseconds. What was refused or not judged has no two times. */
const honest = figures.honest
  .filter((row) => row.us !== "" && row.scored_us !== "")
  .map(({ name, task, us: audited, scored_us: scored }) => ({ name, task, scored: Number(scored), audited: Number(audited) }));

/** The rule of suspicion.ts, as its comment states it. */
function fitted(pairs: readonly (typeof honest)[number][]) {
  const up = (value: number) => Math.ceil(value * 10 - 1e-9) / 10;
  const greatest = (all: readonly number[]) => all.reduce((a, b) => Math.max(a, b), 0);
  const times = up(1 + 1.5 * greatest(pairs.filter(({ scored }) => scored >= 100).map((p) => p.audited / p.scored - 1)));
  const rest = pairs.filter(({ scored }) => scored < 100).map((p) => p.audited - times * p.scored);
  return { times, seconds: up(1.5 * greatest(rest)) * 1e-6 };
}
const beyond = (
  { times, seconds }: { readonly times: number; readonly seconds: number },
  { scored, audited }: (typeof honest)[number],
) => audited * 1e-6 > times * scored * 1e-6 + seconds;

describe("the bound for a GPU", () => {
  test("is what the stated fit gives on the recorded honest kernels", () => {
    expect(honest.length).toBeGreaterThan(150);
    expect(fitted(honest).times).toBeCloseTo(allowed.cuda.times, 9);
    expect(fitted(honest).seconds).toBeCloseTo(allowed.cuda.seconds, 12);
  });
  test("suspects none of them, though nothing were allowed for the bytes of a set", () => {
    const found = honest.filter(({ scored, audited }) =>
      isSuspect({ ...h200, scored: us(scored), audited: us(audited), bytes: 0 }),
    );
    expect(found).toEqual([]);
  });
  // How well it foretells kernels that it has not seen: 1 of 151, whose bytes are not recorded.
  test("fitted without a template suspects at most one kernel of all of these templates", () => {
    const tasks = [...new Set(honest.map(({ task }) => task))];
    const found = tasks.flatMap((task) => {
      const rule = fitted(honest.filter((each) => each.task !== task));
      return honest.filter((each) => each.task === task && beyond(rule, each));
    });
    expect(tasks.length).toBeGreaterThan(10);
    expect(found.length).toBeLessThanOrEqual(1);
  });
});

describe("of times on a GPU", () => {
  test("each recorded kernel that remembers is suspected, one that copies its answers three times as slowly too", () => {
    expect(remembering.length).toBeGreaterThanOrEqual(4);
    for (const { name, scored, audited } of remembering) {
      // A set of the greatest of these tasks has 17 MB.
      const of = { ...h200, bytes: 17e6, audited: us(audited) };
      expect([name, ...[1, 3].map((times) => isSuspect({ ...of, scored: us(times * scored) }))]).toEqual([name, true, true]);
    }
  });
  test("a twin of each honest kernel that remembers is suspected from 10 us on, and no later than at half of its time", () => {
    const twins = honest.filter(({ audited }) => audited >= 10);
    expect(twins.length).toBeGreaterThan(110);
    // The twin copies its answer as fast as the recorded ones did, or takes half of the time of the kernel on new inputs.
    const asFast = twins.filter(({ audited }) => isSuspect({ ...h200, scored: us(4.9), audited: us(audited), bytes: 0 }));
    const slow = honest.filter(({ audited }) => audited >= 20);
    const half = slow.filter(({ audited }) => isSuspect({ ...h200, scored: us(audited / 2), audited: us(audited), bytes: 0 }));
    expect([asFast.length, half.length]).toEqual([twins.length, slow.length]);
  });
  test("the least audited time decides, and the median of the scored ones", () => {
    const of = { ...h200, bytes: 0 };
    expect(isSuspect({ ...of, scored: us(10), audited: us(90, 12, 95) })).toBe(false);
    expect(isSuspect({ ...of, scored: us(10, 80, 90), audited: us(95, 90, 99) })).toBe(false);
    expect(isSuspect({ ...of, scored: us(10, 11, 90), audited: us(95, 90, 99) })).toBe(true);
  });
  test("inputs that a cache held and the memory must bring are allowed for, by the rate of the device's memory", () => {
    // 10 MB take 2 us of an H200's 4.9 TB/s, and 33 us of an L4's 0.3 TB/s; twice as long is allowed.
    const of = { target: "cuda/sm_89", scored: us(7), bytes: 10e6 };
    const at = (name: string, time: number) => isSuspect({ ...of, name, audited: us(time) });
    expect([at("NVIDIA H200", 17), at("NVIDIA H200", 18)]).toEqual([false, true]);
    expect([at("NVIDIA L4", 79), at("NVIDIA L4", 81)]).toEqual([false, true]);
    expect(at("a model that nobody listed", 79)).toBe(false);
  });
  test("a host's processor, which others disturb, is suspected from five times on", () => {
    const of = { target: "cpu/x86-64-v3", name: "AMD EPYC", bytes: 0, scored: us(10) };
    expect([isSuspect({ ...of, audited: us(54) }), isSuspect({ ...of, audited: us(56) })]).toEqual([false, true]);
  });
});
