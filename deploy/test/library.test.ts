/**
 * The package as a program uses it: the program of docs/library.md, everything else on one embedded farm, what importing it
 * costs, and what a template's file may not have.
 */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as language from "@warpfarm/client/template";
import { transformSync } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { needs } from "../../test-support/needs.ts";
import { command } from "./command.testing.ts";
import { bin, Place } from "./warpfarm-process.ts";

const execute = promisify(execFile);
const root = dirname(fileURLToPath(new URL("../../package.json", import.meta.url)));
const hook = new URL("./modules-log.mjs", import.meta.url).href;

/** The package is installed in it, but the processes of its farms are bundles. */
function newPlace(): Place {
  const place = new Place({}, { isAlone: true });
  onTestFinished(() => place[Symbol.dispose]());
  mkdirSync(place.path("node_modules/warpfarm/bin"), { recursive: true });
  for (const name of ["package.json", "index.js"]) cpSync(join(root, name), place.path(`node_modules/warpfarm/${name}`));
  writeFileSync(place.path("node_modules/warpfarm/bin/warpfarm.js"), `await import(${JSON.stringify(bin())});\n`);
  symlinkSync(join(root, "node_modules/@warpfarm"), place.path("node_modules/@warpfarm"));
  return place;
}

/** A program, of which Node 20 takes no `await using`. */
const translated = (text: string): string => transformSync(text, { loader: "ts", target: "node20", format: "esm" }).code;

function run(place: Place, text: string, { node = [], env = {} }: { node?: readonly string[]; env?: NodeJS.ProcessEnv } = {}) {
  writeFileSync(place.path("program.mjs"), translated(text));
  return execute(process.execPath, [...node, place.path("program.mjs")], {
    cwd: place.directory,
    env: { ...place.env, ...env },
    timeout: 500_000,
  });
}

test("importing the package loads no gRPC, no driver and no database; a template's file gets the language, and is refused the rest", async () => {
  const place = newPlace();
  const log = place.path("modules");
  const text = 'import * as all from "warpfarm"; console.log(JSON.stringify(Object.keys(all)));';
  const { stdout } = await run(place, text, { node: ["--import", hook], env: { MODULES_LOG: log } });
  const loaded = readFileSync(log, "utf8").trim().split("\n");
  const farms = /\/(?:proto|tracker|runner|builder|deploy)\/dist\/|@grpc|koffi|pglite|\/zod\//;
  expect(loaded.filter((url) => farms.test(url))).toEqual([]);
  expect(loaded.some((url) => url.endsWith("/client/dist/library/index.js"))).toBe(true);

  const library = (JSON.parse(stdout) as string[]).filter((name) => !(name in language));
  expect(library.sort()).toEqual(["best", "exportKernel", "measure", "openFarm", "openSearch", "records"]);
  for (const name of library) {
    const file = `t-${name}.ts`;
    writeFileSync(place.path(file), `import { ${name} } from "warpfarm";\nexport default ${name}({});\n`);
    const said = await command(place, ["space", `./${file}`]);
    const why = `${name} of warpfarm is for programs; a template or spec file describes kernels and opens, measures and reads nothing`;
    expect([said.code, said.stderr]).toEqual([2, expect.stringContaining(`${file}: ${why}`)]);
  }
});

