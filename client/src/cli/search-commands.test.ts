/** space --stats, and what tune refuses of --transfer before a farm is started. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { createTask } from "@warpfarm/templates";
import { describe, expect, test } from "vitest";
import { oneSentence, runCli, scratch } from "./context.testing.ts";

const spaces = (name: string) => fileURLToPath(new URL(`../../test/spaces/${name}`, import.meta.url));
const _vectors = fileURLToPath(new URL("../../test/vectors/autotvm-conv2d-h100.log.json", import.meta.url));
const task = createTask("matmul_derived", { M: 4, N: 16, K: 8 }, "cpu/x86-64-v3");
const words = ["matmul_derived", "--args", '{"M":4,"N":16,"K":8}', "--target", "cpu/x86-64-v3"];

describe("space --stats", () => {
  test("of a task: size, and the share that passes the check, with what it rests on", async () => {
    const said = await runCli(["space", ...words, "--stats", "--json"]);
    const { knobs, ...stats } = JSON.parse(said.stdout);
    const { size, valid } = task.space;
    expect(knobs).toHaveLength(task.space.knobs.length);
    expect(stats).toEqual({
      ...{ size, allowed: valid.count, valid_share: 1, device_hours: null, odds: null },
      rests_on: { valid_share: "static check of all" },
    });
  });

  test("of a recorded space exactly, of a problem file its count", async () => {
    const recorded = await runCli(["space", spaces("pnpoly-RTX_3090.json.gz"), "--stats", "--json"]);
    const { odds, rests_on: basis, cutoff } = JSON.parse(recorded.stdout);
    expect(odds["0.9"].configs).toBeGreaterThan(odds["0.99"].configs);
    expect(basis.odds).toBe("all records: exact");
    expect(cutoff).toBeGreaterThan(0);
    const problem = await runCli(["space", spaces("convolution_milo.T1.json"), "--stats", "--json"]);
    expect(JSON.parse(problem.stdout)).toMatchObject({
      size: 10_240,
      allowed: 4362,
      valid_share: null,
      odds: null,
      rests_on: {},
    });
  });

  test.each([
    [["no.json", "--stats"], /"no\.json" cannot be read: there is no such file or folder/],
    [[spaces("EXPECTED.json"), "--stats"], /EXPECTED\.json is not a file of records; these forms are read: /],
    [[spaces("pnpoly-RTX_3090.json.gz")], /is the file of a space, which needs --stats/],
    [[spaces("pnpoly-RTX_3090.json.gz"), "--stats", "--target", "cpu/arm64"], /--target is for tasks; .* is a file of a space/],
    [[...words, "--stats", "--index", "3"], /--stats is for the whole space, --index for one config/],
  ])("%j is refused in one sentence", async (args, message) => {
    const said = await runCli(["space", ...args]);
    expect(said.code).toBe(2);
    expect(oneSentence(said)).toMatch(message);
  });
});

describe("score and space --stats of a file", () => {
  const record = (a: unknown, time: unknown) =>
    `{"configuration":{"a":${JSON.stringify(a)}},"invalidity":"correct","measurements":[{"name":"time","value":${time}}]}`;
  const files: readonly (readonly [name: string, content: string | Buffer, message: RegExp])[] = [
    ["empty.json", "\n", /empty\.json is empty$/],
    ["cut.json.gz", gzipSync("{}").subarray(0, 12), /cut\.json\.gz cannot be read: unexpected end of file$/],
    [
      "lack.json",
      `{"results":[${record(1, 2)},${record(1, 2).replace('"a"', '"b"')}]}`,
      /record 2 of lack\.json has no value for a$/,
    ],
    [
      "slow.json",
      `{"results":[${record(1, '"never"')}]}`,
      /slow\.json has no row with a valid time \(1 row\), first results\[0\] on line 1: the time is "never"/,
    ],
  ];
  test.each(files)("%s is refused by both in one sentence", async (name, content, message) => {
    const cwd = scratch();
    writeFileSync(join(cwd, name), content);
    for (const argv of [
      ["score", "--space", name, "--tuner", "ga"],
      ["space", name, "--stats"],
    ]) {
      const said = await runCli(argv, { cwd });
      expect(said.code).toBe(2);
      expect(oneSentence(said)).toMatch(message);
    }
  });
  test("score says that a problem file has no measurements, and which file it cannot read", async () => {
    const score = async (file: string) => oneSentence(await runCli(["score", "--space", file, "--tuner", "ga"]));
    expect(await score(spaces("convolution_milo.T1.json"))).toMatch(
      /describes a problem and has no measurement: space --stats takes it/,
    );
    expect(await score("no.json")).toMatch(/--space: .*no\.json cannot be read: there is no such file or folder/);
  });
});

describe("tune refuses before it starts a farm", () => {
  test.each([
    [["--tuner", "random", "--transfer", "a.jsonl"], /--transfer is for .*; random cannot use other logs/],
    [
      ["--tuner", "xgb", "--transfer", "no.jsonl"],
      /--transfer names "no\.jsonl", which cannot be read: there is no such file or folder/,
    ],
    [["--tuner", "xgb", "--transfer", spaces("EXPECTED.json")], /is no tuning log/],
  ])("%j", async (flags, message) => {
    const said = await runCli(["tune", ...words, ...flags]);
    expect(said.code).toBe(2);
    expect(oneSentence(said)).toMatch(message);
  });
});
