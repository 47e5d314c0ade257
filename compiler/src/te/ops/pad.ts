/**
 * Zero padding as TVM's topi.nn.pad writes it: a dimension without padding has no term, the others give `i >= before` then
 * `i < before + extent`, in order of the dimensions. The terms count as flops (autotvm compute_flop), so their number is part of
 * the meaning.
 */
import type { Buffer } from "../../ir/buffer.ts";
import { constant } from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import { compute } from "../compute.ts";
import { add, all, at, greaterEqual, less, maximum, minimum, select, sub } from "../expr.ts";
import { optionsOf, refuse } from "../graph-error.ts";

export interface PadOptions {
  readonly name?: string;
  readonly axes?: readonly string[];
  readonly before: readonly number[];
  /** Absent: the same as before. */
  readonly after?: readonly number[];
  /** The border: `value`, the nearest element, the mirrored ones, or those of the other end. Absent: `value`. */
  readonly mode?: "constant" | "edge" | "reflect" | "wrap";
  /** Absent: 0. */
  readonly value?: number;
}

const padNames = ["name", "axes", "before", "after", "mode", "value"] as const;

/** The element of `extent` ones that a place before or after them repeats; the place is less than `extent` away. */
function repeatedAt(mode: "edge" | "reflect" | "wrap", i: Expr, extent: number): Expr {
  if (mode === "edge") return minimum(maximum(i, 0), extent - 1);
  if (mode === "wrap") return select(less(i, 0), add(i, extent), select(less(i, extent), i, sub(i, extent)));
  return select(less(i, 0), sub(0, i), select(less(i, extent), i, sub(2 * (extent - 1), i)));
}

/** `name[i...] = select(inside, data[i - before ...], value)`, or an element that is repeated. */
export function pad(data: Buffer, options: PadOptions): Buffer {
  const { name = "pad_temp", axes, before, after = before, mode = "constant", value = 0 } = optionsOf("pad", options, padNames);
  const rank = data.shape.length;
  for (const [what, list] of Object.entries({ before, after }))
    if (list.length !== rank || list.some((p) => !Number.isSafeInteger(p) || p < 0))
      refuse(`pad of "${data.name}": ${what} is [${list.join(", ")}]; it takes ${rank} whole numbers from 0`);
  const names = axes ?? data.shape.map((_, d) => `i${d}`);
  const extents = data.shape.map((extent, d) => [names[d] ?? `i${d}`, extent + (before[d] ?? 0) + (after[d] ?? 0)] as const);
  const furthest = (extent: number): number => (mode === "reflect" ? extent - 1 : extent);
  const far = data.shape.findIndex((extent, d) => Math.max(before[d] ?? 0, after[d] ?? 0) > furthest(extent));
  if ((mode === "reflect" || mode === "wrap") && far >= 0)
    refuse(
      `pad of "${data.name}": dimension ${far} has ${data.shape[far]} elements, too few to ${mode} in a border of that size`,
    );
  if (mode !== "constant")
    return compute(name, extents, (...indices) =>
      at(
        data,
        ...indices.map((index, d) => {
          const isBordered = before[d] !== 0 || after[d] !== 0;
          return isBordered ? repeatedAt(mode, sub(index, before[d] ?? 0), data.shape[d] ?? 1) : index;
        }),
      ),
    );
  return compute(name, extents, (...indices) => {
    const terms: Expr[] = [];
    const from = indices.map((index, d) => {
      const lead = before[d] ?? 0;
      if (lead === 0 && after[d] === 0) return index;
      terms.push(greaterEqual(index, lead), less(index, lead + (data.shape[d] ?? 0)));
      return sub(index, lead);
    });
    return select(all(...terms), at(data, ...from), constant(value, data.dtype));
  });
}
