/**
 * Forms of files of other tools, at the commands that read them. Files of client/test/vectors/cases were misread once; the others
 * are of the same kinds. What a file means is written here by hand, from the forms' own documents.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readRecorded } from "../score/read-recorded.ts";
import { oneSentence, runCli, scratch } from "./context.testing.ts";
import { best, cased, file, imported, line, log } from "./foreign-files.testing.ts";

describe("forms", () => {
  it("AutoTVM 0.1 is read where 0.2 is", async () => {
    expect((await best(cased("02-v01-log/old.log"))).us).toEqual([20]);
    expect((await best(cased("02-v01-log/mixed.log"))).us).toEqual([20]);
    const [, old] = readFileSync(cased("02-v01-log/old.log"), "utf8").split("\n");
    const zero = file(`${old}\n${old?.replace("[[0.00002], 0,", "[[0.0], 0,")}\n`, "zero.log");
    expect(await best(zero)).toMatchObject({ us: [20], stderr: expect.stringContaining("first line 2") });
    const query = await runCli(["records", "query", "--logs", cased("02-v01-log/old.log"), "--json"]);
    expect(JSON.parse(query.stdout).records).toHaveLength(1);
    const space = await runCli(["score", "--space", cased("02-v01-log/mixed.log"), "--tuner", "grid", "--repeats", "1"]);
    expect([space.code, space.stdout]).toEqual([0, expect.stringContaining("2 configs, 2 ran, best 0.02 ms")]);
  });

  const ansor = (costs: string, target = "cuda -model=v100") =>
    `{"i": [["[\\"matmul\\", 128, 64]", "${target}", [80, 64], "", 1, []], [[], [["SP", 2, 0, 128, [4, 1], 1]]]], "r": [${costs}, 0, 1.25, 1600000000], "v": "v0.6"}`;
  it("Ansor's lines give times, target and task", async () => {
    const { records, us } = await imported(file(`${ansor("[0.0002, 0.0004]")}\n${ansor("[0]")}\n`, "a.json"));
    expect(us).toEqual([200, "failed"]);
    expect(records[0]).toMatchObject({
      task: "matmul",
      args: [128, 64],
      device: { name: "cuda -model=v100" },
      timestamp_ms: 1_600_000_000_000,
    });
    const failure = ansor("[1e10]").replace(", 0, 1.25", ", 6, 1.25");
    expect((await imported(file(`${failure}\n`, "a.json"))).records[0]).toMatchObject({ kind: "failed", error_no: 6 });
  });

  it.each([
    ["a cache of Kernel Tuner", () => cased("10-nan-in-kernel-tuner-cache/k-nan.json")],
    ["results in T4", () => cased("03-t4-of-ktt-1000x/results.json")],
    ["CLTune's results", () => cased("18-cltune-score/results.json")],
    ["KTT's output", () => file('{"Metadata": {}, "Results": []}', "k.json")],
    ["Ansor's log (TVM's auto_scheduler)", () => file(ansor("[1]"), "a.json")],
    ["records of MetaSchedule", () => file("[0, [[[], []], [0.1], {}, []]]\n", "m.json")],
    ["a table of records (CSV)", () => file("task;seconds\na;1\n", "t.csv")],
    [
      "records of Warpfarm (jsonl)",
      () => file('{"id": "x", "version": 1, "origin": {"kind": "measured", "by": ""}}\n', "r.jsonl"),
    ],
  ])("%s is named by best, which points to records import", async (words, made) => {
    const path = made();
    const said = await runCli(["best", path]);
    expect([said.code, oneSentence(said)]).toEqual([
      2,
      expect.stringContaining(`${basename(path)} is ${words}, not a tuning log; warpfarm records import reads it`),
    ]);
  });

  it("a broken line in the middle ends a command, or is counted where the flag says so", async () => {
    const text = `${line()}\n${line({ index: 2, costs: "[0.00005]" }).slice(0, 80)}\n{"a": 1}\n${line({ index: 3, costs: "[0.00007]" })}\n`;
    const path = file(text, "torn.log");
    const refused = await runCli(["best", path]);
    expect([refused.code, oneSentence(refused)]).toEqual([
      2,
      expect.stringMatching(/torn\.log line 2 is not a log line: .*; --skip-broken reads the other lines and counts/),
    ]);
    const skipped = expect.stringMatching(/torn\.log: 2 broken lines are skipped, first line 2: /);
    expect(await best(path, "--skip-broken")).toMatchObject({ us: [70], stderr: skipped });
    expect((await imported(path)).stderr).toMatch(/line 2 is not a record \(autotvm\): .*--skip-broken/);
    expect(await imported(path, "--skip-broken")).toMatchObject({ us: [100, 70], stderr: skipped });
    const logs = await runCli(["records", "query", "--logs", path, "--json", "--skip-broken"]);
    expect([JSON.parse(logs.stdout).records.length, logs.stderr]).toEqual([2, skipped]);
    const all = await runCli(["best", file("{broken\n{broken\n", "all.log"), "--skip-broken"]);
    expect([all.code, oneSentence(all)]).toEqual([2, expect.stringContaining("all.log is no tuning log")]);
  });

  it.each([
    ["an object that ends early", '{"broken": '],
    ["an object of another kind", '{"a": 1}'],
    ["what is no JSON", "garbage"],
  ])("so is a broken first line: %s", async (_what, first) => {
    const path = file(`# tuned\n${first}\n${log({}, { index: 3, costs: "[0.00007]" })}`, "torn.log");
    const skipped = expect.stringMatching(/torn\.log: 1 broken line is skipped, first line 2: /);
    expect((await imported(path)).stderr).toMatch(/torn\.log line 2 is not a record \(autotvm\): .*--skip-broken/);
    expect(await imported(path, "--skip-broken")).toMatchObject({ code: 0, us: [100, 70], stderr: skipped });
    expect(await best(path, "--skip-broken")).toMatchObject({ us: [70], stderr: skipped });
    const table = file(`${first}\ntask;seconds\na;1\n`, "torn.csv");
    expect((await imported(table, "--skip-broken")).stderr).toMatch(/torn\.csv is not (JSON|a file of records)/);
    const none = file(`${first}\n${first}\n`, "none.log");
    expect((await imported(none, "--skip-broken")).stderr).toMatch(/none\.log is not (JSON|a file of records)/);
  });

  it("an entry of a document whose name is none is named, or counted where the flag says so", async () => {
    const entry = { Configuration: [], Status: "Ok", TotalDuration: 1 };
    const Results = [...Array(501).fill("c"), "a\tb"].map((KernelName) => ({ KernelName, ...entry }));
    const ktt = { Metadata: { TimeUnit: "ms" }, Results };
    const results = [{ configuration: {}, invalidity: "timeout" }];
    const t4 = { schema_version: "1.0.0", metadata: { device_name: "a\tb" }, results };
    const [first, second] = [ktt, t4].map((document) => file(JSON.stringify(document, undefined, 1), "d.json")) as [
      string,
      string,
    ];
    for (const [path, place] of [
      [first, "Results[501]"],
      [second, "results[0]"],
    ] as const) {
      const said = await imported(path);
      expect([said.code, said.stderr]).toEqual([2, expect.stringContaining(`d.json ${place} on line `)]);
      expect(oneSentence(said)).toMatch(/\d is not a record .*control character.*--skip-broken/);
    }
    const stderr = expect.stringContaining("1 broken line is skipped, first Results[501]");
    expect(await imported(first, "--skip-broken")).toMatchObject({ code: 0, us: [1000, 1000], stderr });
    expect(oneSentence(await imported(second, "--skip-broken"))).toContain("has no line that can be read (1 are broken)");
  });

  it.each([
    ["a mark of UTF-8", (text: string) => `\uFEFF${text}`],
    ["UTF-16 of Windows", (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le")],
    ["CR LF", (text: string) => text.replaceAll("\n", "\r\n")],
    ["gzip", (text: string) => gzipSync(text)],
    ["no newline at the end", (text: string) => text.trimEnd()],
    ["empty lines and comments", (text: string) => `\n# tuned\n\n${text}\n\n`],
    ["each line twice", (text: string) => text + text],
    [
      "its fields in another order",
      (text: string) =>
        text
          .replaceAll(/(.*), "version": 0.2, (.*)\}/g, '{"version": 0.2, $2, $1}}')
          .replaceAll(", {", ", ")
          .replaceAll('"my", [64], }', '"my", [64], {}}'),
    ],
  ])("a log with %s is read by every command", async (name, change) => {
    const text = log({ index: 1 }, { index: 2, costs: "[0.00005]" });
    const path = file(name === "its fields in another order" ? reordered(text) : change(text), "x.log");
    expect(await best(path)).toMatchObject({ code: 0, us: [50], stderr: "" });
    expect(await imported(path)).toMatchObject({ code: 0, us: [100, 50], stderr: "" });
    const space = await readRecorded(path);
    expect(space.ok ? [...space.value.time].map((ms) => Number(ms.toPrecision(6))) : space.error).toEqual([0.1, 0.05]);
  });

  it("a line of megabytes is read in pieces", async () => {
    const text = line()
      .replace('"my"', JSON.stringify("m"))
      .replace("[64]", `[${JSON.stringify("x".repeat(3_000_000))}]`);
    expect((await imported(file(`${text}\n${line()}\n`, "long.log"))).us).toEqual([100, 100]);
    expect((await imported(file("", "none.log"))).stderr).toContain("none.log is empty");
    expect((await imported(file("\n# nothing\n", "none.log"))).stderr).toContain("none.log is empty");
  });

  it("a table is read with semicolons or tabs, in any order of columns, with marks in quotes", async () => {
    for (const text of [
      'seconds;task;args;config.b\n0.0001;"g;x";[64];32\n',
      'seconds\ttask\targs\tconfig.b\n0.0001\t"g;x"\t[64]\t32\n',
      '\uFEFFsep=;\r\nseconds;task;args;config.b\r\n0.0001;"g;x";[64];32\r\n',
      'config.b,args,task,seconds\n32,[64],"g;x",0.0001',
      'config.b, args, task, seconds\n32, "[64]", "g;x", 1e-4\n',
    ]) {
      const { records, us } = await imported(file(text, "t.csv"));
      expect([text, us, records[0].task, records[0].config.entity]).toEqual([text, [100], "g;x", [["b", "ot", 32]]]);
    }
    for (const seconds of ["0", "-1", "fast", "", "NaN", "inf", "1e20", "0x"])
      expect([seconds, (await imported(file(`task,seconds\na,${seconds}\na,0.0001\n`, "t.csv"))).us]).toEqual([
        seconds,
        [100, "failed"],
      ]);
    const open = await imported(file('task,seconds\na,0.1\n"b,0.2\nc,0.3\n', "t.csv"));
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining("the quote that line 3 opens is not closed")]);
  });
});

/** The same lines with their fields from the last to the first, at each level. */
const reordered = (text: string): string =>
  text
    .trim()
    .split("\n")
    .map((each) => `${JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(each)).reverse()))}\n`)
    .join("");

