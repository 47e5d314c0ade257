import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { badInput, FarmError, farmErrorCodes } from "@warpfarm/common";
import { describe, expect, test } from "vitest";
import { oneSentence, runCli, scratch } from "./context.testing.ts";
import { CliError, exitCode, exitCodeOf, Interrupted, sentenceOf } from "./exit.ts";
import { readSettings } from "./flags/settings.ts";
import { fewerWords } from "./terminal/words.ts";

describe("exit codes", () => {
  test("a farm failure is 3 or, when the request was wrong, 2; nothing else", () => {
    const codes = Object.fromEntries(farmErrorCodes.map((code) => [code, exitCodeOf(new FarmError(code, "x"))]));
    expect(codes).toMatchObject({
      INVALID_ARGUMENT: 2,
      FAILED_PRECONDITION: 2,
      UNAUTHENTICATED: 2,
      UNAVAILABLE: 3,
      DEADLINE_EXCEEDED: 3,
    });
    expect(new Set(Object.values(codes))).toEqual(new Set([2, 3]));
  });
  test("a full disk is 3, whatever else the system refuses 2", () => {
    const refused = (code: string) => exitCodeOf(Object.assign(new Error(code), { syscall: "write", code }));
    expect(["ENOSPC", "EDQUOT", "EACCES", "EROFS", "ENOENT"].map(refused)).toEqual([3, 3, 2, 2, 2]);
  });
  test("a signal wins over the error it caused", () => {
    const stop = new AbortController();
    stop.abort(new Interrupted("SIGINT"));
    expect(exitCodeOf(new FarmError("CANCELLED", "x"), stop.signal)).toBe(exitCode.interrupted);
    expect(exitCodeOf(new Interrupted("SIGTERM"))).toBe(exitCode.terminated);
  });
  test("a CliError keeps its code; a fault of ours says so in one line", () => {
    expect(exitCodeOf(badInput("x"))).toBe(2);
    expect(exitCodeOf(new CliError(exitCode.checkFailed, "x"))).toBe(4);
    expect(sentenceOf(new TypeError("a\n  b"))).toBe("a fault of warpfarm itself: a b (WARPFARM_DEBUG=1 shows where)");
  });
});

test("what the system refuses is bad input, in words", async () => {
  const probeMachine = async () => readFileSync("/nonexistent/file") as never;
  const said = await runCli(["doctor"], { probeMachine });
  expect([said.code, oneSentence(said)]).toEqual([2, "warpfarm doctor: /nonexistent/file: there is no such file or folder"]);
});

test("fewer measurements at once than asked for are told, and no others", () => {
  expect([17, 16].map((allowed) => fewerWords("--in-flight", 16, allowed))).toEqual(["", ""]);
  expect(fewerWords("--in-flight", 16, 15)).toBe(
    "the tracker allows 15 measurements outstanding (its --quota inputs): --in-flight is lowered from 16 to 15\n",
  );
  expect(fewerWords("in_flight", 2, 1)).toContain("allows 1 measurement outstanding");
});