test("the program of docs/library.md tunes; one embedded farm measures, remembers, exports and stops a program's work", async (ctx) => {
  needs(ctx, "cc");
  const place = newPlace();
  const [, program = ""] = /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(join(root, "docs", "library.md"), "utf8")) ?? [];
  expect(program.trimEnd().split("\n").length).toBeLessThanOrEqual(12);
  // The same search on the farm that is there, of fewer and shorter trials.
  const short = program
    .replace('device: "cpu"', "address: process.env.FARM")
    .replace("trials: 16 }", 'trials: 3 }, finalists: 0, measure: { min_repeat: "1ms" }')
    .replaceAll("128", "32");
  expect(short.length).toBeGreaterThan(program.length + 30);
  writeFileSync(place.path("short.mjs"), translated(short));
  const { stdout } = await run(place, uses);
  const [before = "", page = "", after = ""] = stdout.trim().split("\n[]\n");
  const lines = page.split("\n");
  const trials = lines.slice(0, -1).map((line) => /^(\d+): (?:[\d.]+ GFLOPS|failed GFLOPS)$/.exec(line)?.[1]);
  expect(trials).toEqual(["1", "2", "3"]);
  const [, seconds, best] = /^(\S+) (\[.*\])$/.exec(lines.at(-1) ?? "") ?? [];
  expect(Number(seconds)).toBeGreaterThan(0);
  expect((JSON.parse(best ?? "") as [string][]).map(([name]) => name)).toEqual(
    expect.arrayContaining(["C.step", "C.tile_i", "C.tile_j"]),
  );
  const facts = [...before.split("\n"), ...after.split("\n")];
  const said = Object.fromEntries(facts.map((line) => JSON.parse(line) as [string, unknown]));
  // The template of the program itself: 4 configs, each measured once.
  expect(said.own).toEqual({ reason: "exhausted", trials: 4, errors: { NO_ERROR: 4 } });
  expect(said.continued).toEqual(["resumed", 3, "trials", 5]);
  expect(said.measured).toEqual(["timed", true]);
  // Those of the searches and of `measure`, each with the config's values.
  expect(said.records).toEqual({ timed: true, isBestNear: true, ofLog: 5 });
  expect(said.files).toEqual(expect.arrayContaining(["matmul_derived.c", "matmul_derived.h"]));
  for (const file of said.files as string[]) expect(existsSync(place.path(`out/${file}`))).toBe(true);
  const closed = [
    "FAILED_PRECONDITION",
    expect.stringMatching(/^the farm at 127\.0\.0\.1:\d+ is closed; openFarm opens another$/),
  ];
  expect(said.refusals).toEqual({
    field: ["INVALID_ARGUMENT", "the search: budget.trials: it is 0; it takes at least 1"],
    task: ["INVALID_ARGUMENT", expect.stringContaining('there is no task "matmul_cpo"')],
    config: ["INVALID_ARGUMENT", expect.stringMatching(/^config is -1; matmul_derived has configs 0 to \d+$/)],
    device: ["UNAVAILABLE", expect.stringMatching(/^the task needs a cuda device: registered are cpu\//)],
    address: ["UNAVAILABLE", "cannot reach the tracker at 127.0.0.1:1: nothing listens there"],
    early: ["CANCELLED", "the search was stopped by its signal: AbortError"],
    queued: ["CANCELLED", "the search was stopped by its signal: enough"],
    running: ["CANCELLED", "the search was stopped by its signal: TimeoutError"],
    ...{ closed, devices: closed },
  });
});

/** Prints facts, each as a line of JSON; the program of the page runs between two empty lists. */
const uses = `
import { basename } from "node:path";
import { best, defineTemplate, exportKernel, graphOf, matmul, measure, openFarm, openSearch, placeholder, records, whole } from "warpfarm";

const say = (name, value) => console.log(JSON.stringify([name, value]));
const refusals = {};
const refused = async (name, work) => {
  try {
    await work();
    refusals[name] = "it did not fail";
  } catch (error) {
    refusals[name] = [error.code, error.message];
  }
};
const farm = await openFarm({ device: "cpu" });
const task = { task: "matmul_derived", args: { M: 64, N: 64, K: 64 } };
const short = { min_repeat: "1ms", cutoff: "none" };

const mine = defineTemplate({
  name: "mine",
  summary: "a product",
  targets: ["cpu"],
  args: { n: whole(64) },
  graph: ({ args: { n } }) => {
    const [a, b] = [placeholder("a", [n, n]), placeholder("b", [n, n])];
    return graphOf([a, b], [matmul(a, b, { name: "out" })]);
  },
  space: (space) => ({ rows: space.choice("rows", [1, 2, 4, 8]) }),
  schedule: (schedule, { rows }) => {
    const [y] = schedule.axes(schedule.stage("out"));
    schedule.split(y, [null, rows]);
  },
});
{
  await using search = await openSearch(farm, { task: mine, tuner: "grid", finalists: 0, measure: short });
  const { reason, trials, errors } = await search.result;
  say("own", { reason, trials, errors });
}

const quick = { ...task, tuner: "random", budget: { trials: 3 }, finalists: 0, measure: short };
{
  await using search = await openSearch(farm, quick, { log: "a.jsonl" });
  await search.result;
}
{
  await using search = await openSearch(farm, "a.jsonl", { budget: { trials: 5 } });
  const seen = [];
  for await (const event of search) {
    if (event.kind === "resumed") seen.push("resumed", event.trials);
    if (event.kind === "finished") seen.push(event.summary.reason, event.summary.trials);
  }
  say("continued", seen);
}

const [first] = await best("a.jsonl", task);
const config = first.record.config.entity;
const result = await measure(farm, { ...task, config, measure: short });
say("measured", [result.kind, result.checked]);
let fastest = Number.POSITIVE_INFINITY;
let ofLog = 0;
for await (const record of records("a.jsonl", { task: "matmul_derived", outcome: "timed" })) {
  const costs = [...record.result.costs].sort((a, b) => a - b);
  fastest = Math.min(fastest, (costs[(costs.length - 1) >> 1] + costs[costs.length >> 1]) / 2);
  ofLog++;
}
const timed = [];
for await (const record of records(farm, { task: "matmul_derived" })) timed.push(record.result.kind);
// Times within the noise, at most 5 %, are tied, and the configs' order decides.
const isBestNear = first.seconds >= fastest && first.seconds <= fastest * 1.05;
say("records", { timed: timed.length >= 6 && timed.every((kind) => kind === "timed"), isBestNear, ofLog });
const files = await exportKernel({ ...task, config }, { folder: "out" });
say("files", files.map((file) => basename(file)));

process.env.FARM = farm.address;
console.log("[]");
await import("./short.mjs");
console.log("[]");

await refused("field", () => openSearch(farm, { ...task, budget: { trials: 0 } }));
await refused("task", () => openSearch(farm, { task: "matmul_cpo" }));
await refused("config", () => measure(farm, { ...task, config: -1 }));
await refused("device", () => openSearch(farm, { task: "matmul_simt" }));
await refused("address", () => openFarm({ address: "127.0.0.1:1" }));
await refused("early", () => openSearch(farm, task, { signal: AbortSignal.abort() }));
await refused("queued", async () => {
  const stop = new AbortController();
  // The device is busy with the first search, whose results are not awaited.
  await using other = await openSearch(farm, { ...task, budget: { trials: 200 }, measure: short });
  other.result.catch(() => {});
  await using search = await openSearch(farm, { ...quick, priority: -100 }, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error("enough")), 50);
  await search.result;
});
await refused("running", async () => {
  const stop = new AbortController();
  await using search = await openSearch(farm, { ...task, budget: { trials: 200 }, measure: short }, { signal: stop.signal });
  for await (const event of search) if (event.kind === "trial") stop.abort(new DOMException("", "TimeoutError"));
});
const search = await openSearch(farm, { ...task, budget: { trials: 200 }, measure: short });
await farm[Symbol.asyncDispose]();
await refused("closed", () => search.result);
await refused("devices", () => farm.devices());
await search[Symbol.asyncDispose]();
say("refusals", refusals);
`;
