/** Tensor maps of kernels in the manifest's form, and as text for a user who launches the code by hand. */
import { dtypeBytes, type TensorMap, type TensorMapType } from "@warpfarm/common";
import type { TensorMapParam } from "./bulk.ts";

/** `name`: the buffer's in the manifest. */
export const mapDocument = ({ buffer, dims, strides, box, swizzle, im2col }: TensorMapParam, name: string): TensorMap => ({
  buffer: name,
  // Types with another name are refused before (lower/passes/bulk-copies.ts).
  type: buffer.dtype as TensorMapType,
  dims,
  strides_bytes: strides.slice(0, -1).map((stride) => dtypeBytes(buffer.dtype, stride)),
  box,
  element_strides: im2col ? [1, ...im2col.steps, 1] : box.map(() => 1),
  ...(im2col && { im2col: { lower: im2col.lower, upper: im2col.upper } }),
  swizzle,
  interleave: 0,
  // If rows begin anywhere in a line of 256 bytes, a box's row would fetch two lines.
  l2: strides.slice(0, -1).every((stride) => dtypeBytes(buffer.dtype, stride) % 256 === 0) ? 256 : 128,
  oob: "zeros",
});

const driverType: Partial<Record<TensorMapType, string>> = {
  int8: "UINT8",
  uint8: "UINT8",
  int32: "INT32",
  int64: "INT64",
  float16: "FLOAT16",
  bfloat16: "BFLOAT16",
  float32: "FLOAT32",
  float64: "FLOAT64",
  float8_e4m3fn: "UINT8",
  float8_e5m2: "UINT8",
};

/** The driver call that makes the map for the kernel's `parameter`. */
export function hostRecipe(map: TensorMap, parameter: string): readonly string[] {
  const list = (values: readonly number[]) => `{${values.toReversed().join(", ")}}`;
  const mode = (prefix: string, bytes: number, unit = "B") => `${prefix}_${bytes === 0 ? "NONE" : `${bytes}${unit}`}`;
  const strides = map.strides_bytes.length === 0 ? "{0}" : list(map.strides_bytes);
  const { im2col, box } = map;
  const boxed = im2col
    ? `int lower[] = ${list(im2col.lower)}, upper[] = ${list(im2col.upper)}; cuuint32_t`
    : `cuuint32_t box[] = ${list(box)},`;
  return [
    `${parameter}: a CUtensorMap by value, at an address aligned to 64 bytes, made for the address of ${map.buffer}:`,
    `  cuuint64_t dims[] = ${list(map.dims)}, strides[] = ${strides};`,
    `  ${boxed} steps[] = ${list(map.element_strides)};`,
    `  cuTensorMapEncode${im2col ? "Im2col" : "Tiled"}(&map, CU_TENSOR_MAP_DATA_TYPE_${driverType[map.type]}, ${map.dims.length}, ${map.buffer}, dims, strides, ${im2col ? `lower, upper, ${box[1]}, ${box[0]}` : "box"}, steps,`,
    `    CU_TENSOR_MAP_INTERLEAVE_NONE, ${mode("CU_TENSOR_MAP_SWIZZLE", map.swizzle)}, ${mode("CU_TENSOR_MAP_L2_PROMOTION", map.l2).replace("PROMOTION_", map.l2 ? "PROMOTION_L2_" : "PROMOTION_")},`,
    "    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);",
  ];
}
