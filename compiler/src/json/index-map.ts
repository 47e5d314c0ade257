/**
 * Index maps as data: where the element [n, c] of a tensor stands in another layout, for instance [n/16, c/16, n%16, c%16]. A map
 * may fuse axes (h*W + w) and cut axes and fused ones at constants; every element gets a place of its own, so the map has an
 * inverse. Where a cut does not divide, the new layout has places for no element (padding).
 *
 * A source is an axis, or several fused; a piece of it is floor((source mod upper) / lower). Pieces of a source that follow each
 * other from lower 1 upwards are its digits, and the new indices are mixed-radix numbers of such digits.
 */

import type { Json } from "@warpfarm/common";
import * as b from "../ir/build.ts";
import type { Expr, Var } from "../ir/expr.ts";
import { isName } from "../te/graph-error.ts";
import { decodeExpr, encodeExpr } from "./expr-json.ts";
import { DecodeError } from "./read-json.ts";

/** Names of the axes, and the new indices over them, in the form of body expressions (docs/contracts.md). */
export type IndexMap = { readonly from: readonly string[]; readonly to: readonly Json[] };

/** `indexMap(["n", "c"], (n, c) => [floorDiv(n, 16), c, floorMod(n, 16)])` */
export function indexMap(from: readonly string[], to: (...axes: Var[]) => readonly Expr[]): IndexMap {
  return { from, to: to(...from.map((name) => b.variable(name))).map(encodeExpr) };
}

const maxDimensions = 16;

interface ReadMap {
  readonly from: readonly Var[];
  readonly to: readonly Expr[];
}
const read = new WeakMap<object, ReadMap>();

export function readIndexMap(json: Json): ReadMap | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  const known = read.get(json) ?? decodeIndexMap(json);
  if (known) read.set(json, known);
  return known;
}

