/** The elements of tensors in another order, shape or number. */
import {
  add,
  at,
  axesOf,
  type Buffer,
  castTensor,
  compute,
  concatenate,
  constant,
  type Expr,
  elementwise,
  gather,
  greaterEqual,
  less,
  lessEqual,
  maximum,
  minimum,
  pad,
  reshape,
  resize,
  select,
  slice,
  sub,
  transpose,
} from "@warpfarm/compiler/language";
import { commonShape, inWide } from "./elementwise.ts";
import { type NodeReader, type Operator, preferFill, sizeOf, type Tensor, type Value } from "./node.ts";

const stored = (shape: readonly number[]): readonly number[] => (shape.length === 0 ? [1] : shape);

function reshaped(node: NodeReader, x: Tensor, shape: readonly number[]): Tensor {
  if (sizeOf(shape) !== sizeOf(x.shape))
    node.refuse(`its input has the shape [${x.shape.join(", ")}], whose elements do not fill [${shape.join(", ")}]`);
  return { kind: "tensor", shape, buffer: reshape(x.buffer, stored(shape), { name: node.name }) };
}

/** 0 keeps the input's extent (unless `allowzero`), and one -1 is what remains. */
const reshapeTo: Operator = (node) => {
  const x = node.tensor(0);
  const given = node.numbers("shape", 1) ?? node.refuse("the shape is missing");
  const keepsZeros = node.flag("allowzero");
  const extents = given.map((extent, d) => (extent === 0 && !keepsZeros ? (x.shape[d] ?? 0) : extent));
  const known = sizeOf(extents.filter((extent) => extent !== -1));
  return reshaped(
    node,
    x,
    extents.map((extent) => (extent === -1 ? Math.floor(sizeOf(x.shape) / Math.max(1, known)) : extent)),
  );
};

const flatten: Operator = (node) => {
  const x = node.tensor(0);
  const axis = node.int("axis", 1);
  const at = axis < 0 ? axis + x.shape.length : axis;
  if (at < 0 || at > x.shape.length) node.refuse(`axis ${axis} is none of the ${x.shape.length} dimensions`);
  return reshaped(node, x, [sizeOf(x.shape.slice(0, at)), sizeOf(x.shape.slice(at))]);
};

const squeeze: Operator = (node) => {
  const x = node.tensor(0);
  const axes = node.numbers("axes", 1)?.map((axis) => node.axisOf(axis, x.shape.length));
  const wrong = axes?.find((axis) => x.shape[axis] !== 1);
  if (wrong !== undefined) node.refuse(`dimension ${wrong} has ${x.shape[wrong]} elements; one of 1 is removed`);
  return reshaped(
    node,
    x,
    x.shape.filter((extent, d) => (axes ? !axes.includes(d) : extent !== 1)),
  );
};

const unsqueeze: Operator = (node) => {
  const x = node.tensor(0);
  const given = node.numbers("axes", 1) ?? node.refuse("the axes are missing");
  const rank = x.shape.length + given.length;
  const axes = given.map((axis) => node.axisOf(axis, rank));
  const rest = [...x.shape];
  return reshaped(
    node,
    x,
    Array.from({ length: rank }, (_, d) => (axes.includes(d) ? 1 : (rest.shift() ?? 1))),
  );
};

const transposed: Operator = (node) => {
  const x = node.tensor(0);
  const order = node.ints("perm") ?? x.shape.map((_, d) => d).reverse();
  const buffer = transpose(x.buffer, order, { name: node.name });
  return { kind: "tensor", shape: buffer.shape, buffer };
};

const concat: Operator = (node) => {
  const given = node.values();
  const dtype = given.find((value) => value.kind === "tensor")?.buffer.dtype;
  const parts = given.map((_, i) => node.tensor(i, dtype));
  const axis = node.axis("axis", 0, parts[0]?.shape.length ?? 0);
  if (!node.hasAttribute("axis")) node.refuse("attribute axis is missing");
  const buffer = concatenate(
    parts.map((part) => part.buffer),
    axis,
    { name: node.name },
  );
  return { kind: "tensor", shape: buffer.shape, buffer };
};

/** Several dimensions one after the other; the last has the node's name. */
function sliced(
  x: Buffer,
  name: string,
  parts: readonly (readonly [axis: number, from: number, to: number, step: number])[],
): Buffer {
  const needed = parts.filter(([axis, from, to, step]) => from !== 0 || to !== x.shape[axis] || step !== 1);
  if (needed.length === 0) return reshape(x, x.shape, { name });
  return needed.reduce(
    (made, [axis, from, to, step], i) =>
      slice(made, axis, from, to, { step, name: i === needed.length - 1 ? name : `${name}_part${i}` }),
    x,
  );
}

