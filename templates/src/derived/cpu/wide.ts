/**
 * Operands of a product that are narrower than its sums (float16, int8): a stage of its own holds each in the type of the sums,
 * so that it is converted once and not each time that it is read again.
 *
 *   sum over k of float32(A[i, k]) * float32(B[k, j])
 *   -> A_wide[i, k] = float32(A[i, k]); B_wide[k, j] = float32(B[k, j]); sum over k of A_wide[i, k] * B_wide[k, j]
 */
import { dtypeBits } from "@warpfarm/common";
import { at, type Buffer, type ComputeOp, cast, compute, type Expr, type Graph, rewriteExpr } from "@warpfarm/compiler/language";
import { Remaking } from "../remaking.ts";
import { isSum, reuseGroups } from "../stages.ts";

/** A conversion to a wider type of an element. */
type Widening = Extract<Expr, { kind: "Cast" }> & { readonly value: Extract<Expr, { kind: "Load" }> };

const isWidening = (e: Expr): e is Widening =>
  e.kind === "Cast" && e.value.kind === "Load" && dtypeBits(e.value.dtype) < dtypeBits(e.dtype);

/** Does it read its operands again and again? */
const isProduct = (op: ComputeOp): boolean => isSum(op) && reuseGroups(op).length > 1;

/** Is the stage such a copy for a product? It is then stored. */
export const isWideFor = (producer: ComputeOp, reader: ComputeOp): boolean => isWidening(producer.body) && isProduct(reader);

/** The graph with the copies; the graph itself where no product needs one. */
export function withWideOperands(graph: Graph): Graph {
  const remaking = new Remaking(graph);
  const made = new Map<string, Buffer>();
  const wide = ({ dtype, value: { buffer } }: Widening): Buffer => {
    const key = `${buffer.name} ${dtype}`;
    const known = made.get(key);
    if (known) return known;
    const axes = buffer.shape.map((extent, d) => [`x${d}`, extent] as const);
    const now = remaking.now(buffer);
    const stage = compute(remaking.fresh(`${buffer.name}_wide`), axes, (...index) => cast(dtype, at(now, ...index)));
    made.set(key, stage);
    return stage;
  };
  for (const op of graph.ops) {
    const given = isProduct(op) && rewriteExpr(op.body, (e) => (isWidening(e) ? at(wide(e), ...e.value.indices) : e));
    remaking.set(op.output, remaking.copy(given && given !== op.body ? { ...op, body: given } : op));
  }
  return made.size > 0 ? remaking.graph(graph) : graph;
}
