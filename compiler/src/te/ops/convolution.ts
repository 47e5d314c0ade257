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
import { refuse } from "../graph-error.ts";
import { pad } from "./pad.ts";
import { areInside, positionOf, type Reach, reachesAlong, reachesOf, type WindowOptions } from "./window.ts";

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

function batchFirst(rank: number): ConvolutionLayout {
  const [places, names] = [letters.slice(3 - rank), spatial.slice(3 - rank)];
  return {
    ...{ data: `NC${places}`, kernel: `OI${places}`, padAxes: ["n", "c", ...names], axes: ["n", "f", ...names] },
    sums: { I: "rc", ...Object.fromEntries(names.map((name, d) => [places[d], `r${name}`])) },
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
  const places = [...layout.data].filter((letter) => letters.includes(letter));
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

/** A convolution in any layout. Throws GraphError that names the fault. */
export function convolutionIn(layout: ConvolutionLayout, data: Buffer, kernel: Buffer, options: ConvolutionOptions): Buffer {
  const { name = "conv", padName = `${name}_pad`, groups = 1, outDtype = data.dtype, border = "pad" } = options;
  const extentOf = (letter: string) => data.shape[layout.data.indexOf(letter)] ?? 1;
  const sizeOf = (letter: string) => kernel.shape[layout.kernel.indexOf(letter)] ?? 1;
  const along = [...layout.data].flatMap((letter, d) =>
    letters.includes(letter) ? [{ extent: extentOf(letter), size: sizeOf(letter), where: `dimension ${d}` }] : [],
  );
  const reaches = reachesAlong(name, along, options);
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
 * data (N, C, ...), kernel (O, C / groups, ...) -> (N, O, ...), of one to three dimensions. Throws GraphError naming the fault.
 */
export function convolution(data: Buffer, kernel: Buffer, options: ConvolutionOptions = {}): Buffer {
  const rank = kernel.shape.length - 2;
  const name = options.name ?? "conv";
  checkRank(name, rank);
  if (data.shape.length !== rank + 2)
    refuse(`${name}: "${data.name}" has ${data.shape.length} dimensions; windows of ${rank} dimensions take ${rank + 2}`);
  return convolutionIn(batchFirst(rank), data, kernel, options);
}

export interface TransposedOptions extends Omit<ConvolutionOptions, "border" | "padName"> {
  /** Further elements at the end of each dimension, fewer than the stride; absent: 0. */
  readonly outputPadding?: number;
}

/**
 * data (N, C, ...), kernel (C, F / groups, ...) -> (N, F, ...), each dimension (extent - 1) stride - padding + (size - 1)
 * dilation + 1: the data with zeros between its elements, convolved with the turned kernel. Throws GraphError that names the
 * fault.
 */
export function transposedConvolution(data: Buffer, kernel: Buffer, options: TransposedOptions = {}): Buffer {
  const { name = "conv", groups = 1, outDtype = data.dtype, outputPadding = 0, ...window } = options;
  const [channels = 0, filtersOfGroup = 0, ...sizes] = kernel.shape;
  checkRank(name, sizes.length);
  const filters = filtersOfGroup * groups;
  groupsOf(name, groups, channels, filters);
  if (data.shape[1] !== channels) refuse(`${name}: data has ${data.shape[1]} channels, kernel ${channels}`);
  const given = reachesOf(
    name,
    data,
    sizes.map(() => 1),
    window,
  );
  const wide = given.map(({ extent, stride, dilation, before, after }, d) => {
    const turn = dilation * ((sizes[d] ?? 1) - 1);
    if (before > turn || after > turn) refuse(`${name}: padding is at most dilation (size - 1), ${turn} in dimension ${d + 2}`);
    if (!Number.isSafeInteger(outputPadding) || outputPadding < 0 || outputPadding >= stride)
      refuse(`${name}: outputPadding is ${outputPadding}; it is a whole number below the stride ${stride}`);
    const spread = (extent - 1) * stride + 1;
    return { stride, dilation, lead: turn - before, spread, extent: turn - before + spread + turn - after + outputPadding };
  });
  const names = spatial.slice(3 - sizes.length);
  const axes = [
    ["n", data.shape[0] ?? 1],
    ["c", channels],
    ...wide.map(({ extent }, d) => [names[d] as string, extent]),
  ] as const;
  const spread = compute(`${name}_spread`, axes as readonly (readonly [string, number])[], (n, c, ...place) => {
    const from = wide.map(({ lead }, d) => sub(place[d] as Expr, lead));
    const isThere = wide.flatMap(({ stride, spread }, d) => {
      const i = from[d] as Expr;
      return [greaterEqual(i, 0), less(i, spread), ...(stride > 1 ? [equal(floorMod(i, stride), 0)] : [])];
    });
    const element = at(data, n as Expr, c as Expr, ...wide.map(({ stride }, d) => floorDiv(from[d] as Expr, stride)));
    return select(all(...isThere), element, 0);
  });
  const reaches = wide.map(({ extent, dilation }, d) => {
    const size = sizes[d] ?? 1;
    return { extent, size, stride: 1, dilation, before: 0, after: 0, places: extent - dilation * (size - 1) };
  });
  const layout = batchFirst(sizes.length);
  const turned = { name, groups, outDtype, layout, kernel: [filters, channels / groups, ...sizes] };
  return windowSums(spread, reaches, turned, (indexOf) => {
    const [f, c] = [indexOf("O"), indexOf("I")];
    const own = groups === 1 ? f : floorMod(f, filtersOfGroup);
    const channel = groups === 1 ? c : add(mul(floorDiv(f, filtersOfGroup), channels / groups), c);
    const taps = [...layout.kernel.slice(2)].map((letter, d) => sub((sizes[d] ?? 1) - 1, indexOf(letter)));
    return at(kernel, channel, own, ...taps);
  });
}

function checkRank(name: string, rank: number): void {
  if (rank < 1 || rank > 3) refuse(`${name}: the kernel has ${rank + 2} dimensions; it has 3 to 5, the windows' after two`);
}
