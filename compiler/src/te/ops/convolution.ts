/**
 * Convolutions of one, two or three dimensions (cross-correlations, as networks use them), and their transposes.
 *   convolution:           y[n, f, i] = sum over (c, k) of x[n, c, i s + k d - p] w[f, c, k], c over the channels of f's group
 *   transposedConvolution: y[n, f, i] = sum over (c, j, k with j s + k d - p = i) of x[n, c, j] w[c, f, k]
 */
import type { DType } from "@warpfarm/common";
import type { Buffer } from "../../ir/buffer.ts";
import { constant } from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import { compute, reduceAxis, sum } from "../compute.ts";
import { add, all, at, cast, equal, floorDiv, floorMod, greaterEqual, less, mul, select, sub } from "../expr.ts";
import { optionsOf, refuse } from "../graph-error.ts";
import { pad } from "./pad.ts";
import { type Along, areInside, each, positionOf, type Reach, reachesAlong, type WindowOptions } from "./window.ts";

/**
 * The treatment of places where a window reaches beyond the data. `pad`: the data is padded with zeros, and the zeros are
 * multiplied. `skip`: the products there are left out of the sum, so a schedule need not compute them. The two differ where a
 * weight is infinite or not a number: 0 times it is not 0.
 */
export const borders = ["pad", "skip"] as const;
export type Border = (typeof borders)[number];

export interface ConvolutionOptions extends WindowOptions {
  /** Parts of the channels that do not see each other; absent: 1. As many as channels: a depthwise convolution. */
  readonly groups?: number;
  /** Absent: "conv". */
  readonly name?: string;
  /** The name of the padded data; absent: the name followed by "_pad". */
  readonly padName?: string;
  /** Absent: the data's. Operands are cast to it before the product. */
  readonly outDtype?: DType;
  /** Absent: "pad". */
  readonly border?: Border;
  /** Data and result (N, ..., C), kernel (..., I, O); absent: they are (N, C, ...) and (O, I, ...). */
  readonly channelsLast?: boolean;
}

/**
 * The order of a convolution's dimensions, one letter each. Data: N images, C channels, D H W the windows' dimensions. Kernel: O
 * filters, I channels of a group, D H W. Small letters (n, c, o, i) are places inside of tiles. The result has the data's order.
 */
export interface ConvolutionLayout {
  readonly data: string;
  readonly kernel: string;
  /** Names of the data's axes once padded, and of the result's. */
  readonly padAxes: readonly string[];
  readonly axes: readonly string[];
  /** The letters of the kernel that are summed over, in this order, and the names of their axes. */
  readonly sums: Readonly<Record<string, string>>;
}

const spatial = ["z", "y", "x"] as const;
const letters = "DHW";

/** The letters of the windows' dimensions, in the data's order. */
const placesOf = ({ data }: ConvolutionLayout): readonly string[] => [...data].filter((letter) => letters.includes(letter));

/** Of windows of one to three dimensions. */
export function batchFirst(rank: number, channelsLast: boolean): ConvolutionLayout {
  const [places, names] = [letters.slice(3 - rank), spatial.slice(3 - rank)];
  const taps = Object.fromEntries(names.map((name, d) => [places[d], `r${name}`]));
  if (channelsLast)
    return {
      ...{ data: `N${places}C`, kernel: `${places}IO`, padAxes: ["n", ...names, "c"], axes: ["n", ...names, "f"] },
      sums: { ...taps, I: "rc" },
    };
  return {
    ...{ data: `NC${places}`, kernel: `OI${places}`, padAxes: ["n", "c", ...names], axes: ["n", "f", ...names] },
    sums: { I: "rc", ...taps },
  };
}

function groupsOf(name: string, groups: number, channels: number, filters: number): number {
  if (!Number.isSafeInteger(groups) || groups < 1 || channels % groups !== 0 || filters % groups !== 0)
    refuse(`${name}: groups is ${groups}; it divides the ${channels} channels and the ${filters} filters`);
  return groups;
}

