/** Matrix products of batches, and attention as a graph of them. */
import type { DType } from "@warpfarm/common";
import type { Buffer } from "../../ir/buffer.ts";
import type { Expr } from "../../ir/expr.ts";
import { compute, reduceAxis, sum } from "../compute.ts";
import { at, cast, lessEqual, mul, type Operand, select } from "../expr.ts";
import { optionsOf, refuse } from "../graph-error.ts";
import { axesOf, elementwise } from "./elementwise.ts";
import { softmax } from "./normalize.ts";

export interface BatchMatmulOptions {
  readonly name?: string;
  /** Whether the last two dimensions of an operand are the other way round. */
  readonly transposeA?: boolean;
  readonly transposeB?: boolean;
  /** Absent: the operands'. Both are cast to it before the product. */
  readonly outDtype?: DType;
}

/**
 * a (..., n, l), b (..., l, m) -> (..., n, m). Dimensions of batches are broadcast: where one extent is 1 or a dimension is
 * missing in front, the matrices are repeated. Throws GraphError that names the fault.
 */
export function batchMatmul(a: Buffer, b: Buffer, options: BatchMatmulOptions = {}): Buffer {
  const {
    name = "C",
    transposeA = false,
    transposeB = false,
    outDtype = a.dtype,
  } = optionsOf("batchMatmul", options, ["name", "transposeA", "transposeB", "outDtype"]);
  for (const { name: of, shape } of [a, b])
    if (shape.length < 2) refuse(`${name}: "${of}" has ${shape.length} dimension; it has at least 2`);
  const matrixOf = ({ shape }: Buffer, isTurned: boolean) => {
    const [rows, columns] = shape.slice(-2) as [number, number];
    return isTurned ? [columns, rows] : [rows, columns];
  };
  const [[n = 1, l = 1], [lOfB, m = 1]] = [matrixOf(a, transposeA), matrixOf(b, transposeB)];
  if (l !== lOfB) refuse(`${name}: it sums over ${l} of "${a.name}" and ${lOfB} of "${b.name}"`);
  const rank = Math.max(a.shape.length, b.shape.length) - 2;
  const extentAt = ({ shape }: Buffer, d: number) => shape[d - rank + shape.length - 2] ?? 1;
  const batches = Array.from({ length: rank }, (_, d) => {
    const [x, y] = [extentAt(a, d), extentAt(b, d)];
    if (x !== y && x !== 1 && y !== 1)
      refuse(`${name}: "${a.name}" has ${x} and "${b.name}" ${y} in batch dimension ${d}; an extent may differ only from 1`);
    return Math.max(x, y);
  });
  const k = reduceAxis("k", l);
  const axes = [...batches.map((extent, d) => [`b${d}`, extent] as const), ["i", n], ["j", m]] as const;
  return compute(name, axes, (...index) => {
    const [i, j] = index.slice(-2) as [Expr, Expr];
    const element = (of: Buffer, isTurned: boolean, row: Expr, column: Expr) => {
      const own = of.shape.length - 2;
      const batch = index.slice(rank - own, rank).map((each, d): Operand => (of.shape[d] === 1 ? 0 : each));
      return cast(outDtype, at(of, ...batch, ...(isTurned ? [column, row] : [row, column])));
    };
    return sum(mul(element(a, transposeA, i, k.loopVar), element(b, transposeB, k.loopVar, j)), [k]);
  });
}

export interface AttentionOptions {
  readonly name?: string;
  /** Row i sees the columns up to i alone. */
  readonly isCausal?: boolean;
  /** What products are summed in and softmax is computed in; its weights are rounded to v's type. Absent: q's type, for all. */
  readonly sums?: DType;
}

/** softmax(q k^T / sqrt(d)) v for q (..., n, d), k (..., m, d), v (..., m, e). The result has q's type. */
export function attention(q: Buffer, k: Buffer, v: Buffer, options: AttentionOptions = {}): Buffer {
  const { name = "attention", isCausal = false, sums = q.dtype } = optionsOf("attention", options, ["name", "isCausal", "sums"]);
  const products = batchMatmul(q, k, { name: `${name}_products`, transposeB: true, outDtype: sums });
  const scale = 1 / Math.sqrt(q.shape.at(-1) ?? 1);
  const scores = isCausal
    ? compute(`${name}_scores`, axesOf(products.shape), (...index) =>
        select(
          lessEqual(index.at(-1) as Expr, index.at(-2) as Expr),
          mul(at(products, ...index), scale),
          Number.NEGATIVE_INFINITY,
        ),
      )
    : elementwise(`${name}_scores`, [products], (x) => mul(x as Expr, scale));
  const weights = softmax(scores, { name: `${name}_weights` });
  if (sums === q.dtype) return batchMatmul(weights, v, { name });
  const rounded = elementwise(`${name}_rounded`, [weights], (x) => cast(v.dtype, x as Expr));
  const whole = batchMatmul(rounded, v, { name: `${name}_sums`, outDtype: sums });
  return elementwise(name, [whole], (x) => cast(q.dtype, x as Expr));
}
