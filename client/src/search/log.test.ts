import { readFileSync } from "node:fs";
import { appendFile, mkdtemp, open, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { defaultMeasureOptions, type MeasureResult, toArtifactDigest, toProgramDigest, toSessionId } from "@warpfarm/common";
import { ConfigSpace, choiceKnob, configNamed, splitKnob } from "@warpfarm/compiler";
import {
  autotvmTarget,
  bestOfLog,
  decodeLine,
  encodeNote,
  encodeTrial,
  type LogRecord,
  type RunIdentity,
  readLog,
  secondsOf,
  type TrialRecord,
  targetOfAutotvm,
} from "@warpfarm/records/logs";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { WholeSpec } from "./search-spec.ts";
import { specFor } from "./session.testing.ts";
import { openTuningLog, searchIn } from "./tuning-log.ts";

const tvmLog = readFileSync(new URL("../../test/vectors/autotvm-conv2d-h100.log.json", import.meta.url), "utf8");

const run: RunIdentity = { task: "conv2d_nchw_cpu", args: [1, 7, [1, 1]], target: "cpu/x86-64-v3", tuner: "random", seed: 7 };
const spec = specFor({ name: run.task, args: run.args, target: run.target }, "random", 7);
const begun = `${encodeNote({ search: spec })}\n`;
const device = { key: "cpu/x86-64-v4", name: "A CPU", uuid: "cpu-0", node: "n1", driver: "linux 6" };
const digest = (c: string) => `sha256:${c.repeat(64)}`;
const phases = { buildMs: 12.5, runMs: 80, timestampMs: 1_700_000_000_123, attempt: 1 };
const timed = (costs: readonly number[]): MeasureResult => ({
  kind: "timed",
  costs,
  number: 40,
  busyMs: 61.5,
  checked: true,
  device,
  observations: { smClockMhz: 1980, throttleReasons: ["power"] },
  artifact: toArtifactDigest(digest("a")),
  ...phases,
});
const wrong: MeasureResult = {
  kind: "failed",
  errorNo: 5,
  rule: "check.reference",
  message: "conv[3] is 2, expected 1",
  log: "…",
  mismatch: { buffer: "conv", index: 3, expected: 1, got: 2, count: 1 },
  busyMs: 12.5,
  device,
  ...phases,
};
const trial = (sequence: number, result: MeasureResult, change: Partial<TrialRecord> = {}): TrialRecord => ({
  run,
  session: "s-1",
  sequence,
  told: 0,
  config: { index: sequence, code_hash: null, entity: [["tile", "sp", [-1, sequence]]] },
  program: toProgramDigest(digest("b")),
  options: defaultMeasureOptions("cpu"),
  result,
  ...change,
});

describe("a log that TVM 0.17 wrote", () => {
  const { records, warnings } = readLog(tvmLog);
  it("is read whole: 50 lines, 11 timed, 39 refused by its static check", () => {
    expect(warnings).toEqual([]);
    expect(records).toHaveLength(50);
    expect(records.filter((r) => secondsOf(r) !== undefined)).toHaveLength(11);
    expect(records.filter((r) => r.kind === "autotvm" && r.trial.errorNo === 1)).toHaveLength(39);
  });
  it("names configs of today's space: index and entity agree on every line", () => {
    const axis = (extent: number) => ({ loop: "", extent });
    const space = new ConfigSpace([
      splitKnob("tile_f", axis(512), { parts: 4 }),
      splitKnob("tile_y", axis(7), { parts: 4 }),
      splitKnob("tile_x", axis(7), { parts: 4 }),
      splitKnob("tile_rc", axis(512), { parts: 3 }),
      splitKnob("tile_ry", axis(3), { parts: 3 }),
      splitKnob("tile_rx", axis(3), { parts: 3 }),
      choiceKnob("auto_unroll_max_step", [0, 512, 1500]),
      choiceKnob("unroll_explicit", [0, 1]),
    ]);
    for (const { trial } of records) expect(configNamed(space, trial.config.entity)).toMatchObject({ ok: true });
  });
  it("has a best within the noise of its smallest median, failures left out", () => {
    const median = (costs: readonly number[]) => costs.toSorted((a, b) => a - b)[costs.length >> 1] as number;
    const medians = tvmLog
      .trim()
      .split("\n")
      .map((l) => JSON.parse(l).result)
      .filter(([costs, errorNo]) => errorNo === 0 && costs.length % 2 === 1)
      .map(([costs]) => median(costs));
    const found = bestOfLog(records, []);
    expect(found?.fastest).toBe(Math.min(...medians));
    expect(found?.best.seconds).toBeLessThanOrEqual(Math.min(...medians) * (1 + (found?.noise ?? 0)));
    const { kind, trial } = found?.best.nearest.of as LogRecord;
    expect(kind === "autotvm" && targetOfAutotvm(trial.targetText)).toBe("cuda/sm_90");
  });
});

describe("our lines", () => {
  it("read back as written, timed and failed", () => {
    const likeDefault = trial(3, timed([1]), { duplicateOf: 0 });
    for (const t of [trial(1, timed([3e-3, 1e-3, 2e-3])), trial(2, wrong, { told: 1, duplicateOf: 1 }), likeDefault]) {
      expect(decodeLine(encodeTrial(t))).toEqual({ kind: "warpfarm", trial: t });
    }
    for (const got of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      const odd = trial(3, { ...wrong, mismatch: { buffer: "conv", index: 0, expected: 1, got, count: 1 } });
      expect(decodeLine(encodeTrial(odd))).toEqual({ kind: "warpfarm", trial: odd });
    }
    fc.assert(
      fc.property(fc.array(fc.double({ min: 1e-9, max: 100, noNaN: true }), { minLength: 1 }), fc.string(), (costs, message) => {
        const there = trial(1, timed(costs));
        expect(decodeLine(encodeTrial(there))).toEqual({ kind: "warpfarm", trial: there });
        const failed = trial(1, { kind: "failed", errorNo: 3, message, ...phases });
        expect(decodeLine(encodeTrial(failed))).toEqual({ kind: "warpfarm", trial: failed });
      }),
    );
  });
  it("carry AutoTVM's fields: all costs in order, 1e9 for a failure there alone, seconds and unix time", () => {
    const good = JSON.parse(encodeTrial(trial(4, timed([3e-3, 1e-3, 2e-3]))));
    expect(good.input).toEqual(["llvm -keys=cpu -mcpu=x86-64-v3", "conv2d_nchw_cpu", [1, 7, [1, 1]], {}]);
    expect(good.result).toEqual([[3e-3, 1e-3, 2e-3], 0, 0.0925, 1_700_000_000.123]);
    expect([good.version, good.config.index, good.warpfarm.seconds]).toEqual([0.2, 4, 2e-3]);
    const bad = JSON.parse(encodeTrial(trial(5, wrong)));
    expect(bad.result.slice(0, 2)).toEqual([[1e9], 5]);
    expect(JSON.stringify(bad.warpfarm)).not.toMatch(/1000000000\b|1e9/i);
    expect([bad.warpfarm.seconds, bad.warpfarm.rule, bad.warpfarm.device.key]).toEqual([
      null,
      "check.reference",
      "cpu/x86-64-v4",
    ]);
  });
  it("score by the median of their costs, TVM's by the mean", () => {
    const ours = (sequence: number, costs: number[]): LogRecord => ({ kind: "warpfarm", trial: trial(sequence, timed(costs)) });
    const tvm = readLog(tvmLog.split("\n", 1)[0] as string).records[0] as LogRecord;
    expect(secondsOf(ours(1, [1, 9, 2]))).toBe(2);
    expect(secondsOf({ ...tvm, trial: { ...tvm.trial, costs: [1, 9, 2] } } as LogRecord)).toBe(4);
    const failed: LogRecord = { kind: "warpfarm", trial: trial(3, wrong) };
    expect(bestOfLog([failed], [])).toBeUndefined();
  });
  it("name targets in TVM's words and back", () => {
    for (const t of ["cuda/sm_90", "cuda/sm_90a", "cpu/x86-64-v1", "cpu/x86-64-v4", "cpu/arm64"])
      expect(targetOfAutotvm(autotvmTarget(t))).toBe(t);
    expect(targetOfAutotvm("cuda -model=unknown -thread_warp_size=32")).toBeUndefined();
    expect(targetOfAutotvm("llvm -mcpu=skylake-avx512")).toBeUndefined();
  });
});

describe("reading", () => {
  const line = encodeTrial(trial(1, timed([1])));
  it("skips blank lines and comments, and reads rows of version 0.1", () => {
    const old =
      '{"i": ["cuda", "t", [], {}, null, {"i": 3, "t": "direct", "c": null, "e": []}], "r": [[0.5], 0, 1, 1], "v": 0.1}';
    const log = readLog(`\uFEFF\n# a comment\n${line}\r\n\n${old}\n${old}\n${line}`, "x.log");
    expect(log.records.map(secondsOf)).toEqual([1, 0.5, 0.5, 1]);
    expect(log.records[1]).toMatchObject({
      kind: "autotvm",
      trial: { task: "t", config: { index: 3 }, tvmVersion: "0.6 or older" },
    });
    expect(log.warnings).toEqual([]);
  });
  it("drops a torn last line wherever it was cut, but refuses a bad line in the middle by number", () => {
    for (const cut of [1, 20, line.length - 1]) {
      const log = readLog(`${line}\n${line.slice(0, cut)}`, "x.log");
      expect(log.records).toHaveLength(1);
      expect(log.end).toBe(line.length + 1);
      expect(log.warnings).toEqual(["x.log: the last line (2) was cut short and is dropped"]);
    }
    expect(() => readLog(`${line}\n${line.slice(0, 50)}\n${line}\n`, "x.log")).toThrow(/x\.log line 2 is not a log line/);
    const other = JSON.stringify({ ...JSON.parse(line), version: 0.3 });
    expect(() => readLog(`${other}\n`)).toThrow(/line 1 is not a log line: version/);
    const future = JSON.parse(line);
    future.warpfarm.version = 2;
    expect(() => readLog(`${JSON.stringify(future)}\n`)).toThrow(/warpfarm\.version/);
  });
});

describe("a tuning log", () => {
  let dir = "";
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "warpfarm-log-"));
  });
  afterEach(() => rm(dir, { recursive: true }));
  const path = () => join(dir, "deeper", "run.jsonl");

  it("keeps what was appended, in order, and goes on after a torn line with a warning", async () => {
    {
      await using log = await openTuningLog(path(), { spec, resume: false });
      await log.appendFarmSession(toSessionId("s-1"));
      await log.appendDefault(timed([0.5]));
      await log.appendFarmSession(toSessionId("s-2"));
      await log.append(trial(2, timed([1])));
      await log.append(trial(1, wrong));
    }
    const whole = await readFile(path(), "utf8");
    await appendFile(path(), whole.split("\n")[4]?.slice(0, 300) ?? "");
    {
      await using log = await openTuningLog(path(), { spec, resume: true });
      expect(log.trials.map((t) => t.sequence)).toEqual([2, 1]);
      expect(log.defaultResult).toEqual(timed([0.5]));
      expect(log.warnings).toEqual([`${path()}: the last line (7) was cut short and is dropped`]);
      expect(log.farmSessions).toEqual(["s-1", "s-2"]);
      await log.append(trial(3, timed([2])));
    }
    const text = await readFile(path(), "utf8");
    expect(text.startsWith(whole)).toBe(true);
    expect(readLog(text).records.map((r) => r.kind === "warpfarm" && r.trial.sequence)).toEqual([2, 1, 3]);
  });

  it("is one run's at a time: another is told who writes it and since when, by any name of the file", async () => {
    const [file, lock, alias] = [join(dir, "a.jsonl"), join(dir, "a.jsonl.lock"), join(dir, "alias.jsonl")];
    await writeFile(file, "");
    await symlink(file, alias);
    const held = {
      code: "FAILED_PRECONDITION",
      message: expect.stringMatching(
        new RegExp(
          `is being written by another run: process ${process.pid} since \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z; wait for its end`,
        ),
      ),
    };
    {
      await using log = await openTuningLog(file, { spec, resume: false });
      for (const [path, resume] of [
        [file, true],
        [file, false],
        [alias, true],
      ] as const)
        await expect(openTuningLog(path, { spec, resume })).rejects.toMatchObject(held);
      await expect(searchIn(alias)).rejects.toMatchObject(held);
      await log.append(trial(1, timed([1])));
    }
    expect(await readdir(dir)).toEqual(["a.jsonl", "alias.jsonl"]);
    // A killed process left its lock.
    await writeFile(
      lock,
      JSON.stringify({ pid: process.pid, started: "1", since: "2026-01-02T03:04:05.000Z", host: hostname() }),
    );
    await (await openTuningLog(alias, { spec, resume: true }))[Symbol.asyncDispose]();
    // Nobody here can tell whether a process of another machine lives.
    await writeFile(lock, JSON.stringify({ pid: 1, started: "1", since: "2026-01-02T03:04:05.000Z", host: "elsewhere" }));
    await expect(openTuningLog(file, { spec, resume: true })).rejects.toThrow(
      `another run: process 1 of elsewhere since 2026-01-02T03:04:05.000Z; wait for its end, or give another --log; if that run is over, remove ${lock}`,
    );
  });

  it("that is not there is not gone on with, and none is made", async () => {
    const none = {
      code: "INVALID_ARGUMENT",
      message: `--resume continues a log, and there is no ${path()}; tune TASK --log ${path()} begins one`,
    };
    await expect(openTuningLog(path(), { spec, resume: true })).rejects.toMatchObject(none);
    await expect(searchIn(path())).rejects.toMatchObject(none);
    expect(await readdir(dir)).toEqual([]);
  });

  it("ends a last line that only lacks its newline instead of dropping it", async () => {
    await writeFile(join(dir, "a.jsonl"), begun + encodeTrial(trial(1, timed([1]))));
    {
      await using log = await openTuningLog(join(dir, "a.jsonl"), { spec, resume: true });
      await log.append(trial(2, timed([1])));
    }
    expect(readLog(await readFile(join(dir, "a.jsonl"), "utf8")).records).toHaveLength(2);
  });

  it("a line is on the disk before append resolves", async () => {
    await using log = await openTuningLog(path(), { spec, resume: false });
    await using probe = await open(path());
    let synced = () => {};
    const sync = vi
      .spyOn(Object.getPrototypeOf(probe) as typeof probe, "datasync")
      .mockReturnValueOnce(new Promise((resolve) => (synced = resolve)));
    onTestFinished(() => sync.mockRestore());
    let resolved = false;
    const appended = log.append(trial(1, timed([1]))).then(() => {
      resolved = true;
    });
    await vi.waitUntil(() => sync.mock.calls.length === 1);
    await new Promise((turn) => setImmediate(turn));
    expect(resolved).toBe(false);
    synced();
    await appended;
  });

  it("a full disk and a folder that cannot be are said with the file, and what was written stays", async () => {
    {
      await using log = await openTuningLog(path(), { spec, resume: false });
      await log.append(trial(1, timed([1])));
      await using probe = await open(path());
      // Linux writes what still fits, and reports ENOSPC for the rest.
      const full = vi
        .spyOn(Object.getPrototypeOf(probe) as typeof probe, "write")
        .mockResolvedValueOnce({ bytesWritten: 12, buffer: "" })
        .mockRejectedValueOnce(Object.assign(new Error("no space"), { code: "ENOSPC" }));
      onTestFinished(() => full.mockRestore());
      await expect(log.append(trial(2, timed([1])))).rejects.toMatchObject({
        code: "RESOURCE_EXHAUSTED",
        message: `the log ${path()} cannot be written: the disk is full; what was logged before is safe, and --resume continues from it`,
      });
    }
    expect(readLog(await readFile(path(), "utf8")).records).toHaveLength(1);
    const below = join(path(), "x.jsonl");
    await expect(openTuningLog(below, { spec, resume: false })).rejects.toThrow(
      `the log ${below} cannot be written: a file has that name`,
    );
  });

  it("begins with its search, and with where its files are on this machine alone", async () => {
    const file = join(dir, "search.jsonl");
    const start = { logs: [{ file: "c.jsonl", digest: digest("c") }] };
    const searched = { ...spec, start };
    const paths = { file: "/home/me/my.ts", logs: ["/home/me/c.jsonl"] };
    {
      await using log = await openTuningLog(file, { spec: searched, paths, resume: false });
      await log.append(trial(1, wrong));
    }
    const [first = ""] = (await readFile(file, "utf8")).split("\n");
    expect(JSON.parse(first.replace("# warpfarm ", ""))).toEqual({ search: searched, paths });
    expect(await searchIn(file)).toEqual({ spec: searched, paths });
  });

  it("goes on with the same search alone, which may last longer, and says in which field another one differs", async () => {
    const file = join(dir, "a.jsonl");
    const goOn = (other: WholeSpec) => openTuningLog(file, { spec: other, resume: true });
    await writeFile(file, `${begun}${encodeTrial(trial(1, timed([1])))}\n`);
    const text = await readFile(file, "utf8");
    await (await goOn(spec))[Symbol.asyncDispose]();
    expect(await readFile(file, "utf8")).toBe(text);
    const other = `${file} is the log of another search:`;
    await expect(goOn({ ...spec, limits: "autotvm" })).rejects.toThrow(`${other} limits is "device" there, and "autotvm" here`);
    await expect(goOn({ ...spec, start: "farm" })).rejects.toThrow(`${other} start is "none" there, and "farm" here`);
    const finalists = { ...spec.finalists, rounds: 12 };
    await expect(goOn({ ...spec, finalists })).rejects.toThrow(`${other} finalists.rounds is 24 there, and 12 here`);
    await expect(goOn({ ...spec, measure: { repeat: 9 } })).rejects.toThrow(
      `${other} measure is not set there, and {"repeat":9} here`,
    );
    for (const change of [{ seed: 8 }, { args: [2] }, { task: { template: "matmul" } }, { target: "cpu/arm64" }] as const)
      await expect(goOn({ ...spec, ...(change as Partial<WholeSpec>) })).rejects.toThrow(/another search/);
    expect(await readFile(file, "utf8")).toBe(text);
    const longer = { ...spec, budget: { ...spec.budget, trials: 80 } };
    {
      await using log = await goOn(longer);
      expect(log.trials).toHaveLength(1);
    }
    expect(await searchIn(file)).toEqual({ spec: longer, paths: {} });
    await (await goOn(longer))[Symbol.asyncDispose]();
    expect((await readFile(file, "utf8")).match(/"search"/g)).toHaveLength(2);
  });

  it("is begun anew where a farm refused the search before it began, and only there", async () => {
    const path = join(dir, "unbegun.jsonl");
    const warmStart = { space: new ConfigSpace([]), sources: [{ name: "a", rows: [] }], starts: [] };
    const open = async () => (await openTuningLog(path, { spec, resume: false, warmStart }))[Symbol.asyncDispose]();
    await open();
    const notes = await readFile(path, "utf8");
    expect(notes.match(/# warpfarm/g)).toHaveLength(2);
    await open();
    expect(await readFile(path, "utf8")).toBe(notes);
    for (const more of [`# warpfarm {"farm_session":"s"}\n`, "# my own remark\n", "some text\n"]) {
      await writeFile(path, notes + more);
      await expect(open()).rejects.toThrow("already holds a log");
      expect(await readFile(path, "utf8")).toBe(notes + more);
    }
  });

  const refusal = async (text: string, resume = true) => {
    await writeFile(join(dir, "a.jsonl"), text);
    const message = await openTuningLog(join(dir, "a.jsonl"), { spec, resume }).then(
      async (log) => {
        await log[Symbol.asyncDispose]();
        return "opened";
      },
      (e: Error) => e.message.replaceAll(`${dir}/`, ""),
    );
    expect(await readFile(join(dir, "a.jsonl"), "utf8")).toBe(text);
    return message;
  };
  it("refuses results of another search, and a log that does not say which it is of, and leaves the file alone", async () => {
    const line = (change: Partial<RunIdentity> = {}) =>
      `${encodeTrial({ ...trial(1, timed([1])), run: { ...run, ...change } })}\n`;
    expect(await refusal(begun + line())).toBe("opened");
    expect(await refusal(begun + line(), false)).toMatch(/^a\.jsonl already holds a log; tune --resume .*a\.jsonl continues it/);
    for (const change of [{ seed: 8 }, { task: "matmul" }, { args: [2] }, { target: "cpu/arm64" }, { tuner: "ga" }])
      expect(await refusal(begun + line() + line(change))).toBe(
        "a.jsonl also holds results of another search, so it cannot be continued",
      );
    expect(await refusal(begun + tvmLog)).toMatch(/also holds results of another search/);
    expect(await refusal(line())).toBe(
      "a.jsonl does not say which search it is of, so it cannot be continued; warpfarm tune conv2d_nchw_cpu --transfer a.jsonl begins one that starts from its results",
    );
    await expect(searchIn(join(dir, "a.jsonl"))).rejects.toMatchObject({ code: "INVALID_ARGUMENT", rule: "search.none" });
    expect(await refusal("not a log\n")).toMatch(/is no tuning log/);
  });
});
