import { defaultMeasureOptions } from "@warpfarm/common";
import { describe, expect, test } from "vitest";
import { structures } from "../measure/structures.ts";
import type { LocalArtifact, PhaseReport } from "./messages.ts";
import { phaseDeadlines, phaseRules } from "./phases.ts";
import { defaultPhaseLimits } from "./verdict.ts";

const artifact = {} as LocalArtifact;
const options = { ...defaultMeasureOptions("cpu"), runTimeoutMs: 1000 };
const single = () => phaseRules({ kind: "measure", artifact, reference: artifact, options });
const pairs = (rounds: number) =>
  phaseRules({
    ...{ kind: "measure", artifact, reference: artifact, options },
    paired: { others: [artifact], options: { rounds, idleMs: 20 } },
  });
const run = (budgetMs = 1000, program?: number): PhaseReport => ({
  phase: "run",
  budgetMs,
  ...(program === undefined ? {} : { program }),
});
const plain = (...phases: readonly PhaseReport["phase"][]): PhaseReport[] =>
  phases.map((phase) => (phase === "run" ? run() : { phase }));
/** What is said about each report, without those that are allowed. */
const refusals = (rules: ReturnType<typeof phaseRules>, reports: readonly PhaseReport[]) =>
  reports.flatMap((report) => rules(report) ?? []);

describe("of a job", () => {
  const whole = plain("fill", "reference", "load", "lock", "run", "check", "run", "check");
  test("its phases in their order are allowed, also when the inputs are kept from before", () => {
    expect(refusals(single(), whole)).toEqual([]);
    expect(refusals(single(), whole.slice(2))).toEqual([]);
  });

  test("one report more is refused, so they do not go on for ever", () => {
    expect(refusals(single(), [...whole, { phase: "check" }])).toEqual(["it reports more than the 8 phases of its job"]);
    const endless = Array.from({ length: 50 }, () => run());
    expect(refusals(single(), endless)).toHaveLength(42);
  });

  test.each(["load", "lock", "run", "check"] as const)("after %s nothing is the reference's", (phase) => {
    for (const earlier of ["fill", "reference"] as const)
      expect(refusals(single(), plain(phase, earlier))).toEqual([`phase ${earlier} came after later ones`]);
  });

  test("a run has a budget, not more than the job's, and nothing else has one", () => {
    expect(refusals(single(), [run(1000), run(0.5)])).toEqual([]);
    const words = (given: string) => `phase run with a budget of ${given} ms; a run has at most 1000`;
    expect(refusals(single(), [run(1000.5)])).toEqual([words("1000.5")]);
    expect(refusals(single(), [{ phase: "run" }])).toEqual([words("undefined")]);
    expect(refusals(single(), [run(Number.NaN)])).toEqual([words("NaN")]);
    expect(refusals(single(), [{ phase: "check", budgetMs: 1 }])).toHaveLength(1);
  });

  test("neither the node's own kernels nor a program of others occurs in it", () => {
    expect(refusals(single(), [{ phase: "own" }, { phase: "load", program: 0 }])).toEqual([
      "phase own is none of this job",
      "program 0 is none of the 0 interleaved",
    ]);
  });
});

