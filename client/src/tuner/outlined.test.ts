import { type Json, Random } from "@warpfarm/common";
import { type ConfigIndex, configToJson } from "@warpfarm/compiler";
import type { TuningRecord } from "@warpfarm/records";
import { createTask } from "@warpfarm/templates";
import { expect, it } from "vitest";
import { shareSourcesOf } from "./known-records.ts";
import { optionsOfRecords } from "./outlined.ts";
import { recordsIn } from "./transfer.ts";

const target = "cuda/sm_90";
const argsOf = (M: number, N: number, K: number): Json => ({ M, N, K, layout: "NN", dtype: "float16" });
const here = createTask("matmul_mma", argsOf(1024, 1024, 1024), target);
const there = createTask("matmul_mma", argsOf(512, 4096, 2048), target);

const recordOf = (index: ConfigIndex, i: number, of = there): TuningRecord => ({
  id: `s/${i}`,
  origin: { kind: "measured", by: "" },
  task: of.name,
  args: of.args as readonly Json[],
  config: { index: 0, code_hash: null, entity: configToJson(of.space, of.space.get(index)).entity },
  target,
  device: { key: target, name: "H100" },
  result: { kind: "timed", costs: [1e-3 * (i + 1)], checked: true },
  timestampMs: 1,
});

it("a farm's records have the outlines that logs of the same results have", () => {
  const random = new Random(1);
  const indices = [...new Set(Array.from({ length: 40 }, () => there.space.toIndex(random.below(there.space.size))))];
  const sources = shareSourcesOf(
    here.space,
    indices.map((index, i) => recordOf(index, i)),
  );
  const rows = indices.map((index, i) => ({ index, seconds: 1e-3 * (i + 1) }));
  const [log] = recordsIn(here, [{ name: "log", task: there, rows }]);
  const { records: [source] = [], outline } = optionsOfRecords(here, sources);
  expect(source?.rows.length).toBeGreaterThan(10);
  expect(source?.rows.map(({ index, outline }) => [index, outline])).toEqual(
    log?.rows.map(({ index, outline }) => [index, outline]),
  );
  expect(source?.rows[0]?.outline?.extents).toEqual([512, 4096, 2048]);
  expect(outline?.(here.space.toIndex(3)).extents).toEqual([1024, 1024, 1024]);
  expect(optionsOfRecords(here, [])).toEqual({});
});

it("records of configs that this space has not have the numbers of their own space, as logs have", () => {
  const convolution = (CI: number, K: number): Json => [1, 14, 14, 64, CI, K, K, [1, 1], [(K - 1) / 2, (K - 1) / 2]];
  const taskOf = (args: Json) => createTask("conv2d_nchw_gemm", args, target);
  const [small, large] = [taskOf(convolution(64, 1)), taskOf(convolution(64, 3))];
  const indices = Array.from({ length: 30 }, (_, i) => large.space.toIndex(i * 2003));
  const records = indices.map((index, i) => recordOf(index, i, large));
  const [found] = optionsOfRecords(small, shareSourcesOf(small.space, records, true)).records ?? [];
  const rows = indices.map((index, i) => ({ index, seconds: (i + 1) / 1000 }));
  const [log] = recordsIn(small, [{ name: "log", task: large, rows }]);
  const byTime = (others: NonNullable<typeof found>["others"]) =>
    [...(others ?? [])].sort((a, b) => (a.seconds ?? 0) - (b.seconds ?? 0));
  expect(found?.others?.length).toBeGreaterThan(3);
  expect(found?.rows.length).toBeGreaterThan(3);
  expect(byTime(found?.others)).toEqual(byTime(log?.others));
  // 576 products are split 16 times, 64 only twice.
  const [other] = found?.others ?? [];
  const index = large.space.indexOf(new Map(large.space.knobs.map(({ name }, i) => [name, other?.values[i]])));
  expect(other?.features).toEqual(large.space.features(large.space.toIndex(index as number)));
  expect(other?.outline).toEqual(large.outline?.(large.space.toIndex(index as number)));
  expect(other?.outline?.splits).toBeGreaterThan(2);
  // Another template's results are no other shape's.
  expect(recordsIn({ name: "else", space: small.space }, [{ name: "log", task: large, rows }])[0]?.others).toBeUndefined();
});