function decodeIndexMap(json: Json): ReadMap | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
  const { from, to, ...rest } = json as { readonly [key: string]: Json };
  if (!Array.isArray(from) || !Array.isArray(to) || Object.keys(rest).length > 0) return undefined;
  if (to.length < 1 || to.length > maxDimensions || from.length > maxDimensions) return undefined;
  if (!from.every((name) => typeof name === "string" && isName(name)) || new Set(from).size < from.length) return undefined;
  const vars = new Map(from.map((name) => [name as string, b.variable(name as string)]));
  try {
    const exprs = to.map((e, i) => decodeExpr(e, `to[${i}]`, { vars, tensors: new Map() }));
    return exprs.every((e) => e.dtype === "int32") ? { from: [...vars.values()], to: exprs } : undefined;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

interface Source {
  readonly axes: readonly { readonly axis: number; readonly coef: number; readonly extent: number }[];
  readonly extent: number;
  readonly key: string;
}
interface Piece {
  readonly source: Source;
  readonly lower: number;
  readonly upper: number;
  readonly coef: number;
}

class NoInverse extends Error {}

const extentOf = ({ source, lower, upper }: Piece): number =>
  upper === Infinity ? Math.ceil(source.extent / lower) : upper / lower;

function sourceOf(axes: Source["axes"]): Source {
  let next = 1;
  const sorted = [...axes].sort((x, y) => x.coef - y.coef);
  for (const { coef, extent } of sorted) {
    if (coef !== next) throw new NoInverse(`the fused axes leave gaps or overlap at the coefficient ${coef}; expected ${next}`);
    next *= extent;
  }
  return { axes: sorted, extent: next, key: sorted.map(({ axis, coef }) => `${axis}*${coef}`).join("+") };
}

class Reader {
  readonly #axes: ReadonlyMap<Expr, Source["axes"][number]>;
  constructor(from: readonly Var[], shape: readonly number[]) {
    this.#axes = new Map(from.map((v, axis) => [v, { axis, coef: 1, extent: shape[axis] as number }]));
  }

  pieces(e: Expr): readonly Piece[] {
    const axis = this.#axes.get(e);
    if (axis) return [{ source: sourceOf([axis]), lower: 1, upper: Infinity, coef: 1 }];
    if (b.isInt(e, 0)) return [];
    if (e.kind === "Add") return [...this.pieces(e.a), ...this.pieces(e.b)];
    const by = "b" in e && e.b.kind === "IntImm" ? e.b.value : 0;
    if ("b" in e && by > 0) {
      if (e.kind === "Mul") return this.pieces(e.a).map((p) => ({ ...p, coef: p.coef * by }));
      if (e.kind === "FloorDiv") return [cutBelow(this.#whole(e.a), by)];
      if (e.kind === "FloorMod") return [cutAbove(this.#whole(e.a), by)];
    }
    throw new NoInverse(`${e.kind} stands in it; +, and *, floorDiv, floorMod by a constant from 1 may`);
  }

  #whole(e: Expr): Piece {
    const pieces = this.pieces(e);
    const [only] = pieces;
    if (only && pieces.length === 1 && only.coef === 1) return only;
    if (pieces.length === 0 || pieces.some((p) => p.lower !== 1 || p.upper !== Infinity || p.source.axes.length > 1))
      throw new NoInverse("it divides a sum of parts of axes; only whole axes can be fused and then cut");
    const axes = pieces.map((p) => ({ ...(p.source.axes[0] as Source["axes"][number]), coef: p.coef }));
    return { source: sourceOf(axes), lower: 1, upper: Infinity, coef: 1 };
  }
}

function cutBelow(p: Piece, by: number): Piece {
  if (p.upper % (p.lower * by) !== 0 && p.upper !== Infinity) throw new NoInverse(`it cuts ${p.upper / p.lower} values by ${by}`);
  return { ...p, lower: p.lower * by };
}
function cutAbove(p: Piece, by: number): Piece {
  if (p.upper % (p.lower * by) !== 0 && p.upper !== Infinity) throw new NoInverse(`it cuts ${p.upper / p.lower} values by ${by}`);
  return { ...p, upper: p.lower * by };
}

function extentOfIndex(pieces: readonly Piece[], index: number): number {
  let next = 1;
  for (const p of [...pieces].sort((x, y) => x.coef - y.coef)) {
    if (p.coef !== next)
      throw new NoInverse(`index ${index} leaves gaps or overlaps at the coefficient ${p.coef}; expected ${next}`);
    next *= extentOf(p);
  }
  return next;
}

export interface Layout {
  readonly shape: readonly number[];
  readonly axes: readonly Var[];
  readonly inverse: readonly Expr[];
  /** The places that hold an element; none when all do. */
  readonly inside: readonly Expr[];
}

const digit = (value: Expr, by: number, extent: number, leads: boolean): Expr => {
  const high = b.floorDiv(value, b.int(by));
  return leads ? high : b.floorModulo(high, b.int(extent));
};

/** The layout that a map gives a tensor of this shape, or why it gives none. */
export function layoutOf(from: readonly Var[], to: readonly Expr[], shape: readonly number[]): Layout | string {
  try {
    return invert(from, to, shape);
  } catch (error) {
    if (error instanceof NoInverse) return error.message;
    throw error;
  }
}

function invert(from: readonly Var[], to: readonly Expr[], shape: readonly number[]): Layout {
  const reader = new Reader(from, shape);
  const indices = to.map((e) => reader.pieces(e));
  const extents = indices.map(extentOfIndex);
  const axes = indices.map((pieces, i) => b.variable(nameOf(pieces, from, i)));
  // For each source, its digits and the expression of each over the new axes.
  const digits = new Map<string, { readonly piece: Piece; readonly value: Expr }[]>();
  indices.forEach((pieces, i) => {
    for (const piece of pieces) {
      const extent = extentOf(piece);
      const value = digit(axes[i] as Var, piece.coef, extent, piece.coef * extent === extents[i]);
      digits.set(piece.source.key, [...(digits.get(piece.source.key) ?? []), { piece, value }]);
    }
  });
  const inverse: (Expr | undefined)[] = shape.map((extent) => (extent === 1 ? b.int(0) : undefined));
  const inside: Expr[] = [];
  const found = new Set<number>();
  for (const parts of digits.values()) {
    const { source } = (parts[0] as (typeof parts)[number]).piece;
    parts.sort((x, y) => x.piece.lower - y.piece.lower);
    let covered = 1;
    let value: Expr = b.int(0);
    for (const part of parts) {
      if (part.piece.lower !== covered)
        throw new NoInverse(`the parts of "${nameOf([part.piece], from, 0)}" leave gaps or overlap at ${part.piece.lower}`);
      value = b.add(b.mul(part.value, b.int(covered)), value);
      covered *= extentOf(part.piece);
    }
    if (covered < source.extent) throw new NoInverse(`the parts of an axis of ${source.extent} reach ${covered} only`);
    if (covered > source.extent) inside.push(b.lt(value, b.int(source.extent)));
    for (const { axis, coef, extent } of source.axes) {
      if (found.has(axis)) throw new NoInverse(`"${from[axis]?.name}" stands in it twice, alone and fused`);
      found.add(axis);
      inverse[axis] = digit(value, coef, extent, coef * extent === source.extent);
    }
  }
  const lost = inverse.indexOf(undefined);
  if (lost >= 0) throw new NoInverse(`"${from[lost]?.name}" does not stand in it`);
  return { shape: extents, axes, inverse: inverse as Expr[], inside };
}

/** `n`, `n.outer`, `n.inner`, `h.w.fused`; what has no axis is `one`. */
function nameOf(pieces: readonly Piece[], from: readonly Var[], index: number): string {
  const names = pieces.flatMap(({ source, lower, upper }) => {
    const whole = source.axes.map(({ axis }) => from[axis]?.name).reverse();
    return lower === 1 && upper === Infinity ? whole : [`${whole.join(".")}.${upper === Infinity ? "outer" : "inner"}`];
  });
  if (names.length === 0) return `one${index}`;
  return names.length === 1 ? (names[0] as string) : `${names.join(".")}.fused`;
}
