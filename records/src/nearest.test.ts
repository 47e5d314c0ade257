import { expect, it } from "vitest";
import { h200, record, timed } from "../../test-support/record-store-contract.ts";
import { nearestBest, shapeDistance } from "./nearest.ts";
import { MemoryStore } from "./store/memory.ts";

it("shapes are near by the ratios of their numbers; what is no number is the same or they are not compared", () => {
  expect(shapeDistance([64, 64], [64, 64])).toBe(0);
  expect(shapeDistance([64, [2, 2]], [128, [2, 4]])).toBeCloseTo(2 * Math.log(2));
  expect(shapeDistance([1, 0], [1, 2])).toBe(2);
  expect(shapeDistance([64, "float16"], [64, "float32"])).toBeUndefined();
  expect(shapeDistance([64], [64, 64])).toBeUndefined();
});

it("the nearest shape that counts is suggested with its best; the exact one never is", async () => {
  const store = new MemoryStore();
  await store.append([
    record("near-uncounted", { args: [65, 64, 64], origin: { kind: "imported", by: "a", format: "csv" } }),
    record("near", { args: [96, 64, 64], result: timed(3e-3) }),
    record("near-slower", { args: [96, 64, 64], result: timed(4e-3) }),
    record("near-h200", { args: [80, 64, 64], device: h200 }),
    record("far", { args: [640, 64, 64], result: timed(1e-3) }),
    record("exact-failed", { args: [66, 64, 64], result: { kind: "failed", errorNo: 4, message: "" } }),
  ]);
  const query = { task: "matmul", args: [66, 64, 64] };
  expect(await nearestBest(store, query)).toMatchObject({ args: [80, 64, 64], best: [{ record: { id: "near-h200" } }] });
  expect(await nearestBest(store, { ...query, deviceName: "NVIDIA H100" })).toMatchObject({
    args: [96, 64, 64],
    distance: Math.log(96 / 66),
    best: [{ record: { id: "near" } }],
  });
  expect(await nearestBest(store, { ...query, origin: "any" })).toMatchObject({ args: [65, 64, 64] });
  expect(await nearestBest(store, { ...query, task: "conv" })).toBeUndefined();
  expect(await nearestBest(store, { ...query, args: [80, 64, 64] })).toMatchObject({ args: [96, 64, 64] });
});

it("of a near shape the best is chosen of the kernels that fit, else of the next nearest; those that do not count are left out", async () => {
  const store = new MemoryStore();
  const of = (id: string, seconds: number, change: object = {}) =>
    record(id, { args: [96, 64, 64], result: timed(seconds), ...change });
  await store.append([
    of("fast", 1e-3),
    of("fits", 2e-3),
    of("fits-tied", 2.001e-3),
    of("fits-slower", 3e-3),
    of("fits-uncounted", 0.5e-3, { result: { kind: "timed", costs: [0.5e-3], checked: false } }),
    of("fits-lucky-1", 1.9e-3, { program: "lucky" }),
    of("fits-lucky-2", 9e-3, { program: "lucky" }),
    of("fits-lucky-3", 9e-3, { program: "lucky" }),
    record("far", { args: [640, 64, 64], result: timed(1e-3) }),
  ]);
  const query = { task: "matmul", args: [66, 64, 64] };
  const of96 = await nearestBest(store, query, { fits: ({ id }) => id.startsWith("fits") });
  expect(of96).toMatchObject({
    args: [96, 64, 64],
    best: [{ tied: [{ record: { id: "fits" } }, { record: { id: "fits-tied" } }] }],
  });
  expect(await nearestBest(store, query, { fits: ({ id }) => id === "far" })).toMatchObject({ args: [640, 64, 64] });
  expect(await nearestBest(store, query, { fits: () => false })).toBeUndefined();
});

it("the newest 5,000 timed records of the task are looked at, in pages, and no older ones", async () => {
  const records = Array.from({ length: 5_001 }, (_, i) => record(`r${i}`, { args: [1000, 64, 64], timestampMs: 1e12 - i }));
  const near = (at: number, size: number) => records.with(at, record("near", { args: [size, 64, 64], timestampMs: 1e12 - at }));
  const nearestOf = async (all: readonly ReturnType<typeof record>[]) => {
    const store = new MemoryStore();
    await store.append(all);
    return (await nearestBest(store, { task: "matmul", args: [66, 64, 64] }))?.args[0];
  };
  expect([await nearestOf(near(4_999, 65)), await nearestOf(near(5_000, 65))]).toEqual([65, 1000]);
});
