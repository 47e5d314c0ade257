/**
 * Warm start on spaces whose times are known in closed form: a good log helps, a bad one costs no more than the stated bound,
 * and what is of no use is said. Means over seeds; every search is a function of its seed.
 */
import { defaultMeasureOptions, Random } from "@warpfarm/common";
import { type ConfigIndex, ConfigSpace, choiceKnob, configToJson } from "@warpfarm/compiler";
import type { LogRecord } from "@warpfarm/records/logs";
import { createTask, type TemplateTask } from "@warpfarm/templates";
import { describe, expect, it } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { failedResult } from "../measure/scripted.testing.ts";
import { tuners } from "./index.ts";
import { withRecords } from "./shares/with-records.ts";
import { recordsIn, type Source, sourcesOf } from "./transfer.ts";
import type { MakeTuner, ShareSource } from "./tuner.ts";
import { xgbTuner } from "./xgb/xgb.ts";

const numbers = (n: number) => Array.from({ length: n }, (_, i) => i);
const space = new ConfigSpace(
  numbers(6).map((k) =>
    choiceKnob(
      `k${k}`,
      numbers(8).map((v) => 2 ** v),
    ),
  ),
);
/** One valley, its floor where `at` says, steeper along the first knobs; some configs fail. */
const valley =
  (at: readonly number[]) =>
  (index: ConfigIndex): number | undefined => {
    const digits = space.digits(index);
    if (((digits[0] ?? 0) + (digits[1] ?? 0)) % 7 === 6) return undefined;
    return 1e-4 * (1 + digits.reduce((sum, d, i) => sum + Math.abs(d - (at[i] ?? 0)) * (1 - i / 10), 0));
  };
const here = valley([5, 2, 6, 1, 4, 3]);
const nearby = valley([5, 3, 6, 1, 3, 3]);
const elsewhere = valley([1, 6, 1, 6, 0, 7]);

type TimeOf = (index: ConfigIndex) => number | undefined;
function sourceOf(timeOf: TimeOf, rows = 300): Source {
  const random = new Random(9);
  const indices = [...new Set(numbers(rows).map(() => space.random(random)))];
  return {
    name: "a log",
    task: { space } as TemplateTask,
    rows: indices.map((index) => ({ index, seconds: timeOf(index) })),
  };
}
const fastXgb: MakeTuner = (options) =>
  xgbTuner(options, {
    boost: { loss: "rank", rounds: 30, learningRate: 0.3, maxDepth: 4 },
    annealing: { chains: 48, steps: 60 },
  });

/** Best time after each of these numbers of evaluations, as a share of the floor's; the mean over seeds. */
function search(
  records: readonly ShareSource[] | undefined,
  marks: readonly number[],
  make: MakeTuner,
  seeds = isFull ? 12 : 6,
): number[] {
  const sums = marks.map(() => 0);
  for (let seed = 0; seed < seeds; seed++) {
    const tuner = (records ? withRecords(make, records) : make)({ space, seed, isValid: () => true });
    let best = Number.POSITIVE_INFINITY;
    for (let done = 1; done <= Math.max(...marks); done++) {
      const [index] = tuner.ask(1);
      if (index === undefined) throw new Error("the space has more");
      const seconds = here(index);
      if (seconds !== undefined) best = Math.min(best, seconds);
      tuner.tell([{ index, outcome: seconds === undefined ? { kind: "failed" } : { kind: "timed", seconds } }]);
      const mark = marks.indexOf(done);
      if (mark >= 0) sums[mark] = (sums[mark] as number) + best / 1e-4;
    }
  }
  return sums.map((sum) => sum / seeds);
}

const opposite = (index: ConfigIndex): number => {
  const seconds = here(index);
  return seconds === undefined ? 1e-5 : 1e-8 / seconds;
};

describe.each<[string, MakeTuner, readonly number[]]>([
  ["xgb", fastXgb, [16, 64, 96]],
  ["auto", tuners.auto, [8, 16, 48]],
])("a search by %s that begins with a log", (name, make, marks) => {
  const seeds = name === "auto" && !isFull ? 3 : undefined;
  const [coldFirst, coldThen, coldLast] = search(undefined, marks, make, seeds) as [number, number, number];

  it("finds sooner what a good one points at", () => {
    expect(search([sourceOf(nearby)], marks, make, seeds)[0]).toBeLessThan(0.7 * coldFirst);
  });

  it.each([
    ["says the opposite", opposite],
    ["is of another valley", elsewhere],
  ])("loses no more than the 32 proposals of one that %s", (_, timeOf) => {
    // Standard error of a mean here: about 0.1 of it.
    expect(search([sourceOf(timeOf)], marks, make, seeds)[2]).toBeLessThan(1.1 * coldThen);
    expect(coldLast).toBeLessThan(coldThen);
  });
});

