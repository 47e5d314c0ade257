/**
 * Products that read a transposed tensor read the tensor itself at exchanged indices: rules ask of an operand how it lies in
 * memory, and a stage that only exchanges dimensions lies nowhere.
 */
import { at, type Buffer, type ComputeOp, type Graph, remade, rewriteExpr } from "@warpfarm/compiler/language";
import { Remaking } from "./remaking.ts";
import { isSum } from "./stages.ts";

interface Exchange {
  readonly source: Buffer;
  /** For each dimension of the source, that of the transposed tensor. */
  readonly places: readonly number[];
}

function exchangeOf({ axes, reduce, body, scan }: ComputeOp): Exchange | undefined {
  if (scan || reduce.length > 0 || body.kind !== "Load" || body.indices.length !== axes.length) return undefined;
  const places = body.indices.map((index) => axes.findIndex(({ loopVar }) => loopVar === index));
  return places.includes(-1) || new Set(places).size < places.length ? undefined : { source: body.buffer, places };
}

/** The same computation. */
export function readThrough(graph: Graph): Graph {
  const exchanges = new Map<Buffer, Exchange>();
  const remaking = new Remaking(graph);
  for (const op of graph.ops) {
    const found = exchangeOf(op);
    if (found) exchanges.set(op.output, found);
    const isReader = isSum(op) && !op.decay && op.combiner === "sum";
    const made = remade(op, op.output.name, (e) =>
      rewriteExpr(e, (part) => {
        if (part.kind !== "Load") return part;
        let { buffer, indices } = part;
        for (let next = exchanges.get(buffer); isReader && next; next = exchanges.get(buffer)) {
          const before = indices;
          ({ source: buffer } = next);
          indices = next.places.map((d) => before[d] as (typeof before)[number]);
        }
        return at(remaking.now(buffer), ...indices);
      }),
    );
    remaking.set(op.output, made);
  }
  return exchanges.size === 0 ? graph : remaking.graph(graph);
}
