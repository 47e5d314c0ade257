/**
 * Times and devices in files of other tools, at the commands that read them. Files of client/test/vectors/cases were misread
 * once; the others are of the same kinds. What a file means is written here by hand, from the forms' own documents.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { oneSentence, runCli } from "./context.testing.ts";
import { best, cased, file, imported, log } from "./foreign-files.testing.ts";

describe("a best is of one kind of device", () => {
  it("by the whole text of a target that names no architecture", async () => {
    const path = cased("01-best-mixes-gpus/two-gpus.log");
    const { all } = await best(path);
    expect(all.map(({ device, index }) => [device, index])).toEqual([
      ["cuda -model=fastcard", 1],
      ["cuda -model=slowcard", 2],
      ["rocm -model=gfx900", 3],
    ]);
    const of = ["records", "best", "--origin", "imported", "--task", "my_op", "--args", "[64]", "--logs", path, "--json"];
    const { best: found } = JSON.parse((await runCli(of)).stdout);
    expect(found.map(({ device_name }: { device_name: string }) => device_name)).toEqual(all.map(({ device }) => device));
  });

  it.each([
    ["models of one architecture", ["cuda -model=t4 -arch=sm_75", "cuda -arch=sm_75 -model=2080ti"], ["2080ti", "t4"]],
    ["architectures", ["cuda -arch=sm_70", "cuda -arch=sm_80"], [undefined, undefined]],
    [
      "models of processors",
      ["llvm -mcpu=skylake-avx512", "llvm -mcpu=znver3"],
      ["llvm -mcpu=skylake-avx512", "llvm -mcpu=znver3"],
    ],
    [
      "ARM processors",
      ["llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72", "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a53"],
      ["cortex-a53", "cortex-a72"],
    ],
    [
      "a GPU and the ARM host's words",
      ["opencl -device=mali -mtriple=aarch64-linux-gnu", "llvm -mtriple=aarch64-linux-gnu"],
      ["opencl -device=mali -mtriple=aarch64-linux-gnu", undefined],
    ],
    [
      "targets as JSON",
      ['{"kind": "vulkan", "model": "a"}', '{"kind": "vulkan", "model": "b"}'],
      ["vulkan -model=a", "vulkan -model=b"],
    ],
    [
      "long texts with equal beginnings",
      [`hexagon -${"x".repeat(400)}a`, `hexagon -${"x".repeat(400)}b`],
      [expect.stringMatching(/^hexagon -x+ \.\.\. \w{32}$/), expect.stringMatching(/^hexagon -x+ \.\.\. \w{32}$/)],
    ],
  ])("of two %s there are two, in a log and in a store", async (_, targets, devices) => {
    const path = file(log(...targets.map((target, i) => ({ target, index: i + 1 }))), "two.log");
    const { all } = await best(path);
    expect(all.map(({ device }) => device).sort()).toEqual(devices);
    const of = ["records", "best", "--origin", "imported", "--task", "my", "--args", "[64]", "--json"];
    const { given } = await imported(path);
    expect(JSON.parse((await runCli(of, given)).stdout).best).toHaveLength(2);
  });

  it("and spaces in a target are no other device", async () => {
    const path = file(
      log({ target: "rocm  -model=x ", index: 1 }, { target: "rocm -model=x", index: 2, costs: "[0.00005]" }),
      "one.log",
    );
    expect((await best(path)).all).toMatchObject([{ index: 2, device: "rocm -model=x" }]);
  });
});

describe("times", () => {
  it("of a row that cannot be are failures, told once with the first line", async () => {
    for (const name of ["08-zero-or-negative-time/zero.log", "08-zero-or-negative-time/negative.log"]) {
      const found = await best(cased(name));
      expect([found.code, found.us]).toEqual([0, [100]]);
      expect(found.stderr).toMatch(/: 1 row without a valid time counts as failed, first line 1: the time is (0|-0\.0001); /);
      expect((await imported(cased(name))).us).toEqual([100, "failed"]);
    }
    const empty = await imported(cased("09-empty-costs-import/empty.log"));
    expect([empty.code, empty.us]).toEqual([0, [100, "failed"]]);
    const args = ["records", "best", "--task", "my", "--args", "[64]", "--origin", "imported", "--logs"];
    const zero = await runCli([...args, cased("08-zero-or-negative-time/zero.log"), "--json"]);
    expect(JSON.parse(zero.stdout).best[0].tied[0]).toMatchObject({ seconds: 1e-4, record: { config: { index: 2 } } });
  });

  it.each([
    ...[
      "[-0.0]",
      "[NaN]",
      "[Infinity]",
      "[-Infinity]",
      "[nan]",
      "[-nan(ind)]",
      "[inf]",
      "[1.#QNAN]",
      "[1e999]",
      "[1e20]",
      "[1000001]",
    ],
    ...['["fast"]', '["0.001"]', "[null]", "[0.0001, 0]", "[true]", "[[0.1]]"],
  ])("%s of AutoTVM is none, and the other line is the best", async (costs) => {
    const path = file(log({}, { costs, index: 2 }), "a.log");
    const found = await best(path);
    expect([found.code, found.us]).toEqual([0, [100]]);
    expect(found.stderr).toMatch(/^\S*a\.log: 1 row without a valid time counts as failed, first line 2: /);
    const kept = await imported(path);
    expect([kept.code, kept.us, kept.stderr]).toEqual([0, [100, "failed"], expect.stringContaining("first line 2: ")]);
    expect(kept.records.find(({ kind }: { kind: string }) => kind === "failed")).toMatchObject({
      error_no: 8,
      rule: "file.no_time",
    });
  });

  it("of 10^6 s, and of a denormal number, are times; a failure's stub is none and nobody is told", async () => {
    expect((await best(file(log({ costs: "[1000000]" }), "a.log"))).all[0]).toMatchObject({ seconds: 1e6 });
    expect((await imported(file(log({ costs: "[5e-324]" }), "a.log"))).records[0]).toMatchObject({
      kind: "timed",
      costs: [5e-324],
    });
    const stub = await best(file(log({}, { costs: "[1000000000.0]", error: 4, index: 2 }), "a.log"));
    expect([stub.us, stub.stderr]).toEqual([[100], ""]);
  });

  it("that nobody has end the command with 2, and are not kept", async () => {
    const path = file(log({ costs: "[0]" }, { costs: "[-1]" }), "none.log");
    const said = await runCli(["best", path]);
    expect(said.code).toBe(2);
    expect(oneSentence(said)).toMatch(
      /none\.log has no row with a valid time \(2 rows\), first line 1: the time is 0; a time is above 0 and at most 1000000 s/,
    );
    const kept = await imported(path);
    expect([kept.code, kept.records]).toEqual([2, []]);
    // Failures that the file calls so are rows like others.
    expect((await imported(file(log({ costs: "[0]" }, { costs: "[1e9]", error: 2 }), "some.log"))).code).toBe(0);
  });

  it("stand in the unit of each measurement of T4", async () => {
    const path = cased("03-t4-of-ktt-1000x/results.json");
    const { us, records } = await imported(path);
    expect([us, records[0].build_ms]).toEqual([[48, 96], 1000]);
    const score = JSON.parse((await runCli(["score", "--space", path, "--tuner", "random", "--json", "--repeats", "2"])).stdout);
    expect(score.evaluations_to["0.99"].reached).toBe(1);
    expect((await runCli(["score", "--space", path, "--tuner", "random", "--repeats", "2"])).stdout).toContain(
      "2 configs, 2 ran, best 0.048 ms",
    );
    expect((await runCli(["space", path, "--stats"])).stdout).toMatch(/of them can run +100\.0 %/);
  });

  const t4 = (measured: object, more: object = {}, runtimes: readonly number[] = []) =>
    JSON.stringify({
      ...more,
      schema_version: "1.0.0",
      results: [
        {
          configuration: { b: 1 },
          objectives: ["time"],
          times: { runtimes },
          invalidity: "correct",
          measurements: [
            { name: "GFLOP/s", value: 3, unit: "" },
            { name: "time", ...measured },
          ],
        },
      ],
    });
  it.each([
    ["ns", t4({ value: 5000, unit: "ns" })],
    ["Nanoseconds", t4({ value: 5000, unit: "Nanoseconds" }, {}, [5000])],
    ["\u00b5s", t4({ value: 5, unit: "\u00b5s" })],
    ["us and a head of ms", t4({ value: 5, unit: "us" }, { metadata: { timeunit: "miliseconds" } }, [5, 5])],
    ["ms and a head of us", t4({ value: 0.005, unit: "ms" }, { metadata: { timeunit: "microseconds" } }, [4, 5, 6]), [4]],
    ["s", t4({ value: 5e-6, unit: "Seconds" })],
    ["a head alone", t4({ value: 5 }, { metadata: { timeunit: "usec" } })],
    ["nothing", t4({ value: 0.005 })],
  ])("of T4 in %s", async (_, text, us = [5]) => expect((await imported(file(text, "r.json"))).us).toEqual(us));

  it("in a unit that is none are told, and no time is made of them", async () => {
    const said = await imported(file(t4({ value: 5, unit: "cycles" }), "r.json"));
    expect([said.code, said.stderr]).toEqual([
      2,
      expect.stringMatching(/results\[0\] on line 1: "cycles" is no unit of time; units are ns, us, ms and s/),
    ]);
    const ktt = {
      Metadata: { Device: "d", TimeUnit: "Ticks" },
      Results: [{ KernelName: "k", Status: "Ok", TotalDuration: 5, Configuration: [] }],
    };
    expect((await imported(file(JSON.stringify(ktt), "k.json"))).code).toBe(2);
    expect((await imported(file(JSON.stringify({ ...ktt, Metadata: { TimeUnit: "Nanoseconds" } }), "k.json"))).us).toEqual([
      0.005,
    ]);
  });

  it("of Python's JSON that are no numbers are read, in values and elsewhere", async () => {
    for (const [name, us] of [
      ["k-nan.json", [250, 500, "failed"]],
      ["k-inf.json", [250, 500, "failed"]],
      ["k-nanmetric.json", [250, 500, 700]],
    ] as const) {
      const found = await imported(cased(`10-nan-in-kernel-tuner-cache/${name}`));
      expect([name, found.code, found.us]).toEqual([name, 0, us]);
      expect(found.stderr).toEqual(
        us.includes("failed" as never) ? expect.stringContaining("cache[2] on line 4: the time is ") : "",
      );
    }
    const score = await runCli([
      "score",
      "--space",
      cased("10-nan-in-kernel-tuner-cache/k-nanmetric.json"),
      "--tuner",
      "random",
      "--repeats",
      "2",
    ]);
    expect([score.code, score.stdout]).toEqual([0, expect.stringContaining("3 configs, 3 ran, best 0.25 ms, median 0.5 ms")]);
    const nan = await runCli(["space", cased("10-nan-in-kernel-tuner-cache/k-nan.json"), "--stats"]);
    expect(nan.stderr).toBe(
      "k-nan.json: 1 row without a valid time counts as failed, first cache[2] on line 4: the time is NaN; a time is above 0 and at most 1000000 s\n",
    );
    // A text that says NaN is a text.
    const texts = readFileSync(cased("10-nan-in-kernel-tuner-cache/k-nan.json"), "utf8").replace('"vec"', '"a \\" [NaN, inf"');
    expect((await imported(file(texts, "t.json"))).records[0].task).toBe('a " [NaN, inf');
  });

  it("of a stamp without a zone are UTC, whatever the machine's zone", async () => {
    vi.stubEnv("TZ", "America/New_York");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(new Date(2024, 0, 1).getUTCHours()).toBe(5);
    const cache = readFileSync(cased("10-nan-in-kernel-tuner-cache/k-nanmetric.json"), "utf8");
    for (const [words, utc] of [
      ["2024-01-01 10:00:00", "2024-01-01T10:00:00.000Z"],
      ["2024-01-01T10:00:00.123456", "2024-01-01T10:00:00.123Z"],
      ["2024-01-01", "2024-01-01T00:00:00.000Z"],
      ["Mon Jan  1 10:00:00 2024", "2024-01-01T10:00:00.000Z"],
      ["2024-01-01 10:00:00+02", "2024-01-01T08:00:00.000Z"],
      ["2024-01-01T10:00:00-0500", "2024-01-01T15:00:00.000Z"],
      ["2024-01-01 10:00:00 UTC", "2024-01-01T10:00:00.000Z"],
      ["yesterday", "1970-01-01T00:00:00.000Z"],
    ] as const) {
      const { records } = await imported(file(cache.replaceAll("2024-01-01 00:00:00+00:00", words), "k.json"));
      expect([words, new Date(records[0].timestamp_ms).toISOString()]).toEqual([words, utc]);
    }
    for (const timestamp of ["-5", "1e300", "NaN", "null"])
      expect((await imported(file(log({ timestamp }), "a.log"))).records[0].timestamp_ms).toBe(0);
  });
});
