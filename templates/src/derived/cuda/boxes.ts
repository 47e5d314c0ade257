/**
 * Whether the copy engine of sm_90 can bring a side of a product: boxes of a tensor, or pixels of images (im2col), of which the
 * compiler's passes bulk-copies and pixel-boxes make its maps. What they can prove is asked here of the indices alone, before
 * there is a schedule.
 */
import {
  type Axis,
  accessesOf,
  type Buffer,
  type ComputeOp,
  coefficients,
  type Expr,
  type Load,
  type Var,
} from "@warpfarm/compiler/language";
import type { Digit } from "./factors.ts";

/** Elements of the reduction for each slot of the ring: rows of 128, 64 and 32 bytes, which the engine swizzles. */
const lines = [64, 32, 16] as const;
export type Line = (typeof lines)[number];

/** A map's rows are multiples of 16 bytes; it has at most five dimensions. */
const unit = 8;
const mostRank = 5;
/** What a map of images has room for: steps, and corners and taps of 8 bits. */
const mostStep = 8;
const mostCorner = 127;

interface Asked {
  readonly op: ComputeOp;
  readonly factors: readonly Expr[];
  readonly digits: readonly Digit[];
  readonly inputs: readonly Buffer[];
  /** The stage that computes a tensor. */
  readonly producerOf: (buffer: Buffer) => ComputeOp | undefined;
}

const isTrivial = ({ extent }: Axis): boolean => extent === 1;

/** The axis that an index is, and no more. */
const alone = (axes: readonly Axis[], index: Expr): Axis | undefined => axes.find(({ loopVar }) => loopVar === index);

/** Does a line lie within one axis of the reduction, so that padding after all of them would lie within a line of none? */
export const hasManySums = ({ reduce }: ComputeOp): boolean => reduce.filter((axis) => !isTrivial(axis)).length > 1;

/** The lines that a slot may have for this side, longest first; none: the engine cannot bring it. */
export function linesOf(asked: Asked): readonly Line[] {
  const { op, factors } = asked;
  const [load, ...others] = factors;
  if (load?.kind !== "Load" || others.length > 0 || !(isBox(asked, load) || arePixels(asked, load))) return [];
  const sums = op.reduce.filter((axis) => !isTrivial(axis));
  const last = sums.at(-1);
  if (!last) return [];
  // A line of several axes ends with the last one; a line of one axis may reach beyond it, where the engine brings zeros.
  return lines.filter((line) => sums.length === 1 || last.extent % line === 0);
}

/** Boxes of an input whose dimensions are axes, each whole. */
function isBox({ op, digits, inputs }: Asked, { buffer, indices }: Load): boolean {
  if (!inputs.includes(buffer) || buffer.shape.length > mostRank || (buffer.shape.at(-1) as number) % unit !== 0) return false;
  // A dimension of one element has no axis of its own.
  const longer = buffer.shape.flatMap((extent, d) => (extent > 1 ? [{ extent, index: indices[d] as Expr }] : []));
  const found = longer.map(({ index }) => alone([...op.axes, ...op.reduce], index));
  const isWhole = found.every((axis, i) => axis?.extent === longer[i]?.extent);
  if (!isWhole || new Set(found).size < found.length) return false;
  const own = digits.map(({ axis }) => op.axes[axis] as Axis);
  if (digits.some(({ below, axis, extent }) => below > 1 || extent < (op.axes[axis] as Axis).extent)) return false;
  const inner = found.at(-1) as Axis;
  const sum = op.reduce.findLast((axis) => !isTrivial(axis));
  if (inner !== sum && inner !== own.at(-1)) return false;
  // Rows of several axes are those of one matrix only where they are all of its dimensions but the last.
  return own.length === 1 || (inner === sum && own.length === found.length - 1 && own.every((axis, d) => axis === found[d]));
}

/** The input and the borders of images (N, H, W, C) that a stage pads with zeros, or that are read as they are. */
function imagesOf({ inputs, producerOf }: Asked, buffer: Buffer) {
  if (inputs.includes(buffer)) return { images: buffer, borders: [0, 0] };
  const op = producerOf(buffer);
  const [load, ...others] = op ? accessesOf(op.body) : [];
  if (!op || op.reduce.length > 0 || !load || others.length > 0 || !inputs.includes(load.buffer)) return undefined;
  const { body } = op;
  const isPadded = body.kind === "Select" && body.whenTrue === load && "value" in body.whenFalse && body.whenFalse.value === 0;
  if (body !== load && !isPadded) return undefined;
  const borders = load.indices.map((index, d) => {
    const linear = coefficients(index);
    const own = (op.axes[d] as Axis).loopVar;
    return linear?.size === 1 && linear.get(own) === 1 ? -constantOf(index) : Number.NaN;
  });
  const [image, y = 0, x = 0, channel] = borders;
  return image === 0 && channel === 0 ? { images: load.buffer, borders: [y, x] } : undefined;
}

/** The value of a sum of multiples of variables where all are zero. */
function constantOf(e: Expr): number {
  if (e.kind === "IntImm") return e.value;
  if (e.kind === "Add") return constantOf(e.a) + constantOf(e.b);
  return e.kind === "Sub" ? constantOf(e.a) - constantOf(e.b) : 0;
}

/** Windows of images, whose rows are the pixels of the result, and whose line is a part of the channels of a tap. */
function arePixels(asked: Asked, { buffer, indices }: Load): boolean {
  const { op, digits } = asked;
  const found = buffer.shape.length === 4 ? imagesOf(asked, buffer) : undefined;
  const [image, y, x, channel] = indices as [Expr, Expr, Expr, Expr];
  if (!found || digits.length !== 3 || (found.images.shape.at(-1) as number) % unit !== 0) return false;
  const own = digits.map(({ axis }) => op.axes[axis] as Axis) as [Axis, Axis, Axis];
  const last = op.reduce.findLast((axis) => !isTrivial(axis));
  if (image !== own[0].loopVar || own[0].extent !== buffer.shape[0]) return false;
  if (channel !== last?.loopVar || last.extent !== buffer.shape[3]) return false;
  return ([y, x] as const).every((index, d) =>
    isWindow(op, index, own[d + 1] as Axis, {
      extent: found.images.shape[d + 1] as number,
      border: found.borders[d] as number,
    }),
  );
}

/** Is the index a place times a step plus a tap, as far as a map has room for it? */
function isWindow(
  op: ComputeOp,
  index: Expr,
  place: Axis,
  { extent, border }: { readonly extent: number; readonly border: number },
): boolean {
  const linear = coefficients(index);
  if (!linear || constantOf(index) !== 0 || !(border >= 0)) return false;
  const step = linear.get(place.loopVar) ?? 0;
  const taps = [...linear].filter(([v]) => v !== place.loopVar);
  if (step < 1 || step > mostStep || taps.length > 1) return false;
  const tapOf = ([v, by]: readonly [Var, number]) => {
    const axis = op.reduce.find(({ loopVar }) => loopVar === v);
    return axis && by > 0 ? by * (axis.extent - 1) : Number.NaN;
  };
  const reach = taps[0] ? tapOf(taps[0]) : 0;
  const corner = (place.extent - 1) * step - border - (extent - 1);
  return reach <= 2 * mostCorner && border <= mostCorner && Math.abs(corner) <= mostCorner;
}