interface Sums {
  readonly name: string;
  readonly groups: number;
  readonly outDtype: DType;
  readonly layout: ConvolutionLayout;
  /** The kernel's dimensions in the layout's order. */
  readonly kernel: readonly number[];
  /** Whether products outside of the source are left out. */
  readonly isBordered?: boolean;
}

/** Sums of products over windows of `source`. `weight`: the kernel at the indices of its layout's letters. */
function windowSums(
  source: Buffer,
  reaches: readonly Reach[],
  { name, groups, outDtype, layout, kernel, isBordered }: Sums,
  weight: (indexOf: (letter: string) => Expr) => Expr,
): Buffer {
  const places = placesOf(layout);
  const sizeOf = (letter: string) => kernel[layout.kernel.indexOf(letter)] ?? 1;
  // A group of one channel is summed over its window alone.
  const isDepthwise = groups > 1 && sizeOf("I") === 1;
  const sums = Object.entries(layout.sums).filter(([letter]) => letter !== "I" || !isDepthwise);
  const summed = new Map(sums.map(([letter, axis]) => [letter, reduceAxis(axis, sizeOf(letter))]));
  const ofResult: Readonly<Record<string, string>> = { C: "O", c: "o" };
  const extentOf = (letter: string, d: number) => {
    const place = places.indexOf(letter);
    if (place >= 0) return (reaches[place] as Reach).places;
    return letter in ofResult ? sizeOf(ofResult[letter] as string) : (source.shape[d] ?? 1);
  };
  const axes = [...layout.data].map((letter, d) => [layout.axes[d] as string, extentOf(letter, d)] as const);
  return compute(name, axes, (...index) => {
    const ofOut = (letter: string) => index[layout.data.indexOf(letter)] as Expr;
    const ofSum = (letter: string) => summed.get(letter)?.loopVar ?? constant(0, "int32");
    const positions = reaches.map((reach, d) => positionOf(reach, ofOut(places[d] as string), ofSum(places[d] as string)));
    const group = groups === 1 ? undefined : floorDiv(ofOut("C"), sizeOf("O") / groups);
    const element = [...layout.data].map((letter) => {
      const place = places.indexOf(letter);
      if (place >= 0) return positions[place] as Expr;
      if (letter === "C") return group ? add(mul(group, sizeOf("I")), ofSum("I")) : ofSum("I");
      return letter === "c" ? ofSum("i") : ofOut(letter);
    });
    const indexOf = (letter: string) => (letter === "O" ? ofOut("C") : letter === "o" ? ofOut("c") : ofSum(letter));
    const product = mul(cast(outDtype, at(source, ...element)), cast(outDtype, weight(indexOf)));
    const reached = reaches.some(({ before, after }) => before + after > 0);
    return sum(isBordered && reached ? select(areInside(reaches, positions), product, 0) : product, [...summed.values()]);
  });
}

/** What windows go along, in the data's order. */
const alongOf = (layout: ConvolutionLayout, data: Buffer, kernel: Buffer): readonly Along[] =>
  [...layout.data].flatMap((letter, d) =>
    letters.includes(letter)
      ? [{ extent: data.shape[d] ?? 1, size: kernel.shape[layout.kernel.indexOf(letter)] ?? 1, where: `dimension ${d}` }]
      : [],
  );

