/**
 * Divides a computation into groups of stages, each with one nest of loops (after the conditions of Ansor's sketch rules, Zheng
 * et al. 2020, and MetaSchedule's schedule rules, Shao et al. 2022):
 *
 *   rows     an elementwise stage, and the reductions over its rows that it needs: softmax, norms
 *   product  a reduction that reads its operands again and again, and the elementwise stages that follow it at the same place
 *   sum      any other reduction (windows, means, products with a vector), and what follows it likewise
 *   map      an elementwise stage that is an output, or that is stored for its readers
 *   serial   a scan, or a sum with a decay and what follows it likewise
 *
 * All other elementwise stages are inlined into their readers. Groups are found in this order; indices decide, never extents
 * alone. Elements of a row are told by their row-major numbers, so that neither dimensions of extent 1 nor reshapes hide them.
 */
import { accessesOf, type ComputeOp, type Graph, type Load } from "@warpfarm/compiler/language";
import { isAtOwnAxes, isAtPlace, isSum, reuseGroups, rowEnd, Stages, sameExtents, sizeOf } from "./stages.ts";

type GroupKind = "rows" | "product" | "sum" | "map" | "serial";

export interface Group {
  readonly kind: GroupKind;
  /** The stage whose loops are the nest's. */
  readonly root: ComputeOp;
  /** Reductions of the nest, producers first. */
  readonly sums: readonly ComputeOp[];
  /** Elementwise stages of rows, of as many elements as the root: held by a row's threads or computed again. */
  readonly kept: readonly ComputeOp[];
  /** Elementwise stages of the nest that are inlined into those after them. */
  readonly inside: readonly ComputeOp[];
}

export interface Division {
  readonly groups: readonly Group[];
  /** Elementwise stages outside of groups; each is inlined into its readers. */
  readonly inlined: readonly ComputeOp[];
}

/** Nodes that inlining may make of one body: chains in which each stage reads the one before twice grow exponentially. */
const mostNodes = 400;

interface Rows {
  readonly sums: ReadonlySet<ComputeOp>;
  readonly kept: ReadonlySet<ComputeOp>;
  /** Elementwise stages over rows alone: a mean, a scale. */
  readonly short: ReadonlySet<ComputeOp>;
  /** Elements of a row. */
  readonly columns: number;
}

class Dividing {
  readonly stages: Stages;
  readonly #stores: (producer: ComputeOp, reader: ComputeOp) => boolean;
  readonly #taken = new Set<ComputeOp>();
  readonly #groups: Group[] = [];
  readonly #nodes = new Map<ComputeOp, number>();

  constructor(stages: Stages, stores: (producer: ComputeOp, reader: ComputeOp) => boolean) {
    this.stages = stages;
    this.#stores = stores;
  }

