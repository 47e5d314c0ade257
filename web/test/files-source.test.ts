/** The page's data from log files: folders, compressed, growing, replaced and invalid files. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { toProgramDigest } from "@warpfarm/common";
import { finalsNote } from "@warpfarm/records/suites";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openFiles } from "../src/files/files-source.ts";
import { lines, trial } from "./logs.testing.ts";

const viewer = { name: "local", isAdmin: true };
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "warpfarm-page-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const write = (name: string, text: string | Uint8Array): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
let now = Date.now();
const open = (...paths: string[]) => openFiles(paths, { now: () => now, programOf: async () => undefined });

it("reads logs, packed logs and folders of them; each task of a log is a run", async () => {
  write("a.jsonl", lines(1, 30) + lines(1, 20, { task: "conv" }));
  write("b.jsonl.gz", gzipSync(lines(1, 10, { seed: 2, failing: 0.5 })));
  write("notes.txt", "not a log");
  mkdirSync(join(folder, "deeper"));
  const runs = await (await open(folder)).runs(viewer);
  expect(runs.map(({ task, finished }) => [task, finished]).sort()).toEqual([
    ["conv", 20],
    ["matmul_derived", 10],
    ["matmul_derived", 30],
  ]);
  expect(new Set(runs.map(({ id }) => id)).size).toBe(3);
});

it("reads the logs of a suite's folder, and says nothing of its other files", async () => {
  for (const name of ["suite.json", "choices.json", "progress.jsonl"]) write(name, "{}");
  mkdirSync(join(folder, "logs"));
  write("logs/a.jsonl", lines(1, 3));
  const source = await open(folder);
  expect(await source.runs(viewer)).toHaveLength(1);
  expect(source.warnings).toEqual([]);
});

it("leaves out the other files of a folder, each with a line, and takes them once they are logs", async () => {
  write("a.jsonl", lines(1, 3));
  const manifest = write("b.cubin.manifest.json", '{"buffers":[],"code":"sha256:0","kernels":[],"version":1}');
  write("c.json", '{"cache": {}, "tune_params_keys": ["b"]}');
  write("d.log", "2026-11-27 started\n2026-11-27 ended\n");
  write("e.json", "");
  const source = await open(folder);
  expect(await source.runs(viewer)).toHaveLength(1);
  expect(source.warnings).toEqual([
    expect.stringMatching(/b\.cubin\.manifest\.json is no tuning log: .*; it is skipped$/),
    expect.stringMatching(/c\.json is a cache of Kernel Tuner, not a tuning log; .*; it is skipped$/),
    expect.stringMatching(/d\.log is no tuning log: .*; it is skipped$/),
  ]);
  writeFileSync(manifest, lines(1, 4, { seed: 3 }));
  expect((await source.runs(viewer)).map(({ finished }) => finished).sort()).toEqual([3, 4]);
  // Named itself, such a file is refused.
  await expect(open(join(folder, "d.log"))).rejects.toThrow("d.log is no tuning log");
});

it("skips broken lines where it is asked to, and counts them", async () => {
  const log = write("a.jsonl", `${lines(1, 2)}{"broken\n${lines(3, 4)}`);
  await expect(openFiles([log], { now: () => now, programOf: async () => undefined, skipBroken: false })).rejects.toThrow(
    /line 3 is not a log line: .*--skip-broken/,
  );
  const source = await openFiles([log], { now: () => now, programOf: async () => undefined, skipBroken: true });
  expect((await source.runs(viewer)).map(({ finished }) => finished)).toEqual([4]);
  expect(source.warnings).toEqual([expect.stringMatching(/1 broken line is skipped, first line 3: /)]);
});

it("two logs of one name are two runs", async () => {
  mkdirSync(join(folder, "x"));
  mkdirSync(join(folder, "y"));
  const runs = await (await open(write("x/a.jsonl", lines(1, 3)), write("y/a.jsonl", lines(1, 4, { seed: 9 })))).runs(viewer);
  expect(runs.map(({ finished }) => finished).sort()).toEqual([3, 4]);
});

it("follows a log that grows, up to its last whole line", async () => {
  const log = write("a.jsonl", lines(1, 5));
  const source = await open(log);
  const id = (await source.runs(viewer))[0]?.id ?? "";
  const next = lines(6, 7);
  appendFileSync(log, next.slice(0, -40));
  expect((await source.trials(id, 5, viewer))?.sequence).toEqual([6]);
  appendFileSync(log, next.slice(-40));
  expect((await source.trials(id, 6, viewer))?.sequence).toEqual([7]);
  expect((await source.trials(id, 0, viewer))?.sequence).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

it("starts a log anew that was replaced by a shorter one; keeps one that went away", async () => {
  const log = write("a.jsonl", `# warpfarm {"default":{"kind":"timed","costs":[3]}}\n${lines(1, 9)}`);
  const source = await open(log, write("b.jsonl", lines(1, 3)));
  const known = async () => (await source.records({}, viewer)).records.length;
  const own = async () => (await source.runs(viewer)).find(({ id }) => id.startsWith("a."));
  const defaultSeconds = async () => (await source.run((await own())?.id ?? "", viewer))?.defaultSeconds;
  expect([await known(), await defaultSeconds()]).toEqual([9, 3]);
  writeFileSync(log, lines(1, 2, { seed: 5 }));
  utimesSync(log, 1, 1);
  const run = await own();
  expect(run?.finished).toBe(2);
  // Of the first nine, three are in the other log too.
  expect([await known(), await defaultSeconds()]).toEqual([2 + 3, undefined]);
  expect(run?.state).toBe("ended");
  rmSync(log);
  expect((await source.runs(viewer)).map(({ finished }) => finished).sort()).toEqual([2, 3]);
});

it("a log that was written just now is of an open run", async () => {
  const log = write("a.jsonl", lines(1, 2));
  now = Date.now();
  const source = await open(log);
  expect((await source.runs(viewer))[0]?.state).toBe("open");
  now += 60_000;
  expect((await source.runs(viewer))[0]?.state).toBe("ended");
});

it("finds a record, the other measurements of its kernel, and the fastest", async () => {
  const source = await open(write("a.jsonl", lines(1, 200)));
  const { records, next } = await source.records({ order: "fastest", limit: 5 }, viewer);
  expect(records).toHaveLength(5);
  expect(records.map(({ seconds }) => seconds)).toEqual(records.map(({ seconds = 0 }) => seconds).sort((a, b) => a - b));
  const more = await source.records({ order: "fastest", limit: 5, ...(next ? { cursor: next } : {}) }, viewer);
  expect(more.records[0]?.seconds).toBeGreaterThanOrEqual(records[4]?.seconds ?? 0);
  // The last page is full, and nothing follows it.
  const last = await source.records({ limit: 5, cursor: "195" }, viewer);
  expect([last.records.length, last.next, (await source.records({ limit: 5, cursor: "194" }, viewer)).next]).toEqual([
    ...[5, undefined, "199"],
  ]);
  const detail = await source.record(records[0]?.id ?? "", viewer);
  expect(detail?.seconds).toBe(records[0]?.seconds);
  expect(detail?.others.length).toBeGreaterThan(0);
  expect(detail?.others.map(({ id }) => id)).not.toContain(records[0]?.id);
  expect(detail?.interval?.[0]).toBeLessThan(detail?.seconds ?? 0);
  expect(detail?.reproduce).toMatch(
    /^warpfarm measure matmul_derived --args '\[64,64,64\]' --target cpu\/x86-64-v3 --index '\{.*\}'$/,
  );
  expect(await source.record("none", viewer)).toBeUndefined();
  await expect(source.records({ cursor: "x" }, viewer)).rejects.toThrow(/cursor x/);
});

it("knows the search that a log begins with, the last one of it", async () => {
  const search = (trials: number, template = "matmul_derived") =>
    `# warpfarm ${JSON.stringify({ search: { version: 1, task: { template }, budget: { trials } }, paths: { file: "/home/me/a.ts" } })}\n`;
  const of = async (name: string, text: string) => {
    const source = await open(write(name, text));
    const [run] = await source.runs(viewer);
    return (await source.run(run?.id ?? "", viewer))?.search;
  };
  expect(await of("a.jsonl", `${search(3)}${lines(1, 3)}`)).toEqual({
    version: 1,
    task: { template: "matmul_derived" },
    budget: { trials: 3 },
  });
  expect(await of("b.jsonl", `${search(3)}${lines(1, 3)}${search(9)}`)).toMatchObject({ budget: { trials: 9 } });
  expect(await of("c.jsonl", `${search(3, "other")}${lines(1, 3)}`)).toBeUndefined();
  expect(await of("d.jsonl", `# warpfarm {"search":{"version":2}}\n${lines(1, 3)}`)).toBeUndefined();
});

it("knows the finalists of a log: the last ones of its task, in words, until the file is another", async () => {
  const of = { task: "matmul_derived", args: [64, 64, 64], target: "cpu/x86-64-v3" };
  const device = { key: of.target, name: "A processor", uuid: "u", node: "n", driver: "" };
  const note = (costs: Readonly<Record<number, number>>, rounds: number, task = of.task) => {
    const finalists = Object.keys(costs).map((value) => ({
      config: [["tile", "ot", Number(value)]] as const,
      program: toProgramDigest(`sha256:${value.padStart(64, "0")}`),
    }));
    const runs = [{ device, costs: Object.values(costs).map((cost) => new Array<number>(rounds).fill(cost)) }];
    const paired = { rounds, idleMs: 0 };
    return `# warpfarm ${JSON.stringify(finalsNote({ ...of, task }, { finalists, runs, failed: [], paired, options: trial(1).options }))}\n`;
  };
  const log = write("a.jsonl", lines(1, 3));
  const source = await open(log);
  const finals = async () => {
    const [run] = await source.runs(viewer);
    return (await source.run(run?.id ?? "", viewer))?.finals;
  };
  expect(await finals()).toBeUndefined();
  appendFileSync(log, note({ 7: 2e-3, 3: 1e-3, 9: 1e-3 }, 20));
  appendFileSync(log, note({ 1: 1, 2: 2 }, 20, "other"));
  const words = async () => (await finals())?.ranks.map((rank) => [rank.config, rank.seconds, rank.words]);
  expect(await words()).toEqual([
    ["tile 3", expect.closeTo(1e-3), "the winner"],
    ["tile 9", expect.closeTo(1e-3), expect.stringMatching(/^tied with the winner within /)],
    ["tile 7", expect.closeTo(2e-3), "100.00 % slower"],
  ]);
  appendFileSync(log, note({ 3: 1e-3, 7: 2e-3 }, 8));
  expect(await words()).toEqual([
    ["tile 3", expect.closeTo(1e-3), "the winner"],
    ["tile 7", expect.closeTo(2e-3), "too few rounds for a verdict: at least 9"],
  ]);
  writeFileSync(log, lines(1, 1));
  expect(await finals()).toBeUndefined();
});

it("a file that is none, and a line that is none, are named", async () => {
  await expect(open(join(folder, "missing.jsonl"))).rejects.toThrow(
    /missing\.jsonl cannot be read: there is no such file or folder/,
  );
  await expect(open(write("bad.jsonl", `${lines(1, 1)}{"nonsense":1}\n${lines(2, 2)}`))).rejects.toThrow(
    /bad\.jsonl line 2 is not a log line/,
  );
  // Members of a gzip file follow each other.
  const bomb = Buffer.concat(Array<Buffer>(17).fill(gzipSync(Buffer.alloc(16 << 20, "\n"), { level: 1 })));
  await expect(open(write("bomb.jsonl.gz", bomb))).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(/bomb\.jsonl\.gz does not unpack: it has more than 256 MB, .*; unpack it or split it; /),
  });
  const torn = gzipSync(lines(1, 30)).subarray(0, 200);
  await expect(open(write("torn.jsonl.gz", torn))).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
    message: expect.stringMatching(/torn\.jsonl\.gz does not unpack: .+; if it was cut, copy it again/),
  });
  // What a terminal would obey is not cited.
  await expect(open(write("bells.jsonl", `${lines(1, 1)}\u001b[2J\u0007{\n`))).rejects.toThrow(
    /^[^\p{Cc}]*bells\.jsonl line 2 [^\p{Cc}]*$/u,
  );
});
