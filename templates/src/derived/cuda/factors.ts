/**
 * A reduction as a product of matrices: which axes of its result are the product's rows, which its columns, and which a batch,
 * and which factors of its terms belong to which side. Convolutions of any kind, batched and transposed products, attention
 * scores are all products of two views.
 */
import { type Axis, accessesOf, type ComputeOp, type Expr, grainOf, moveOf, reads } from "@warpfarm/compiler/language";
import { reuseGroups, sizeOf } from "../stages.ts";

/** Part of an axis of the result: (axis // below) % extent. */
export interface Digit {
  readonly axis: number;
  readonly below: number;
  readonly extent: number;
}

export interface Factors {
  readonly batch: readonly Digit[];
  readonly rows: readonly Digit[];
  readonly columns: readonly Digit[];
  readonly left: readonly Expr[];
  readonly right: readonly Expr[];
}

const factorsIn = (e: Expr): readonly Expr[] => (e.kind === "Mul" ? [...factorsIn(e.a), ...factorsIn(e.b)] : [e]);

/** Types of 4 bytes, of which 4 are a vector. */
const summed: readonly string[] = ["float32", "int32"];

/** The factors, or why there is no such product, as the end of a sentence. */
export function factorsOf(op: ComputeOp): Factors | string {
  if (!summed.includes(op.output.dtype)) return `its sums are ${op.output.dtype}; tiles take ${summed.join(" and ")}`;
  if (op.combiner !== "sum") return `it reduces by ${op.combiner}`;
  const size = ({ axes }: { readonly axes: readonly number[] }) => sizeOf(axes.map((p) => op.axes[p] as Axis));
  const [first, second] = reuseGroups(op).toSorted((a, b) => size(b) - size(a));
  if (!first || !second) return "it has no two groups of axes that different operands read";
  const isLast = first.axes.includes(op.axes.length - 1);
  const [ofRows, ofColumns] = isLast ? [second.axes, first.axes] : [first.axes, second.axes];
  const factors = factorsIn(op.body);
  if (factors.length < 2) return "its terms are no products";
  const left: Expr[] = [];
  const right: Expr[] = [];
  for (const factor of factors) {
    const [isOfRows, isOfColumns] = [ofRows, ofColumns].map((axes) => axes.some((p) => movesWith(factor, op.axes[p] as Axis)));
    if (isOfRows && isOfColumns) return "one factor of its terms reads axes of both groups";
    (isOfColumns ? right : left).push(factor);
  }
  if (left.length === 0 || right.length === 0) return "all factors of its terms read one group of axes";
  const digits = (axes: readonly number[]) => axes.map((p) => digitsOf(op, p));
  const [rows, columns] = [digits(ofRows), digits(ofColumns)];
  const whole = op.axes.flatMap(({ extent }, axis) =>
    ofRows.includes(axis) || ofColumns.includes(axis) ? [] : [{ axis, below: 1, extent }],
  );
  const coarse = [...rows, ...columns].flatMap((found) => found.coarse ?? []);
  return {
    batch: [...whole, ...coarse],
    rows: rows.map(({ fine }) => fine),
    columns: columns.map(({ fine }) => fine),
    left,
    right,
  };
}

/** Does a factor have another value for the axis's next element? */
function movesWith(factor: Expr, { loopVar }: Axis): boolean {
  if (!reads(factor, (v) => v === loopVar)) return false;
  const loads = accessesOf(factor);
  return loads.length === 0 || loads.some((load) => grainOf(load, loopVar) === 1);
}

/** An axis that some load reads as axis // F is a batch of extent / F and F elements of its side. */
function digitsOf(op: ComputeOp, axis: number): { readonly fine: Digit; readonly coarse?: Digit } {
  const { loopVar, extent } = op.axes[axis] as Axis;
  const grains = accessesOf(op.body)
    .map((load) => grainOf(load, loopVar))
    .filter((grain) => grain > 1);
  const grain = Math.min(...grains, extent);
  if (grain >= extent || extent % grain !== 0 || grains.some((other) => other % grain !== 0))
    return { fine: { axis, below: 1, extent } };
  return { fine: { axis, below: 1, extent: grain }, coarse: { axis, below: grain, extent: extent / grain } };
}

export type Along = "sum" | "side" | "none";

/** What the neighbours in memory of an operand's element are: of the reduction's last axis, of its own side's, or neither. */
export function alongOf(op: ComputeOp, factors: readonly Expr[], side: readonly Digit[]): Along {
  const [load, ...others] = factors.flatMap(accessesOf);
  const [sum, own] = [op.reduce.at(-1) as Axis, side.at(-1)];
  if (!load || others.length > 0) return "none";
  const isNext = (axis: Axis) => moveOf(load, axis.loopVar).kind === "next";
  if (own && isNext(op.axes[own.axis] as Axis)) return "side";
  return sum.extent > 1 && isNext(sum) ? "sum" : "none";
}

/**
 * With an axis of extent 1 before them, rows of the two axes of a picture are those of the pictures: numbers beyond the last are
 * those of a further picture, which is outside of the tensor.
 */
export function withImage(op: ComputeOp, factors: Factors): Factors {
  const { batch, rows } = factors;
  const [first] = rows;
  const image = batch.find(({ axis }) => first && axis === first.axis - 1 && (op.axes[axis] as Axis).extent === 1);
  if (rows.length !== 2 || !image) return factors;
  return { ...factors, batch: batch.filter((digit) => digit !== image), rows: [image, ...rows] };
}
