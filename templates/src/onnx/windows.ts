/**
 * Convolutions and pools: windows over the dimensions after batch and channels, of which there are one to three. With the
 * attribute `channels_last`, which ONNX lacks (com.microsoft has it), data and result are (N, ..., C) and a kernel is (..., I,
 * O), that of `ConvTranspose` (..., O, I).
 */
import { isFloat } from "@warpfarm/common";
import {
  addTensors,
  averagePool,
  type Buffer,
  castTensor,
  convolution,
  maxOver,
  maxPool,
  meanOver,
  reshape,
  transposedConvolution,
} from "@warpfarm/compiler/language";
import { widened } from "./elementwise.ts";
import { type NodeReader, type Operator, type Tensor, wideOf } from "./node.ts";

type Pair = readonly [number, number];

interface Windows {
  readonly stride: readonly number[];
  readonly dilation: readonly number[];
  readonly padding: readonly Pair[];
}

const filled = (node: NodeReader, name: string, rank: number, otherwise: number): readonly number[] => {
  const given = node.ints(name) ?? new Array<number>(rank).fill(otherwise);
  return given.length === rank
    ? given
    : node.refuse(`attribute ${name} has ${given.length} entries; the windows have ${rank} dimensions`);
};

function explicitPads(node: NodeReader, rank: number): readonly Pair[] {
  const pads = node.ints("pads") ?? new Array<number>(2 * rank).fill(0);
  if (pads.length !== 2 * rank)
    node.refuse(`attribute pads has ${pads.length} entries; windows of ${rank} dimensions have ${2 * rank}`);
  return Array.from({ length: rank }, (_, d) => [pads[d] ?? 0, pads[d + rank] ?? 0]);
}

const autoPads = ["NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"] as const;

function windowsOf(node: NodeReader, extents: readonly number[], sizes: readonly number[]): Windows {
  const rank = sizes.length;
  const stride = filled(node, "strides", rank, 1);
  const dilation = filled(node, "dilations", rank, 1);
  const auto = node.word("auto_pad", autoPads);
  const explicit = explicitPads(node, rank);
  if (auto === "NOTSET") return { stride, dilation, padding: explicit };
  const padding = extents.map((extent, d): Pair => {
    if (auto === "VALID") return [0, 0];
    const [step, reach] = [stride[d] ?? 1, ((sizes[d] ?? 1) - 1) * (dilation[d] ?? 1) + 1];
    const whole = Math.max(0, (Math.ceil(extent / step) - 1) * step + reach - extent);
    const less = Math.floor(whole / 2);
    return auto === "SAME_UPPER" ? [less, whole - less] : [whole - less, less];
  });
  return { stride, dilation, padding };
}

function checkKernelShape(node: NodeReader, sizes: readonly number[]): void {
  const given = node.ints("kernel_shape");
  if (given !== undefined && given.join() !== sizes.join())
    node.refuse(`attribute kernel_shape is [${given.join(", ")}], and the kernel's is [${sizes.join(", ")}]`);
}

const isLast = (node: NodeReader): boolean => node.flag("channels_last");
/** What the windows go over: with channels last they are before the last dimension of data, and the last two of a kernel. */
const placesOf = ({ shape }: Tensor, channelsLast: boolean): readonly number[] =>
  channelsLast ? shape.slice(1, -1) : shape.slice(2);
const sizesOfKernel = ({ shape }: Tensor, channelsLast: boolean): readonly number[] =>
  channelsLast ? shape.slice(0, -2) : shape.slice(2);

/** Sums in their own type, then the bias along the channels, then the type of the result. */
function finished(
  node: NodeReader,
  sums: (name: string) => Buffer,
  dtype: Tensor["buffer"]["dtype"],
  bias: Tensor | undefined,
): Tensor {
  const isWide = wideOf(dtype) !== dtype;
  const last = isWide ? `${node.name}_wide` : node.name;
  let buffer = sums(bias ? `${node.name}_sums` : last);
  if (bias) {
    const rank = buffer.shape.length;
    const wide = widened(bias, `${node.name}_bias_wide`).buffer;
    const after = new Array<number>(isLast(node) ? 0 : rank - 2).fill(1);
    const row = reshape(wide, [bias.shape[0] ?? 1, ...after], { name: `${node.name}_bias` });
    buffer = addTensors(buffer, row, { name: last });
  }
  if (isWide) buffer = castTensor(buffer, dtype, { name: node.name });
  return { kind: "tensor", shape: buffer.shape, buffer };
}

function biasOf(node: NodeReader, filters: number): Tensor | undefined {
  if (!node.has(2)) return undefined;
  const bias = node.tensor(2);
  if (bias.shape.length !== 1 || bias.shape[0] !== filters)
    node.refuse(`its bias has the shape [${bias.shape.join(", ")}]; it takes [${filters}]`);
  return bias;
}

export function convolutionOptions(node: NodeReader, x: Tensor, w: Tensor, channelsLast = false) {
  const sizes = sizesOfKernel(w, channelsLast);
  checkKernelShape(node, sizes);
  return { ...windowsOf(node, placesOf(x, channelsLast), sizes), groups: node.int("group", 1), channelsLast };
}

