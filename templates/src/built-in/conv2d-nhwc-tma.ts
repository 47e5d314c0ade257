/**
 * Convolution NHWC on the tensor cores of sm_90a, fed by the copy engine (TMA): a matrix product whose rows are the pixels of all
 * images and whose columns are the output channels (tma-product.ts has its knobs). Neither operand is stored as a matrix:
 *
 *   pixels[p, g, tap, c]  what the tap of pixel p reads, `step` channels at a time. The engine walks over the pixels itself, in
 *                         im2col mode: from pixel to pixel, row to row and image to image, with strides, and zeros beyond the
 *                         borders.
 *   weights[tap, c, f]    boxes of the kernel. Channels beyond the last are zeros in both, so a step never goes over two taps.
 *
 * Of a small result each block may sum a part of the channels, of all taps, and a second kernel adds the parts.
 *
 * Any batch, image, filter, stride, dilation and four paddings that the engine's map has room for; groups of 16 channels and
 * more. The result has the operands' type; `cast(float32)` as its epilogue keeps the sums whole.
 *
 * The gradient of the data is a convolution of the result's gradient by the turned kernel, for stride 1 (turnedConv): its
 * weights lie along the reduction.
 */
import type { DType } from "@warpfarm/common";
import {
  add,
  at,
  type Bound,
  cast,
  compute,
  conv2dNhwc,
  type Expr,
  floorDiv,
  floorMod,
  type Graph,
  graphOf,
  greaterEqual,
  indexMap,
  less,
  mul,
  placeholder,
  reduceAxis,
  type Schedule,
  ScheduleError,
  type SpaceBuilder,
  sub,
  sum,
  transposedConv2d,
  wgmma,
} from "@warpfarm/compiler/language";
import { defineTemplate } from "../define-template.ts";
import { exactly } from "../exactly.ts";
import type { KnobValues } from "../starts.ts";
import { type ArgValues, word } from "../template-args.ts";
import {
  convCheck,
  convPlaces,
  gradientArg,
  layoutConvArgsWith,
  transposedWindowsOf,
  turnedConv,
  windowsOf,
} from "./conv-args.ts";
import { wholeMultiple, zeroBeyond } from "./padded.ts";
import { addParts, placeLanes, rows, splitSums, storedByEngine } from "./tma-places.ts";
import {
  feedTiles,
  inTiles,
  isSmallResult,
  layInTiles,
  lineOf,
  partCounts,
  registersOf,
  residualChoice,
  splitsOf,
  tmaOutline,
  tmaTemplate,
  unitOf,
} from "./tma-product.ts";
import { fewestCycles, joining, orderOf, partsOf, stagesIn, typeOfResult } from "./tma-starts.ts";

const args = {
  ...layoutConvArgsWith({
    dtype: word("float16", ["float16", "bfloat16"]),
  }),
  ...gradientArg,
};
type Args = ArgValues<typeof args>;

const isTurned = ({ gradient }: Args): boolean => gradient === "input";
/** The convolution that is computed. */
const computed = (values: Args): Args => (isTurned(values) ? turnedConv(values) : values);

/** Halves of 128, 64 and 32 bytes: what the engine swizzles. */
const runs = [64, 32, 16] as const;
const leastChannels = 16;
/** Of the ring. */
const slots: readonly number[] = [2, 3, 4, 5, 6, 7, 8];
/** What a map of images has room for: steps, a corner's 8 bits with sign, a tap's 8 bits. */
const mostStep = 8;
const mostCorner = 127;
const mostTap = 255;

function check(values: Args): string | undefined {
  const { CI, CO, groups, stride, gradient } = values;
  const wrong = convCheck(values);
  if (wrong) return wrong;
  if (isTurned(values) && stride.some((step) => step > 1))
    return `gradient is ${gradient} and stride [${stride}]; this template takes stride 1 alone, conv2d_derived any`;
  const [own, made] = [CI / groups, CO / groups];
  const [summed, what] = isTurned(values) ? [made, "output"] : [own, "input"];
  if (summed < leastChannels)
    return `each of ${groups} groups has ${summed} ${what} channels; this template takes ${leastChannels} and more`;
  const odd = (["CI", "CO"] as const).find((name) => values[name] % unitOf(values.dtype) !== 0);
  if (odd) return `${odd} is ${values[odd]}; the copy engine takes multiples of ${unitOf(values.dtype)}, which are 16 bytes`;
  if (groups > 1 && (own % leastChannels !== 0 || made % leastChannels !== 0))
    return `each of ${groups} groups has ${own} input and ${made} output channels; this template takes multiples of ${leastChannels}`;
  return faultOfPixels(computed(values));
}

