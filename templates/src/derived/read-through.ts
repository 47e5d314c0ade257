/**
 * Stages that only exchange dimensions lie nowhere. Products that read one read what it reads, because rules ask of an operand
 * how it lies in memory; and a product that one alone reads is computed in its order, with the elementwise stages between.
 */
import {
  type Axis,
  accessesOf,
  at,
  type Buffer,
  type ComputeOp,
  type Expr,
  type Graph,
  remade,
  rewriteExpr,
} from "@warpfarm/compiler/language";
import { Remaking } from "./remaking.ts";
import { isAtOwnAxes, isSum, reuseGroups, Stages, sameExtents } from "./stages.ts";

interface Exchange {
  readonly source: Buffer;
  /** For each dimension of the source, that of the transposed tensor. */
  readonly places: readonly number[];
}

function exchangeOf({ axes, reduce, body, scan }: ComputeOp): Exchange | undefined {
  if (scan || reduce.length > 0 || body.kind !== "Load" || body.indices.length !== axes.length) return undefined;
  const places = body.indices.map((index) => axes.findIndex(({ loopVar }) => loopVar === index));
  // A part that begins with the first elements has the same indices.
  const isWhole = body.buffer.shape.every((extent, d) => axes[places[d] as number]?.extent === extent);
  return new Set(places).size < places.length || !isWhole ? undefined : { source: body.buffer, places };
}

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, d) => d);

const isProduct = (op: ComputeOp): boolean => isSum(op) && !op.decay && op.combiner === "sum" && reuseGroups(op).length >= 2;

/** A product and the elementwise stages after it, each read by the next alone, the last by the stage; undefined without one. */
function chainBefore(stages: Stages, stage: ComputeOp, source: Buffer): readonly ComputeOp[] | undefined {
  const chain: ComputeOp[] = [];
  let reader = stage;
  for (let op = stages.producerOf({ buffer: source }); op; ) {
    if (stages.isOutput(op) || stages.readersOf(op).length !== 1 || stages.readersOf(op)[0] !== reader || op.scan)
      return undefined;
    chain.unshift(op);
    if (isSum(op)) return isProduct(op) ? chain : undefined;
    const own = op;
    const before = accessesOf(op.body).filter((load) => isAtOwnAxes(own, load) && stages.producerOf(load));
    const [next] = before;
    const maker = next && stages.producerOf(next);
    if (!maker || before.length !== 1 || !sameExtents(maker.axes, op.axes)) return undefined;
    [reader, op] = [op, maker];
  }
  return undefined;
}

/** The same computation. */
export function readThrough(graph: Graph): Graph {
  const stages = new Stages(graph);
  const remaking = new Remaking(graph);
  const exchanges = new Map<Buffer, Exchange>();
  /** Of stages that are computed in another order, the dimension at each place; and stages that the last of a chain becomes. */
  const orders = new Map<Buffer, readonly number[]>();
  const ends = new Map<ComputeOp, ComputeOp>();
  for (const op of graph.ops) {
    const found = exchangeOf(op);
    const chain = found && chainBefore(stages, op, found.source);
    if (found && !chain) exchanges.set(op.output, found);
    for (const one of chain ?? [])
      orders.set(
        one.output,
        range(op.axes.length).map((place) => found?.places.indexOf(place) as number),
      );
    if (chain) ends.set(chain.at(-1) as ComputeOp, op);
  }
  if (exchanges.size === 0 && ends.size === 0) return graph;
  const isEnd = new Set(ends.values());
  for (const op of graph.ops) {
    if (isEnd.has(op)) continue;
    const end = ends.get(op);
    const order = orders.get(op.output);
    const turned = order ? { ...op, axes: order.map((d) => op.axes[d] as Axis) } : op;
    const isReader = isProduct(op);
    const made = remade(turned, (end ?? op).output.name, (e) =>
      rewriteExpr(e, (part) => (part.kind === "Load" ? load(part.buffer, part.indices, isReader) : part)),
    );
    remaking.set((end ?? op).output, made);
    if (end) remaking.set(op.output, made);
  }
  return remaking.graph(graph);

  function load(buffer: Buffer, indices: readonly Expr[], isReader: boolean): Expr {
    const found = isReader ? exchanges.get(buffer) : undefined;
    if (found)
      return load(
        found.source,
        found.places.map((d) => indices[d] as Expr),
        true,
      );
    const order = orders.get(buffer) ?? range(indices.length);
    return at(remaking.now(buffer), ...order.map((d) => indices[d] as Expr));
  }
}
