/** What the rules ask of a computation's stages beyond single loads (te/access.ts of the compiler). */
import {
  type Axis,
  accessesOf,
  add,
  type ComputeOp,
  type Expr,
  floorDiv,
  formulasOf,
  type Graph,
  grainOf,
  type Load,
  mul,
  type Operand,
  type Ranges,
  reads,
  simplify,
  someExpr,
  sub,
} from "@warpfarm/compiler/language";

export const sizeOf = (axes: readonly Pick<Axis, "extent">[]): number => axes.reduce((n, { extent }) => n * extent, 1);

/** The greatest power of two that divides a number. */
export const powerIn = (n: number): number => (n % 2 === 0 ? 2 * powerIn(n / 2) : 1);

export const hasKind = (e: Expr, kinds: readonly Expr["kind"][]): boolean => someExpr(e, ({ kind }) => kinds.includes(kind));

export const isSum = ({ reduce }: ComputeOp): boolean => reduce.length > 0;

/** Is dimension `d` of the load the op's own axis `d`? Of an extent of 1 index 0 is that too. */
const isOwnAxis = (op: ComputeOp, index: Expr, d: number): boolean => {
  const axis = op.axes[d];
  return axis !== undefined && (index === axis.loopVar || (axis.extent === 1 && index.kind === "IntImm" && index.value === 0));
};

/** Does the load read at the op's own first axes, in order? */
export const isAtOwnAxes = (op: ComputeOp, { indices }: Load): boolean => indices.every((index, d) => isOwnAxis(op, index, d));

/** The row-major number of a place in a tensor. Dimensions of extent 1 do not count, whatever their index is. */
export const placeOf = (shape: readonly number[], index: readonly Expr[]): Operand =>
  index.reduce<Operand>((place, i, d) => (shape[d] === 1 ? place : add(mul(place, shape[d] as number), i)), 0);

export const placeOfAxes = (axes: readonly Axis[]): Operand =>
  placeOf(
    axes.map(({ extent }) => extent),
    axes.map(({ loopVar }) => loopVar),
  );

/**
 * Is the row-major number of the load's place that of the axes, divided by `every`? Then the tensor has its elements in the order
 * of the axes, whatever its dimensions are: with those of extent 1 that a reduction kept, or those of a reshape.
 */
export function isAtPlace({ buffer: { shape }, indices }: Load, axes: readonly Axis[], every = 1): boolean {
  const size = shape.reduce((n, extent) => n * extent, 1);
  if (size * every !== sizeOf(axes) || indices.some((index) => accessesOf(index).length > 0)) return false;
  const own = placeOfAxes(axes);
  const apart = simplify(sub(placeOf(shape, indices), every === 1 ? own : floorDiv(own, every)), rangesOf(axes));
  return apart.kind === "IntImm" && apart.value === 0;
}

/** Where rows of so many elements begin in the row-major order of the axes: with `inside` elements of the axis at `position`. */
export function rowEnd(
  axes: readonly Axis[],
  columns: number,
): { readonly position: number; readonly inside: number } | undefined {
  let rest = columns;
  for (const [position, { extent }] of [...axes.entries()].toReversed()) {
    if (rest <= extent) return extent % rest === 0 ? { position, inside: rest } : undefined;
    if (rest % extent !== 0) return undefined;
    rest /= extent;
  }
  return undefined;
}

export const rangesOf = (axes: readonly Axis[]): Ranges => new Map(axes.map(({ loopVar, extent }) => [loopVar, extent]));

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
      for (const producer of new Set(
        formulasOf(op)
          .flatMap(accessesOf)
          .map(({ buffer }) => this.#producers.get(buffer)),
      ))
        if (producer && producer !== op) readers.get(producer)?.push(op);
    this.#readers = readers;
  }

  producerOf = ({ buffer }: Pick<Load, "buffer">): ComputeOp | undefined => this.#producers.get(buffer);
  readersOf = (op: ComputeOp): readonly ComputeOp[] => this.#readers.get(op) ?? [];
  isOutput = ({ output }: ComputeOp): boolean => this.graph.outputs.includes(output);
  /** The ops in the order of the graph. */
  inOrder = (ops: ReadonlySet<ComputeOp>): readonly ComputeOp[] => this.graph.ops.filter((op) => ops.has(op));
}