const sliceOf: Operator = (node) => {
  const x = node.tensor(0);
  const starts = node.numbers("starts", 1) ?? node.refuse("starts is missing");
  const ends = node.numbers("ends", 2) ?? node.refuse("ends is missing");
  const axes = node.numbers("axes", 3) ?? starts.map((_, i) => i);
  const steps = node.numbers("steps", 4) ?? starts.map(() => 1);
  if ([ends, axes, steps].some(({ length }) => length !== starts.length))
    node.refuse("starts, ends, axes and steps differ in length");
  const parts = axes.map((given, i) => {
    const axis = node.axisOf(given, x.shape.length);
    const [extent, step] = [x.shape[axis] ?? 1, steps[i] ?? 1];
    if (step === 0) node.refuse("a step is 0");
    // Backwards, the first is at most the last element, and the end may be before the first.
    const [least, most] = step > 0 ? [0, extent] : [-1, extent - 1];
    const place = (at: number): number => Math.min(Math.max(at < 0 ? at + extent : at, least), most);
    const [from, to] = [place(starts[i] ?? 0), place(ends[i] ?? extent)];
    if ((to - from) / step <= 0) node.refuse(`nothing of dimension ${axis} remains`);
    return [axis, from, to, step] as const;
  });
  const buffer = sliced(x.buffer, node.name, parts);
  return { kind: "tensor", shape: buffer.shape, buffer };
};

const split: Operator = (node) => {
  const x = node.tensor(0);
  const axis = node.axis("axis", 0, x.shape.length);
  const extent = x.shape[axis] ?? 1;
  const count = node.int("num_outputs", node.outputs.length);
  const given = node.numbers("split", 1);
  const each = Math.ceil(extent / count);
  const sizes = given ?? Array.from({ length: count }, (_, i) => Math.min(each, extent - i * each));
  if (sizes.length !== count || sizes.some((size) => size < 1) || sizes.reduce((a, b) => a + b, 0) !== extent)
    node.refuse(`parts of ${sizes.join(", ")} are not the ${count} parts of ${extent} elements`);
  let from = 0;
  return sizes.map((size, i): Value => {
    const buffer = sliced(x.buffer, node.outputs[i] || `${node.name}_rest${i}`, [[axis, from, from + size, 1]]);
    from += size;
    return { kind: "tensor", shape: buffer.shape, buffer };
  });
};

/** A number below 0 removes elements of that end; what remains gets the border. */
const padded: Operator = (node) => {
  const x = node.tensor(0);
  const rank = x.shape.length;
  const pads = node.numbers("pads", 1) ?? node.refuse("pads is missing");
  const axes = node.numbers("axes", 3)?.map((axis) => node.axisOf(axis, rank)) ?? x.shape.map((_, d) => d);
  if (pads.length !== 2 * axes.length)
    node.refuse(`pads has ${pads.length} entries; ${axes.length} dimensions have ${2 * axes.length}`);
  const side = (first: number): readonly number[] =>
    x.shape.map((_, d) => (axes.includes(d) ? (pads[first + axes.indexOf(d)] ?? 0) : 0));
  const [before, after] = [side(0), side(axes.length)];
  const mode = node.word("mode", ["constant", "reflect", "edge", "wrap"]);
  if (mode !== "constant" && pads.some((p) => p < 0))
    node.refuse(`pads has a number below 0, and mode is ${mode}; it takes them where mode is constant`);
  const value = node.hasAttribute("value") ? node.float("value", 0) : (node.numbers("constant_value", 2)?.[0] ?? 0);
  const parts = x.shape.map((extent, d): readonly [number, number, number, number] => {
    const [from, to] = [Math.max(0, -(before[d] ?? 0)), extent + Math.min(0, after[d] ?? 0)];
    return from < to ? [d, from, to, 1] : node.refuse(`nothing of dimension ${d} remains`);
  });
  const kept = pads.some((p) => p < 0) ? sliced(x.buffer, `${node.name}_kept`, parts) : x.buffer;
  const border = (pad: readonly number[]) => pad.map((p) => Math.max(0, p));
  const buffer = pad(kept, { name: node.name, before: border(before), after: border(after), mode, value });
  return { kind: "tensor", shape: buffer.shape, buffer };
};