/** Why the pixels are no rows of a product, or what the engine's map of the images has no room for. */
function faultOfPixels(values: Args): string | undefined {
  const { N, H, W, KH, KW, stride, padding, dilation } = values;
  const [OH, OW] = convPlaces(values);
  if (N * OH * OW === 1) return "the result is one pixel; this template takes two and more";
  const taps = [(KH - 1) * dilation[0], (KW - 1) * dilation[1]];
  const corners = [...padding, (OH - 1) * stride[0] - padding[0] - H + 1, (OW - 1) * stride[1] - padding[1] - W + 1];
  if (stride.some((step) => step > mostStep)) return `stride is [${stride}]; the copy engine takes 1 to ${mostStep}`;
  if (taps.some((tap) => tap > mostTap) || corners.some((corner) => Math.abs(corner) > mostCorner))
    return `taps reach [${taps}] pixels and borders [${corners}]; the copy engine takes taps up to ${mostTap} and borders up to ${mostCorner}`;
  return undefined;
}

/** Channels of a tap in whole steps, as many in each part of the reduction. */
const channelsOf = ({ CI, groups }: Args, step: number, splits: number) => wholeMultiple(CI / groups, step * splits);

/** Whether each part has channels. In groups it has whole steps, because the engine would read on in the next group. */
function hasParts(values: Args, step: number, splits: number): boolean {
  const { extent, padded } = channelsOf(values, step, splits);
  return values.groups > 1 ? extent === padded : padded - extent < padded / splits;
}
/** Output channels in whole tiles. Those of groups are whole without. */
const filtersOf = ({ CO, groups }: Args, columns: number) => (groups > 1 ? wholeMultiple(CO, 1) : wholeMultiple(CO, columns));

/** Of the convolution that is computed. */
function operandsOf(conv: Args) {
  const { N, H, W, CI, CO, KH, KW, groups, dtype } = conv;
  const channels = isTurned(conv) ? [CO / groups, CI] : [CI / groups, CO];
  return [placeholder("A", [N, H, W, CI], dtype), placeholder("W", [KH, KW, ...channels], dtype)] as const;
}

function plainGraph(values: Args): Graph {
  const [A, W] = operandsOf(computed(values));
  const names = { name: "sums", outDtype: "float32" } as const;
  const conv = isTurned(values)
    ? transposedConv2d("NHWC", A, W, { ...transposedWindowsOf(values), ...names })
    : conv2dNhwc(A, W, { ...windowsOf(values), ...names, padName: "Apad" });
  const axes = conv.shape.map((extent, d) => [["n", "y", "x", "f"][d] as string, extent] as const);
  return graphOf([A, W], [compute("Conv", axes, (...index) => cast(values.dtype, at(conv, ...index)))]);
}

/** Where the kernel has the weight of filter `f` and channel `c` of its group, of a turned convolution. */
function turnedChannels({ CI, CO, groups }: Args, f: Expr, c: Expr): readonly [Expr, Expr] {
  const made = CO / groups;
  return groups === 1 ? [f, c] : [floorMod(f, made), add(mul(floorDiv(f, made), CI / groups), c)];
}