/** A convolution in any layout. Throws GraphError that names the fault. */
export function convolutionIn(layout: ConvolutionLayout, data: Buffer, kernel: Buffer, options: ConvolutionOptions): Buffer {
  const { name = "conv", padName = `${name}_pad`, groups = 1, outDtype = data.dtype, border = "pad" } = options;
  const extentOf = (letter: string) => data.shape[layout.data.indexOf(letter)] ?? 1;
  const sizeOf = (letter: string) => kernel.shape[layout.kernel.indexOf(letter)] ?? 1;
  const reaches = reachesAlong(name, alongOf(layout, data, kernel), options);
  const [channels, perGroup] = [extentOf("C"), sizeOf("I")];
  groupsOf(name, groups, channels, sizeOf("O"));
  if (channels !== perGroup * groups)
    refuse(`${name}: data has ${channels} channels, kernel ${perGroup} for each of ${groups} groups`);
  if (extentOf("c") !== sizeOf("i"))
    refuse(`${name}: data has tiles of ${extentOf("c")} channels, kernel tiles of ${sizeOf("i")}`);
  const given = { name, groups, outDtype, layout, kernel: kernel.shape };
  const weight = (indexOf: (letter: string) => Expr) => at(kernel, ...[...layout.kernel].map(indexOf));
  if (border === "skip") return windowSums(data, reaches, { ...given, isBordered: true }, weight);
  const width = (side: "before" | "after") => {
    const each = reaches.values();
    return [...layout.data].map((letter) => (letters.includes(letter) ? (each.next().value as Reach)[side] : 0));
  };
  const source = pad(data, { name: padName, axes: layout.padAxes, before: width("before"), after: width("after") });
  const inside = reaches.map((reach) => ({ ...reach, before: 0, after: 0 }));
  return windowSums(source, inside, given, weight);
}

/**
 * data (N, C, ...), kernel (O, C / groups, ...) -> (N, O, ...), of one to three dimensions; with channels last (N, ..., C) and
 * (..., C / groups, O) -> (N, ..., O). Throws GraphError naming the fault.
 */
export function convolution(data: Buffer, kernel: Buffer, options: ConvolutionOptions = {}): Buffer {
  return convolutionIn(layoutFor(data, kernel, optionsOf("convolution", options, convolutionNames)), data, kernel, options);
}

const windowNames = ["stride", "dilation", "padding"] as const;
const sumNames = ["groups", "name", "outDtype", "channelsLast"] as const;
export const convolutionNames = [...windowNames, ...sumNames, "padName", "border"] as const;
export const transposedNames = [...windowNames, ...sumNames, "outputPadding"] as const;

export interface TransposedOptions extends Omit<ConvolutionOptions, "border" | "padName"> {
  /** Further elements at the end of each dimension, fewer than the stride; absent: 0. */
  readonly outputPadding?: number | readonly number[];
}

/** How a dimension of the data is spread: its elements `stride` apart, the first at `lead`, over `extent` in all. */
interface Spread {
  readonly stride: number;
  readonly dilation: number;
  readonly lead: number;
  readonly extent: number;
  readonly length: number;
}

/** Along the windows' dimensions. `turn`: what a window reaches over beyond one element. */
function spreadsOf(name: string, along: readonly Along[], options: TransposedOptions): readonly Spread[] {
  const { outputPadding, ...window } = options;
  const more = each(`${name}: outputPadding`, outputPadding, 0, along.length);
  const given = reachesAlong(
    name,
    along.map((one) => ({ ...one, size: 1 })),
    window,
  );
  return given.map(({ extent, stride, dilation, before, after }, d) => {
    const { size, where } = along[d] as Along;
    const [turn, added] = [dilation * (size - 1), more[d] ?? 0];
    if (!Number.isSafeInteger(added) || added < 0 || added >= stride)
      refuse(`${name}: outputPadding is ${added}; it is a whole number below the stride ${stride}`);
    const length = (extent - 1) * stride + 1;
    const whole = turn - before + length + turn - after + added;
    if (whole <= turn) refuse(`${name}: padding is ${before} and ${after} in ${where}; that leaves nothing of its result`);
    return { stride, dilation, lead: turn - before, extent: whole, length };
  });
}

/** The data with zeros between its elements and around them; without those that the padding cuts off. */
function spreadData(name: string, data: Buffer, layout: ConvolutionLayout, spreads: readonly Spread[]): Buffer {
  const places = placesOf(layout);
  const axes = [...layout.data].map((letter, d) => {
    const spread = spreads[places.indexOf(letter)];
    return [layout.padAxes[d] as string, spread?.extent ?? data.shape[d] ?? 1] as const;
  });
  return compute(`${name}_spread`, axes, (...index) => {
    const tests: Expr[] = [];
    const element = [...layout.data].map((letter, d) => {
      const spread = spreads[places.indexOf(letter)];
      if (!spread) return index[d] as Expr;
      const i = sub(index[d] as Expr, spread.lead);
      tests.push(greaterEqual(i, 0), less(i, spread.length));
      if (spread.stride > 1) tests.push(equal(floorMod(i, spread.stride), 0));
      return floorDiv(i, spread.stride);
    });
    return select(all(...tests), at(data, ...element), 0);
  });
}

