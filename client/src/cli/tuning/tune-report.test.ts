import { defaultMeasureOptions, FarmError, toProgramDigest } from "@warpfarm/common";
import { describe, expect, test } from "vitest";
import { failedResult, timedResult } from "../../measure/scripted.testing.ts";
import { chooseKey } from "../../search/farm-there.ts";
import type { TuneSummary } from "../../search/tune-events.ts";
import { columns } from "../terminal/words.ts";
import { defaultLogName, summaryWords, tuneReport } from "./tune-report.ts";

const trial = {
  run: { task: "toy", args: [1], target: "cpu/x86-64-v3", tuner: "random", seed: 0 },
  session: "s",
  sequence: 3,
  told: 2,
  config: {
    index: 17,
    code_hash: null,
    entity: [
      ["tile_f", "sp", [-1, 2]],
      ["unroll", "ot", 0],
    ],
  },
  program: toProgramDigest(`sha256:${"0".repeat(64)}`),
  options: defaultMeasureOptions("cpu"),
  result: timedResult(0.001),
} as const;
const summary: TuneSummary = {
  reason: "trials",
  trials: 4,
  measured: 4,
  errors: { NO_ERROR: 3, WRONG_ANSWER: 1 },
  slower: 0,
  failures: [{ error: "WRONG_ANSWER", rule: "check.mismatch", count: 1, message: "conv[3] is 1, not 2 [check.mismatch]\nmore" }],
  best: { trial, seconds: 0.001, gflops: 25 },
  runnerUp: { trial: { ...trial, config: { ...trial.config, index: 4 } }, seconds: 0.0014, gflops: 18 },
  default: { result: timedResult(0.02), score: { seconds: 0.02, gflops: 1.25 } },
  wallSeconds: 8,
  trialsPerSecond: 0.5,
};
const indexOf = () => 17;
const facts = { title: "toy", device: "a processor", checked: true, files: [["log", "x.jsonl"]], indexOf } as const;

