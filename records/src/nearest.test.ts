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
});
