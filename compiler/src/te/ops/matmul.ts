/**
 * Matrix product with the four layouts of the auto-tensorcore tutorial (docs/reference/source-programs.md 4). C is (N, M), axes
 * i, j; reduction k of extent L. The *second* letter tells whether A is transposed, the first whether B is:
 *   NN A(N,L) B(L,M) | NT A(L,N) B(L,M) | TN A(N,L) B(M,L) | TT A(L,N) B(M,L)
 */
import type { DType } from "@warpfarm/common";
import type { Buffer } from "../../ir/buffer.ts";
import { compute, reduceAxis, sum } from "../compute.ts";
import { at, cast, mul } from "../expr.ts";
import { optionsOf, refuse } from "../graph-error.ts";

export const matmulLayouts = ["NN", "NT", "TN", "TT"] as const;
export type MatmulLayout = (typeof matmulLayouts)[number];

export interface MatmulOptions {
  readonly layout?: MatmulLayout;
  readonly name?: string;
  /** The result's type; absent: the operands'. Both are cast to it before the product. */
  readonly outDtype?: DType;
}

export function matmul(a: Buffer, b: Buffer, options: MatmulOptions = {}): Buffer {
  const { layout = "NN", name = "C", outDtype = a.dtype } = optionsOf("matmul", options, ["layout", "name", "outDtype"]);
  if (!matmulLayouts.includes(layout)) refuse(`${name}: layout ${JSON.stringify(layout)}; one of ${matmulLayouts.join(", ")}`);
  if (a.shape.length !== 2 || b.shape.length !== 2)
    refuse(`${name}: operands have ${a.shape.length} and ${b.shape.length} dimensions; both have 2`);
  const aTransposed = layout[1] === "T";
  const bTransposed = layout[0] === "T";
  const [a0 = 0, a1 = 0] = a.shape;
  const [b0 = 0, b1 = 0] = b.shape;
  const [n, l] = aTransposed ? [a1, a0] : [a0, a1];
  const [lOfB, m] = bTransposed ? [b1, b0] : [b0, b1];
  if (l !== lOfB) refuse(`${name}: layout ${layout} sums over ${l} of "${a.name}" and ${lOfB} of "${b.name}"`);
  const axis = reduceAxis("k", l);
  const k = axis.loopVar;
  const extents = [
    ["i", n],
    ["j", m],
  ] as const;
  return compute(name, extents, (i, j) => {
    const left = aTransposed ? at(a, k, i) : at(a, i, k);
    const right = bTransposed ? at(b, j, k) : at(b, k, j);
    return sum(mul(cast(outDtype, left), cast(outDtype, right)), [axis]);
  });
}