  run(): Division {
    const { ops } = this.stages.graph;
    for (const op of ops) if (op.scan) this.#add({ kind: "serial", root: op, sums: [], kept: [], inside: [] });
    for (const op of ops) if (op.decay) this.#sum(op);
    for (const op of ops.toReversed()) if (!isSum(op) && !this.#taken.has(op)) this.#rows(op);
    for (const op of ops) if (isSum(op) && !this.#taken.has(op)) this.#sum(op);
    const inlined: ComputeOp[] = [];
    for (const op of ops) {
      if (this.#taken.has(op)) continue;
      if (this.#isInlined(op)) inlined.push(op);
      else this.#add({ kind: "map", root: op, sums: [], kept: [], inside: [] });
    }
    const place = (group: Group) => ops.indexOf(group.root);
    return { groups: this.#groups.toSorted((a, b) => place(a) - place(b)), inlined };
  }

  #add(group: Group): void {
    this.#groups.push(group);
    for (const op of [group.root, ...group.sums, ...group.kept, ...group.inside]) this.#taken.add(op);
  }

  #isInlined(op: ComputeOp): boolean {
    const { isOutput, readersOf, producerOf } = this.stages;
    const nodes = accessesOf(op.body).reduce((n, load) => n + (this.#nodes.get(producerOf(load) as ComputeOp) ?? 1), 1);
    const isStored = isOutput(op) || nodes > mostNodes || readersOf(op).some((reader) => this.#stores(op, reader));
    if (!isStored) this.#nodes.set(op, nodes);
    return !isStored;
  }

  /** Elementwise stages that follow at the same place; the last is the root, those between are inlined. */
  #sum(sum: ComputeOp): void {
    const inside: ComputeOp[] = [];
    let root = sum;
    for (;;) {
      const readers = this.stages.readersOf(root);
      const [reader] = readers;
      if (this.stages.isOutput(root) || readers.length !== 1 || !reader || isSum(reader) || this.#taken.has(reader)) break;
      const found = loadsOf(reader, root);
      if (found.length !== 1 || !isAtOwnAxes(reader, found[0] as Load) || !sameExtents(root.axes, reader.axes)) break;
      if (root !== sum) inside.push(root);
      root = reader;
    }
    const kind = sum.decay ? "serial" : reuseGroups(sum).length >= 2 ? "product" : "sum";
    this.#add({ kind, root, sums: [sum], kept: [], inside });
  }

  #rows(root: ComputeOp): void {
    const rows = this.#rowsOf(root);
    if (!rows) return;
    const { inOrder } = this.stages;
    this.#add({ kind: "rows", root, sums: inOrder(rows.sums), kept: inOrder(rows.kept), inside: inOrder(rows.short) });
  }

  /**
   * Without stages that others read too, and with what remains of the rest; undefined where a reduction cannot be its rows' own.
   */
  #rowsOf(root: ComputeOp): Rows | undefined {
    const outside = new Set<ComputeOp>();
    for (;;) {
      const rows = this.#collected(root, outside);
      if (rows.sums.size === 0 || !rowEnd(root.axes, rows.columns)) return undefined;
      const members = new Set([root, ...rows.sums, ...rows.kept, ...rows.short]);
      /** Do members alone read it, at their own elements of the row or at their own row? */
      const isOwn = (op: ComputeOp, every: number) =>
        !this.stages.isOutput(op) &&
        this.stages
          .readersOf(op)
          .every(
            (reader) =>
              members.has(reader) &&
              loadsOf(reader, op).every((load) =>
                rows.short.has(reader)
                  ? every > 1 && isAtPlace(load, reader.axes)
                  : isAtPlace(load, [...reader.axes, ...reader.reduce], every),
              ),
          );
      if (![...rows.sums, ...rows.short].every((op) => isOwn(op, rows.columns))) return undefined;
      const others = [...rows.kept].filter((op) => !isOwn(op, 1));
      if (others.length === 0) return rows;
      for (const op of others) outside.add(op);
    }
  }

  #collected(root: ComputeOp, outside: Set<ComputeOp>): Rows {
    const [sums, kept, short] = [new Set<ComputeOp>(), new Set<ComputeOp>(), new Set<ComputeOp>()];
    const size = sizeOf(root.axes);
    let columns = 1;
    const isRow = (reader: ComputeOp, op: ComputeOp, load: Load): boolean => {
      const terms = sizeOf(op.reduce);
      return (
        terms > 1 &&
        (columns === 1 || columns === terms) &&
        sizeOf(op.axes) * terms === size &&
        reuseGroups(op).length < 2 &&
        isAtPlace(load, [...reader.axes, ...reader.reduce], sizeOf(reader.axes) * sizeOf(reader.reduce) === size ? terms : 1)
      );
    };
    /** A product's stages follow it in its own nest. */
    const follows = (op: ComputeOp): boolean =>
      accessesOf(op.body).some((load) => {
        const producer = this.stages.producerOf(load);
        return producer !== undefined && isSum(producer) && !isRow(op, producer, load);
      });
    const visit = (reader: ComputeOp): void => {
      for (const load of accessesOf(reader.body)) {
        const op = this.stages.producerOf(load);
        if (!op || this.#taken.has(op) || outside.has(op) || sums.has(op) || kept.has(op) || short.has(op)) continue;
        if (isSum(op)) {
          if (!isRow(reader, op, load)) continue;
          columns = sizeOf(op.reduce);
          sums.add(op);
          visit(op);
        } else if (sizeOf(op.axes) === size) {
          if (follows(op)) continue;
          kept.add(op);
          visit(op);
        } else {
          short.add(op);
          visit(op);
        }
      }
    };
    visit(root);
    // A short stage without sums behind it is nobody's own.
    for (const op of this.stages.inOrder(short))
      if (!accessesOf(op.body).some((load) => isMember(this.stages.producerOf(load), sums, short))) short.delete(op);
    return { sums, kept, short, columns };
  }
}

const loadsOf = (reader: ComputeOp, { output }: ComputeOp): readonly Load[] =>
  accessesOf(reader.body).filter(({ buffer }) => buffer === output);

const isMember = (op: ComputeOp | undefined, ...sets: readonly ReadonlySet<ComputeOp>[]): boolean =>
  op !== undefined && sets.some((set) => set.has(op));

/** `stores`: whether an elementwise stage is stored for this reader and not computed again in it. */
export const divide = (graph: Graph, stores: (producer: ComputeOp, reader: ComputeOp) => boolean): Division =>
  new Dividing(new Stages(graph), stores).run();
