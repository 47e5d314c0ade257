/**
 * What the copy engine of a GPU (sm_90 and later) must know of a tensor in memory to copy boxes of it. A kernel takes it as an
 * argument. The document has the recipe. The address is the buffer's, so the runner encodes the map (cuTensorMapEncodeTiled, or
 * with `im2col` cuTensorMapEncodeIm2col). Dimensions have the order of a shape, the outermost first.
 */
import { type DType, dtypeBytes, isFloat, isFloat8 } from "./dtype.ts";

/** Types as the engine reads them: `tfloat32` rounds float32 while copying, and an int8 is copied as a uint8. */
export const tensorMapTypes = [
  "float16",
  "bfloat16",
  "float32",
  "tfloat32",
  "float64",
  "float8_e4m3fn",
  "float8_e5m2",
  "int8",
  "uint8",
  "int32",
  "int64",
] as const;
export type TensorMapType = (typeof tensorMapTypes)[number];

/** Bytes; 0: no swizzle. */
export const swizzles = [0, 32, 64, 128] as const;
export const interleaves = [0, 16, 32] as const;
export const l2Promotions = [0, 64, 128, 256] as const;
export const outOfBounds = ["zeros", "nan"] as const;

/**
 * The places in an image that a walk over pixels visits, of each dimension between N and C: from `lower` to the last one up to
 * `extent - 1 + upper`. At a row's end it goes on with the next row, and at an image's end with the next image.
 */
export interface PixelBox {
  readonly lower: readonly number[];
  readonly upper: readonly number[];
}

export interface TensorMap {
  /** A buffer of the manifest; the tensor begins at its start. */
  readonly buffer: string;
  readonly type: TensorMapType;
  /** Elements of each dimension, 1 to 5 of them. */
  readonly dims: readonly number[];
  /** Bytes from one index to the next, of each dimension but the last. */
  readonly strides_bytes: readonly number[];
  /** Elements of the part that one copy takes; of images: pixels, and channels of each. */
  readonly box: readonly number[];
  /** Strides in elements: the engine takes one in this number. Of images: the steps from one pixel to the next. */
  readonly element_strides: readonly number[];
  /**
   * A tensor of images (N, then one to three dimensions of an image, then C), of which a copy takes pixels one after the other.
   */
  readonly im2col?: PixelBox;
  /** How rows of the box are permuted in shared memory. */
  readonly swizzle: (typeof swizzles)[number];
  readonly interleave: (typeof interleaves)[number];
  /** Bytes that the second-level cache fetches at once. */
  readonly l2: (typeof l2Promotions)[number];
  /** The value of elements outside the tensor. */
  readonly oob: (typeof outOfBounds)[number];
}

const elementBytes = (type: TensorMapType): number => dtypeBytes(type === "tfloat32" ? "float32" : type);
const isFloatType = (type: TensorMapType): boolean => type === "tfloat32" || (isFloat(type as DType) && !isFloat8(type));

/** Corners of a walk over pixels by the number of dimensions of an image. */
const cornerBits: Readonly<Record<number, number>> = { 1: 16, 2: 8, 3: 5 };
/** boxBytes: the shared memory of a multiprocessor of capability 9.0. */
const most = { rank: 5, dim: 2 ** 32, stride: 2 ** 40 - 1, box: 256, pixels: 1024, step: 8, boxBytes: 228 * 1024 } as const;

/** The first number that is not a whole one from 1 (or `least`) to `most`. */
const outside = (values: readonly number[], most: number, least = 1): number | undefined =>
  values.find((value) => !Number.isSafeInteger(value) || value < least || value > most);

/**
 * Why cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col refuses a map, whatever the buffer's length; undefined = it accepts.
 * `align`: the largest power of two that divides the address. Source: CUDA Driver API, "Tensor Map Object Management", and 60,000
 * verdicts of driver 580 on an H100: it limits the bytes of a box, and accepts any swizzle
 * with interleave 32.
 */