describe("what a tuning run comes to", () => {
  test("the JSON has the shape that scripts rely on", () => {
    expect(tuneReport(summary, "x.jsonl", indexOf)).toEqual({
      trials: 4,
      ended: "trials",
      slower: 0,
      errors: { NO_ERROR: 3, WRONG_ANSWER: 1 },
      best: { index: 17, config: { tile_f: [-1, 2], unroll: 0 }, seconds: 0.001, gflops: 25, spread_seconds: 0.001 },
      finalists: null,
      runner_up: { index: 4, seconds: 0.0014, gflops: 18 },
      failures: [
        { error: "WRONG_ANSWER", rule: "check.mismatch", count: 1, message: "conv[3] is 1, not 2 [check.mismatch]\nmore" },
      ],
      default: { seconds: 0.02, gflops: 1.25 },
      speed_up: null,
      wall_seconds: 8,
      trials_per_second: 0.5,
      log: "x.jsonl",
    });
  });
  test("nothing timed is null, not zero", () => {
    const nothing = { ...summary, best: undefined, runnerUp: undefined, default: { result: failedResult(3), score: undefined } };
    expect(tuneReport(nothing, "x", indexOf)).toMatchObject({ best: null, default: null });
    expect(summaryWords(tuneReport(nothing, "x", indexOf), facts)).toMatch(/^best +none: no candidate could be timed$/m);
    for (const [failures, others] of [
      [[], ""],
      [nothing.failures, ", and the others failed"],
    ] as const)
      expect(summaryWords(tuneReport({ ...nothing, slower: 6, failures }, "x", indexOf), facts)).toContain(
        `none: 6 candidates ended early, slower than the cutoff${others}\n`,
      );
  });
  test("the summary names best, default, speed-up, the check and the files", () => {
    const words = summaryWords(tuneReport(summary, "x.jsonl", indexOf), facts);
    expect(words).toMatch(/^best config +index 17: tile_f \[-1,2\], unroll 0$/m);
    expect(words).toMatch(/^best +1\.000 ms, repeats within 1\.000 ms, 25\.00 GFLOPS, checked against the reference$/m);
    expect(words).toMatch(/^default schedule +20\.00 ms, 1\.25 GFLOPS$/m);
    expect(words).toMatch(
      /^speed-up +20\.00 times the default schedule, not interleaved; measure --index 17 --paired default interleaves both$/m,
    );
    expect(words).toMatch(/^log +x\.jsonl$/m);
    // Interleaved, the ratio is not that of the two times.
    const speedUp = { estimate: 12.5, low: 12, high: 13.25, confidence: 0.95 };
    const paired = tuneReport({ ...summary, speedUp }, "x", indexOf);
    expect(paired.speed_up).toEqual({ ratio: 12.5, ratio_low: 12, ratio_high: 13.25 });
    expect(summaryWords(paired, facts)).toMatch(/^speed-up +12\.5 \[12\.0, 13\.3\] times the default schedule, interleaved$/m);
    expect(summaryWords(tuneReport(summary, "x", indexOf), { ...facts, checked: false })).toContain("NOT checked");
  });
  test("failures by rule with the first message, on one line, the rule once", () => {
    const words = summaryWords(tuneReport(summary, "x", indexOf), facts);
    expect(words).toMatch(/^failed +1 WRONG_ANSWER, first: conv\[3\] is 1, not 2 \[check\.mismatch\]$/m);
  });
  test("the gap to the runner-up, and that noise is larger than it", () => {
    const words = summaryWords(tuneReport(summary, "x", indexOf), facts);
    expect(words).toMatch(/^runner-up +index 4: 1\.400 ms, 400\.0 us \(40\.0 %\) slower$/m);
    expect(words).toMatch(/^warning +the best's repeats differ by 1\.000 ms, more than the gap/m);
    const clear = { ...summary, runnerUp: { trial, seconds: 0.0021, gflops: 12 } };
    expect(summaryWords(tuneReport(clear, "x", indexOf), facts)).not.toContain("warning");
    expect(summaryWords(tuneReport({ ...summary, runnerUp: undefined }, "x", indexOf), facts)).not.toContain("runner-up");
  });
  test("a run that ended before its trials says why", () => {
    const words = (reason: TuneSummary["reason"]) => summaryWords(tuneReport({ ...summary, reason }, "x", indexOf), facts);
    expect(words("trials")).not.toContain("ended");
    expect(words("patience")).toMatch(/^ended early +--patience results in a row were no better$/m);
    expect(words("exhausted")).toMatch(/^ended early +the space has no more valid configs$/m);
    expect(tuneReport({ ...summary, reason: "wall_seconds" }, "x", indexOf).ended).toBe("wall_seconds");
  });
  test("a log is named by task, key and time, in one path component", () => {
    expect(defaultLogName("tutorial/conv", "cpu/x86-64-v3", Date.UTC(2024, 1, 3, 4, 5, 6, 7))).toBe(
      "tutorial_conv-cpu_x86-64-v3-20240203T040506Z.jsonl",
    );
  });
});

describe("the key to generate code for", () => {
  const keys = ["cpu/x86-64-v3", "cpu/x86-64-v4", "cuda/sm_90"];
  test.each([
    [keys, "cuda", undefined, "cuda/sm_90"],
    [keys, "cpu", "cpu/x86-64-v3", "cpu/x86-64-v3"],
    [keys, "cpu", "cpu/x86-64-v4+", "cpu/x86-64-v4"],
    [["cuda/sm_90"], "cuda", "cuda/sm_90a", "cuda/sm_90"],
    [["cpu/arm64"], "cpu", undefined, "cpu/arm64"],
  ] as const)("of %j for %s, asked %s: %s", (there, backend, asked, key) => {
    expect(chooseKey(there, backend, asked)).toBe(key);
  });
  test.each([
    [keys, "cpu", undefined, /several cpu devices: cpu\/x86-64-v3, cpu\/x86-64-v4; choose one with --target/],
    [keys, "cpu", "cpu", /fits cpu\/x86-64-v3, cpu\/x86-64-v4/],
    [keys, "cuda", "cuda/sm_80", /no device of the farm is cuda\/sm_80: registered are/],
    [[], "cpu", undefined, /^the farm has no device: no runner is registered$/],
    [keys, "cpu", "gpu", /selector "gpu"/],
  ] as const)("of %j for %s, asked %s: refused", (there, backend, asked, message) => {
    expect(() => chooseKey(there, backend, asked)).toThrow(message);
  });
  test("a device that is away is a farm failure, not bad input", () => {
    expect(() => chooseKey([], "cpu", undefined)).toThrow(FarmError);
  });
});

describe("columns of a width", () => {
  test("go on below their value, never in a word", () => {
    const path = "warpfarm-logs/conv2d_nchw_cpu-cpu_x86-64-v4-20261123T133341Z.jsonl";
    expect(
      columns(
        [
          ["best", "one two three"],
          ["log", `at ${path}`],
        ],
        15,
      ),
    ).toBe(`best  one two\n      three\nlog   at\n      ${path}\n`);
    expect(columns([["best", "one two three"]])).toBe("best  one two three\n");
  });
});
