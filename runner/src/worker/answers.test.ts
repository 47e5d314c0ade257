import { describe, expect, test } from "vitest";
import { answerSchema, phaseSchema } from "./answers.ts";

const timed = { kind: "timed", costs: [1e-3], number: 3, busyMs: 3, checked: true, observations: {} };
const failed = { kind: "failed", errorNo: 5, rule: "reference", message: "m", tainted: false };
const hex = "0f".repeat(32);
const mismatch = { buffer: "y", index: 3, expected: Number.NaN, got: Number.POSITIVE_INFINITY, count: 1 };

describe("what a device's child may say", () => {
  test.each([
    timed,
    { ...timed, paired: [{ costs: [1], number: 1 }] },
    { ...timed, observations: { powerW: 300, temperatureC: -3, throttleReasons: ["heat"], steady: false } },
    { ...timed, judged: { not: "in-out" } },
    { ...timed, judged: { sets: 2, commitment: hex, audit: { sets: 3, secret: hex, scored: [1], unlike: 1 } } },
    { ...failed, mismatch, busyMs: 1, failedProgram: 7, ofReference: true },
    { kind: "own", times: { arithmetic: 1, memory: 2 } },
    { kind: "fault", message: "m", hardware: true },
  ])("%j is an answer, and comes out as it is", (answer) => {
    expect(answerSchema.parse(answer)).toEqual(answer);
  });

  test.each([
    { ...timed, costs: [] },
    { ...timed, costs: [-1e-9] },
    { ...timed, costs: [Number.NaN] },
    { ...timed, costs: [Number.POSITIVE_INFINITY] },
    { ...timed, costs: ["1"] },
    { ...timed, number: 0 },
    { ...timed, busyMs: undefined },
    { ...timed, judged: { not: "in-out", sets: 2 } },
    { ...timed, judged: { sets: 1, commitment: hex } },
    { ...timed, judged: { sets: 2, commitment: hex.slice(1) } },
    { ...timed, judged: { sets: 2, commitment: hex, audit: { sets: 3, secret: hex, scored: [] } } },
    { ...timed, judged: { sets: 2, commitment: hex, audit: { sets: 3, secret: hex, scored: [1], unlike: 0 } } },
    { ...timed, device: { node: "another" } },
    { ...timed, paired: Array.from({ length: 10 }, () => ({ costs: [1], number: 1 })) },
    { ...failed, errorNo: 8 },
    { ...failed, errorNo: 3 },
    { ...failed, failedProgram: 9 },
    { ...failed, message: "m".repeat(65_537) },
    { ...failed, mismatch: { ...mismatch, index: -1 } },
    { kind: "described", description: { facts: {}, memoryBytes: 1, limits: {} } },
    { kind: "nonsense" },
    null,
    [],
  ])("%j is none", (answer) => {
    expect(answerSchema.safeParse(answer).success).toBe(false);
  });

  test("phases are those that there are", () => {
    expect(phaseSchema.safeParse({ phase: "run", budgetMs: 1, program: 0 }).success).toBe(true);
    for (const report of [
      { phase: "sleep" },
      { phase: "run", budgetMs: "1" },
      { phase: "run", program: -1 },
      { phase: "run", x: 1 },
    ])
      expect(phaseSchema.safeParse(report).success).toBe(false);
  });
});
