/**
 * Writes the stages of rows as matrices, a row for each row, whatever dimensions the computation gives them:
 *
 *   NAME_row[r, k]     an operand that several stages read in the order of rows, or that one widens for them
 *   SUM[r], KEPT[r, k] the reductions, and the stages of as many elements as the root
 *   ROOT[axes]         reads these at the row and the column of its own place
 */
import { dtypeBits } from "@warpfarm/common";
import {
  accessesOf,
  add,
  at,
  type Buffer,
  type Combiner,
  type ComputeOp,
  compute,
  type Expr,
  floorDiv,
  floorMod,
  type Graph,
  GraphError,
  mul,
  type Ranges,
  reduceAxis,
  simplify,
  type Var,
} from "@warpfarm/compiler/language";
import { directPart } from "./direct.ts";
import type { Group } from "./groups.ts";
import type { Nest } from "./planned.ts";
import { combiners, decode, namesOf, Remaking } from "./remaking.ts";
import { isAtPlace, isSum, placeOfAxes, rangesOf, sizeOf } from "./stages.ts";

/** The group's stages in a graph that has been made again. */
export function groupIn(graph: Graph, group: Group, views: readonly string[] = []): Group {
  const named = (name: string): ComputeOp => graph.ops.find(({ output }) => output.name === name) as ComputeOp;
  const now = ({ output }: ComputeOp): ComputeOp => named(output.name);
  return {
    ...group,
    root: now(group.root),
    sums: group.sums.map(now),
    kept: [...views.map(named), ...group.kept.map(now)],
    inside: group.inside.map(now),
  };
}

/** The tensor of which the expression is an element, in a wider type. */
const widenedIn = (e: Expr): Buffer | undefined =>
  e.kind === "Cast" && e.value.kind === "Load" && dtypeBits(e.value.dtype) < dtypeBits(e.dtype) ? e.value.buffer : undefined;

class RowsOf {
  readonly #remaking: Remaking;
  readonly #group: Group;
  readonly #rows: number;
  readonly #columns: number;
  /** The tensors of the matrices, by those of before; sums and what follows them alone have rows only. */
  readonly #matrices = new Map<Buffer, Buffer>();
  readonly #short = new Set<Buffer>();
  readonly #isShared: ReadonlySet<Buffer>;
  readonly views: string[] = [];

  constructor(remaking: Remaking, group: Group) {
    this.#remaking = remaking;
    this.#group = group;
    const [sum] = group.sums as readonly [ComputeOp, ...ComputeOp[]];
    this.#rows = sizeOf(sum.axes);
    this.#columns = sizeOf(sum.reduce);
    this.#isShared = this.#shared();
  }

  make(op: ComputeOp): Buffer {
    this.#viewOperands(op);
    const { sums, inside, root } = this.#group;
    if (op === root) return this.#root(op);
    const isShort = sums.includes(op) || inside.includes(op);
    const made = isShort ? this.#ofRows(op) : this.#ofElements(op);
    this.#matrices.set(op.output, made);
    if (isShort) this.#short.add(op.output);
    return made;
  }

