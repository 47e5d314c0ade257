import { expect, it } from "vitest";
import { sharedLayout } from "../ir/shared-layout.ts";
import { unlimited, verifyLimits } from "./limits.ts";

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
