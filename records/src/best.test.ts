/** The one rule for the best, on measurements whose winner is worked out by hand. */
import {
  defaultMeasureOptions,
  type JudgedOutcome,
  type MeasureOptions,
  type MeasureResult,
  Random,
  toArtifactDigest,
  toProgramDigest,
} from "@warpfarm/common";
import { describe, expect, test } from "vitest";
import { bestOf, ofOneKind, type Timed } from "./best.ts";
import { bestOfLog, conditionsOfLogged, kindOfLogged } from "./log/best-of-log.ts";
import type { LogRecord, TrialRecord } from "./log/record.ts";
import type { Finals } from "./paired/finals.ts";

const timed = (kernel: string, seconds: number, more: Partial<Timed<string>> = {}): Timed<string> => ({
  ...{ of: kernel, id: `${kernel}/${seconds}`, kernel, values: `v-${kernel}`, costs: [seconds], atMs: 0 },
  ...more,
});
/** `seconds` of each kernel in every round. */
const run = (name: string, seconds: Readonly<Record<string, number>>, rounds = 21, atMs = 1): Timed<string>[] =>
  Object.entries(seconds).map(([kernel, of], i, { length }) =>
    timed(kernel, of, {
      id: `${name}/${i + 1}`,
      values: undefined,
      costs: Array.from({ length: rounds }, (_, r) => of * (1 + 1e-4 * r)),
      interleaved: { run: name, place: i + 1, of: length },
      atMs,
    }),
  );
/** The best of the measurements in any order, which is always the same. */
function best(all: readonly Timed<string>[]) {
  const found = bestOf(all);
  for (const seed of [1, 2, 3]) {
    const other = bestOf(new Random(seed).shuffle([...all]));
    expect(other?.tied.map(({ nearest }) => nearest.id)).toEqual(found?.tied.map(({ nearest }) => nearest.id));
  }
  return found && { best: found.best.kernel, tied: found.tied.map(({ kernel }) => kernel), byRounds: found.rounds !== undefined };
}

function judge(record: LogRecord, judged: JudgedOutcome): void {
  if (record.kind === "warpfarm") Object.assign(record.trial, { result: { ...record.trial.result, judged } });
}

describe("the best by medians", () => {
  test("is the first by its values of those within the noise, which is half of the fastest's spread from 1 % to 5 %", () => {
    expect(best([timed("b", 1), timed("a", 1.0099), timed("0", 1.0101)])).toEqual({
      best: "a",
      tied: ["a", "b"],
      byRounds: false,
    });
    const spread = (half: number) => ({ costs: [1 - half, 1, 1 + half] });
    expect(best([timed("b", 1, spread(0.03)), timed("a", 1.0299), timed("0", 1.0301)])?.tied).toEqual(["a", "b"]);
    expect(best([timed("b", 1, spread(0.4)), timed("a", 1.0499), timed("0", 1.0501)])?.tied).toEqual(["a", "b"]);
    // The noise is the fastest's, however little is known of the others.
    expect(best([timed("b", 1), timed("a", 1.02, { costs: [0.9, 1.02, 1.2] })])?.tied).toEqual(["b"]);
  });

  test("takes the median of a kernel's measurements, and an equal program's first values", () => {
    const lucky = [timed("a", 0.1), timed("a", 2), timed("a", 3)];
    expect(best([...lucky, timed("b", 1.9)])?.best).toBe("b");
    const twice = [
      timed("p", 1, { values: "9", id: "9" }),
      timed("p", 1, { values: "3", id: "3" }),
      timed("q", 1, { values: "5" }),
    ];
    expect(bestOf(twice)?.best).toMatchObject({ kernel: "p", values: "3", nearest: { id: "3" }, measurements: 2 });
  });

  test("is the default schedule only where no config counts, however fast it is", () => {
    const base = timed("default", 0.5, { values: undefined });
    expect(best([base, timed("a", 1)])).toEqual({ best: "a", tied: ["a"], byRounds: false });
    expect(best([base, timed("other", 0.5, { values: undefined, id: "x" }), timed("a", 9, { values: undefined })])?.best).toBe(
      "default",
    );
    expect(best([])).toBeUndefined();
  });
});