/** Indices below 0 count from the end; those outside are taken to the nearest element. */
const gathered: Operator = (node) => {
  const x = node.tensor(0);
  const indices = node.tensor(1, "int32");
  const dimension = node.axis("axis", 0, x.shape.length);
  const extent = x.shape[dimension] ?? 1;
  preferFill(indices, extent);
  const whole =
    indices.buffer.dtype === "int32" ? indices.buffer : castTensor(indices.buffer, "int32", { name: `${node.name}_whole` });
  const inside = elementwise(`${node.name}_index`, [whole], (given) => {
    const i = given as Expr;
    return minimum(maximum(select(less(i, 0), add(i, extent), i), 0), extent - 1);
  });
  const shape = [...x.shape.slice(0, dimension), ...indices.shape, ...x.shape.slice(dimension + 1)];
  const isScalar = indices.shape.length === 0;
  const all = gather(x.buffer, inside, { dimension, name: isScalar ? `${node.name}_row` : node.name });
  return { kind: "tensor", shape, buffer: isScalar ? reshape(all, stored(shape), { name: node.name }) : all };
};

const broadcast = (node: NodeReader, x: Tensor, shape: readonly number[]): Tensor => {
  const whole = commonShape(node, [x.shape, shape]);
  const from = reshape(x.buffer, [...new Array<number>(whole.length - x.shape.length).fill(1), ...x.shape], {
    name: `${node.name}_in`,
  });
  return { kind: "tensor", shape: whole, buffer: repeated(from, stored(whole), node.name) };
};
/** Extents of 1 become those of the shape. */
const repeated = (x: Buffer, shape: readonly number[], name: string): Buffer =>
  elementwise(name, [x], (element) => element as Expr, shape);

const expand: Operator = (node) => {
  const x = node.tensor(0);
  return broadcast(node, x, node.numbers("shape", 1) ?? node.refuse("the shape is missing"));
};

const tile: Operator = (node) => {
  const x = node.tensor(0);
  const repeats = node.numbers("repeats", 1) ?? node.refuse("repeats is missing");
  if (repeats.length !== x.shape.length || repeats.some((count) => count < 1))
    node.refuse(`repeats is [${repeats.join(", ")}]; it takes ${x.shape.length} numbers from 1`);
  const apart = x.shape.flatMap((extent) => [1, extent]);
  const whole = x.shape.flatMap((extent, d) => [repeats[d] ?? 1, extent]);
  const shape = x.shape.map((extent, d) => extent * (repeats[d] ?? 1));
  const wide = repeated(reshape(x.buffer, stored(apart), { name: `${node.name}_in` }), stored(whole), `${node.name}_all`);
  return { kind: "tensor", shape, buffer: reshape(wide, stored(shape), { name: node.name }) };
};

/** 1 / scale as a fraction of small numbers, which has the same float32. */
function stepOf(node: NodeReader, scale: number): readonly [over: number, under: number] {
  for (let over = 1; over <= 4096; over++) {
    const under = Math.round(scale * over);
    if (under > 0 && Math.fround(under / over) === Math.fround(scale)) return [over, under];
  }
  return node.refuse(`a scale of ${scale} is no fraction of small numbers; give sizes`);
}

