/** The records of a farm with which a search of a kernel begins: those of its text and spec, not those of its name. */
import { type Json, ManualClock, systemClock } from "@warpfarm/common";
import { configToJson } from "@warpfarm/compiler";
import type { RecordQuery, RecordStore, StoreCall, TuningRecord } from "@warpfarm/records";
import { createTask, type Task } from "@warpfarm/templates";
import { describe, expect, it } from "vitest";
import { saysRecords } from "../cli/records/standing-words.ts";
import { createKernelTask, type KernelSource } from "../kernel/kernel-task.ts";
import { readSpec } from "../kernel/spec.ts";
import { tuners } from "../tuner/index.ts";
import { beginningOf, beginningWords, FarmRecords } from "./farm-records.ts";

const silent = { warn: () => {}, found: () => {} };
function kernelOf(text: string): KernelSource {
  const spec = readSpec({
    problem: { n: 64 },
    tunables: { B: [32, 64] },
    args: [{ name: "c", dtype: "float32", shape: ["n"], role: "out" }],
    kernels: [{ entry: "f", grid: ["n"], block: ["B"] }],
  });
  if (!spec.ok) throw new Error(spec.error);
  return {
    kind: "cuda_source",
    name: "k",
    word: "./k.cu",
    targets: [{ kind: "cuda" }],
    spec: spec.value,
    files: { "k.cu": text },
  };
}
const recordOf = ({ name, args, target, space }: Task, index: number, costs: readonly number[]): TuningRecord => ({
  id: `${index}`,
  origin: { kind: "measured", by: "local" },
  timestampMs: 0,
  task: name,
  template: name,
  args,
  target,
  config: configToJson(space, space.get(space.toIndex(index))),
  device: { key: "cuda/sm_90", name: "one" } as TuningRecord["device"] & object,
  result: { kind: "timed", costs } as unknown as TuningRecord["result"],
});

it("holds the digest of the kernel against that of the record", async () => {
  const small = createKernelTask(kernelOf("// a"), { n: 8 }, "cuda/sm_90");
  const other = createKernelTask(kernelOf("// b"), { n: 8 }, "cuda/sm_90");
  const records = [recordOf(small, 1, [3e-6, 1e-6, 2e-6]), recordOf(other, 0, [1e-6])];
  const query = async () => ({ records });
  const store = { query } as unknown as Pick<RecordStore, "query">;
  const farm = new FarmRecords(store, systemClock, silent);
  const task = createKernelTask(kernelOf("// a"), undefined, "cuda/sm_90");
  const { signal } = new AbortController();
  expect(await farm.of(task, "auto", signal)).toEqual([
    {
      name: `${JSON.stringify(small.args)} on one`,
      of: expect.anything(),
      rows: [{ index: task.space.toIndex(1), seconds: 2e-6 }],
    },
  ]);
  expect(await farm.of(createKernelTask(kernelOf("// c"), undefined, "cuda/sm_90"), "auto", signal)).toEqual([]);
  expect(await farm.of(task, "random", signal)).toEqual([]);
});

it("leaves out records of a version of the template whose values meant other programs", async () => {
  const task = { ...createTask("matmul_derived", undefined, "cpu/x86-64-v3"), version: "2" };
  const of = (index: number, templateVersion?: string): TuningRecord => ({
    ...recordOf(task, index, [1e-6]),
    ...(templateVersion === undefined ? {} : { templateVersion }),
  });
  const { template: _, ...foreign } = of(4, "2");
  const records = [
    of(1),
    of(2, "1"),
    of(3, "2"),
    { ...foreign, origin: { kind: "imported", by: "local", format: "autotvm" } as const },
  ];
  const store = { query: async () => ({ records }) } as unknown as Pick<RecordStore, "query">;
  const rowsOf = async (one: Task) =>
    (await new FarmRecords(store, systemClock, silent).of(one, "auto", new AbortController().signal)).map(({ rows }) => rows);
  expect(await rowsOf(task)).toEqual([[{ index: 3, seconds: 1e-6 }]]);
  // Every edit of a user's file is a version of it.
  expect(await rowsOf({ ...task, word: "./mine.ts" })).toMatchObject([[{ index: 1 }, { index: 2 }, { index: 3 }, { index: 4 }]]);
});

