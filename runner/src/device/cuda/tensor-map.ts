import type { TensorMap, TensorMapType } from "@warpfarm/common";
import type { DevicePointer, TensorMapRecipe } from "./driver-types.ts";

const types: Readonly<Record<TensorMapType, number>> = {
  int8: 0,
  uint8: 0,
  int32: 3,
  int64: 5,
  float16: 6,
  float32: 7,
  float64: 8,
  bfloat16: 9,
  tfloat32: 11,
  float8_e4m3fn: 0,
  float8_e5m2: 0,
};
const swizzle: Readonly<Record<TensorMap["swizzle"], number>> = { 0: 0, 32: 1, 64: 2, 128: 3 };
const interleave: Readonly<Record<TensorMap["interleave"], number>> = { 0: 0, 16: 1, 32: 2 };
const l2: Readonly<Record<TensorMap["l2"], number>> = { 0: 0, 64: 1, 128: 2, 256: 3 };
const oob: Readonly<Record<TensorMap["oob"], number>> = { zeros: 0, nan: 1 };

export const recipeOf = (map: TensorMap, address: DevicePointer): TensorMapRecipe => ({
  type: types[map.type],
  address,
  dims: map.dims.toReversed(),
  strides: map.strides_bytes.toReversed(),
  box: map.box.toReversed(),
  elementStrides: map.element_strides.toReversed(),
  ...(map.im2col && { im2col: { lower: map.im2col.lower.toReversed(), upper: map.im2col.upper.toReversed() } }),
  interleave: interleave[map.interleave],
  swizzle: swizzle[map.swizzle],
  l2: l2[map.l2],
  oob: oob[map.oob],
});
