/**
 * Zero padding as TVM's topi.nn.pad writes it: a dimension without padding has no term, the others give `i >= before` then
 * `i < before + extent`, in order of the dimensions. The terms count as flops (autotvm compute_flop), so their number is part of
 * the meaning.
 */
import type { Buffer } from "../../ir/buffer.ts";
import { constant } from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import { compute } from "../compute.ts";
import { all, at, greaterEqual, less, select, sub } from "../expr.ts";
import { refuse } from "../graph-error.ts";

export interface PadOptions {
  readonly name?: string;
  readonly axes?: readonly string[];
  readonly before: readonly number[];
  /** Absent: the same as before. */
  readonly after?: readonly number[];
}

/** `name[i...] = select(inside, data[i - before ...], 0)`. */
export function pad(data: Buffer, { name = "pad_temp", axes, before, after = before }: PadOptions): Buffer {
  const rank = data.shape.length;
  for (const [what, list] of Object.entries({ before, after }))
    if (list.length !== rank || list.some((p) => !Number.isSafeInteger(p) || p < 0))
      refuse(`pad of "${data.name}": ${what} is [${list.join(", ")}]; it takes ${rank} whole numbers from 0`);
  const names = axes ?? data.shape.map((_, d) => `i${d}`);
  const extents = data.shape.map((extent, d) => [names[d] ?? `i${d}`, extent + (before[d] ?? 0) + (after[d] ?? 0)] as const);
  return compute(name, extents, (...indices) => {
    const terms: Expr[] = [];
    const from = indices.map((index, d) => {
      const lead = before[d] ?? 0;
      if (lead === 0 && after[d] === 0) return index;
      terms.push(greaterEqual(index, lead), less(index, lead + (data.shape[d] ?? 0)));
      return sub(index, lead);
    });
    return select(all(...terms), at(data, ...from), constant(0, data.dtype));
  });
}
