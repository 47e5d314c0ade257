/**
 * Convolutions of one, two or three dimensions (cross-correlations, as networks use them), and their transposes.
 *   convolution:           y[n, f, i] = sum over (c, k) of x[n, c, i s + k d - p] w[f, c, k], c over the channels of f's group
 *   transposedConvolution: y[n, f, i] = sum over (c, j, k with j s + k d - p = i) of x[n, c, j] w[c, f, k]
 */
import type { DType } from "@warpfarm/common";
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import { compute, reduceAxis, sum } from "../compute.ts";
import { add, all, at, cast, equal, floorDiv, floorMod, greaterEqual, less, mul, select, sub } from "../expr.ts";
import { refuse } from "../graph-error.ts";
import { pad } from "./pad.ts";
import { positionOf, type Reach, reachesOf, type WindowOptions } from "./window.ts";

export interface ConvolutionOptions extends WindowOptions {
  /** Parts of the channels that do not see each other; absent: 1. */
  readonly groups?: number;
  /** Absent: "conv". */
  readonly name?: string;
  /** Absent: the data's. Operands are cast to it before the product. */
  readonly outDtype?: DType;
}

const spatial = ["z", "y", "x"] as const;

function groupsOf(name: string, groups: number, channels: number, filters: number): number {
  if (!Number.isSafeInteger(groups) || groups < 1 || channels % groups !== 0 || filters % groups !== 0)
    refuse(`${name}: groups is ${groups}; it divides the ${channels} channels and the ${filters} filters`);
  return groups;
}

/**
 * Sums of products over windows of `source`, which has no border left. `weight`: the kernel at (filter, channel of its group,
 * place).
 */
function windowSums(
  source: Buffer,
  filters: number,
  perGroup: number,
  reaches: readonly Reach[],
  { name, groups, outDtype }: { readonly name: string; readonly groups: number; readonly outDtype: DType },
  weight: (f: Expr, c: Expr, k: readonly Expr[]) => Expr,
): Buffer {
  const letters = spatial.slice(3 - reaches.length);
  const channel = reduceAxis("rc", perGroup);
  const window = reaches.map(({ size }, d) => reduceAxis(`r${letters[d]}`, size));
  const axes = [
    ["n", source.shape[0] ?? 1],
    ["f", filters],
    ...reaches.map(({ places }, d) => [letters[d] as string, places]),
  ] as const;
  return compute(name, axes as readonly (readonly [string, number])[], (n, f, ...place) => {
    const c = channel.loopVar;
    const group = groups === 1 ? c : add(mul(floorDiv(f as Expr, filters / groups), perGroup), c);
    const positions = reaches.map((reach, d) => positionOf(reach, place[d] as Expr, (window[d] as { loopVar: Expr }).loopVar));
    const product = mul(
      cast(outDtype, at(source, n as Expr, group, ...positions)),
      cast(
        outDtype,
        weight(
          f as Expr,
          c,
          window.map(({ loopVar }) => loopVar),
        ),
      ),
    );
    return sum(product, [channel, ...window]);
  });
}

/**
 * data (N, C, ...), kernel (F, C / groups, ...) -> (N, F, ...), of one to three dimensions. Throws GraphError that names the
 * fault.
 */
export function convolution(data: Buffer, kernel: Buffer, options: ConvolutionOptions = {}): Buffer {
  const { name = "conv", groups = 1, outDtype = data.dtype } = options;
  const [filters = 0, perGroup = 0, ...sizes] = kernel.shape;
  checkRank(name, sizes.length);
  const reaches = reachesOf(name, data, sizes, options);
  const channels = data.shape[1] ?? 0;
  groupsOf(name, groups, channels, filters);
  if (channels !== perGroup * groups)
    refuse(`${name}: data has ${channels} channels, kernel ${perGroup} for each of ${groups} groups`);
  const before = [0, 0, ...reaches.map((reach) => reach.before)];
  const after = [0, 0, ...reaches.map((reach) => reach.after)];
  const source = pad(data, { name: `${name}_pad`, axes: ["n", "c", ...spatial.slice(3 - sizes.length)], before, after });
  const inside = reaches.map((reach) => ({ ...reach, before: 0, after: 0 }));
  return windowSums(source, filters, perGroup, inside, { name, groups, outDtype }, (f, c, k) => at(kernel, f, c, ...k));
}

export interface TransposedOptions extends ConvolutionOptions {
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
  const letters = spatial.slice(3 - sizes.length);
  const axes = [
    ["n", data.shape[0] ?? 1],
    ["c", channels],
    ...wide.map(({ extent }, d) => [letters[d] as string, extent]),
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
  return windowSums(spread, filters, channels / groups, reaches, { name, groups, outDtype }, (f, c, k) => {
    const own = groups === 1 ? f : floorMod(f, filtersOfGroup);
    const channel = groups === 1 ? c : add(mul(floorDiv(f, filtersOfGroup), channels / groups), c);
    return at(kernel, channel, own, ...k.map((each, d) => sub((sizes[d] ?? 1) - 1, each)));
  });
}

function checkRank(name: string, rank: number): void {
  if (rank < 1 || rank > 3) refuse(`${name}: the kernel has ${rank + 2} dimensions; it has 3 to 5, the windows' after two`);
}