it("an export of a log is of one kind of device, which a flag chooses", async () => {
  const [first = "", ...rest] = readFileSync(cased("../autotvm-conv2d-h100.log.json"), "utf8").trim().split("\n");
  const lines = [first, ...rest].map((text) => JSON.parse(text));
  const timed = lines.filter(({ result }) => result[1] === 0).slice(0, 2);
  const of = (model: string) => ({ input: [`cuda -keys=cuda,gpu -arch=sm_90 -model=${model}`, ...timed[0].input.slice(1)] });
  const path = file(["pcie", "sxm"].map((model, i) => `${JSON.stringify({ ...timed[i], ...of(model) })}\n`).join(""), "two.log");
  const run = (...flags: string[]) => runCli(["export", path, "-o", "out", "--format", "json", "--json", ...flags]);
  const both = await run();
  expect([both.code, oneSentence(both)]).toEqual([
    2,
    expect.stringMatching(
      /two\.log has results of \S+ of several kinds of device: (pcie, sxm|sxm, pcie); choose with --device-name/,
    ),
  ]);
  const one = await run("--device-name", "sxm");
  expect([one.code, JSON.parse(one.stdout).kernels]).toEqual([0, [expect.objectContaining({ index: timed[1].config.index })]]);
  expect(oneSentence(await run("--device-name", "a100"))).toMatch(
    /--device-name: \S*two\.log has no results of a100; it has those of /,
  );
});

