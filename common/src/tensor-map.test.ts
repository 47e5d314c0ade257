/** The rules of cuda.h's text on cuTensorMapEncodeTiled, one by one, and all of them beside a driver's verdicts. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { encodingFault, type PixelBox, type TensorMap, tensorMapFault } from "./tensor-map.ts";

const buffer = { bytes: 1 << 20, align: 64 };
const map: TensorMap = {
  buffer: "A",
  type: "float16",
  dims: [64, 64, 64],
  strides_bytes: [8192, 128],
  box: [1, 64, 64],
  element_strides: [1, 1, 1],
  swizzle: 128,
  interleave: 0,
  l2: 128,
  oob: "nan",
};

const images = (im2col: PixelBox, over: Partial<TensorMap> = {}): Partial<TensorMap> => ({ box: [64, 64], im2col, ...over });
const plane = { dims: [16, 8, 8, 64], strides_bytes: [8192, 1024, 128], element_strides: [1, 8, 1, 1] };

it.each<[what: string, over: Partial<TensorMap>]>([
  ["a box of whole swizzle lines", {}],
  ["rows that lie apart, the last one short", { dims: [32, 32, 50], strides_bytes: [16_384, 256] }],
  ["one dimension", { dims: [1 << 19], strides_bytes: [], box: [64], element_strides: [1] }],
  ["a tensor that ends with its buffer", { dims: [128, 64, 64] }],
  ["interleaved", { interleave: 16, box: [1, 64, 8], swizzle: 0 }],
  ["interleave 32 with any swizzle", { interleave: 32, swizzle: 64 }],
  ["zeros around integers", { type: "int8", dims: [64, 64, 128], box: [1, 64, 128], oob: "zeros" }],
  ["tfloat32", { type: "tfloat32", dims: [64, 64, 32], box: [1, 1, 32] }],
  ["a walk over a line of 64 pixels", images({ lower: [-32_768], upper: [32_767] })],
  ["1024 pixels of an image", images({ lower: [-128, 0], upper: [127, -7] }, { ...plane, box: [1024, 64] })],
])("takes %s", (_, over) => expect(tensorMapFault({ ...map, ...over }, buffer)).toBeUndefined());

it.each<[over: Partial<TensorMap>, message: string]>([
  [{ strides_bytes: [128] }, "3 dims need 2 strides_bytes, 3 of box and 3 element_strides; there are 1, 3 and 3"],
  [{ box: [1, 64] }, "there are 2, 2 and 3"],
  [{ element_strides: [1] }, "there are 2, 3 and 1"],
  [{ dims: [], strides_bytes: [], box: [], element_strides: [] }, "0 dims; 1 to 5"],
  [{ dims: [0, 64, 64] }, "a dimension has 0 elements; it takes 1 to 4294967296"],
  [{ dims: [2 ** 32 + 1, 64, 64] }, "a dimension has 4294967297 elements"],
  [{ strides_bytes: [2 ** 40, 128] }, "a stride has 1099511627776 bytes; it takes at most 1099511627775"],
  [{ box: [1, 257, 64] }, "a box has 257 elements in one dimension; it takes 1 to 256"],
  [{ element_strides: [1, 9, 1] }, "an element stride is 9; it takes 1 to 8"],
  [{ strides_bytes: [8192, 136] }, "a stride has 136 bytes; it takes multiples of 16"],
  [{ interleave: 32, swizzle: 32, strides_bytes: [8192, 112] }, "a stride has 112 bytes; it takes multiples of 32"],
  [{ interleave: 16, box: [1, 64, 3] }, "rows of the box have 6 bytes; they take multiples of 16"],
  [{ box: [32, 64, 64] }, "a box has 262144 bytes; it takes at most 233472"],
  [
    { interleave: 16, dims: [64, 64], strides_bytes: [128], box: [1, 8], element_strides: [1, 1] },
    "needs 3 dimensions; there are 2",
  ],
  [{ box: [1, 64, 4] }, "rows of the box have 8 bytes; they take multiples of 16"],
  [{ box: [1, 64, 72] }, "rows of the box have 144 bytes; with swizzle 128 at most 128"],
  [{ swizzle: 64 }, "rows of the box have 128 bytes; with swizzle 64 at most 64"],
  [{ dims: [129, 64, 64] }, "it reaches to byte 1056768 of a buffer of 1048576"],
  [{ type: "int32", dims: [64, 64, 32], box: [1, 1, 32] }, "oob nan of int32"],
  [images({ lower: [0], upper: [0] }, { box: [1, 64, 64] }), "2 of box and 3 element_strides; there are 2, 3 and 3"],
  [images({ lower: [0, 0], upper: [0] }), "images of 1 dimensions need as many corners; there are 2 and 1"],
  [images({ lower: [-32_769], upper: [0] }), "a corner of the walk is -32769; with 3 dimensions it takes -32768 to 32767"],
  [images({ lower: [0, -129], upper: [0, 0] }, plane), "a corner of the walk is -129; with 4 dimensions it takes -128 to 127"],
  [images({ lower: [0, 0], upper: [0, 128] }, plane), "a corner of the walk is 128"],
  [images({ lower: [0, 0], upper: [0, -8] }, plane), "the walk over dimension 2 visits nothing: from 0 to -8 of its end"],
  [images({ lower: [0], upper: [0] }, { box: [1025, 64] }), "a box has 1025 pixels; it takes 1 to 1024"],
  [images({ lower: [0], upper: [0] }, { box: [64, 72] }), "rows of the box have 144 bytes; with swizzle 128 at most 128"],
  [images({ lower: [], upper: [] }, { dims: [64, 64], strides_bytes: [128], element_strides: [1, 1] }), "2 dims; 3 to 5"],
])("refuses %j", (over, message) => expect(tensorMapFault({ ...map, ...over }, buffer)).toContain(message));

it("refuses a buffer that may lie anywhere", () => {
  expect(tensorMapFault(map, { ...buffer, align: 8 })).toBe("its buffer is aligned to 8 bytes; a map needs 16");
  const interleaved: TensorMap = { ...map, interleave: 32, swizzle: 32 };
  expect(tensorMapFault(interleaved, { ...buffer, align: 16 })).toBe("its buffer is aligned to 16 bytes; a map needs 32");
});

it("asks no buffer what the driver does not: a tensor may be longer than what is there", () => {
  expect(encodingFault({ ...map, dims: [2 ** 32, 64, 64] }, 16)).toBeUndefined();
});

// Verdicts on random maps, recorded on an H100 (driver 580.159.04). A line is [taken, type, interleave, swizzle, dims, box,
// element strides].
it("refuses what a driver refused, and nothing else", () => {
  const packed = readFileSync(new URL("../test/fixtures/tensor-map-verdicts.jsonl.gz", import.meta.url));
  const verdicts = gunzipSync(packed)
    .toString()
    .split("\n")
    .map((line) => JSON.parse(line));
  const bytes: Record<string, number> = { float16: 2, uint8: 1, float32: 4, float64: 8 };
  const differing = verdicts.filter(([taken, type, interleave, swizzle, dims, box, element_strides]) => {
    let stride = Math.ceil((dims.at(-1) * (bytes[type] ?? 0)) / 32) * 32;
    const strides_bytes: number[] = [];
    for (const extent of dims.slice(1, -1).reverse()) {
      strides_bytes.unshift(Math.min(stride, 2 ** 40 - 32));
      stride *= extent;
    }
    if (dims.length > 1) strides_bytes.unshift(Math.min(stride, 2 ** 40 - 32));
    const one = {
      buffer: "x",
      type,
      dims,
      strides_bytes,
      box,
      element_strides,
      swizzle,
      interleave,
      l2: 0,
      oob: "zeros",
    } as const;
    return (encodingFault(one, 4096) === undefined) !== (taken === 1);
  });
  expect(verdicts.length).toBeGreaterThan(3000);
  expect(differing).toEqual([]);
});
