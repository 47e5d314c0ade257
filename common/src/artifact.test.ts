import { expect, it } from "vitest";
import { buffersOf } from "./artifact.ts";
import type { TensorMap } from "./tensor-map.ts";

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

it("a kernel is given the buffers that it and its maps name, each once", () => {
  const args = ["a", { map: 0 }, { scalar: "int32", value: "1" }, "b", { map: 0 }] as const;
  expect(buffersOf({ args }, [map])).toEqual(["a", "b"]);
});
