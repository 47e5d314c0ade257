import { type Json, Random } from "@warpfarm/common";
import { type ConfigIndex, configToJson } from "@warpfarm/compiler";
import type { TuningRecord } from "@warpfarm/records";
import { expect, it } from "vitest";
import { createTask } from "../task/task.ts";
import { shareSourcesOf } from "./known-records.ts";
import { optionsOfRecords } from "./outlined.ts";
import { recordsIn } from "./transfer.ts";

const target = "cuda/sm_90";
const argsOf = (M: number, N: number, K: number): Json => ({ M, N, K, layout: "NN", dtype: "float16" });
const here = createTask("matmul_mma", argsOf(1024, 1024, 1024), target);
const there = createTask("matmul_mma", argsOf(512, 4096, 2048), target);

const recordOf = (index: ConfigIndex, i: number, change: Partial<TuningRecord> = {}): TuningRecord => ({
  id: `s/${i}`,
  origin: { kind: "measured", by: "" },
  task: there.name,
  args: there.args as readonly Json[],
  config: { index: 0, code_hash: null, entity: configToJson(there.space, there.space.get(index)).entity },
  target,
  device: { key: target, name: "H100" },
  result: { kind: "timed", costs: [1e-3 * (i + 1)], check: "passed" },
  timestampMs: 1,
  ...change,
});

it("a farm's records have the outlines that logs of the same results have", () => {
  const random = new Random(1);
  const indices = [...new Set(Array.from({ length: 40 }, () => there.space.toIndex(random.below(there.space.size))))];
  const sources = shareSourcesOf(
    here.space,
    indices.map((index, i) => recordOf(index, i)),
  );
  const rows = indices.map((index, i) => ({ index, seconds: 1e-3 * (i + 1) }));
  const [log] = recordsIn(here.space, [{ name: "log", task: there, rows }]);
  const { records: [source] = [], outline } = optionsOfRecords(here, sources);
  expect(source?.rows.length).toBeGreaterThan(10);
  expect(source?.rows.map(({ index, outline }) => [index, outline])).toEqual(
    log?.rows.map(({ index, outline }) => [index, outline]),
  );
  expect(source?.rows[0]?.outline?.extents).toEqual([512, 4096, 2048]);
  expect(outline?.(here.space.toIndex(3)).extents).toEqual([1024, 1024, 1024]);
  expect(optionsOfRecords(here, [])).toEqual({});
});

it("are as they were where nobody tells outlines: no shape is named, or one that the template refuses", () => {
  const rows = [{ index: here.space.toIndex(3), seconds: 1 }];
  const sources = [
    { name: "old", rows },
    { name: "refused", of: { args: argsOf(-1, 1, 1), target }, rows },
    { name: "elsewhere", of: { args: there.args as Json, target: "nowhere" }, rows },
  ];
  expect(optionsOfRecords(here, sources).records).toEqual(sources);
  const plain = createTask("matmul_cpu", undefined, "cpu/x86-64-v3");
  expect(optionsOfRecords(plain, sources).records).toBe(sources);
});