/** The views of a config's product. */
function tiledGraph(values: Args, { columns, step, epilogue }: Pick<Knobs, "columns" | "step" | "epilogue">): Graph {
  const { N, H, W: width, KH, KW, CO, groups, stride, dilation, padding, dtype } = values;
  const [OH, OW] = convPlaces(values);
  const [A, W] = operandsOf(values);
  const splits = splitsOf({ epilogue });
  const [P, C, F] = [wholeMultiple(N * OH * OW, rows), channelsOf(values, step, splits), filtersOf(values, columns)];
  const K = KH * KW * C.padded;
  // A part has some channels of every tap: taps beyond the last would read pixels, where channels beyond the last are zeros.
  const own = C.padded / splits;
  const tapOf = (k: Expr) => {
    const [row, column, c] = [floorDiv(k, KW * own), floorMod(floorDiv(k, own), KW), floorMod(k, own)];
    if (splits === 1) return [row, column, c] as const;
    return [floorMod(row, KH), column, add(mul(floorDiv(k, K / splits), own), c)] as const;
  };
  const pixelAxes = [
    ["p", P.padded],
    ["q", groups * K],
  ] as const;
  const pixels = compute("pixels", pixelAxes, (p, q) => {
    const [r, s, c] = tapOf(floorMod(q, K));
    const y = sub(add(mul(floorMod(floorDiv(p, OW), OH), stride[0]), mul(r, dilation[0])), padding[0]);
    const x = sub(add(mul(floorMod(p, OW), stride[1]), mul(s, dilation[1])), padding[1]);
    const inside = [greaterEqual(y, 0), less(y, H), greaterEqual(x, 0), less(x, width)];
    const isPadded = padding.some((side) => side > 0);
    const channel = add(mul(floorDiv(q, K), C.extent), c);
    const extents = [
      [p, P],
      [c, C],
    ] as const;
    return zeroBeyond(at(A, floorDiv(p, OH * OW), y, x, channel), extents, isPadded ? inside : []);
  });
  const weightOf = (k: Expr, f: Expr) => {
    const [r, s, c] = tapOf(k);
    const element = isTurned(values) ? at(W, sub(KH - 1, r), sub(KW - 1, s), ...turnedChannels(values, f, c)) : at(W, r, s, c, f);
    return zeroBeyond(element, [
      [c, C],
      [f, F],
    ]);
  };
  const [ofSums, ofFilters] = [["k", K] as const, ["f", F.padded] as const];
  const weights = isTurned(values)
    ? compute("weights", [ofFilters, ofSums], (f, k) => weightOf(k, f))
    : compute("weights", [ofSums, ofFilters], weightOf);
  const tileAxes = [
    ["p", P.padded],
    ["f", F.padded],
  ] as const;
  const k = reduceAxis("k", K);
  const sums = compute("sums", tileAxes, (p, f) => {
    const q = groups === 1 ? k.loopVar : add(mul(floorDiv(f, CO / groups), K), k.loopVar);
    const weight = isTurned(values) ? at(weights, f, k.loopVar) : at(weights, k.loopVar, f);
    return sum(mul(cast("float32", at(pixels, p, q)), cast("float32", weight)), [k]);
  });
  const axes = [
    ["n", N],
    ["y", OH],
    ["x", OW],
    ["f", CO],
  ] as const;
  return graphOf([A, W], [compute("Conv", axes, (n, y, x, f) => cast(dtype, at(sums, pixelOf(values)(n, y, x), f)))]);
}

/** Padding to a multiple adds at most a third to what padding to the least one does. */
const isNear = (extent: number, of: number, least: number): boolean =>
  wholeMultiple(extent, of).padded * 3 <= wholeMultiple(extent, least).padded * 4;

/** Of the product: pixels, filters, and what a filter adds up. */
function sizesOf(values: Args) {
  const { N, KH, KW, CI, CO, groups } = values;
  const [OH, OW] = convPlaces(values);
  return { M: N * OH * OW, N: CO, K: (KH * KW * CI) / groups };
}

/** What divides the product well enough: warpgroups of 64 pixels, columns of filters, channels of a tap for each slot. */
function choicesOf(values: Args, result: DType) {
  const { CI, CO, groups } = values;
  const [own, made, { M: pixels }] = [CI / groups, CO / groups, sizesOf(values)];
  const isSmall = isSmallResult(wholeMultiple(pixels, rows).padded, wholeMultiple(CO, rows).padded);
  const columns = [16, 32, 64, 96, 128, 160, 192, 224, 256].filter(
    (count) => count >= Math.min(isSmall ? 32 : 64, made) && (groups > 1 ? made % count === 0 : isNear(made, count, 16)),
  );
  const steps = runs.filter((step) => (groups > 1 ? own % step === 0 : isNear(own, step, leastChannels)));
  return {
    /** Whether the engine may store the result. */
    isStored: pixels >= rows && CO % unitOf(result) === 0,
    consumers: [1, 2, 3].filter((consumers) => isNear(pixels, rows * consumers, rows)),
    columns: columns.length > 0 ? columns : [16],
    steps,
    splits: isSmall ? partCounts.filter((parts) => steps.some((step) => hasParts(values, step, parts))) : [],
  };
}