describe("sources", () => {
  const shape = (N: number) => createTask("matmul_derived", { M: N, N: 64, K: 32 }, "cpu/x86-64-v3");
  const recordOf = (
    task: TemplateTask,
    index: number,
    seconds: number | undefined,
    args = task.args,
    errorNo: 4 | 8 = 4,
  ): LogRecord => ({
    kind: "autotvm",
    trial: {
      task: task.name,
      args,
      targetText: "llvm -keys=cpu -mcpu=x86-64-v3",
      config: configToJson(task.space, task.space.get(index)),
      costs: seconds === undefined ? [] : [seconds],
      errorNo: seconds === undefined ? errorNo : 0,
      allCost: 1,
      timestamp: 1,
      tvmVersion: "0.17.0",
      more: {},
    },
  });

  it("are told apart by task, arguments and target; a config's fastest time counts; what is of no use is said", () => {
    const [small, large] = [shape(64), shape(128)];
    const { sources, warnings } = sourcesOf(
      [
        recordOf(small, 3, 2),
        recordOf(small, 3, 1),
        recordOf(small, 4, undefined),
        recordOf(large, 5, 3),
        recordOf(large, 6, undefined, ["no", "such", "args", "at", "all"]),
      ],
      "old.log",
    );
    expect(sources.map(({ rows }) => rows)).toEqual([
      [
        { index: 3, seconds: 1 },
        { index: 4, seconds: undefined },
      ],
      [{ index: 5, seconds: 3 }],
    ]);
    expect(warnings).toEqual([expect.stringMatching(/^old\.log: matmul_derived \["no".* left out, /)]);
  });

  it("the fastest time of a config counts, wherever it stands; a failure beside it says nothing", () => {
    const task = shape(64);
    const rows = (times: readonly (number | undefined)[]) =>
      sourcesOf([recordOf(task, 9, 7), ...times.map((seconds) => recordOf(task, 3, seconds))], "old.log").sources[0]?.rows;
    const fastest = [
      { index: 3, seconds: 1 },
      { index: 9, seconds: 7 },
    ];
    expect(rows([1, 2])).toEqual(fastest);
    expect(rows([2, 1, 3])).toEqual(fastest);
    expect(rows([undefined, 1, undefined])).toEqual(fastest);
  });

  it("the farm's own failures are no verdict on a config", () => {
    const task = shape(64);
    const [timed, failed, lost] = [
      recordOf(task, 3, 1),
      recordOf(task, 4, undefined),
      recordOf(task, 5, undefined, task.args, 8),
    ];
    const ours: LogRecord = {
      kind: "warpfarm",
      trial: {
        run: { task: task.name, args: task.args, target: "cpu/x86-64-v3", tuner: "random", seed: 0 },
        session: "s",
        sequence: 1,
        told: 0,
        config: configToJson(task.space, task.space.get(6)),
        options: defaultMeasureOptions("cpu"),
        result: failedResult(8),
      },
    };
    expect(sourcesOf([timed, failed, lost, ours], "old.log").sources.map(({ rows }) => rows)).toEqual([
      [
        { index: 3, seconds: 1 },
        { index: 4, seconds: undefined },
      ],
    ]);
  });
});

it("logs of another shape count by their values, and not when fewer than half of their configs are here", () => {
  const knob = (values: readonly number[]) => new ConfigSpace([choiceKnob("tile", [1, 2, 4]), choiceKnob("splits", values)]);
  const [few, many] = [knob([1, 2]), knob([2, 1, 4, 8])];
  const rowsOf = (of: ConfigSpace) => numbers(of.size).map((i) => ({ index: of.toIndex(i), seconds: 1 + i }));
  const source = (of: ConfigSpace, rows = rowsOf(of)): Source => ({ name: "a log", task: { space: of } as TemplateTask, rows });
  const [found] = recordsIn({ name: "t", space: few }, [source(many)]);
  const valuesOf = (of: ConfigSpace, index: ConfigIndex) => [...of.get(index).values];
  expect(found?.rows.map(({ index, seconds }) => [valuesOf(few, index), seconds])).toEqual(
    rowsOf(many)
      .filter(({ index }) => (many.get(index).values.get("splits") as number) <= 2)
      .map(({ index, seconds }) => ({ here: few.indexOf(many.get(index).values) as number, index, seconds }))
      .sort((a, b) => a.here - b.here)
      .map(({ index, seconds }) => [valuesOf(many, index), seconds]),
  );
  const mostly = rowsOf(many).filter(({ index }) => many.get(index).values.get("splits") !== 1);
  expect(recordsIn({ name: "t", space: few }, [source(many, mostly)])).toEqual([]);
});
