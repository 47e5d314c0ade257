/**
 * The values of a tensor's elements, where it is an index of another: of an input by its fill, because that is what it holds when
 * it is measured; of a computed tensor by its formula.
 */
import { fillValue, isFloat } from "@warpfarm/common";
import { everything, type Interval, range, times } from "../arith/interval.ts";
import type { Buffer } from "../ir/buffer.ts";
import type { Var } from "../ir/expr.ts";
import { roundTo } from "../ir/numeric.ts";
import { fillOf } from "./fill.ts";
import type { Axis, ComputeOp } from "./graph.ts";
import { type Box, kept, rangeOf } from "./value-range.ts";

type OpOf = (tensor: Buffer) => ComputeOp | undefined;

export const boxOf = (axes: readonly Axis[]): Box =>
  new Map<Var, Interval>(axes.map(({ loopVar, extent }) => [loopVar, range(extent)]));

const known = new WeakMap<Buffer, Interval>();

export function elementValues(tensor: Buffer, opOf: OpOf): Interval {
  let values = known.get(tensor);
  if (values === undefined) {
    const op = opOf(tensor);
    values = op === undefined ? filled(tensor) : computed(op, opOf);
    known.set(tensor, values);
  }
  return values;
}

function filled(input: Buffer): Interval {
  const fill = fillOf(input);
  const round = roundTo(input.dtype);
  switch (fill?.kind) {
    case "range":
      return { lo: round(Number(fill.from)), hi: round(Number(fill.to)) };
    case "constant":
      return { lo: round(Number(fill.value)), hi: round(Number(fill.value)) };
    case "permutation":
      return range(input.shape.at(-1) ?? 1);
    case undefined:
      // Floats are normal by default.
      return isFloat(input.dtype) ? everything : { lo: fillValue(input.dtype, 0), hi: fillValue(input.dtype, 2 ** 32 - 1) };
  }
}

function computed({ axes, reduce, body, combiner, output }: ComputeOp, opOf: OpOf): Interval {
  const term = rangeOf(body, boxOf([...axes, ...reduce]), (tensor) => elementValues(tensor, opOf));
  if (combiner !== "sum") return term;
  const terms = reduce.reduce((product, { extent }) => product * extent, 1);
  return isFloat(output.dtype) ? everything : kept(output.dtype, times(term, { lo: terms, hi: terms }));
}