it("where no records say anything, the configs that the template names come first, in its order, by any tuner with a model", () => {
  const task = createTask("matmul_tma", { M: 2048, N: 11008, K: 4096, layout: "NT" }, "cuda/sm_90a");
  const { starts = [] } = task;
  expect(starts.length).toBeGreaterThan(3);
  const beginning = beginningOf([], task, "auto");
  expect(beginning).toEqual({ sources: [], starts });
  for (const name of ["auto", "xgb"] as const) {
    const tuner = tuners[name]({ space: task.space, seed: 1, isValid: (index) => index !== starts[1], starts });
    // One that the device cannot launch is left out.
    expect(tuner.ask(starts.length - 1)).toEqual(starts.filter((_, i) => i !== 1));
  }
  expect(beginningWords(beginning, task.name)).toBe(
    `begins with ${starts.length} configs that matmul_tma names (--transfer none skips them)`,
  );
  // Behind the first of another shape's results; without those that the very shape has; not with a tuner that uses none, and of
  // a kernel.
  const places = Array.from({ length: 32 }, (_, i) => task.space.toIndex(task.space.valid.nth(i)));
  const rows = places.map((index, i) => ({ index, seconds: 2 + i }));
  const ofShape = (args: readonly Json[]) => [{ name: "s", of: { args: [...args], target: task.target }, rows }];
  const other = beginningOf(ofShape([64, ...task.args.slice(1)]), task, "auto");
  expect(other.starts).toEqual(starts);
  const both = tuners.auto({ space: task.space, seed: 1, isValid: () => true, starts, records: other.sources });
  const [first, ...others] = both.ask(starts.length + 2);
  expect(first).toBe(places[0]);
  expect([others.slice(0, -1), places.includes(others.at(-1) as never)]).toEqual([starts, true]);
  expect(beginningOf(ofShape(task.args), task, "auto").starts).toEqual(starts.filter((start) => !places.includes(start)));
  const measured = starts.slice(1, 3).map((index) => ({ index, seconds: 1 }));
  const some = [{ name: "s", of: { args: [...task.args], target: task.target }, rows: measured }];
  expect(beginningOf(some, task, "auto").starts).toEqual([starts[0], ...starts.slice(3)]);
  expect(beginningOf([], task, "random")).toEqual({ sources: [], starts: [] });
  const { starts: _, ...kernel } = task;
  expect(beginningWords(beginningOf([], kernel, "auto"), "k")).toBeUndefined();
});

it("asks for what is verified or its own, and says how many results nobody verified and how many wait", async () => {
  const task = createTask("matmul_derived", { M: 64, N: 64, K: 64 }, "cpu/x86-64-v3");
  const marks = ["unverified", "verified", "own", "unverified"] as const;
  const asked: object[] = [];
  const store = {
    async query(query: object, o: StoreCall = {}) {
      asked.push(query);
      o.waiting?.(12);
      return { records: marks.map((standing, i) => ({ ...recordOf(task, i, [1e-6]), standing })) };
    },
  } as unknown as Pick<RecordStore, "query">;
  const found: unknown[] = [];
  const says = {
    warn: () => {},
    found: (...told: unknown[]) => void found.push([told[0], (told[1] as unknown[]).length, told[2]]),
  };
  const farm = new FarmRecords(store, systemClock, says);
  const { signal } = new AbortController();
  for (const _ of [1, 2]) expect((await farm.of(task, "auto", signal))[0]?.rows).toHaveLength(4);
  expect(asked).toEqual([{ task: "matmul_derived", believed: true, limit: 1000 }]);
  expect(found).toEqual([["matmul_derived", 4, 12]]);
  let said = "";
  const records = marks.map((standing, i) => ({ ...recordOf(task, i, [1e-6]), standing }));
  saysRecords({ stderr: { write: (text) => (said += String(text)) } }).found("matmul_derived", records, 12);
  expect(said).toBe(
    "the farm's records of matmul_derived: 2 own, unverified; 12 results of others wait for verification by a builder\n",
  );
});

describe("records of many searches", () => {
  const task = createTask("matmul_derived", { M: 64, N: 64, K: 64 }, "cpu/x86-64-v3");
  const { signal } = new AbortController();
  /** A farm with so many records, and what it was asked. */
  function farmOf(count: number, clock = new ManualClock()) {
    const asked: RecordQuery[] = [];
    const query = async (of: RecordQuery) => {
      asked.push(of);
      const from = Number(of.cursor ?? 0);
      const to = Math.min(count, from + (of.limit ?? 0));
      const records = Array.from({ length: to - from }, () => recordOf(task, 1, [1e-6]));
      return { records, ...(to < count ? { next: `${to}` } : {}) };
    };
    const told: number[] = [];
    const says = { warn: () => {}, found: (_: string, records: readonly unknown[]) => void told.push(records.length) };
    const store = { query } as unknown as Pick<RecordStore, "query">;
    return { farm: new FarmRecords(store, clock, says), clock, asked, told };
  }

  it("are read in pages of 1000, 4000 at most", async () => {
    for (const [count, cursors, read] of [
      [1000, [undefined], 1000],
      [1001, [undefined, "1000"], 1001],
      [4000, [undefined, "1000", "2000", "3000"], 4000],
      [9000, [undefined, "1000", "2000", "3000"], 4000],
    ] as const) {
      const { farm, asked, told } = farmOf(count);
      await farm.of(task, "auto", signal);
      expect([asked.map(({ cursor }) => cursor), told]).toEqual([cursors, [read]]);
    }
  });

  it("are asked for once a minute, for each template by itself", async () => {
    const { farm, clock, asked } = farmOf(1);
    const other = createTask("conv2d_nchw_cpu", [1, 6, 7, 8, 4, 3, 3, 1, 1], "cpu/x86-64-v3");
    const times = async (...of: readonly Task[]) => {
      for (const one of of) await farm.of(one, "auto", signal);
      return asked.map(({ task: name }) => name);
    };
    const [first, second] = [task.name, other.name];
    expect(await times(task, task, other)).toEqual([first, second]);
    clock.advance(59_999);
    expect(await times(task, other)).toEqual([first, second]);
    clock.advance(1);
    expect(await times(task, other, task)).toEqual([first, second, first, second]);
    clock.advance(59_999);
    expect(await times(task)).toHaveLength(4);
  });
});