/**
 * Of each tile of few cycles its widest step; at the end two that threads store, of whole sums, for results that are wider than
 * operands and where the estimate of split sums misleads.
 */
function startsOf(values: Args, result: DType): readonly KnobValues[] {
  const { isStored, consumers, columns, steps, splits } = choicesOf(values, result);
  const sizes = sizesOf(values);
  const tilesOf = (parts: readonly number[]) => fewestCycles(sizes, { consumers, columns, splits: parts });
  const startOf = (tile: ReturnType<typeof tilesOf>[number], byEngine: boolean): KnobValues => {
    const isSplit = tile.splits > 1;
    const step = Math.max(...steps.filter((each) => hasParts(values, each, tile.splits)));
    const whole = byEngine && !isSplit && tile.columns % lineOf(result) === 0;
    const { parts, kept } = whole ? partsOf(tile, result) : { parts: 1, kept: 0 };
    const height = rows * tile.consumers;
    const stages = stagesIn(slots, (height + tile.columns) * step * 2, kept);
    return {
      ...{ consumers: tile.consumers, columns: tile.columns, step, stages, group: 8, producer: 40 },
      ...{ epilogue: isSplit ? tile.splits : whole ? "tma" : "direct", waves: isSplit ? 1 : 0 },
      ...{ cluster: 1, order: orderOf(Math.ceil(sizes.M / height), 8), parts },
    };
  };
  const [best, whole] = [tilesOf([1, ...splits]), tilesOf([1]).slice(0, 2)];
  return [...best.map((tile) => startOf(tile, isStored)), ...whole.map((tile) => startOf(tile, false))];
}

function convSpace(space: SpaceBuilder, sch: Schedule, values: Args) {
  const [result] = exactly(1, sch.graph.outputs);
  const { consumers, columns, steps, splits, isStored } = choicesOf(values, result.dtype);
  return {
    consumers: space.choice("consumers", consumers),
    columns: space.choice("columns", columns),
    /** Channels of a tap that a slot of the ring has. */
    step: space.choice("step", steps),
    stages: space.choice("stages", slots),
    group: space.choice("group", [1, 2, 3, 4, 6, 8, 16, 32]),
    /** Registers per thread of the producer. */
    producer: space.choice("producer", [24, 40]),
    /** As in matmul_tma: the threads, the engine, or a second kernel from this number of parts. */
    epilogue: space.choice("epilogue", [...(isStored ? (["direct", "tma"] as const) : (["direct"] as const)), ...splits]),
    /** Neighbours along n read the same pixels, unless they are of two groups. */
    cluster: space.choice("cluster", values.groups > 1 ? [1, "2m"] : [1, "2m", "2n"]),
    order: space.choice("order", ["rows", "group", "hilbert"]),
    parts: space.choice("parts", [1, 2, 4]),
    /** 0: as many blocks as run at once; 1: one for each tile, of which several may share a multiprocessor. */
    waves: space.choice("waves", [0, 1], { absent: 0 }),
    residual: residualChoice(space, sch, values.dtype),
  };
}
type Knobs = Bound<ReturnType<typeof convSpace>>;