export function encodingFault(map: TensorMap, align: number): string | undefined {
  const { dims, strides_bytes: strides, box, element_strides: steps, interleave, type, im2col } = map;
  const rank = dims.length;
  const least = im2col ? 3 : 1;
  if (rank < least || rank > most.rank) return `${rank} dims; ${least} to ${most.rank}`;
  const boxed = im2col ? 2 : rank;
  if (strides.length !== rank - 1 || box.length !== boxed || steps.length !== rank)
    return `${rank} dims need ${rank - 1} strides_bytes, ${boxed} of box and ${rank} element_strides; there are ${strides.length}, ${box.length} and ${steps.length}`;
  const [dim, stride, extent, step] = [
    outside(dims, most.dim),
    outside(strides, most.stride, 0),
    outside(im2col ? box.slice(1) : box, most.box),
    outside(steps, most.step),
  ];
  if (dim !== undefined) return `a dimension has ${dim} elements; it takes 1 to ${most.dim}`;
  if (stride !== undefined) return `a stride has ${stride} bytes; it takes at most ${most.stride}`;
  if (extent !== undefined) return `a box has ${extent} elements in one dimension; it takes 1 to ${most.box}`;
  if (step !== undefined) return `an element stride is ${step}; it takes 1 to ${most.step}`;
  if (interleave !== 0 && rank < 3) return `interleave ${interleave} needs 3 dimensions; there are ${rank}`;
  const unit = interleave === 32 ? 32 : 16;
  if (align % unit !== 0) return `its buffer is aligned to ${align} bytes; a map needs ${unit}`;
  const odd = strides.find((bytes) => bytes % unit !== 0);
  if (odd !== undefined) return `a stride has ${odd} bytes; it takes multiples of ${unit}`;
  return pixelFault(map) ?? boxFault(map) ?? (map.oob === "nan" && !isFloatType(type) ? `oob nan of ${type}` : undefined);
}

export const tensorMapFault = (map: TensorMap, buffer: { readonly bytes: number; readonly align: number }): string | undefined =>
  encodingFault(map, buffer.align) ?? reachFault(map, buffer.bytes);

function pixelFault({ dims, box, im2col }: TensorMap): string | undefined {
  if (!im2col) return undefined;
  const { lower, upper } = im2col;
  const sides = dims.length - 2;
  if (lower.length !== sides || upper.length !== sides)
    return `images of ${sides} dimensions need as many corners; there are ${lower.length} and ${upper.length}`;
  const reach = 2 ** ((cornerBits[sides] as number) - 1);
  const corner = [...lower, ...upper].find((at) => !Number.isSafeInteger(at) || at < -reach || at >= reach);
  if (corner !== undefined)
    return `a corner of the walk is ${corner}; with ${dims.length} dimensions it takes ${-reach} to ${reach - 1}`;
  const empty = lower.findIndex((from, d) => (dims[d + 1] as number) + (upper[d] as number) - from < 1);
  if (empty >= 0)
    return `the walk over dimension ${empty + 1} visits nothing: from ${lower[empty]} to ${upper[empty]} of its end`;
  const pixels = outside(box.slice(0, 1), most.pixels);
  return pixels === undefined ? undefined : `a box has ${pixels} pixels; it takes 1 to ${most.pixels}`;
}

function boxFault({ box, element_strides: steps, swizzle, interleave, type, im2col }: TensorMap): string | undefined {
  const inner = (box.at(-1) ?? 0) * elementBytes(type);
  if (inner % 16 !== 0) return `rows of the box have ${inner} bytes; they take multiples of 16`;
  if (interleave === 0 && swizzle !== 0 && inner > swizzle)
    return `rows of the box have ${inner} bytes; with swizzle ${swizzle} at most ${swizzle}`;
  // Rounded down, as the driver does.
  const bytes = box.reduce(
    (elements, extent, d) => elements * Math.floor(extent / (im2col ? 1 : (steps[d] ?? 1))),
    elementBytes(type),
  );
  return bytes > most.boxBytes ? `a box has ${bytes} bytes; it takes at most ${most.boxBytes}` : undefined;
}

function reachFault({ dims, strides_bytes: strides, type }: TensorMap, bytes: number): string | undefined {
  const all = [...strides, elementBytes(type)];
  const last = dims.reduce((at, extent, i) => at + (extent - 1) * (all[i] ?? 0), 0);
  const end = last + elementBytes(type);
  return end > bytes ? `it reaches to byte ${end} of a buffer of ${bytes}` : undefined;
}
