import { toArtifactDigest } from "@warpfarm/common";
import { expect, it } from "vitest";
import { compared } from "./replay.ts";

const artifact = toArtifactDigest(`sha256:${"a".repeat(64)}`);
const device = { key: "cuda/sm_90", name: "H100", uuid: "GPU-1", node: "n", driver: "580" };
const receipt = {
  device: { key: "cuda/sm_90", name: "H100", uuid: "GPU-1", driver: "580" },
  subjects: new Map([["artifact", artifact as string]]),
  options: { judged: true },
  l2: "rotated",
  checked: true,
  prediction: { level: 0.99, low: 1, high: 2 },
} as const;
const result = (more: object) =>
  ({
    kind: "timed",
    costs: [1.5, 1.5, 9],
    checked: true,
    artifact,
    device,
    observations: {},
    toolchain: "nvrtc 13.0",
    ...more,
  }) as unknown as Parameters<typeof compared>[1];

it.each([
  [{}, { verdict: "inside", seconds: 1.5, isSameCard: true }],
  [{ device: { ...device, uuid: "GPU-2" } }, { verdict: "inside", seconds: 1.5, isSameCard: false }],
  [{ costs: [1, 1, 1] }, { verdict: "inside", seconds: 1, isSameCard: true }],
  [{ costs: [2, 0.1, 9] }, { verdict: "inside", seconds: 2, isSameCard: true }],
  [{ costs: [2.001] }, { verdict: "outside", seconds: 2.001, isSameCard: true }],
  [{ costs: [0.999] }, { verdict: "outside", seconds: 0.999, isSameCard: true }],
])("a measurement under the same conditions is inside or outside: %j", (more, verdict) => {
  expect(compared(receipt, result(more))).toEqual(verdict);
});

it.each([
  [{ device: { ...device, name: "H200" } }, /it was measured on H100 \(cuda\/sm_90\), and this on H200/],
  [{ device: { ...device, key: "cuda/sm_100" } }, /and this on H100 \(cuda\/sm_100\)/],
  [{ device: { ...device, driver: "590" } }, /with driver 580, and this with 590/],
  [{ artifact: toArtifactDigest(`sha256:${"b".repeat(64)}`) }, /the compiler here made sha256:b+ \(nvrtc 13\.0\)/],
  [{ observations: { steady: false } }, /power did not get steady/],
  [{ judged: { not: "in-out" } }, /its L2 cache was rotated, and here it was warm/],
  [{ checked: false }, /its outputs were compared, and here they were not/],
])("another condition is not comparable: %j", (more, why) => {
  expect(compared(receipt, result(more))).toEqual({ verdict: "not comparable", why: expect.stringMatching(why) });
});