describe("the best by rounds", () => {
  const trials = [timed("a", 1.3), timed("b", 1), timed("c", 1.1), timed("d", 5)];

  test("is the winner of the rounds that the fastest is in, however far the medians are apart", () => {
    expect(best([...trials, ...run("r", { b: 3, c: 2, d: 4 })])).toEqual({ best: "c", tied: ["c"], byRounds: true });
    expect(best([...trials, ...run("r", { b: 2, c: 2, d: 4 })])).toEqual({ best: "b", tied: ["b", "c"], byRounds: true });
    expect(best([...trials, ...run("r", { a: 2, b: 2, d: 1 })])?.best).toBe("d");
  });

  test("needs the whole run, another member and the fastest in it; else medians decide", () => {
    const whole = run("r", { b: 3, c: 2, d: 4 });
    for (const [i] of whole.entries()) expect(best([...trials, ...whole.toSpliced(i, 1)])?.byRounds).toBe(false);
    expect(best([...trials, ...run("r", { a: 1, c: 2 })])).toEqual({ best: "b", tied: ["b"], byRounds: false });
    expect(best([...trials, ...run("r", { b: 3, default: 1 }).map((each) => each)])?.byRounds).toBe(false);
  });

  test("too few rounds are no verdict: the fastest in them wins, not the first", () => {
    expect(best([...trials, ...run("r", { b: 2, c: 2.1, d: 1 }, 10)])).toEqual({ best: "d", tied: ["d"], byRounds: true });
    const both = [run("r", { b: 2, c: 2, d: 3 }, 10), run("s", { b: 2, c: 2, d: 3 }, 10)];
    expect(best([...trials, ...(both[0] ?? [])])?.tied).toEqual(["b"]);
    expect(best([...trials, ...both.flat()])?.tied, "rounds of two nodes are pooled").toEqual(["b", "c"]);
  });

  test("of several runs those with most of the tied decide, then those with most kernels, then the latest", () => {
    const near = [timed("b", 1), timed("c", 1.005), timed("d", 1.5), timed("e", 1.6)];
    expect(best([...near, ...run("r", { b: 2, c: 1 }), ...run("s", { b: 2, d: 1, e: 3 }, 21, 9)])?.best).toBe("c");
    const far = [timed("b", 1), timed("c", 1.2), timed("d", 1.5), timed("e", 1.6)];
    expect(best([...far, ...run("r", { b: 2, c: 1 }, 21, 9), ...run("s", { b: 2, d: 1, e: 3 })])?.best).toBe("d");
    expect(best([...far, ...run("r", { b: 2, c: 1 }, 21, 1), ...run("s", { b: 2, d: 1 }, 21, 2)])?.best).toBe("d");
    // Of runs of the same kernels the latest counts, wherever it stands.
    const twice = [run("r", { b: 2, c: 1 }, 21, 9), run("t", { b: 2, c: 1 }, 21, 1)];
    for (const runs of [twice, twice.toReversed()])
      expect(best([...far, ...runs.flat(), ...run("s", { b: 2, d: 1 }, 21, 2)])?.best).toBe("c");
  });

  test("their times are not those of the trials: a kernel's median is of its trials where it has some", () => {
    expect(bestOf([...trials, ...run("r", { b: 30, c: 20 })])?.best).toMatchObject({
      kernel: "c",
      seconds: 1.1,
      measurements: 1,
    });
    const alone = run("r", { x: 3, y: 2 }).map((each) => ({ ...each, values: each.kernel }));
    expect(bestOf(alone)?.best).toMatchObject({ kernel: "y", measurements: 1 });
  });
});