/** By sizes, or by scales; of the dimensions of `axes`, or of all. Halves are interpolated in float32. */
const resized: Operator = (node) => {
  const x = node.tensor(0);
  node.has(1);
  const axes = node.ints("axes")?.map((axis) => node.axisOf(axis, x.shape.length)) ?? x.shape.map((_, d) => d);
  const given = node.numbers("sizes", 3);
  const scales =
    given === undefined ? (node.numbers("scales", 2) ?? node.refuse("neither sizes nor scales are given")) : undefined;
  const count = (given ?? scales)?.length;
  if (count !== axes.length)
    node.refuse(
      `${given ? "sizes" : "scales"} has ${count} entries for ${axes.length} of the dimensions [${x.shape.join(", ")}]`,
    );
  const sizes = [...x.shape];
  const steps = x.shape.map((): readonly [number, number] => [1, 1]);
  for (const [k, d] of axes.entries()) {
    const extent = x.shape[d] ?? 1;
    const scale = scales?.[k] ?? 1;
    sizes[d] = given?.[k] ?? Math.floor(Math.fround(extent * scale));
    steps[d] = scales ? stepOf(node, scale) : [extent, sizes[d] as number];
  }
  node.ignore("cubic_coeff_a", "extrapolation_value", "exclude_outside");
  if (node.flag("antialias")) node.refuse("antialias is 1, which is not computed");
  node.word("keep_aspect_ratio_policy", ["stretch"]);
  const mode = node.word("mode", ["nearest", "linear"]);
  const places = node.word("coordinate_transformation_mode", ["half_pixel", "asymmetric", "pytorch_half_pixel", "align_corners"]);
  if (
    places === "align_corners" &&
    scales?.some((scale, k) => (x.shape[axes[k] as number] ?? 1) * scale !== sizes[axes[k] as number])
  )
    node.refuse("align_corners by a scale that gives no whole number of elements; give sizes");
  const nearest = node.word("nearest_mode", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"]);
  const rounding = nearest === "round_prefer_floor" ? "half_down" : nearest === "round_prefer_ceil" ? "half_up" : nearest;
  const make = (buffer: Buffer, name: string): Buffer => resize(buffer, { sizes, steps, mode, places, rounding, name });
  const buffer = mode === "linear" ? inWide(node, x, make) : make(x.buffer, node.name);
  return { kind: "tensor", shape: sizes, buffer };
};

/** The elements on one side of a diagonal of each matrix, which is `k` places to the right; 0 on the other. */
const triangle: Operator = (node) => {
  const x = node.tensor(0);
  if (x.shape.length < 2) node.refuse(`its input has ${x.shape.length} dimensions; it has at least 2`);
  const k = node.hasAttribute("k") ? node.int("k", 0) : (node.numbers("k", 1)?.[0] ?? 0);
  const isUpper = node.flag("upper", true);
  const buffer = compute(node.name, axesOf(x.shape), (...index) => {
    const [i, j] = index.slice(-2) as [Expr, Expr];
    const side = sub(j, i);
    return select(isUpper ? greaterEqual(side, k) : lessEqual(side, k), at(x.buffer, ...index), constant(0, x.buffer.dtype));
  });
  return { kind: "tensor", shape: x.shape, buffer };
};

/** Channels into blocks of the image, in the order of DCR or CRD. */
const depthToSpace: Operator = (node) => {
  const x = node.tensor(0);
  const [n = 1, c = 1, h = 1, w = 1] = x.shape;
  const block = node.int("blocksize", 0);
  if (x.shape.length !== 4 || block < 1 || c % block ** 2 !== 0)
    node.refuse(`blocks of ${block} do not divide the channels of [${x.shape.join(", ")}]`);
  const rest = c / block ** 2;
  const isDcr = node.word("mode", ["DCR", "CRD"]) === "DCR";
  const apart = reshape(x.buffer, isDcr ? [n, block, block, rest, h, w] : [n, rest, block, block, h, w], {
    name: `${node.name}_blocks`,
  });
  const turned = transpose(apart, isDcr ? [0, 3, 4, 1, 5, 2] : [0, 1, 4, 2, 5, 3], { name: `${node.name}_turned` });
  const shape = [n, rest, h * block, w * block];
  return { kind: "tensor", shape, buffer: reshape(turned, shape, { name: node.name }) };
};

const spaceToDepth: Operator = (node) => {
  const x = node.tensor(0);
  const [n = 1, c = 1, h = 1, w = 1] = x.shape;
  const block = node.int("blocksize", 0);
  if (x.shape.length !== 4 || block < 1 || h % block !== 0 || w % block !== 0)
    node.refuse(`blocks of ${block} do not divide the sides of [${x.shape.join(", ")}]`);
  const apart = reshape(x.buffer, [n, c, h / block, block, w / block, block], { name: `${node.name}_blocks` });
  const turned = transpose(apart, [0, 3, 5, 1, 2, 4], { name: `${node.name}_turned` });
  const shape = [n, c * block ** 2, h / block, w / block];
  return { kind: "tensor", shape, buffer: reshape(turned, shape, { name: node.name }) };
};

export const arrangement: { readonly [op: string]: Operator } = {
  Reshape: reshapeTo,
  Flatten: flatten,
  Squeeze: squeeze,
  Unsqueeze: unsqueeze,
  Transpose: transposed,
  Concat: concat,
  Slice: sliceOf,
  Split: split,
  Pad: padded,
  Gather: gathered,
  Expand: expand,
  Tile: tile,
  Resize: resized,
  Trilu: triangle,
  DepthToSpace: depthToSpace,
  SpaceToDepth: spaceToDepth,
};
