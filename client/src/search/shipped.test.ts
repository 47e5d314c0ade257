import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Json } from "@warpfarm/common";
import { SpaceBuilder } from "@warpfarm/compiler";
import { createTask } from "@warpfarm/templates";
import { expect, test } from "vitest";
import { resultsIn } from "../tuner/known-records.ts";
import { warmStartWords } from "./farm-records.ts";
import { knowledgeIn, shippedFor, shippedWords, sourcesIn, withoutShipped, withShipped } from "./shipped.ts";
import { shippedDigests } from "./shipped-digests.ts";

const product = createTask("matmul_tma", { M: 1024, N: 2304, K: 768 }, "cuda/sm_90a");

test("every file of the package is read and belongs to this version", () => {
  const files = readdirSync(new URL("../../knowledge/", import.meta.url)).sort();
  expect(files).toEqual(Object.keys(shippedDigests).sort());
});

const repository = new URL("../../../", import.meta.url);
const textOf = (path: string): string => gunzipSync(readFileSync(new URL(path, repository))).toString();

test("every file names its recordings, the day of the newest, the licence and the command", () => {
  const manifest = JSON.parse(readFileSync(new URL("client/package.json", repository), "utf8"));
  for (const file of Object.keys(shippedDigests)) {
    const bytes = readFileSync(new URL(`client/knowledge/${file}`, repository));
    const { origin, date, licence, command } = knowledgeIn(file, bytes);
    expect(licence).toBe(manifest.license);
    expect(existsSync(new URL(command.split(" ")[1] ?? "", repository))).toBe(true);
    const days = origin.flatMap((path) => {
      const stamps = [...textOf(path).matchAll(/"timestamp_ms":(\d+)/g)].map(([, ms]) => Number(ms));
      // Recorded spaces have no time stamps; client/test/spaces/shapes/ORIGIN.md has their day.
      if (stamps.length === 0) return path.startsWith("client/test/spaces/shapes/") ? ["2026-11-27"] : [];
      return [new Date(Math.max(...stamps)).toISOString().slice(0, 10)];
    });
    expect(days).toHaveLength(origin.length);
    expect(date, file).toBe(days.sort().at(-1));
  }
});

test("none is of a shape that is held out", () => {
  const heldOut = JSON.parse(readFileSync(new URL("bench/held-out.json", repository), "utf8"));
  const of = (numbers: readonly unknown[], sorted: boolean) =>
    String(sorted ? numbers.slice(0, 3).toSorted((a, b) => Number(a) - Number(b)) : numbers.slice(0, 7));
  const products = heldOut.products.map((sides: number[]) => of(sides, true));
  const images = heldOut.convolutions.map((image: number[]) => of(image, false));
  expect([products.length, images.length]).toEqual([20, 20]);
  for (const file of Object.keys(shippedDigests))
    for (const { args } of knowledgeIn(file, readFileSync(new URL(`client/knowledge/${file}`, repository))).shapes)
      if (file.startsWith("conv")) expect(images).not.toContain(of(args, false));
      else expect(products).not.toContain(of(args, true));
});

test("a trial that was ended early is a bound, not a failure", () => {
  const path = "bench/results/logs/shapes-1000x1504x1040-NT-int8-matmul_tma-1.jsonl.gz";
  // A config whose program another one had before was not measured.
  const measured = textOf(path)
    .split("\n")
    .filter((line) => !line.includes('"duplicate_of"'));
  const ended = measured.filter((line) => line.includes('"kind":"slower"')).length;
  expect(ended).toBeGreaterThan(30);
  const args = { M: 1000, N: 1504, K: 1040, dtype: "int8", layout: "NT" };
  const task = createTask("matmul_tma", args, "cuda/sm_90a");
  const own = shippedFor(task).find(({ of }) => JSON.stringify(of?.args) === JSON.stringify(task.args));
  const rows = [...(own?.rows ?? []), ...(own?.others ?? [])];
  expect(rows.filter(({ isBound }) => isBound)).toHaveLength(ended);
  expect(rows.filter(({ seconds }) => seconds === undefined)).toHaveLength(0);
});

test("shapes of a derived family with other knobs keep their own values", () => {
  const rows = createTask("matmul_derived", { M: 33, N: 65, K: 7 }, "cpu/x86-64-v3");
  const whole = createTask("matmul_derived", { M: 64, N: 64, K: 64 }, "cpu/x86-64-v3");
  const names = whole.space.knobs.map(({ name }) => name);
  const has = (name: string) => rows.space.knobs.some((knob) => knob.name === name);
  expect(names.filter((name) => !has(name))).toEqual(["C.vector"]);
  const valuesOf = (task: typeof whole, index: number) => {
    const digits = task.space.digits(task.space.toIndex(index));
    return new Map<string, Json>(task.space.knobs.map((knob, i) => [knob.name, knob.decode(digits[i] ?? 0)]));
  };
  const rowOf = (task: typeof whole, index: number, time: Json) => [
    ...names.map((name) => valuesOf(task, index).get(name) ?? null),
    time,
  ];
  const shapes = [
    { args: rows.args, rows: [rowOf(rows, 3, 20), rowOf(rows, 7, { at_least: 30 }), rowOf(rows, 9, null)] },
    { args: whole.args, rows: [rowOf(whole, 5, 40)] },
  ];
  const file = {
    task: rows.name,
    target: rows.target,
    device: "a CPU",
    origin: [],
    date: "2026-11-29",
    licence: "",
    command: "",
  };
  const knowledge = { ...file, knobs: names, shapes: shapes as readonly { args: readonly Json[]; rows: Json[][] }[] };
  const of = (task: typeof whole) =>
    sourcesIn(knowledge, task).find((source) => JSON.stringify(source.of?.args) === JSON.stringify(task.args));
  expect(of(rows)?.name).toBe(`${JSON.stringify(rows.args)} on a CPU until 2026-11-29 (comes with Warpfarm)`);
  expect(of(rows)?.rows).toEqual([
    { index: 3, seconds: 20e-6 },
    { index: 7, seconds: 30e-6, isBound: true },
    { index: 9, seconds: undefined },
  ]);
  expect(of(whole)?.rows).toEqual([{ index: 5, seconds: 40e-6 }]);
  // Results of the other shape have a knob too many, or too few.
  for (const task of [rows, whole]) expect(sourcesIn(knowledge, task)).toHaveLength(1);
  // Those that come with the package are of GPUs.
  expect(shippedFor(whole)).toEqual([]);
});

