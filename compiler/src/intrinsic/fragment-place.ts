/**
 * Buffers of fragments, as their intrinsics keep them: tile number t has the registers from t*count of each lane. If the layout
 * says so (Places), each element has a known lane and slot.
 */
import { dtypeBits } from "@warpfarm/common";
import { Analyzer } from "../arith/analyzer.ts";
import { equalLinear } from "../arith/linear.ts";
import { type Buffer, bufferSize, bufferStrides } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import type { Expr, Var } from "../ir/expr.ts";
import type { Fragment, RegisterType } from "../ir/intrinsic.ts";
import { touches } from "../ir/parts.ts";
import type { Stmt } from "../ir/stmt.ts";
import { substitute, walkStmt } from "../ir/visit.ts";

/** How a kernel keeps a buffer of fragments: what its intrinsics declare, and one tile. */
export interface FragmentStorage {
  readonly fragment: Fragment;
  readonly tile: Buffer;
}

export function fragmentsOf(body: Stmt): ReadonlyMap<Buffer, FragmentStorage> {
  const found = new Map<Buffer, FragmentStorage>();
  walkStmt(body, (s) => {
    for (const { buffer, tile } of touches(s))
      if (tile?.operand.fragment) found.set(buffer, { fragment: tile.operand.fragment, tile: tile.tensor });
  });
  return found;
}

/**
 * Whether two operands keep an element alike. One name means one layout, but users choose names, and tiles have other dimensions.
 */
export function sameFragment(x: FragmentStorage, y: FragmentStorage): boolean {
  const known = ({ fragment: { layout, register, count, places } }: FragmentStorage): string =>
    JSON.stringify([layout, register, count, places !== undefined]);
  if (known(x) !== known(y) || bufferSize(x.tile) !== bufferSize(y.tile)) return false;
  const index = b.variable("index");
  const analyzer = new Analyzer([[index, bufferSize(x.tile)]]);
  const [own, other] = [placeOf(x, index), placeOf(y, index)];
  const equal = (e: Expr, f: Expr): boolean => equalLinear(analyzer.linear(e), analyzer.linear(f));
  return !own || !other || (equal(own.lane, other.lane) && equal(own.slot, other.slot));
}

export const registerBits: Readonly<Record<RegisterType, number>> = { b32: 32, f32: 32, s32: 32, f64: 64 };
export const elementsOfRegister = ({ fragment, tile }: FragmentStorage): number =>
  registerBits[fragment.register] / dtypeBits(tile.dtype);

export interface Place {
  readonly lane: Expr;
  /** Among all elements of the lane. */
  readonly slot: Expr;
}
/** Of the element at a flat index; undefined when the layout is opaque. */
export function placeOf(storage: FragmentStorage, index: Expr): Place | undefined {
  const { fragment, tile } = storage;
  if (!fragment.places) return undefined;
  const elements = bufferSize(tile);
  const inTile = b.floorModulo(index, b.int(elements));
  const strides = bufferStrides(tile);
  const values = new Map<Var, Expr>(
    fragment.places.axes.map((axis, d) => {
      const place = b.floorDiv(inTile, b.int(strides[d] as number));
      return [axis, d === 0 ? place : b.floorModulo(place, b.int(tile.shape[d] as number))];
    }),
  );
  const first = b.mul(b.floorDiv(index, b.int(elements)), b.int(fragment.count * elementsOfRegister(storage)));
  return { lane: substitute(fragment.places.lane, values), slot: b.add(first, substitute(fragment.places.slot, values)) };
}