const { targets, aliases } = tmaTemplate;
export const conv2dNhwcTma = defineTemplate({
  ...{ targets, aliases },
  name: "conv2d_nhwc_tma",
  summary: "convolution NHWC float16 or bfloat16 on tensor cores (wgmma), pixels gathered by the copy engine (im2col)",
  args,
  check,
  // 128x256 by 64 channels of a tap, four slots, pairs along m, stored in two parts: what a prototype was measured with.
  published: {
    consumers: 2,
    columns: 256,
    step: 64,
    stages: 4,
    group: 8,
    producer: 40,
    epilogue: "tma",
    cluster: "2m",
    order: "rows",
    parts: 2,
  },

  graph: ({ args: values }) => plainGraph(values),
  starts: ({ args: values }, space, graph) => joining(startsOf(computed(values), typeOfResult(graph)), space),
  space: (space, sch, { args: values }) => convSpace(space, sch, computed(values)),
  outline: (knobs, { args: values }) => tmaOutline(knobs, sizesOf(computed(values)), knobs.step),
  scheduled: (knobs, { args: values }) => tiledGraph(computed(values), knobs),
  schedule: (sch, knobs, { args: values }) => scheduleConv(sch, knobs, computed(values)),
});

/** The place of a pixel of the result among all of them. Of one image the row is its first digit, and goes on beyond the end. */
function pixelOf(values: Args) {
  const [OH, OW] = convPlaces(values);
  return (n: Expr, y: Expr, x: Expr) => add(mul(values.N === 1 ? y : add(mul(n, OH), y), OW), x);
}
const panelsOfPixels = (values: Args) => (width: number) =>
  indexMap(["n", "y", "x", "f"], (n, y, x, f) => [floorDiv(f, width), pixelOf(values)(n, y, x), floorMod(f, width)]);

function scheduleConv(sch: Schedule, knobs: Knobs, values: Args): void {
  const { dtype } = values;
  const { consumers, columns, step, producer, epilogue } = knobs;
  const splits = splitsOf(knobs);
  if (!hasParts(values, step, splits))
    throw new ScheduleError({
      rule: "parts",
      message: `steps of ${step} channels do not fill ${splits} parts of the ${values.CI / values.groups} channels of a group`,
    });
  // Weights that lie across the reduction come in panels.
  const panel = isTurned(values) ? undefined : (runs.find((width) => columns % width === 0) ?? leastChannels);
  const lies = (across?: number) => ({ major: across ? "mn" : "k", swizzle: (2 * (across ?? step)) as 32 | 64 | 128 }) as const;
  const product = wgmma({ dtype, n: columns, a: lies(), b: lies(panel) });
  const [Conv, whole] = [sch.stage("Conv"), sch.stage("sums")];
  const { out, sums } = splits > 1 ? splitSums(sch, whole, splits) : { out: Conv, sums: whole };
  const copy = (name: string) => {
    const view = sch.stage(name);
    sch.computeInline(view);
    return sch.cacheRead(view, "shared", [sums]);
  };
  const [A, B] = [copy("pixels"), copy("weights")];
  const outer = splits > 1 ? ["s"] : [];
  if (splits === 1) sch.setScope(sums, "warpgroup.accumulator");
  layInTiles(sch, sums, outer, inTiles(columns, panel));
  const pixelsOf = () => {
    const [n, y, x, f] = exactly(4, sch.axes(Conv));
    return { i: sch.fuse([n, y, x]), j: f };
  };
  const byParts = () => {
    const [s, i, j] = exactly(3, sch.axes(out));
    const placed = placeLanes(sch, out, knobs, { i, j, before: [s] });
    addParts(sch, Conv, whole);
    return placed;
  };
  const byEngine = () => {
    const sides = pixelsOf();
    const [result] = exactly(1, sch.graph.outputs);
    const CS = sch.cacheWrite(Conv, "shared");
    const stored = { C: Conv, CS, ...sides, line: lineOf(result.dtype), panels: panelsOfPixels(values) };
    return storedByEngine(sch, { ...stored, ...(knobs.residual === "ring" && { ring: { copies: [A, B], step } }) }, knobs);
  };
  const place = splits > 1 ? byParts() : epilogue === "tma" ? byEngine() : placeLanes(sch, out, knobs, pixelsOf());
  sch.specialize(out, ...registersOf(consumers, producer));
  sch.computeAt(sums, place.stage, place.loop);
  const tileAxes = sch.axes(sums).slice(outer.length);
  feedTiles(sch, { sums, tileAxes, copies: [A, B], product, panels: [undefined, panel], step }, knobs);
}
