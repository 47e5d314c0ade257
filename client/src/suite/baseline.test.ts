/** Which of a winner and its baseline a bucket keeps, by rounds whose true times are known. */
import { toProgramDigest } from "@warpfarm/common";
import { type Finals, nameOfConfig, type TaskResults } from "@warpfarm/records/suites";
import { expect, test } from "vitest";
import { chosenAgainst, defaultEntity } from "./baseline.ts";
import { entityAt, isNamed, kernelAt, key, roundsOf, tasks } from "./pack.testing.ts";
import type { BaselineOf, PlannedTask } from "./plan.ts";

const [winner, other] = [kernelAt(0, 2), kernelAt(0, 4)];
const best = { ...winner, seconds: 1e-6, low: 0.99e-6, high: 1.01e-6, isJudged: true, tied: [] };
const results = { task: tasks[0], best } as unknown as TaskResults<PlannedTask>;
const against = (of: BaselineOf, paired: readonly Finals[] = [], given: typeof results | { task: PlannedTask } = results) =>
  chosenAgainst(given as typeof results, { name: "base", of: { t0: of } }, paired);

/** The winner's time is `ratio` of the baseline's. */
const rounds = (ratio: number, base = other) =>
  roundsOf([winner, base], (config) => (isNamed(config, winner.config) ? 1e-6 * ratio : 1e-6));
const pack: BaselineOf = { kind: "config", ...other };

test.each([
  [0.9, winner, false],
  [0.98, winner, false],
  [0.9999, other, true],
  [1.0001, other, true],
  [1.1, other, true],
])("a winner that takes %d of the baseline's time", (ratio, kept, isKept) => {
  const made = against(pack, [rounds(ratio)]);
  expect(made.choice).toMatchObject({ kind: "config", config: kept.config, program: kept.program });
  expect(made.baseline).toMatchObject({ name: "base", kept: isKept });
  expect(made.baseline?.ratio?.estimate).toBeCloseTo(ratio, 2);
  // What cannot be told apart is tied; what is surely slower is not.
  if (isKept) expect(made.choice).toMatchObject({ tied: Math.abs(ratio - 1) < 0.01 ? [winner] : [] });
});

test("too few rounds decide nothing, and of several measurements the last one counts", () => {
  const few = rounds(0.9);
  const cut = few.runs.map((run) => ({ ...run, costs: run.costs.map((costs) => costs.slice(0, 2)) }));
  expect(against(pack, [{ ...few, runs: cut }])).toMatchObject({ choice: { config: other.config }, baseline: { kept: true } });
  expect(against(pack, [rounds(1.1), rounds(0.9)])).toMatchObject({ choice: { config: winner.config } });
  expect(against(pack, [rounds(0.9), rounds(1.1)])).toMatchObject({ choice: { config: other.config } });
});

test("the default schedule is a baseline without a config", () => {
  const base = { config: defaultEntity, program: kernelAt(1, 2).program };
  const of: BaselineOf = { kind: "default" };
  expect(against(of, [rounds(0.9, base)])).toMatchObject({ choice: { config: winner.config }, baseline: { kept: false } });
  expect(against(of, [rounds(1, base)])).toMatchObject({ choice: { kind: "default", program: base.program }, seconds: {} });
});

test("the winner's own program is no other baseline, whichever config or default schedule it is", () => {
  const same = { config: entityAt(0, 4), program: winner.program };
  const why = "the winner is the baseline";
  expect(against({ kind: "config", ...same })).toMatchObject({
    choice: { config: winner.config },
    baseline: { kept: true, why },
  });
  const one = { ...rounds(1, { ...same, config: defaultEntity }), runs: [] };
  expect(against({ kind: "default" }, [one])).toMatchObject({ choice: { config: winner.config }, baseline: { kept: true, why } });
});

test("a library is beaten beyond its margin alone, and the pack says that it was not measured with ours", () => {
  const library = (seconds: number, margin: number) => against({ kind: "library", seconds, margin });
  expect(library(1.031e-6, 0.03)).toMatchObject({ choice: { kind: "config" }, baseline: { kept: false, unpaired: true } });
  expect(library(1.029e-6, 0.03)).toMatchObject({ choice: { kind: "library" }, baseline: { kept: true, unpaired: true } });
  expect(library(1.02e-6, 0.01)).toMatchObject({ choice: { kind: "config" } });
  expect(against({ kind: "library", seconds: 1, margin: 0 }, [], { task: results.task })).toMatchObject({
    choice: { kind: "library" },
  });
});

test("a kernel of another template of the operator is a baseline by its time alone, as it has no rounds with the winner", () => {
  const by = { task: { template: "matmul_simt" }, args: [4, 16, 8, "float32", "NN"], target: key };
  const of = (seconds: number): BaselineOf => ({ ...pack, by: { ...by, seconds } }) as BaselineOf;
  expect(against(of(1.04e-6))).toMatchObject({ choice: { config: winner.config }, baseline: { kept: false, unpaired: true } });
  expect(against(of(1.02e-6))).toMatchObject({ choice: { config: other.config }, by, baseline: { kept: true, unpaired: true } });
  expect(against(of(1), [], { task: results.task })).toMatchObject({ choice: { config: other.config }, by });
  // Of the winner's own template it is measured in rounds.
  const own = { ...pack, by: { ...by, task: { template: "matmul_derived" }, seconds: 1e-9 } } as BaselineOf;
  expect(against(own, [rounds(0.9)])).toMatchObject({ choice: { config: winner.config }, baseline: { kept: false, ratio: {} } });
});

test("what fails does not win, and what was not measured decides nothing", () => {
  const failing = (which: "winner" | "baseline"): Finals => {
    const [out, left] = which === "winner" ? [winner, other] : [other, winner];
    const of = ({ config, program }: typeof out) => ({ config, program: toProgramDigest(program) });
    return { ...rounds(1), finalists: [of(left)], failed: [{ ...of(out), message: "gone" }], runs: [] };
  };
  expect(against(pack, [failing("baseline")])).toMatchObject({ choice: { config: winner.config }, baseline: { kept: false } });
  expect(against(pack, [failing("winner")])).toMatchObject({
    choice: { config: other.config, tied: [] },
    baseline: { kept: true },
  });
  expect(against(pack)).toMatchObject({ choice: { config: winner.config }, baseline: undefined });
  expect(against(pack, [], { task: results.task })).toMatchObject({ choice: { kind: "config", config: other.config } });
  expect(against({ kind: "config", ...winner })).toMatchObject({ baseline: { kept: true, why: "the winner is the baseline" } });
  expect(nameOfConfig(entityAt(0, 2))).not.toBe(nameOfConfig(entityAt(0, 4)));
});