  /** Tensors from outside that several members read, or of which one widens the elements, in the order of rows alone. */
  #shared(): ReadonlySet<Buffer> {
    const { root, sums, kept, inside } = this.#group;
    const members = [...sums, ...kept, root];
    const readers = new Map<Buffer, number>();
    const widened = new Set(kept.map(({ body }) => widenedIn(body)));
    const others = new Set([...members, ...inside].map(({ output }) => output));
    for (const op of members) {
      const loads = accessesOf(op.body);
      for (const buffer of new Set(loads.map((load) => load.buffer))) {
        const isOwn = loads.every((load) => load.buffer !== buffer || isAtPlace(load, [...op.axes, ...op.reduce]));
        if (isOwn) readers.set(buffer, (readers.get(buffer) ?? 0) + 1);
        else others.add(buffer);
      }
    }
    const isViewed = (buffer: Buffer, count: number) => (count > 1 || widened.has(buffer)) && !others.has(buffer);
    return new Set([...readers].flatMap(([buffer, count]) => (isViewed(buffer, count) ? [buffer] : [])));
  }

  #viewOperands({ body }: ComputeOp): void {
    for (const { buffer } of accessesOf(body)) {
      if (!this.#isShared.has(buffer) || this.#matrices.has(buffer)) continue;
      const name = this.#remaking.fresh(`${this.#group.root.output.name}_${buffer.name}`);
      const view = compute(name, this.#matrix(), (r, k) =>
        at(
          this.#remaking.now(buffer),
          ...this.#decoded(add(mul(r as Var, this.#columns), k as Var), buffer.shape, [r, k] as Var[]),
        ),
      );
      this.#matrices.set(buffer, view);
      this.views.push(name);
    }
  }

  #matrix = () =>
    [
      ["r", this.#rows],
      ["k", this.#columns],
    ] as const;

  #ranges([r, k]: readonly Expr[]): Ranges {
    return new Map([...(r ? [[r as Var, this.#rows] as const] : []), ...(k ? [[k as Var, this.#columns] as const] : [])]);
  }

  #decoded(number: Expr, extents: readonly number[], rk: readonly Expr[]): readonly Expr[] {
    const ranges = this.#ranges(rk);
    return decode(number, extents).map((digit) => simplify(digit, ranges));
  }

  /** Members at a row and column. */
  #read =
    (r: Expr, k: Expr | undefined) =>
    (buffer: Buffer): Expr | undefined => {
      const matrix = this.#matrices.get(buffer);
      if (!matrix) return undefined;
      return this.#short.has(buffer) || !k ? at(matrix, r) : at(matrix, r, k);
    };

  #varsOf(axes: ComputeOp["axes"], number: Expr, rk: readonly Expr[]): readonly (readonly [Expr, Expr])[] {
    const digits = this.#decoded(
      number,
      axes.map(({ extent }) => extent),
      rk,
    );
    return axes.map(({ loopVar }, d) => [loopVar, digits[d] as Expr]);
  }

  #ofElements(op: ComputeOp): Buffer {
    return compute(op.output.name, this.#matrix(), (r, k) => {
      const vars = new Map(this.#varsOf(op.axes, add(mul(r as Var, this.#columns), k as Var), [r, k] as Expr[]));
      return this.#remaking.put(op.body, vars, this.#read(r as Var, k));
    });
  }

  #ofRows(op: ComputeOp): Buffer {
    const terms = isSum(op) ? [reduceAxis("k", this.#columns)] : [];
    return compute(op.output.name, [["r", this.#rows]], (r) => {
      const k = terms[0]?.loopVar;
      const vars = new Map(this.#varsOf(op.axes, r as Var, [r as Var]));
      if (k) for (const [v, digit] of this.#varsOf(op.reduce, k, [r as Var, k])) vars.set(v, digit);
      const body = this.#remaking.put(op.body, vars, this.#read(r as Var, k));
      return isSum(op) ? combiners[op.combiner as Combiner](body, terms) : body;
    });
  }

  #root(op: ComputeOp): Buffer {
    return compute(op.output.name, namesOf(op), (...own) => {
      const axes = op.axes.map((axis, d) => ({ ...axis, loopVar: own[d] as Var }));
      const place = placeOfAxes(axes);
      const [r, k] = [floorDiv, floorMod].map((part) => simplify(part(place, this.#columns), rangesOf(axes))) as [Expr, Expr];
      const vars = new Map<Expr, Expr>(op.axes.map(({ loopVar }, d) => [loopVar, own[d] as Var]));
      return this.#remaking.put(op.body, vars, this.#read(r, k));
    });
  }
}

/**
 * The graph with the stages of rows as matrices, and the groups in it, each with the views of its rows among its kept stages.
 * Where te cannot prove that a matrix reads within its operands, all stays as it is, and the groups of rows are `unproven`.
 */
export function withRows(graph: Graph, groups: readonly Group[]) {
  const rows = groups.filter(({ kind }) => kind === "rows");
  const as = { graph, groups, unproven: [] as readonly Group[] };
  if (rows.length === 0) return as;
  const remaking = new Remaking(graph);
  const makers = new Map(rows.map((group) => [group, new RowsOf(remaking, group)]));
  const makerOf = new Map<ComputeOp, RowsOf>();
  for (const [{ root, sums, kept, inside }, maker] of makers)
    for (const op of [root, ...sums, ...kept, ...inside]) makerOf.set(op, maker);
  try {
    for (const op of graph.ops) remaking.set(op.output, makerOf.get(op)?.make(op) ?? remaking.copy(op));
  } catch (error) {
    if (error instanceof GraphError) return { ...as, unproven: rows };
    throw error;
  }
  const made = remaking.graph(graph);
  return { ...as, graph: made, groups: groups.map((group) => groupIn(made, group, makers.get(group)?.views)) };
}

/** Rows that are no matrices. */
export function unprovenRows(group: Group, target: string): Nest {
  const direct = directPart(group, target);
  return { group, part: direct, direct, why: "no rows: it is not proven that matrices of them stay within their operands" };
}