describe("score", () => {
  it("takes every form that import takes", async () => {
    const score = async (path: string) => {
      const read = await readRecorded(path);
      if (!read.ok) return read.error;
      const ran = [...read.value.time].filter((ms) => !Number.isNaN(ms)).map((ms) => Number(ms.toPrecision(6)));
      return `${read.value.time.length} configs, ${ran.length} ran: ${ran.join(", ")} ms`;
    };
    expect(await score(cased("18-cltune-score/results.json"))).toBe("2 configs, 1 ran: 0.5 ms");
    expect(await score(file("task,seconds,config.b\na,0.001,1\na,0.002,2\n", "t.csv"))).toContain("2 configs, 2 ran: 1, 2 ms");
    const meta = (n: number, seconds: number) => `[0, [[[["GetBlock"]], [[0, ${n}]]], [${seconds}], {"kind": "cuda"}, []]]\n`;
    expect(await score(file(meta(1, 0.001) + meta(2, 0.003), "m.json"))).toBe("2 configs, 2 ran: 1, 3 ms");
    const { given } = await imported(cased("18-cltune-score/results.json"));
    for (const form of ["jsonl", "parquet"]) {
      const chunks: Uint8Array[] = [];
      const stdout = { write: (part: string | Uint8Array) => chunks.push(Buffer.from(part as string)) };
      await runCli(["records", "export", "--format", form], { ...given, stdout } as never);
      expect(await score(file(Buffer.concat(chunks), `x.${form}`))).toContain("2 configs, 1 ran");
    }
    expect(await score(file("task,seconds,config.b\na,0.001,1\nother,0.002,2\n", "t.csv"))).toMatch(
      /has records of 2 tasks or kinds of device, and a space is of one/,
    );
  });

  it("over time is near random search's worth, or is not defined, and numbers are rounded", async () => {
    const said = await runCli([
      "score",
      "--space",
      cased("11-score-over-time-absurd/cache.json"),
      "--tuner",
      "random",
      "--repeats",
      "8",
      "--seed",
      "1",
      "--json",
    ]);
    const { score, score_time } = JSON.parse(said.stdout);
    for (const each of [score, score_time]) expect(Math.abs(each ?? 0)).toBeLessThan(1);
    const two = await runCli([
      "score",
      "--space",
      file("task,seconds,config.b\na,0.0123456789,1\na,0.2,2\n", "t.csv"),
      "--tuner",
      "random",
      "--repeats",
      "2",
    ]);
    expect(two.stdout).toContain("best 12.35 ms");
    expect(two.stdout).toMatch(
      /score +- over evaluations, - over time; .*; - is not defined, because one random config finds the best here/,
    );
  });
});

