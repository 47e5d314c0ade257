/** The scorer against numbers that others computed (test/spaces/EXPECTED.json), and the readers against each other's formats. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { tuners } from "../tuner/index.ts";
import type { MakeTuner } from "../tuner/tuner.ts";
import { baseline, cutoff, scoreOver, scoreOverTime, yardstick } from "./methodology.ts";
import { readRecorded } from "./read-recorded.ts";
import { openRecorded, type RecordedData } from "./recorded-space.ts";
import { scoreCurve, scoreTuner } from "./score.ts";
import { scoreInThreads } from "./score-pool.ts";

const spaces = new URL("../../test/spaces/", import.meta.url).pathname;

interface Expected {
  readonly entries: number;
  readonly valid: number;
  readonly best: number;
  readonly median: number;
  readonly cutoff: Record<string, { readonly target: number; readonly fevals: number }>;
  readonly random_baseline_value_at_fevals: Record<string, number>;
  readonly configs_at_or_above_fraction_of_optimum: Record<string, number>;
  readonly mean_cost_s_per_feval: number;
  readonly deterministic_order_scores_p95_fevals_axis: {
    readonly file_order: number;
    readonly reverse_file_order: number;
    readonly stride_order: number;
    readonly stride: number;
    readonly cutoff: number;
  };
}
const { _how, ...expected } = JSON.parse(readFileSync(`${spaces}EXPECTED.json`, "utf8")) as Record<string, Expected> & {
  _how: unknown;
};

async function read(name: string): Promise<RecordedData> {
  const made = await readRecorded(`${spaces}${name}`);
  if (!made.ok) throw new Error(made.error);
  return made.value;
}

describe.each(Object.entries(expected))("%s", (name, facts) => {
  it("has the published cut-offs, baseline, mean cost, and scores of three fixed orders, to the digit", async () => {
    const data = await read(name);
    const yard = yardstick(data);
    const n = data.index.length;
    expect([n, yard.sorted.length, yard.optimum, yard.median]).toEqual([facts.entries, facts.valid, facts.best, facts.median]);
    expect(yard.meanCost).toBe(facts.mean_cost_s_per_feval);
    for (const [p, { target, fevals }] of Object.entries(facts.cutoff))
      expect(cutoff(yard, Number(p))).toEqual({ target, evaluations: fevals });
    for (const [m, value] of Object.entries(facts.random_baseline_value_at_fevals)) expect(baseline(yard, Number(m))).toBe(value);
    for (const [share, count] of Object.entries(facts.configs_at_or_above_fraction_of_optimum))
      expect(yard.sorted.filter((t) => yard.optimum / t >= Number(share))).toHaveLength(count);
    const { cutoff: budget, stride, ...scores } = facts.deterministic_order_scores_p95_fevals_axis;
    const orders = {
      file_order: (i: number) => i,
      reverse_file_order: (i: number) => n - 1 - i,
      stride_order: (i: number) => (i * stride) % n,
    };
    for (const [order, at] of Object.entries(orders)) {
      let best = yard.worst;
      const curve = Float64Array.from({ length: budget }, (_, i) => {
        const time = data.time[at(i)] as number;
        if (time < best) best = time;
        return best;
      });
      const score = scoreOver(yard, { best: curve, seconds: curve }, budget);
      expect(score.toFixed(6)).toBe(scores[order as keyof typeof scores].toFixed(6));
    }
  });
});

const cache = (close: string) =>
  `{"tune_params_keys":["a","b"],"tune_params":{"a":[1,2],"b":[4,8]},"cache":{
    "1,4":{"a":1,"b":4,"time":2.5,"compile_time":90,"verification_time":3,"benchmark_time":20,"strategy_time":7,"framework_time":5},
    "2,8":{"a":2,"b":8,"time":"RuntimeFailedConfig","compile_time":50,"benchmark_time":0}${close}`;
function fileOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "warpfarm-score-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "x.json"), text);
  return join(folder, "x.json");
}
const parsed = async (text: string) => {
  const made = await readRecorded(fileOf(text));
  if (!made.ok) throw new Error(made.error);
  return { knobs: made.value.knobs, index: [...made.value.index], time: [...made.value.time], cost: [...made.value.cost] };
};
const two = {
  knobs: [
    { name: "a", values: [1, 2] },
    { name: "b", values: [4, 8] },
  ],
  index: [0, 3],
  time: [2.5, Number.NaN],
  cost: [125, 50],
};

describe("readers", () => {
  it.each(["}}", "", ",", "}} \n", ",\n"])("take a Kernel Tuner cache that ends in %j", async (close) =>
    expect(await parsed(cache(close))).toEqual(two));

  it("take a cache whose last line was cut off, without that line", async () =>
    expect(await parsed(`${cache(",")}\n"2,4":{"a":2,"b":4,"ti`)).toEqual(two));

  it("take T4 in the unit of its header, values as numbers or as text", async () => {
    const t4 = {
      metadata: { timeunit: "microseconds" },
      results: [
        {
          configuration: { a: "1", b: 4 },
          times: { compilation: 100_000, framework: 5000, search_algorithm: 0, validation: 0, runtimes: [12_000, 8000] },
          invalidity: "correct",
          measurements: [{ name: "time", value: 2500, unit: "" }],
        },
        { configuration: { a: 2, b: "8" }, times: { compilation: 50_000 }, invalidity: "runtime", measurements: [] },
      ],
    };
    expect(await parsed(JSON.stringify(t4))).toEqual(two);
  });

  it("take a Kernel Tuner knob's lists once, its words as they are, and its mean where a repeat has no time", async () => {
    const cache = {
      tune_params_keys: ["block", "word"],
      tune_params: {
        block: [
          [8, 4],
          [4, 8],
        ],
        word: ["1", "1.0"],
      },
      cache: {
        a: { block: [8, 4], word: "1", time: 2, times: [2, null] },
        b: { block: [4, 8], word: "1.0", time: 3, times: [3, 3] },
      },
    };
    expect(await parsed(JSON.stringify(cache))).toMatchObject({
      knobs: [
        { name: "block", values: ["[8,4]", "[4,8]"] },
        { name: "word", values: ["1", "1.0"] },
      ],
      index: [0, 3],
      time: [2, 3],
    });
  });

  it("take KTT output with counters", async () => {
    const data = await read("coulomb3d-RTX_2080_Ti.ktt.json.gz");
    const times = [...data.time];
    expect(data.index).toHaveLength(210);
    // Microseconds in the file.
    expect(times[0]).toBeCloseTo(2.279584 * (3037.408 / 2279.584), 9);
    expect(times.at(-1)).toBeCloseTo(2.279584, 9);
  });

  it.each([
    ["[1]", /is not a file of records; these forms are read: jsonl, autotvm/],
    ["{", /not JSON/],
    ['{"schema_version": 1, "results": []}', /has no record: its results is empty/],
    ['{"results": [{"configuration":{"a":1},"invalidity":"compile"}]}', /holds no config that ran/],
  ])("refuse %s in a sentence", async (text, message) => {
    const made = await readRecorded(fileOf(text));
    expect(made.ok ? "accepted" : made.error).toMatch(message);
  });
});

/**
 * The mean best of M different configs drawn from all, failures included: no draw among the k best has probability C(n-k, M) /
 * C(n, M).
 */
