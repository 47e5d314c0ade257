/** What the rules ask of a computation's stages beyond single loads (te/access.ts of the compiler). */
import {
  type Axis,
  accessesOf,
  type ComputeOp,
  type Expr,
  type Graph,
  grainOf,
  type Load,
  reads,
  walkExpr,
} from "@warpfarm/compiler/language";

export const sizeOf = (axes: readonly Pick<Axis, "extent">[]): number => axes.reduce((n, { extent }) => n * extent, 1);

/** The greatest power of two that divides a number. */
export const powerIn = (n: number): number => (n % 2 === 0 ? 2 * powerIn(n / 2) : 1);

export const hasKind = (e: Expr, kinds: readonly Expr["kind"][]): boolean => {
  let found = false;
  walkExpr(e, ({ kind }) => {
    found ||= kinds.includes(kind);
  });
  return found;
};

export const isSum = ({ reduce }: ComputeOp): boolean => reduce.length > 0;

/** Is dimension `d` of the load the op's own axis `d`? Of an extent of 1 index 0 is that too. */
const isOwnAxis = (op: ComputeOp, index: Expr, d: number): boolean => {
  const axis = op.axes[d];
  return axis !== undefined && (index === axis.loopVar || (axis.extent === 1 && index.kind === "IntImm" && index.value === 0));
};

/** Does the load read at the op's own first axes, in order? */
export const isAtOwnAxes = (op: ComputeOp, { indices }: Load): boolean => indices.every((index, d) => isOwnAxis(op, index, d));

/** Does the load read element (row, k) of a tensor, where the row is the op's first `prefix` axes and k what it goes along? */
export function isAlongRow(op: ComputeOp, { indices }: Load, prefix: number): boolean {
  const axes = [...op.axes.slice(0, prefix), ...(isSum(op) ? op.reduce : op.axes.slice(prefix))];
  return indices.length === axes.length && indices.every((index, d) => index === axes[d]?.loopVar);
}

export const sameExtents = (a: readonly Axis[], b: readonly Axis[]): boolean =>
  a.length === b.length && a.every(({ extent }, d) => extent === b[d]?.extent);

export interface ReuseGroup {
  /** Positions of the result's axes, in order. */
  readonly axes: readonly number[];
}

/**
 * Axes of a reduction by the loads that read each of their elements: where there are two groups, tiles of the result read each
 * operand once for several elements. An axis read only as axis // F is a batch for F of its elements, so it does not divide
 * groups (a grouped convolution is a product too). Axes that all loads read, or none, belong to no group.
 */
export function reuseGroups({ axes, reduce, body }: ComputeOp): readonly ReuseGroup[] {
  const isReduced = (v: unknown) => reduce.some(({ loopVar }) => loopVar === v);
  const summed = accessesOf(body).filter(({ indices }) => indices.some((index) => reads(index, isReduced)));
  const found = new Map<string, number[]>();
  for (const [position, { loopVar, extent }] of axes.entries()) {
    const readers = summed.flatMap((load, i) => (grainOf(load, loopVar) === 1 ? [i] : []));
    if (extent === 1 || readers.length === 0 || readers.length === summed.length) continue;
    found.set(readers.join(), [...(found.get(readers.join()) ?? []), position]);
  }
  return [...found.values()].map((group) => ({ axes: group }));
}

/** A graph with its edges at hand. */
export class Stages {
  readonly graph: Graph;
  readonly #producers: ReadonlyMap<Load["buffer"], ComputeOp>;
  readonly #readers: ReadonlyMap<ComputeOp, readonly ComputeOp[]>;

  constructor(graph: Graph) {
    this.graph = graph;
    this.#producers = new Map(graph.ops.map((op) => [op.output, op]));
    const readers = new Map<ComputeOp, ComputeOp[]>(graph.ops.map((op) => [op, []]));
    for (const op of graph.ops)
      for (const producer of new Set(accessesOf(op.body).map(({ buffer }) => this.#producers.get(buffer))))
        if (producer) readers.get(producer)?.push(op);
    this.#readers = readers;
  }

  producerOf = ({ buffer }: Pick<Load, "buffer">): ComputeOp | undefined => this.#producers.get(buffer);
  readersOf = (op: ComputeOp): readonly ComputeOp[] => this.#readers.get(op) ?? [];
  isOutput = ({ output }: ComputeOp): boolean => this.graph.outputs.includes(output);
  /** The ops in the order of the graph. */
  inOrder = (ops: ReadonlySet<ComputeOp>): readonly ComputeOp[] => this.graph.ops.filter((op) => ops.has(op));
}