describe("records", () => {
  it("without a config are left out of an export and counted", async () => {
    const path = file("task,seconds,config.b,target\nmine,0.001,1,cuda/sm_90\nmine,0.002,,cuda/sm_90\n", "t.csv");
    const { given } = await imported(path);
    for (const form of ["kernel-tuner", "t4", "ktt", "cltune", "t1"]) {
      const said = await runCli(["records", "export", "--format", form], given);
      expect([form, said.code, said.stderr]).toEqual([
        form,
        0,
        expect.stringMatching(
          new RegExp(`^1 record left out, which ${form} cannot hold; first: record csv/\\S+ has no config\n$`),
        ),
      ]);
      expect(JSON.parse(said.stdout)).toBeTypeOf("object");
    }
    const none = await runCli(["records", "export", "--format", "autotvm"], given);
    expect([none.code, oneSentence(none)]).toEqual([
      2,
      expect.stringMatching(
        /no record that passes the filter fits into a file of autotvm: record csv\S+ has no index in a config space/,
      ),
    ]);
    const mixed = file(`${log({}, { index: 2 })}`, "a.log");
    await runCli(["records", "import", mixed], given);
    const all = (await runCli(["records", "export"], given)).stdout.trim().split("\n");
    const first = all.map((each) => JSON.parse(each)).find(({ config }) => config?.index === undefined).id;
    const lines = await runCli(["records", "export", "--format", "autotvm"], given);
    expect([lines.stdout.trim().split("\n").length, lines.stderr]).toEqual([
      2,
      expect.stringMatching(
        new RegExp(`^2 records left out, which autotvm cannot hold; first: record ${first} has no index in a config space\n$`),
      ),
    ]);
  });

  it("that are imported again with --device say what it changed", async () => {
    const path = file(log({ target: "rocm -model=x" }, { target: "rocm -model=x", index: 2 }), "a.log");
    const { given } = await imported(path);
    const again = await runCli(["records", "import", path, "--device", "cuda/sm_70", "--device-name", "V100"], given);
    expect(again.stdout).toBe("2 records imported, 0 existed already\n");
    expect(again.stderr.split("\n")).toEqual([
      "--device changed 2 records of no",
      '--device-name changed 2 records of "rocm -model=x"',
      "2 records of an earlier import without --device, --device-name stay beside them",
      "",
    ]);
    const once = await runCli(["records", "import", path, "--device", "cuda/sm_70", "--device-name", "V100"], given);
    expect(once.stdout).toBe("0 records imported, 2 existed already\n");
  });

  it("of a folder leave out files that are no logs, with a line for each", async () => {
    const folder = scratch();
    mkdirSync(join(folder, "logs"));
    for (const name of ["argmax.jsonl", "b.cubin.manifest.json"])
      writeFileSync(join(folder, "logs", name), readFileSync(cased(`n01-view-folder-with-manifest/${name}`)));
    writeFileSync(join(folder, "logs", "cache.json"), readFileSync(cased("11-score-over-time-absurd/cache.json")));
    const said = await runCli(["records", "query", "--logs", join(folder, "logs"), "--json"]);
    expect(JSON.parse(said.stdout).records.length).toBeGreaterThan(0);
    const lines = said.stderr.trim().split("\n");
    expect(lines).toEqual([
      expect.stringMatching(/b\.cubin\.manifest\.json is no tuning log: .*; it is skipped$/),
      expect.stringMatching(/cache\.json is a cache of Kernel Tuner, .*; it is skipped$/),
    ]);
    const diff = await runCli(["records", "diff", join(folder, "logs"), join(folder, "logs")]);
    expect([diff.code === 2, diff.stderr]).toEqual([
      false,
      expect.stringMatching(/b\.cubin\.manifest\.json is not a file of records; .*; it is skipped\n/),
    ]);
  });
});