describe("of interleaved programs", () => {
  /** As measurePaired reports, of two programs. */
  const whole = (rounds: number): PhaseReport[] => {
    const each = (phases: readonly PhaseReport["phase"][]) =>
      [0, 1].flatMap((program) => phases.map((phase) => (phase === "run" ? run(1020, program) : { phase, program })));
    const turns = Array.from({ length: rounds }, () => [...plain("lock"), ...each(["run"])]).flat();
    return [
      ...plain("fill", "reference"),
      ...each(["load"]),
      ...each(["lock", "run", "check"]),
      ...turns,
      ...plain("check"),
      ...each(["lock", "run", "check"]),
    ];
  };
  test.each([1, 7])("%i rounds are allowed, and one report more is refused", (rounds) => {
    expect(refusals(pairs(rounds), whole(rounds))).toEqual([]);
    expect(refusals(pairs(rounds), [...whole(rounds), { phase: "check" }])).toHaveLength(1);
  });

  test("power sustained has one run more, with time for the heat", () => {
    const warm = { ...options, power: "sustained" } as const;
    const rules = phaseRules({ kind: "measure", artifact, reference: artifact, options: warm });
    const phases = [...plain("fill", "reference", "load", "lock", "run", "check"), run(6_000), ...plain("run", "check")];
    expect(refusals(rules, [...phases, { phase: "check" }])).toEqual(["it reports more than the 9 phases of its job"]);
    const two = { others: [artifact], options: { rounds: 1, idleMs: 0 } };
    const both = phaseRules({ kind: "measure", artifact, reference: artifact, options: warm, paired: two });
    const [before, after] = [whole(1).slice(0, 10), whole(1).slice(10)];
    const heat = [...plain("lock"), run(7_000)];
    expect(refusals(both, [...before, ...heat, ...after, ...plain("check")])).toHaveLength(1);
    expect(refusals(both, [run(7_001)])).toHaveLength(1);
  });

  test("a program beyond them, and more than the pauses besides the timeout, are refused", () => {
    expect(refusals(pairs(1), [{ phase: "load", program: 2 }, run(1201, 1)])).toEqual([
      "program 2 is none of the 2 interleaved",
      "phase run with a budget of 1201 ms; a run has at most 1200",
    ]);
  });
});

describe("of a judged job", () => {
  const judged = { secret: "5e", leaseSecret: "1a" };
  const rules = () => phaseRules({ kind: "measure", artifact, reference: artifact, options, judged });
  const times = (count: number, ...phases: readonly PhaseReport["phase"][]) =>
    Array.from({ length: count }, () => plain(...phases)).flat();
  const whole = [
    // Memory is there for two sets and not for three.
    ...plain("fill", "reference", "reference", "load", "lock", "run", "check", "run"),
    ...[1, 2].flatMap(() => times(5, "check", "lock", "run", "check", "run", "check")),
    ...times(structures.length, "check", "run", "check"),
    ...plain("run"),
  ];
  test("audits, inputs of other structure and races come after the timed repeats", () => {
    expect(refusals(rules(), whole)).toEqual([]);
  });
  test("after the code is loaded nothing is the reference's, also when it was audited", () => {
    for (const earlier of ["fill", "reference", "load"] as const)
      expect(refusals(rules(), [...whole, { phase: earlier }])).toEqual([`phase ${earlier} came after later ones`]);
  });
  test("its reports end", () => {
    const endless = refusals(rules(), times(1_000, "run"));
    expect(endless).toHaveLength(1_000 - (8 + 4 + 61 + 3 * structures.length + 1));
  });
});

test("inputs and reference have one limit together, four times the run timeout when that is more", () => {
  const limitsOf = (runTimeoutMs: number) => {
    let now = 50;
    const request = { kind: "measure", artifact, reference: artifact, options: { ...options, runTimeoutMs } } as const;
    const limit = phaseDeadlines(request, { ...defaultPhaseLimits, reference: 10_000 }, { monotonic: () => now });
    return [0, 4_000, 3_000, 8_000].map((ms, i) => {
      now += ms;
      return limit({ phase: i === 0 ? "fill" : "reference" });
    });
  };
  expect(limitsOf(1_000)).toEqual([10_000, 6_000, 3_000, 1]);
  expect(limitsOf(5_000)).toEqual([20_000, 16_000, 13_000, 5_000]);
});

test("the node's own kernels report their own phases, and nothing is reported of a description", () => {
  const own = phaseRules({ kind: "own", timed: true });
  expect(refusals(own, plain("own", "lock", "own"))).toEqual([]);
  expect(refusals(own, plain("load"))).toEqual(["phase load is none of this job"]);
  expect(refusals(phaseRules({ kind: "describe" }), plain("own"))).toHaveLength(1);
});
