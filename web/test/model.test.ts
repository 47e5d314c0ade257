/** The page's computations compared with a direct evaluation: filters, curves, selections, brushes, verdicts. */
import { timeWords } from "@warpfarm/common/words";
import { recordOfTrial } from "@warpfarm/records";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileFilter, FilterError } from "../page/model/filter.ts";
import { hunks, lineDiff } from "../page/model/line-diff.ts";
import { bestSteps, decimated, positions, RunData } from "../page/model/run-data.ts";
import { selectTrials, sortTrials } from "../page/model/select.ts";
import { Coordinates, heatMap, histogram, knobEffects } from "../page/model/space.ts";
import { bytesWords, spreadWords } from "../page/model/units.ts";
import { compareRepeats, median } from "../page/model/verdict.ts";
import { part } from "../page/state/api.ts";
import { intervalOf } from "../src/api.ts";
import { RunTrials } from "../src/run/run-trials.ts";
import { trial } from "./logs.testing.ts";

const count = 400;
const records = Array.from({ length: count }, (_, i) => recordOfTrial(trial(i + 1, { failing: 0.2 }), "local"));
const trials = new RunTrials();
for (const record of records) trials.add(record);
const data = new RunData();
// In parts, as events bring them.
data.append(trials.columns(0));
const seconds = [...data.columns.seconds.view];
const timed = seconds.flatMap((value, i) => (value > 0 ? [i] : []));
const best = timed.reduce((a, b) => ((seconds[b] as number) < (seconds[a] as number) ? b : a));

describe("columns", () => {
  it("are what the records say, in whatever parts they come", () => {
    const parts = new RunTrials();
    const grown = new RunData();
    for (const [i, record] of records.entries()) {
      parts.add(record);
      parts.add(record); // told twice
      if (i % 37 === 0 || i === count - 1) grown.append(parts.columns(grown.count));
    }
    expect(grown.count).toBe(count);
    for (const [i, { result, config, id }] of records.entries()) {
      expect(grown.ids[i]).toBe(id);
      // Nine digits travel.
      expect(grown.columns.seconds.at(i)).toBe(result.kind === "timed" ? Number(median(result.costs).toPrecision(9)) : 0);
      expect(grown.columns.errorNo.at(i)).toBe(result.kind === "failed" ? result.errorNo : 0);
      for (const [k, [name, , value]] of (config?.entity ?? []).entries()) {
        expect(grown.knobs[k]?.name).toBe(name);
        expect(grown.knobText(k, i)).toBe(JSON.stringify(value));
      }
    }
    expect(grown.columns.seconds.view).toEqual(data.columns.seconds.view);
  });

  it("have the best so far where each was found, and device time summed", () => {
    const steps = bestSteps(data);
    expect(steps.at(-1)).toEqual({ trial: best, seconds: seconds[best] });
    for (const { trial: at, seconds: value } of steps)
      expect(value).toBe(Math.min(...seconds.slice(0, at + 1).filter((s) => s > 0)));
    const at = positions(data, "device-seconds");
    expect(at[count - 1]).toBeCloseTo(records.reduce((sum, { busyMs = 0 }) => sum + busyMs, 0) / 1000, 6);
    expect(positions(data, "trial")[4]).toBe(5);
  });

  it("keep the fastest and the slowest when thinned out", () => {
    const kept = decimated(data, 0, count, 40);
    expect(kept.length).toBeLessThanOrEqual(40);
    expect([...kept]).toEqual([...kept].sort((a, b) => a - b));
    const slowest = timed.reduce((a, b) => ((seconds[b] as number) > (seconds[a] as number) ? b : a));
    expect([...kept]).toEqual(expect.arrayContaining([best, slowest]));
    expect([...decimated(data, 0, count, 10 * count)]).toEqual(timed);
  });
});