/**
 * A transposed convolution in any layout: the spread data, convolved with the turned kernel. The kernel's O are the data's
 * channels, I the result's of a group: that of the convolution which this one transposes. Throws GraphError that names the fault.
 */
export function transposedIn(layout: ConvolutionLayout, data: Buffer, kernel: Buffer, options: TransposedOptions): Buffer {
  const { name = "conv", groups = 1, outDtype = data.dtype, ...rest } = options;
  const extentOf = (letter: string) => data.shape[layout.data.indexOf(letter)] ?? 1;
  const sizeOf = (letter: string) => kernel.shape[layout.kernel.indexOf(letter)] ?? 1;
  const [channels, perGroup] = [sizeOf("O"), sizeOf("I")];
  groupsOf(name, groups, channels, perGroup * groups);
  if (extentOf("C") !== channels) refuse(`${name}: data has ${extentOf("C")} channels, kernel ${channels}`);
  if (extentOf("c") !== sizeOf("o"))
    refuse(`${name}: data has tiles of ${extentOf("c")} channels, kernel tiles of ${sizeOf("o")}`);
  const spreads = spreadsOf(name, alongOf(layout, data, kernel), rest);
  const reaches = spreads.map(({ extent, dilation }, d) => {
    const size = sizeOf(placesOf(layout)[d] as string);
    return { extent, size, stride: 1, dilation, before: 0, after: 0, places: extent - dilation * (size - 1) };
  });
  const turned: Readonly<Record<string, number>> = { O: perGroup * groups, I: channels / groups, o: sizeOf("i"), i: sizeOf("o") };
  const sizes = [...layout.kernel].map((letter) => turned[letter] ?? sizeOf(letter));
  const sums = { name, groups, outDtype, layout, kernel: sizes };
  return windowSums(spreadData(name, data, layout, spreads), reaches, sums, (indexOf) => {
    const [f, c] = [indexOf("O"), indexOf("I")];
    const index: Readonly<Record<string, () => Expr>> = {
      O: () => (groups === 1 ? c : add(mul(floorDiv(f, perGroup), channels / groups), c)),
      I: () => (groups === 1 ? f : floorMod(f, perGroup)),
      o: () => indexOf("i"),
      i: () => indexOf("o"),
    };
    return at(kernel, ...[...layout.kernel].map((letter) => index[letter]?.() ?? sub(sizeOf(letter) - 1, indexOf(letter))));
  });
}

/**
 * data (N, C, ...), kernel (C, F / groups, ...) -> (N, F, ...), each dimension (extent - 1) stride - padding + (size - 1)
 * dilation + 1; with channels last (N, ..., C) and (..., F / groups, C) -> (N, ..., F). Throws GraphError that names the fault.
 */
export function transposedConvolution(data: Buffer, kernel: Buffer, options: TransposedOptions = {}): Buffer {
  const layout = layoutFor(data, kernel, optionsOf("transposedConvolution", options, transposedNames));
  return transposedIn(layout, data, kernel, options);
}

function layoutFor(data: Buffer, kernel: Buffer, options: ConvolutionOptions): ConvolutionLayout {
  const { name = "conv", channelsLast = false } = options;
  const rank = kernel.shape.length - 2;
  if (rank < 1 || rank > 3) refuse(`${name}: the kernel has ${rank + 2} dimensions; it has 3 to 5, the windows' and two`);
  if (data.shape.length !== rank + 2)
    refuse(`${name}: "${data.name}" has ${data.shape.length} dimensions; windows of ${rank} dimensions take ${rank + 2}`);
  return batchFirst(rank, channelsLast);
}
