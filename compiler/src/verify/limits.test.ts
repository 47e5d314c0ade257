import { expect, it } from "vitest";
import { sharedLayout } from "../ir/shared-layout.ts";
import { type Limits, unlimited, verifyLimits } from "./limits.ts";

const arrays = [
  { bytes: 100, inTiles: false, scope: "shared", launch: 0 },
  { bytes: 20, inTiles: true, scope: "shared", launch: 0 },
] as const;

it("counts shared memory as it is laid out: arrays start at multiples of 16 bytes, those of intrinsics of 128", () => {
  expect(sharedLayout(arrays)).toEqual({ offsets: [0, 128], bytes: 160 });
  const launches = [{ name: "k", grid: [1, 1, 1], block: [1, 1, 1] }] as const;
  const asked = (sharedBytesPerBlock: number) =>
    verifyLimits({ launches, vectors: [], allocations: arrays }, { ...unlimited, name: "t", sharedBytesPerBlock });
  expect(asked(160)).toEqual([]);
  expect(asked(159).map(({ rule }) => rule)).toEqual(["gpu.shared_bytes"]);
});

const limits: Limits = {
  ...unlimited,
  name: "t",
  threadsPerBlock: 1024,
  block: [512, 256, 64],
  grid: [1000, 100, 10],
  cluster: 8,
};
const one = { name: "k", grid: [1, 1, 1], block: [1, 1, 1] } as const;
it.each([
  ["gpu.threads", { block: [512, 2, 1] }, { block: [41, 25, 1] }],
  ["gpu.block_x", { block: [512, 1, 1] }, { block: [513, 1, 1] }],
  ["gpu.block_y", { block: [1, 256, 1] }, { block: [1, 257, 1] }],
  ["gpu.block_z", { block: [1, 1, 64] }, { block: [1, 1, 65] }],
  ["gpu.grid_x", { grid: [1000, 1, 1] }, { grid: [1001, 1, 1] }],
  ["gpu.grid_y", { grid: [1, 100, 1] }, { grid: [1, 101, 1] }],
  ["gpu.grid_z", { grid: [1, 1, 10] }, { grid: [1, 1, 11] }],
  ["gpu.cluster", { cluster: 8 }, { cluster: 9 }],
] as const)("%s: as many as allowed, and no more", (rule, most, more) => {
  const rules = (launch: object) =>
    verifyLimits({ launches: [one, { ...one, ...launch }], vectors: [], allocations: [] }, limits).map((found) => found.rule);
  expect([rules(most), rules(more)]).toEqual([[], [rule]]);
});

it("shared memory is each launch's own, and vectors have whole bytes, as many as allowed", () => {
  const launches = [one, { ...one, name: "l" }];
  const allocations = [
    { bytes: 300, inTiles: false, scope: "shared", launch: 0 },
    { bytes: 200, inTiles: false, scope: "shared", launch: 1 },
  ] as const;
  const asked = { ...limits, sharedBytesPerBlock: 299 };
  expect(verifyLimits({ launches, vectors: [], allocations }, asked)).toEqual([
    { rule: "gpu.shared_bytes", message: 'shared memory of "k" in bytes is 304; t allows 299' },
  ]);
  const vectors = (lanes: number, dtype: "float32" | "int4") =>
    verifyLimits({ launches: [], vectors: [{ name: "v", lanes, dtype }], allocations: [] }, { ...limits, vectorBytes: 16 })
      .length;
  expect([vectors(4, "float32"), vectors(5, "float32"), vectors(32, "int4"), vectors(3, "int4")]).toEqual([0, 1, 0, 1]);
});
