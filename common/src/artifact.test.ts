import { expect, it } from "vitest";
import { buffersOf, type ManifestKernel, manifestVersionOf } from "./artifact.ts";
import type { TensorMap } from "./tensor-map.ts";

const kernel: ManifestKernel = {
  name: "k",
  grid: [1, 1, 1],
  block: [1, 1, 1],
  dynamic_shared_bytes: 65_536,
  cluster: [2, 1, 1],
  args: ["a"],
};
const buffer = { name: "a", dtype: "int32", shape: [4], bytes: 16, align: 64, role: "in", reduction: 1 } as const;
const map: TensorMap = {
  buffer: "b",
  type: "float32",
  dims: [4],
  strides_bytes: [],
  box: [4],
  element_strides: [1],
  swizzle: 0,
  interleave: 0,
  l2: 0,
  oob: "zeros",
};

it("a manifest has the version of the newest thing that it says, and no later one", () => {
  const version = (over: Partial<ManifestKernel>, more: object = {}) =>
    manifestVersionOf({ kernels: [kernel, { ...kernel, ...over }], buffers: [buffer], ...more });
  expect(version({})).toBe(1);
  expect(version({}, { buffers: [{ ...buffer, fill: "zeros" }] })).toBe(1);
  expect(version({}, { buffers: [{ ...buffer, fill: { kind: "permutation" } }] })).toBe(2);
  expect(version({}, { stages: [] })).toBe(2);
  expect(version({}, { maps: [map] })).toBe(3);
  expect(version({ args: ["a", { map: 0 }] })).toBe(3);
  expect(version({ args: [{ scalar: "int32", value: "1" }] })).toBe(3);
  expect(version({ attributes: [{ kind: "dependent" }] })).toBe(3);
  expect(version({ name: "_Z4gemmILi64EEvPf".padEnd(65, "x") })).toBe(4);
  expect(version({ name: "f$1" })).toBe(4);
  expect(version({}, { constants: [{ symbol: "filter", buffer: "a" }] })).toBe(4);
});

it("a kernel is given the buffers that it and its maps name, each once", () => {
  const args = ["a", { map: 0 }, { scalar: "int32", value: "1" }, "b", { map: 0 }] as const;
  expect(buffersOf({ args }, [map])).toEqual(["a", "b"]);
});