const conv: Operator = (node) => {
  const [x, w] = [node.tensor(0), node.tensor(1)];
  const { dtype } = x.buffer;
  const channelsLast = isLast(node);
  const options = { ...convolutionOptions(node, x, w, channelsLast), outDtype: wideOf(dtype) };
  const sums = (name: string) => convolution(x.buffer, w.buffer, { ...options, name });
  return finished(node, sums, dtype, biasOf(node, w.shape.at(channelsLast ? -1 : 0) ?? 0));
};

const convTranspose: Operator = (node) => {
  const [x, w] = [node.tensor(0), node.tensor(1)];
  const { dtype } = x.buffer;
  const channelsLast = isLast(node);
  const [perGroup = 0, sizes] = [w.shape.at(channelsLast ? -2 : 1), sizesOfKernel(w, channelsLast)];
  const rank = sizes.length;
  checkKernelShape(node, sizes);
  if (node.ints("output_shape") !== undefined) node.refuse("attribute output_shape is given; it takes pads and output_padding");
  if (node.word("auto_pad", autoPads) !== "NOTSET") node.refuse("auto_pad is given; it takes pads");
  const groups = node.int("group", 1);
  const options = {
    stride: filled(node, "strides", rank, 1),
    dilation: filled(node, "dilations", rank, 1),
    padding: explicitPads(node, rank),
    outputPadding: filled(node, "output_padding", rank, 0),
    groups,
    channelsLast,
    outDtype: wideOf(dtype),
  };
  const sums = (name: string) => transposedConvolution(x.buffer, w.buffer, { ...options, name });
  return finished(node, sums, dtype, biasOf(node, perGroup * groups));
};

/** With ceil_mode the last window may begin in the data or its border before, and go beyond the border after. */
function poolWindows(node: NodeReader, x: Tensor, sizes: readonly number[]): Windows & { readonly isLonger: boolean } {
  const places = placesOf(x, isLast(node));
  const windows = windowsOf(node, places, sizes);
  if (!node.flag("ceil_mode")) return { ...windows, isLonger: false };
  const padding = windows.padding.map(([before, after], d): Pair => {
    const [extent, step] = [places[d] ?? 1, windows.stride[d] ?? 1];
    const reach = ((sizes[d] ?? 1) - 1) * (windows.dilation[d] ?? 1) + 1;
    let count = Math.ceil((extent + before + after - reach) / step) + 1;
    if ((count - 1) * step >= extent + before) count--;
    return [before, Math.max(after, (count - 1) * step + reach - extent - before)];
  });
  return { ...windows, padding, isLonger: padding.some(([, after], d) => after !== windows.padding[d]?.[1]) };
}

const sizesOf = (node: NodeReader, x: Tensor): readonly number[] => {
  const sizes = node.ints("kernel_shape") ?? node.refuse("attribute kernel_shape is missing");
  if (sizes.length !== x.shape.length - 2)
    node.refuse(`attribute kernel_shape has ${sizes.length} entries; the input has ${x.shape.length - 2} dimensions after two`);
  return sizes;
};

const maxPooled: Operator = (node) => {
  const x = node.tensor(0);
  const size = sizesOf(node, x);
  node.ignore("storage_order");
  const { stride, dilation, padding } = poolWindows(node, x, size);
  const buffer = maxPool(x.buffer, { size, stride, dilation, padding, channelsLast: isLast(node), name: node.name });
  return { kind: "tensor", shape: buffer.shape, buffer };
};

/** A mean in float32 of halves. */
function mean(node: NodeReader, x: Tensor, make: (buffer: Buffer, name: string) => Buffer): Tensor {
  const { dtype } = x.buffer;
  if (!isFloat(dtype)) node.refuse(`its input is ${dtype}; it takes floats`);
  const wide = widened(x, `${node.name}_in`);
  const made = make(wide.buffer, wide === x ? node.name : `${node.name}_wide`);
  const buffer = wide === x ? made : castTensor(made, dtype, { name: node.name });
  return { kind: "tensor", shape: buffer.shape, buffer };
}

const averagePooled: Operator = (node) => {
  const x = node.tensor(0);
  const size = sizesOf(node, x);
  const { stride, dilation, padding, isLonger } = poolWindows(node, x, size);
  const [countsBorder, channelsLast] = [node.flag("count_include_pad"), isLast(node)];
  if (isLonger && countsBorder)
    node.refuse("ceil_mode makes a window longer than the border, and count_include_pad is 1; it takes one of the two");
  const options = { size, stride, dilation, padding, countsBorder, channelsLast };
  return mean(node, x, (buffer, name) => averagePool(buffer, { ...options, name }));
};

const spatial = (node: NodeReader, x: Tensor): readonly number[] =>
  x.shape.length < 3
    ? node.refuse(`its input has ${x.shape.length} dimensions; it has at least 3`)
    : x.shape.slice(2).map((_, d) => d + 2);

export const windows: { readonly [op: string]: Operator } = {
  Conv: conv,
  ConvTranspose: convTranspose,
  MaxPool: maxPooled,
  AveragePool: averagePooled,
  GlobalAveragePool: (node) => {
    const x = node.tensor(0);
    return mean(node, x, (buffer, name) => meanOver(buffer, spatial(node, x), { name }));
  },
  GlobalMaxPool: (node) => {
    const x = node.tensor(0);
    const buffer = maxOver(x.buffer, spatial(node, x), { name: node.name });
    return { kind: "tensor", shape: buffer.shape, buffer };
  },
};
