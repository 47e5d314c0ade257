import { dtypeBits, isPacked } from "@warpfarm/common";
import { addScaled, type Linear, pick } from "../../arith/linear.ts";
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import { level } from "../c-family/operators.ts";
import type { CPrinter } from "../c-family/printer.ts";
import { vectorType } from "./dtype.ts";
import { swizzleHelper } from "./swizzle.ts";

/**
 * The place in memory of the element that strides put at `index`. For a swizzled array, a multiple of the whole swizzle only
 * shifts the place, so it is added outside of the exclusive or: accesses that differ by it share the rest of their addresses.
 */
export function placeText(printer: CPrinter, { swizzle }: Buffer, index: Linear, outer = 0): string {
  const { analyzer } = printer;
  if (!swizzle) return printer.expr(analyzer.expr(index), outer);
  const whole = swizzle.line * swizzle.ways;
  const along = pick(index, (coef) => coef % whole === 0);
  const constant = Math.floor(index.constant / whole) * whole;
  const rest = addScaled(index, { atoms: along.atoms, coefs: along.coefs, constant }, -1);
  const moved = printer.prelude.call(swizzleHelper(swizzle), printer.expr(analyzer.expr(rest)));
  const first = analyzer.expr({ atoms: along.atoms, coefs: along.coefs, constant });
  if (b.isInt(first, 0)) return moved;
  const text = `${moved} + ${printer.expr(first, level.sum + 1)}`;
  return outer > level.sum ? `(${text})` : text;
}

/**
 * Where a vector begins. For a packed type the index is a multiple of the lanes, so whole words begin at a word. A part of a word
 * is counted from the word's end, where the first elements are.
 */
export function pointer(printer: CPrinter, buffer: Buffer, index: Expr, lanes: number, qualifier = ""): string {
  const name = printer.names.get(buffer);
  if (buffer.swizzle) return `(${name} + ${placeText(printer, buffer, printer.analyzer.linear(index), level.sum + 1)})`;
  if (!isPacked(buffer.dtype)) return b.isInt(index, 0) ? name : `(${name} + ${printer.expr(index, level.sum + 1)})`;
  const { analyzer } = printer;
  const divided = (by: number) => printer.expr(analyzer.expr(analyzer.floorDiv(analyzer.linear(index), by)), level.sum + 1);
  const perWord = 32 / dtypeBits(buffer.dtype);
  if (lanes >= perWord) return b.isInt(index, 0) ? name : `(${name} + ${divided(perWord)})`;
  return `((${qualifier}${vectorType(buffer.dtype, lanes)} *)${name} + (${divided(lanes)} ^ ${perWord / lanes - 1}))`;
}