describe("filters", () => {
  const rows = (text: string) => {
    const passes = compileFilter(text, data, seconds[best] as number);
    return Array.from({ length: count }, (_, i) => i).filter(passes);
  };
  const knob = (i: number, name: string) => records[i]?.config?.entity.find(([n]) => n === name)?.[2] as number;

  it.each<[string, (i: number) => boolean]>([
    ["", () => true],
    ["ok", (i) => (seconds[i] as number) > 0],
    ["!ok", (i) => seconds[i] === 0],
    [
      "tile_x >= 8 && ok && time < 1.1 * best",
      (i) => knob(i, "tile_x") >= 8 && (seconds[i] as number) > 0 && (seconds[i] as number) < 1.1 * (seconds[best] as number),
    ],
    ["vector == 1 || vector == 2", (i) => knob(i, "vector") !== 0],
    ["(tile_x + vector * 2) / 2 > 4", (i) => (knob(i, "tile_x") + knob(i, "vector") * 2) / 2 > 4],
    ["time < 20us && time > 0", (i) => (seconds[i] as number) > 0 && (seconds[i] as number) < 20e-6],
    ['node ~ "1"', (i) => (i + 1) % 2 === 1],
    ['rule == "device.crash"', (i) => seconds[i] === 0],
    ["trial <= 10 && -trial < -3", (i) => i + 1 <= 10 && i + 1 > 3],
  ])("%s", (text, expected) => expect(rows(text)).toEqual(Array.from({ length: count }, (_, i) => i).filter(expected)));

  it("mean what JavaScript means by the same arithmetic", () => {
    const number = fc.integer({ min: 0, max: 9 }).map(String);
    const { expr } = fc.letrec<{ expr: string }>((tie) => ({
      expr: fc.oneof(
        { maxDepth: 4 },
        number,
        fc.constant("tile_x"),
        fc.constant("vector"),
        fc
          .tuple(tie("expr"), fc.constantFrom("+", "-", "*", "<", ">=", "==", "&&", "||"), tie("expr"))
          .map(([a, op, b]) => `(${a} ${op} ${b})`),
        tie("expr").map((e) => `!(${e})`),
      ),
    }));
    fc.assert(
      fc.property(expr, fc.integer({ min: 0, max: count - 1 }), (text, i) => {
        // Comparisons give booleans, which here never equal a number; in JavaScript they may, so such texts are skipped.
        fc.pre(!/==/.test(text));
        const js = new Function("tile_x", "vector", `return Boolean(${text})`) as (x: number, y: number) => boolean;
        expect(compileFilter(text, data, 1)(i)).toBe(js(knob(i, "tile_x"), knob(i, "vector")));
      }),
    );
  });

  it.each([
    ["tile_x >", "ends too early", 8],
    ["nothing == 1", "there is no nothing", 0],
    ["(tile_x", "a ) is missing", 7],
    ["tile_x ; 1", "is not part", 7],
    ["1 2", "not expected", 2],
    [`${"!".repeat(500)}ok`, "nested too deep", 100],
  ])("%s is refused at its place", (text, message, at) => {
    expect(() => rows(text)).toThrow(FilterError);
    try {
      rows(text);
    } catch (error) {
      expect((error as FilterError).message).toContain(message);
      expect((error as FilterError).at).toBe(at);
    }
  });

  it("are never code", () => {
    const global = globalThis as { wasRun?: boolean };
    for (const text of [
      "globalThis.wasRun = true",
      "(() => { globalThis.wasRun = true; return true })()",
      "tile_x == 1 || (globalThis.wasRun = true)",
      '"" + (globalThis.wasRun = true)',
      "\u0024{globalThis.wasRun = true}",
      "constructor.constructor('globalThis.wasRun = true')()",
      "tile_x.constructor",
      "__proto__ == 1",
    ])
      expect(() => compileFilter(text, data, 1)(0), text).toThrow(FilterError);
    expect(global.wasRun).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        try {
          expect(compileFilter(text, data, 1)(0)).toBeTypeOf("boolean");
        } catch (error) {
          expect(error).toBeInstanceOf(FilterError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("rows", () => {
  const all = () => true;
  it("are chosen by validity, share and noise", () => {
    expect([...selectTrials(data, all, "valid", best)]).toEqual(timed);
    const top = selectTrials(data, all, "top5", best);
    const sorted = timed.map((i) => seconds[i] as number).sort((a, b) => a - b);
    expect(top.length).toBe(Math.ceil(0.05 * timed.length));
    for (const i of top) expect(seconds[i] as number).toBeLessThanOrEqual(sorted[top.length - 1] as number);
    const [, high] = intervalOf(seconds[best] as number, data.columns.spread.at(best));
    const near = timed.filter((i) => intervalOf(seconds[i] as number, data.columns.spread.at(i))[0] <= high);
    expect([...selectTrials(data, all, "noise", best)]).toEqual(near);
    for (const [kept, share] of [
      ["top1", 0.01],
      ["top20", 0.2],
    ] as const)
      expect(selectTrials(data, all, kept, best)).toHaveLength(Math.ceil(share * timed.length));
    expect([...selectTrials(data, (i) => i % 2 === 0, "all", best)]).toEqual([...seconds.keys()].filter((i) => i % 2 === 0));
    expect([...selectTrials(data, all, "noise", -1)]).toEqual([]);
  });

  it("within the noise are those whose own interval, not only the best's, reaches the best", () => {
    const few = new RunTrials();
    const of = (sequence: number, relative: number, spread: number) => {
      const record = recordOfTrial(trial(sequence), "local");
      if (record.result.kind !== "timed") throw new Error("timed");
      const costs = [1 - spread, 1, 1, 1 + spread].map((share) => 1e-5 * relative * share);
      return { ...record, result: { ...record.result, costs } };
    };
    // Far apart and quiet; 2 % slower and quiet; 2 % slower and noisy; far and noisy.
    for (const [i, [relative, spread]] of [
      [1, 0.002],
      [1.02, 0.002],
      [1.02, 0.05],
      [1.5, 0.05],
    ].entries())
      few.add(of(i + 1, relative as number, spread as number));
    const columns = new RunData();
    columns.append(few.columns(0));
    expect([...selectTrials(columns, all, "noise", 0)]).toEqual([0, 2]);
  });

  it("are sorted both ways, failures last", () => {
    const up = [...sortTrials(data, Int32Array.from(seconds.keys()), "seconds")];
    const down = [...sortTrials(data, Int32Array.from(seconds.keys()), "-seconds")];
    expect(up.slice(0, timed.length).map((i) => seconds[i])).toEqual(
      timed.map((i) => seconds[i] as number).sort((a, b) => a - b),
    );
    expect(down.slice(0, timed.length).map((i) => seconds[i])).toEqual(
      timed.map((i) => seconds[i] as number).sort((a, b) => b - a),
    );
    const backwards = Int32Array.from(seconds.keys()).reverse();
    expect([...sortTrials(data, backwards, "seconds")]).toEqual(up);
    for (const order of [up, down]) expect(order.slice(timed.length).every((i) => seconds[i] === 0)).toBe(true);
    const byKnob = [...sortTrials(data, Int32Array.from(seconds.keys()), "knob.tile_x")].map((i) => Number(data.knobText(0, i)));
    expect(byKnob).toEqual([...byKnob].sort((a, b) => a - b));
  });
});

describe("the space", () => {
  it("has effects and pairs as counted by hand", () => {
    for (const { name, knob, values } of knobEffects(data))
      for (const { value, count: many, failed, best: fastest } of values) {
        const those = Array.from({ length: count }, (_, i) => i).filter((i) => data.knobText(knob, i) === value);
        expect(many, name).toBe(those.length);
        expect(failed).toBe(those.filter((i) => seconds[i] === 0).length);
        const times = those.map((i) => seconds[i] as number).filter((s) => s > 0);
        expect(fastest).toBe(times.length === 0 ? Number.NaN : Math.min(...times));
      }
    const map = heatMap(data, 0, 1);
    expect(map.rows).toEqual(["1", "2", "4", "8", "16", "32"]);
    for (const [r, x] of map.rows.entries())
      for (const [c, y] of map.columns.entries()) {
        const times = timed
          .filter((i) => data.knobText(0, i) === x && data.knobText(1, i) === y)
          .map((i) => seconds[i] as number);
        expect(map.best[r]?.[c]).toBe(times.length === 0 ? Number.NaN : Math.min(...times));
      }
    expect(histogram(data, 20).counts.reduce((a, b) => a + b, 0)).toBe(timed.length);
  });

  it("counts a trial that ended early, and not as a failure", () => {
    const one = trial(1);
    const all = new RunTrials();
    for (const result of [one.result, { ...one.result, kind: "slower", atLeast: 1 } as typeof one.result])
      all.add(recordOfTrial({ ...one, sequence: all.count + 1, result }, "local"));
    const early = new RunData();
    early.append(all.columns(0));
    expect(knobEffects(early).map(({ values }) => values.map(({ count: many, failed }) => [many, failed]))).toEqual([
      [[2, 0]],
      [[2, 0]],
    ]);
  });

  it("is brushed as one would by hand", () => {
    const coordinates = new Coordinates(data);
    const x8 = Array.from({ length: count }, (_, i) => i).filter((i) => Number(data.knobText(0, i)) >= 8);
    expect([...coordinates.passing([{ axis: 0, from: 0.55, to: 1 }])]).toEqual(x8);
    const fast = coordinates.passing([
      { axis: 0, from: 0.55, to: 1 },
      { axis: 2, from: 0.9, to: 1 },
    ]);
    expect([...fast].every((i) => x8.includes(i) && (seconds[i] as number) > 0)).toBe(true);
    expect([...coordinates.passing([{ axis: 2, from: 1, to: 1 }])]).toEqual([best]);
  });
});

describe("the interval of a time", () => {
  it("is of positive times, holds the time, and is as wide to both sides on a log axis", () => {
    for (const [seconds, spread] of [
      [1e-6, 0.02],
      [3e-3, 1],
      [3e-3, 40],
    ] as const) {
      const [low, high] = intervalOf(seconds, spread);
      expect(low).toBeGreaterThan(0);
      expect(Math.log(seconds / low)).toBeCloseTo(Math.log(high / seconds), 9);
      expect(high / seconds).toBeCloseTo(1 + spread, 9);
    }
  });
  it.each([
    [0, ""],
    [Number.NaN, ""],
    [0.0214, "2.1 %"],
    [0.0994, "9.9 %"],
    [0.0996, "10 %"],
    [1.68, "168 %"],
    [9.99, "999 %"],
    [9.996, "> 999 %"],
  ])("has a half-width of %d in words: %j", (spread, words) => {
    expect(spreadWords(spread)).toBe(words);
    expect(words.length).toBeLessThan(8);
  });
});

it.each([
  [0, "0.00 B"],
  [1023, "1023 B"],
  [1024, "1.00 KiB"],
  [3 * 2 ** 19, "1.50 MiB"],
  [80e9, "74.5 GiB"],
  [1010 * 2 ** 30, "1010 GiB"],
  [2 ** 41, "2.00 TiB"],
])("%d bytes are %s", (bytes, words) => {
  expect(bytesWords(bytes)).toBe(words);
});

it.each([
  ["a/b/c", "a/b/c"],
  ["sha256:a b", "sha256%3Aa%20b"],
  ["x?y#z%", "x%3Fy%23z%25"],
])("the id %s is %s in an address", (id, address) => {
  expect(part(id)).toBe(address);
});

describe("texts line by line", () => {
  /** Length of the longest common subsequence, by the full table. */
  function common(a: readonly string[], b: readonly string[]): number {
    let row = new Array<number>(b.length + 1).fill(0);
    for (const x of a) {
      const next = [0];
      for (const [j, y] of b.entries())
        next.push(x === y ? (row[j] as number) + 1 : Math.max(row[j + 1] as number, next[j] as number));
      row = next;
    }
    return row[b.length] as number;
  }
  const text = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });
  const without = (lines: ReturnType<typeof lineDiff>, kind: string) =>
    lines.filter((line) => line.kind !== kind).map((line) => line.text);

  it("give both texts back, with as many equal lines as there can be", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const lines = lineDiff(a, b);
        expect(without(lines, "added")).toEqual(a);
        expect(without(lines, "removed")).toEqual(b);
        expect(lines.filter(({ kind }) => kind === "same")).toHaveLength(common(a, b));
      }),
      { numRuns: 500 },
    );
  });

  it("are changed whole where too much differs, apart from how they begin and end", () => {
    const many = (name: string) => ["begin", ...Array.from({ length: 3_000 }, (_, i) => `${name} ${i}`), "end"];
    const lines = lineDiff(many("a"), many("b"));
    expect(lines).toHaveLength(6_002);
    expect([without(lines, "added"), without(lines, "removed")]).toEqual([many("a"), many("b")]);
  });

  it("are shown with three lines around each change, and the number of lines between", () => {
    const a = Array.from({ length: 20 }, (_, i) => `${i}`);
    const shown = hunks(lineDiff(a, a.with(10, "other")));
    expect(shown.map((hunk) => (hunk.kind === "equal" ? hunk.count : hunk.lines.map((line) => line.text)))).toEqual([
      7,
      ["7", "8", "9", "10", "other", "11", "12", "13"],
      6,
    ]);
    expect(hunks(lineDiff(a, a))).toEqual([{ kind: "equal", count: 20 }]);
  });
});