it("are as they were where nobody tells outlines: no shape is named, or one that the template refuses", () => {
  const rows = [{ index: here.space.toIndex(3), seconds: 1 }];
  const sources = [
    { name: "old", rows },
    { name: "refused", of: { args: argsOf(-1, 1, 1), target }, rows },
    { name: "elsewhere", of: { args: there.args as Json, target: "nowhere" }, rows },
  ];
  expect(optionsOfRecords(here, sources).records).toEqual(sources);
  const plain = createTask("matmul_derived", undefined, "cpu/x86-64-v3");
  expect(optionsOfRecords(plain, sources).records).toEqual(sources);
});

it("configs are found by their values where the other shape has other knobs, or the same in another order of entries", () => {
  const on = "cpu/x86-64-v3";
  const [few, whole] = [
    createTask("matmul_derived", { M: 33, N: 65, K: 7 }, on),
    createTask("matmul_derived", { M: 64, N: 64, K: 64 }, on),
  ];
  const namesOf = ({ space }: typeof few) => space.knobs.map(({ name }) => name);
  expect(namesOf(few)).not.toEqual(namesOf(whole));
  const entity = configToJson(few.space, few.space.get(5)).entity;
  const rows = [{ index: whole.space.toIndex(5), seconds: 1 }];
  const of = { args: few.args as Json, target: on };
  // None of its knobs is missing there, but one is too many.
  expect(optionsOfRecords(whole, [{ name: "few", of, rows }]).records?.[0]?.rows).toEqual(rows);
  const back = optionsOfRecords(few, [{ name: "own", of, rows: [{ index: few.space.toIndex(5), seconds: 1 }] }]).records;
  expect(back?.[0]?.rows[0]?.features).toEqual(few.space.features(few.space.toIndex(5)));
  expect(entity.length).toBe(few.space.knobs.length);

  const convolution = (size: number): Json => [1, size, size, 256, 64, 1, 1, [1, 1], [0, 0], "skip"];
  const [a, b] = [14, 28].map((size) => createTask("conv2d_splitk", convolution(size), target)) as [typeof few, typeof few];
  const shared = Array.from({ length: 400 }, (_, i) => a.space.toIndex((i * 61) % a.space.size)).flatMap((index) => {
    const values = new Map(a.space.get(index).values);
    const there = b.space.indexOf(values);
    return there === undefined ? [] : [{ index, there }];
  });
  expect(shared.length).toBeGreaterThan(20);
  const source = { name: "b", of: { args: b.args as Json, target }, rows: shared.map(({ index }) => ({ index, seconds: 1 })) };
  const [found] = optionsOfRecords(a, [source]).records ?? [];
  const features = found?.rows.map((row) => row.features);
  expect(features).toEqual(shared.map(({ there }) => b.space.features(there)));
  // The same values have the same numbers here, where the tile's place in its list is another.
  expect(features).toEqual(shared.map(({ index }) => a.space.features(index)));
  const tile = a.space.knobs.findIndex(({ name }) => name === "tile");
  expect(shared.some(({ index, there }) => a.space.digits(index)[tile] !== b.space.digits(there)[tile])).toBe(true);
});

it("shapes are remembered while others of the latest 300 are asked for, and forgotten then", () => {
  const row = { index: here.space.toIndex(3), seconds: 1 };
  const said = ({ args }: typeof there) =>
    optionsOfRecords(here, [{ name: "one", of: { args: args as Json, target }, rows: [row] }]).records?.[0]?.rows[0]?.features;
  let last = 0;
  /** Of arguments that the template refuses: that is remembered, too. */
  const others = (count: number) =>
    Array.from({ length: count }, () =>
      optionsOfRecords(here, [{ name: "other", of: { args: argsOf(--last, 1, 1), target }, rows: [row] }]),
    );
  const first = said(there);
  for (let round = 0; round < 3; round++) {
    others(299);
    // What is remembered is the very same list.
    expect(said(there)).toBe(first);
  }
  others(300);
  const anew = said(there);
  expect(anew).not.toBe(first);
  expect(anew).toEqual(first);
});