function expectedBest({ time }: RecordedData, budget: number): Float64Array {
  const n = time.length;
  const ascending = time.filter((t) => !Number.isNaN(t)).sort();
  return Float64Array.from({ length: budget }, (_, i) => {
    const draws = i + 1;
    let none = 1;
    let mean = 0;
    ascending.forEach((value, k) => {
      const after = Math.max(0, (none * (n - k - draws)) / (n - k));
      mean += value * (none - after);
      none = after;
    });
    return mean + none * (ascending.at(-1) ?? 0);
  });
}

describe("scores", () => {
  it("of a space whose times are all equal: the first evaluation is at the optimum", async () => {
    const made = await readRecorded(fileOf(cache("}}")));
    if (!made.ok) throw new Error(made.error);
    const score = scoreTuner(openRecorded(made.value), "grid", tuners.grid, { repeats: 2, seed: 1, inFlight: 1 });
    expect([score.score, score.evaluations_to["0.99"]]).toEqual([1, { median: 1, p90: 1, reached: 1 }]);
  });

  it("of a search that meets the optimum at once are 1 on both axes, whatever the budget", async () => {
    const data = await read("pnpoly-RTX_3090.json.gz");
    const yard = yardstick(data);
    const curve = { best: Float64Array.of(yard.optimum), seconds: Float64Array.of(0) };
    const made = scoreCurve(yard, curve, 50);
    expect([made.score, made.scoreTime]).toEqual([1, 1]);
    expect(made.evaluationsTo).toEqual([1, 1, 1]);
  });

  it("of random search are what drawing without replacement is worth, with 1 and 32 in flight", async () => {
    const data = await read("pnpoly-RTX_3090.json.gz");
    const recorded = openRecorded(data);
    const yard = yardstick(data);
    const { evaluations } = cutoff(yard, 0.95);
    const exact = scoreOver(yard, { best: expectedBest(data, evaluations), seconds: new Float64Array() }, evaluations);
    for (const inFlight of [1, 32]) {
      const made = scoreTuner(recorded, "random", tuners.random, { repeats: 300, seed: 1, inFlight });
      // A single search has a standard deviation of about 0.4.
      expect(Math.abs(made.score - exact)).toBeLessThan(0.08);
      expect(Math.abs(made.score_time - exact)).toBeLessThan(0.15);
    }
  });

  it("repeat exactly, and a search is cut at its budget", async () => {
    const recorded = openRecorded(await read("coulomb3d-RTX_2080_Ti.ktt.json.gz"));
    const once = () => scoreTuner(recorded, "ga", tuners.ga, { repeats: 5, seed: 3, inFlight: 4, budget: 30 });
    expect(once()).toEqual(once());
    expect(once().cutoff).toBe(30);
    const asked: number[] = [];
    const counting: MakeTuner = (options) => {
      const tuner = tuners.random(options);
      return {
        ...tuner,
        ask: (n) => tuner.ask(n),
        tell: (pairs) => asked.push(...pairs.map((p) => p.index)) && tuner.tell(pairs),
        exhausted: false,
      };
    };
    scoreTuner(recorded, "random", counting, { repeats: 1, seed: 1, inFlight: 4, budget: 7 });
    expect(asked.length).toBeLessThanOrEqual(7);
  });

  it("over time charge what an evaluation really cost", async () => {
    const yard = yardstick(await read("pnpoly-RTX_3090.json.gz"));
    const best = Float64Array.of(yard.median, yard.optimum);
    const cheap = scoreOverTime(yard, { best, seconds: Float64Array.of(0.01, 0.02) }, 50);
    const dear = scoreOverTime(yard, { best, seconds: Float64Array.of(5, 10) }, 50);
    expect(cheap).toBeGreaterThan(0.99);
    expect(dear).toBeLessThan(cheap);
  });
});

it("a config whose time is exactly the target reaches it", () => {
  const yard = { sorted: Float64Array.of(5, 4, 3, 2, 1), optimum: 1, worst: 5, median: 3, meanCost: 0 };
  // Half way from median to optimum: 2, which is there, after 3 worse ones of 5.
  expect(cutoff(yard, 0.5)).toEqual({ target: 2, evaluations: 1 });
  expect(cutoff(yard, 0.99)).toMatchObject({ evaluations: 2 });
});

it("starts no thread for somebody who has given up", async () => {
  const [name = ""] = Object.keys(expected);
  const over = new AbortController();
  over.abort(new Error("ctrl-C"));
  const scored = scoreInThreads(
    await read(name),
    "random",
    { repeats: 1, seed: 1, inFlight: 1 },
    { threads: 1, signal: over.signal },
  );
  await expect(scored).rejects.toThrow("ctrl-C");
});