describe("verdicts", () => {
  it("tell what differs, and what does not", () => {
    const around = (middle: number, n = 20) => Array.from({ length: n }, (_, i) => middle * (1 + 0.01 * Math.sin(i * 7)));
    expect(compareRepeats(around(1), around(1)).words).toBe("as fast as the first within noise");
    const slower = compareRepeats(around(1), around(1.1));
    expect(slower.words).toMatch(/% slower$/);
    expect(slower.low).toBeLessThan(1.1);
    expect(slower.high).toBeGreaterThan(1.099);
    expect(compareRepeats(around(1.1), around(1)).words).toMatch(/% faster$/);
    // Equal repeats have no interval; of two values it is the resampled medians' own.
    expect(compareRepeats([2, 2, 2], [1.9, 1.9, 1.9]).words).toBe("5.0 to 5.0 % faster");
    expect(compareRepeats([1, 1, 1], [1.1, 1.2, 1.2]).words).toBe("10.0 to 20.0 % slower");
    expect(compareRepeats([1, 1, 1], [0.9, 0.8, 0.8]).words).toBe("10.0 to 20.0 % faster");
    expect(compareRepeats([1, 1], [2, 2]).words).toBe("too few repeats for a verdict: at least 3");
  });

  it("say times with four digits", () => {
    expect([2.5, 1.2345e-3, 9.999e-6, 3e-9, 0, undefined].map((s) => timeWords(s))).toEqual([
      "2.500 s",
      "1.234 ms",
      "9.999 us",
      "3.000 ns",
      "–",
      "–",
    ]);
  });
});