describe("the best of a log", () => {
  const device = { key: "cpu/x86-64-v3", name: "A CPU", uuid: "u", node: "n", driver: "" };
  const program = (n: number) => toProgramDigest(`sha256:${String(n).padStart(64, "0")}`);
  const trial = (
    tile: number,
    seconds: number | undefined,
    more: Partial<TrialRecord> = {},
    options: Partial<MeasureOptions> = {},
  ): LogRecord => {
    const phases = { buildMs: 1, runMs: 1, timestampMs: 1, attempt: 1, device };
    const result: MeasureResult =
      seconds === undefined
        ? { kind: "failed", errorNo: 4, message: "", ...phases }
        : {
            ...{ kind: "timed", costs: [seconds], number: 1, busyMs: 1, checked: true, observations: {}, ...phases },
            artifact: toArtifactDigest(`sha256:${"0".repeat(64)}`),
          };
    return {
      kind: "warpfarm",
      trial: {
        run: { task: "t", args: [1], target: "cpu/x86-64-v3", tuner: "grid", seed: 0 },
        ...{ session: "s", sequence: tile, told: 0, program: program(tile), result },
        config: { index: 100 - tile, code_hash: null, entity: [["tile", "ot", tile]] },
        options: { ...defaultMeasureOptions("cpu"), ...options },
        ...more,
      },
    };
  };
  const finals = (seconds: Readonly<Record<number, number>>, failed: readonly number[] = [], on = device): Finals => {
    const of = (tile: number) => ({ config: [["tile", "ot", tile]] as const, program: program(tile) });
    return {
      finalists: Object.keys(seconds).map((tile) => of(Number(tile))),
      runs: [{ device: on, costs: Object.values(seconds).map((each) => new Array<number>(21).fill(each)) }],
      failed: failed.map((tile) => ({ ...of(tile), message: "no" })),
      paired: { rounds: 21, idleMs: 0 },
      options: defaultMeasureOptions("cpu"),
    };
  };
  const tile = (records: readonly LogRecord[], all: readonly Finals[] = []): unknown =>
    bestOfLog(records, all)?.best.nearest.of.trial.config.entity[0]?.[2];

  test("is that of its finals, by whichever of them say something of the fastest; those of another device say nothing", () => {
    const records = [trial(1, 1.2), trial(2, 1), trial(3, 1.5), trial(4, undefined)];
    expect(tile(records)).toBe(2);
    expect(tile(records, [finals({ 1: 1, 2: 2 })])).toBe(1);
    expect(tile(records, [finals({ 1: 1, 2: 2 }), finals({ 2: 2, 3: 1 })])).toBe(3);
    expect(tile(records, [finals({ 1: 1, 2: 2 }, [], { ...device, name: "Another" })])).toBe(2);
  });

  test("is no finalist that failed when it was measured last", () => {
    const records = [trial(1, 1.2), trial(2, 1), trial(3, 1.5)];
    expect(tile(records, [finals({ 1: 1, 3: 2 }, [2])])).toBe(1);
    expect(tile(records, [{ ...finals({}, [2]), runs: [] }])).toBe(1);
    expect(tile(records, [finals({ 1: 1, 3: 2 }, [2]), finals({ 2: 1, 3: 2 })])).toBe(2);
  });

  test("is named by a config that was measured, not by one whose equal program answered for it, nor by a known result", () => {
    const same = { program: program(5), duplicateOf: 5 };
    expect(tile([trial(5, 1), trial(1, 1, same), trial(9, 1.005)])).toBe(5);
    expect(tile([trial(4, undefined), trial(5, 1)])).toBe(5);
  });

  test("is of one kind of device and of one set of conditions, of which a reader is told", () => {
    const other = trial(7, 0.5);
    if (other.kind === "warpfarm" && other.trial.result.kind === "timed")
      Object.assign(other.trial, { result: { ...other.trial.result, device: { ...device, name: "Another" } } });
    const flushed = trial(8, 0.5, {}, { l2: "flushed" });
    const sustained = trial(9, 0.5, {}, { power: "sustained" });
    const records = [trial(1, 1), other, flushed, trial(2, 2), sustained];
    expect(new Set(records.map(kindOfLogged)).size).toBe(4);
    expect(ofOneKind(records, kindOfLogged)).toEqual([records[0], records[3]]);
    const [turned, whole, alone] = [
      trial(3, 0.5, {}, { judged: true }),
      trial(4, 0.5, {}, { judged: true }),
      trial(5, 0.5, {}, { judged: true }),
    ];
    judge(whole, { sets: 3, commitment: "", audit: { sets: 64, secret: "", scored: [0.4] } });
    judge(alone, { not: "in-out" });
    // What could not be judged ran on one set of inputs, as what was not judged at all.
    expect([turned, whole, alone].map(conditionsOfLogged)).toEqual(["L2 rotated", "L2 rotated", ""]);
    expect(bestOfLog(ofOneKind([trial(1, 1), turned, trial(2, 1)], kindOfLogged), [])?.best.seconds).toBe(1);
  });
});