test("a shape finds all of its own results in each file, also where a knob is a split", () => {
  for (const file of Object.keys(shippedDigests)) {
    const knowledge = knowledgeIn(file, readFileSync(new URL(`client/knowledge/${file}`, repository)));
    const [shape] = knowledge.shapes;
    const task = createTask(knowledge.task, shape?.args as Json, knowledge.target);
    const own = sourcesIn(knowledge, task).find(({ of }) => JSON.stringify(of?.args) === JSON.stringify(task.args));
    expect((own?.rows.length ?? 0) + (own?.others?.length ?? 0), file).toBe(shape?.rows.length);
  }
  const builder = new SpaceBuilder();
  builder.choice("unroll", [0, 1]);
  builder.split("tile", { loop: "i", extent: 8 }, { parts: 2 });
  const rows = [
    [[-1, 4], 1, 20],
    [[-1, 8], 0, 30],
  ];
  const file = { task: "", target: "", device: "", origin: [], date: "", licence: "", command: "" };
  const [source] = sourcesIn({ ...file, knobs: ["tile", "unroll"], shapes: [{ args: [8], rows }] }, { space: builder.build() });
  // Unrolled or not changes fastest; 4 is the third divisor.
  expect(source?.rows).toEqual([
    { index: 5, seconds: 20e-6 },
    { index: 6, seconds: 30e-6 },
  ]);
});

test("a file of which one byte is another, or of another name, is not believed", () => {
  const [first = "", second = ""] = Object.keys(shippedDigests);
  const bytes = readFileSync(new URL(`../../knowledge/${first}`, import.meta.url));
  expect(knowledgeIn(first, bytes).shapes.length).toBeGreaterThan(0);
  const words = /is not the file that belongs to this version of Warpfarm; install it anew, or begin with --transfer none$/;
  // A time stamp in the head of gzip changes nothing that is unpacked.
  const changed = Uint8Array.from(bytes, (byte, at) => (at === 4 ? byte + 1 : byte));
  expect(() => knowledgeIn(first, changed)).toThrow(words);
  expect(() => knowledgeIn(second, bytes)).toThrow(words);
});

test("a product that nobody tuned begins with results of other shapes, the fastest of each far ahead of its slowest", () => {
  const sources = shippedFor(product);
  expect(sources.length).toBeGreaterThan(20);
  expect(resultsIn(sources)).toBeGreaterThan(2_000);
  for (const { name, of, rows, others = [] } of sources) {
    expect(name).toMatch(/^\[.*\] on NVIDIA H\d+.* until 2026-\d\d-\d\d \(comes with Warpfarm\)$/);
    expect(of?.args).not.toEqual(product.args);
    for (const { index } of rows) expect(product.space.digits(index)).toHaveLength(product.space.knobs.length);
    const seconds = [...rows, ...others].flatMap((row) => (row.seconds === undefined ? [] : [row.seconds]));
    // Microseconds to tenths of seconds: a unit that is wrong by a thousand is outside.
    expect(Math.min(...seconds)).toBeGreaterThan(1e-6);
    expect(Math.max(...seconds)).toBeLessThan(0.1);
  }
});

test("the published product of 4096 has its own results among them, found by values", () => {
  const same = createTask("matmul_tma", { M: 4096, N: 4096, K: 4096 }, "cuda/sm_90a");
  const own = shippedFor(same).find(({ of }) => JSON.stringify(of?.args) === JSON.stringify(same.args));
  expect(own?.rows.length).toBeGreaterThan(10);
});

test("none is for another backend, a template without results, or a tuner that cannot begin with records", () => {
  expect(shippedFor(createTask("conv2d_nchw_cpu", undefined, "cpu/x86-64-v3"))).toEqual([]);
  expect(shippedFor(createTask("conv2d_hwcn", undefined, "cuda/sm_90"))).toEqual([]);
  expect(withShipped([], product, "random")).toEqual([]);
  // A user's file may have the name of a template that comes with Warpfarm.
  expect(shippedFor({ ...product, word: "./matmul_tma.ts" })).toEqual([]);
});

test("its source is told apart from the farm's, in words and in what is left without it", () => {
  const shipped = shippedFor(product);
  const farm = { name: "[512] on another", rows: [{ index: product.space.toIndex(0), seconds: 1 }] };
  const words = shippedWords(shipped);
  expect(words).toMatch(
    /^\d+ results of \d+ shapes that come with Warpfarm, measured on NVIDIA H100 .* until [\d-]+ and NVIDIA H200 until [\d-]+$/,
  );
  expect(shippedWords([farm])).toBeUndefined();
  expect(withoutShipped([farm, ...shipped])).toEqual([farm]);
  expect(warmStartWords(shipped)).toBe(`begins with ${words} (--transfer none skips them)`);
  expect(warmStartWords([farm, ...shipped])).toBe(
    `warm start: 1 results of the farm's records, of ${farm.name}, and ${words} (--transfer none skips them)`,
  );
});