describe("usage", () => {
  test.each([
    [[], 2, "Usage: warpfarm"],
    [["--help"], 0, ""],
    [["--version"], 0, ""],
    [["doctr"], 2, 'warpfarm: there is no command "doctr" (did you mean doctor?); there are tasks, tune, '],
    [["doctor", "--jsn"], 2, "warpfarm doctor: unknown option '--jsn' (Did you mean --json?); see warpfarm doctor --help"],
    [["tune", "conv2d_nchw_cpu", "--trails", "9"], 2, "warpfarm tune: unknown option '--trails' (Did you mean --trials?); see "],
    [["tune", "conv2d_nchw_cpu", "--patiense", "9"], 2, "warpfarm tune: unknown option '--patiense' (Did you mean --patience?)"],
    [["doctor", "--traker", "a:1"], 2, "warpfarm doctor: unknown option '--traker' (Did you mean --tracker?)"],
    [["tune", "conv2d_nchw_cpu", "--wall-time", "300"], 2, 'warpfarm tune: --wall-time is "300", without a unit: write 300s; '],
    [["gc", "--older-than", "7"], 2, 'warpfarm gc: --older-than is "7", without a unit: write 7s; '],
    [["suite", "run", "--trials", "9"], 2, "warpfarm suite: unknown option '--trials'; see warpfarm suite run --help\n"],
    [
      ["records", "receipt", "7"],
      2,
      "warpfarm records: required option '-o, --output <file>' not specified; see warpfarm records receipt --help\n",
    ],
    [["doctor", "extra"], 2, 'warpfarm doctor: doctor takes no arguments, and "extra" is too many; see warpfarm doctor --help'],
  ])("%j exits %d", async (argv, code, stderr) => {
    const said = await runCli(argv);
    expect(said.code).toBe(code);
    expect(said.stderr.startsWith(stderr)).toBe(true);
  });
  test("--json carries exactly one line on stdout, in failure too", async () => {
    const said = await runCli(["doctor", "--json", "--tracker", "nowhere"]);
    expect(said.code).toBe(2);
    expect(said.stdout.match(/\n/g)).toHaveLength(1);
    expect(JSON.parse(said.stdout)).toEqual({
      error: { message: expect.stringContaining('--tracker is "nowhere"'), exit_code: 2 },
    });
  });
  test("a stack is shown only under WARPFARM_DEBUG", async () => {
    const wrong = { probeMachine: () => Promise.reject(new TypeError("boom")) };
    expect(oneSentence(await runCli(["doctor"], wrong))).toBe(
      "warpfarm doctor: a fault of warpfarm itself: boom (WARPFARM_DEBUG=1 shows where)",
    );
    const loud = await runCli(["doctor"], { ...wrong, env: { WARPFARM_DEBUG: "1" } });
    expect(loud.stderr).toMatch(/TypeError: boom\n\s+at /);
  });
});

describe("settings", () => {
  const withConfig = (text: string) => {
    const home = scratch();
    mkdirSync(join(home, ".config/warpfarm"), { recursive: true });
    writeFileSync(join(home, ".config/warpfarm/config.yaml"), text);
    return { home, cwd: "/somewhere", env: {} };
  };
  test("environment wins over the file, the file over the defaults", async () => {
    const s = withConfig("tracker: farm:1\ntarget: cpu/x86-64-v2\ndata_dir: store\n");
    const settings = await readSettings({ ...s, env: { WARPFARM_TRACKER: "other:2" } });
    expect(settings).toMatchObject({
      tracker: "other:2",
      target: "cpu/x86-64-v2",
      dataDir: "/somewhere/store",
      cacheDir: join(s.home, ".cache/warpfarm"),
    });
  });
  test("XDG directories are honoured, relative ones ignored as the specification says", async () => {
    const settings = await readSettings({ home: "/h", cwd: "/c", env: { XDG_DATA_HOME: "/data", XDG_CACHE_HOME: "relative" } });
    expect(settings).toMatchObject({ dataDir: "/data/warpfarm", cacheDir: "/h/.cache/warpfarm", logDir: "/c/warpfarm-logs" });
  });
  test.each([
    ["tracker: [1, 2]\n", /config\.yaml: tracker: .*allowed are tracker, target/],
    ["trakcer: x\n", /config\.yaml: trakcer is unknown; allowed are tracker/],
    ["- a\n- b\n", /config\.yaml: the document: .*allowed are/],
    ["a: [\n", /config\.yaml is not YAML/],
    ["target: ''\n", /config\.yaml: target: /],
  ])("refuses %j", async (text, message) => {
    await expect(readSettings(withConfig(text))).rejects.toThrow(message);
    await expect(readSettings(withConfig(text))).rejects.toSatisfy((error) => exitCodeOf(error) === 2);
  });
});
