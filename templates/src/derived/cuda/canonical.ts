/**
 * Rewrites products (factors.ts) as one of matrices, so that one family of schedules serves them all:
 *
 *   NAME_left[z, k, r], NAME_right[z, k, p]    views of the operands, zero beyond the extents; inlined into the copies of a block
 *   NAME_sums[z, r, p] = sum over k of left * right
 *   NAME[axes] = NAME_sums[batch of axes, row of axes, column of axes]
 *
 * On tensor cores a view lies as its operand does: [z, r, k] where neighbours of k are neighbours in memory.
 */
import {
  type Axis,
  accessesOf,
  add,
  all,
  at,
  type Buffer,
  type ComputeOp,
  cast,
  compute,
  constant,
  type Expr,
  floorDiv,
  floorMod,
  type Graph,
  GraphError,
  grainOf,
  type Load,
  less,
  mul,
  reads,
  reduceAxis,
  select,
  sum,
  type Var,
} from "@warpfarm/compiler/language";
import { type PaddedAxis, paddedExtent } from "../../built-in/padded.ts";
import { decode, namesOf, Remaking } from "../remaking.ts";
import { hasKind, sizeOf } from "../stages.ts";
import { hasManySums, type Line, linesOf } from "./boxes.ts";
import { type Along, alongOf, type Digit, type Factors, withImage } from "./factors.ts";

type Half = "float16" | "bfloat16";

export interface Side {
  readonly view: string;
  readonly digits: readonly Digit[];
  readonly extent: PaddedAxis;
  readonly along: Along;
  /** Elements of the operand's rows in memory; 1 where the view reads several places. */
  readonly row: number;
  /** Rows of the view lie in memory as they are: neighbours along the side from a multiple of 4 on are one vector. */
  readonly isPlain: boolean;
  /** Elements of the reduction that the copy engine may bring at once; none: it cannot. */
  readonly lines: readonly Line[];
  /** Reads windows: an index has an element of the side and a tap. */
  readonly hasWindows: boolean;
}

export interface Product {
  readonly name: string;
  readonly sums: string;
  readonly batch: readonly Digit[];
  readonly left: Side;
  readonly right: Side;
  readonly terms: PaddedAxis;
  /** Taps of a window: so many terms follow each other for every channel. 1 where no operand is read in windows. */
  readonly window: number;
  /** Neighbouring columns that are neighbours in the result. */
  readonly run: number;
  /** The operands' type where tensor cores multiply them. */
  readonly half: Half | undefined;
}

/** As an outline has them. */
export const extentsOf = ({ left, right, terms, batch }: Product) => ({
  M: left.extent.extent,
  N: right.extent.extent,
  K: terms.extent,
  batch: sizeOf(batch),
});

const granules = { sides: [64, 32, 16], terms: [32, 16, 8], halfSides: [128, 64, 32, 16], halfTerms: [64, 32, 16] };

const padded = (extent: number, of: readonly number[]): PaddedAxis => ({ extent, padded: paddedExtent(extent, of) });

/** A factor before the cast to float32 that tensor cores do themselves. */
const halfOf = (e: Expr): Expr | undefined =>
  e.kind === "Cast" && e.dtype === "float32" && (e.value.dtype === "float16" || e.value.dtype === "bfloat16")
    ? e.value
    : undefined;

/** The type in which both factors are multiplied by tensor cores. */
function halfOfProduct({ left, right }: Factors): Half | undefined {
  const [a, b] = [left, right].map((factors) => (factors.length === 1 ? halfOf(factors[0] as Expr)?.dtype : undefined));
  return a !== undefined && a === b ? (a as Half) : undefined;
}

/** A side's factors in the type in which they are multiplied. */
interface Operand extends Pick<Side, "digits" | "lines"> {
  readonly own: readonly Expr[];
}

interface Viewed extends Side {
  readonly buffer: Buffer;
  /** The view is [z, s, k]. */
  readonly isTurned: boolean;
}

class Rewriting {
  readonly products = new Map<string, Product>();
  readonly #remaking: Remaking;
  readonly #factors: ReadonlyMap<ComputeOp, Factors>;
  readonly #graph: Graph;

  constructor(graph: Graph, factors: ReadonlyMap<ComputeOp, Factors>) {
    this.#graph = graph;
    this.#factors = factors;
    this.#remaking = new Remaking(graph);
  }

  run(graph: Graph): Graph {
    for (const op of graph.ops) {
      const factors = this.#factors.get(op);
      this.#remaking.set(op.output, (factors && this.#provenProduct(op, factors)) ?? this.#remaking.copy(op));
    }
    return this.#remaking.graph(graph);
  }

  /** Undefined where te cannot prove that the views read within their operands. */
  #provenProduct(op: ComputeOp, factors: Factors): Buffer | undefined {
    try {
      return this.#product(op, factors);
    } catch (error) {
      if (error instanceof GraphError) return undefined;
      throw error;
    }
  }

  #product(op: ComputeOp, found: Factors): Buffer {
    const { name } = op.output;
    const half = halfOfProduct(found);
    const factors = half ? withImage(op, found) : found;
    const batch = sizeOf(factors.batch);
    const sides = [
      { given: factors.left, digits: factors.rows },
      { given: factors.right, digits: factors.columns },
    ].map(({ given, digits }): Operand => {
      const own = half ? given.map((e) => halfOf(e) ?? e) : given;
      const { inputs, ops } = this.#graph;
      const producerOf = (buffer: Buffer) => ops.find(({ output }) => output === buffer);
      return { own, digits, lines: half ? linesOf({ op, factors: own, digits, inputs, producerOf }) : [] };
    });
    // The copy engine brings zeros beyond the one axis of a sum, but not beyond the last of several.
    const isWhole = hasManySums(op) && sides.every(({ lines }) => lines.length > 0);
    const K = sizeOf(op.reduce);
    const taps = half ? [] : tapsOf(op);
    const terms = isWhole || taps.length > 0 ? { extent: K, padded: K } : padded(K, half ? granules.halfTerms : granules.terms);
    const [left, right] = (["left", "right"] as const).map((word, i) =>
      this.#side(op, word, sides[i] as Operand, { batch: factors.batch, terms, taps, half }),
    ) as [Viewed, Viewed];
    const k = reduceAxis("k", terms.padded);
    const read = ({ buffer, isTurned }: Viewed, z: Expr, s: Expr): Expr => {
      const element = isTurned ? at(buffer, z, s, k.loopVar) : at(buffer, z, k.loopVar, s);
      return half ? cast("float32", element) : element;
    };
    const axes = [
      ["z", batch],
      ["r", left.extent.padded],
      ["p", right.extent.padded],
    ] as const;
    const sums = compute(this.#remaking.fresh(`${name}_sums`), axes, (z, r, p) =>
      sum(mul(read(left, z, r), read(right, z, p)), [k]),
    );
    this.products.set(name, {
      name,
      sums: sums.name,
      batch: factors.batch,
      left,
      right,
      terms,
      window: sizeOf(taps),
      run: runOf(op, factors.columns),
      half,
    });
    return compute(name, namesOf(op), (...own) =>
      at(sums, ...[factors.batch, factors.rows, factors.columns].map((digits) => numberOf(op, digits, own))),
    );
  }

  #side(
    op: ComputeOp,
    word: string,
    { own, digits, lines }: Operand,
    { batch, terms, taps, half }: Pick<Product, "batch" | "terms" | "half"> & { readonly taps: readonly Axis[] },
  ): Viewed {
    const extent = padded(sizeOf(digits), half ? granules.halfSides : granules.sides);
    const along = alongOf(op, own, digits);
    const isTurned = half !== undefined && along === "sum";
    const z = ["z", sizeOf(batch)] as const;
    const [k, s] = [["k", terms.padded] as const, ["s", extent.padded] as const];
    const buffer = compute(this.#remaking.fresh(`${op.output.name}_${word}`), isTurned ? [z, s, k] : [z, k, s], (z, x, y) => {
      const numbers = [
        [batch, z],
        [digits, isTurned ? x : y],
      ] as const;
      return this.#view(op, { own, extent, terms }, numbers, ...(isTurned ? ([y, x] as const) : ([x, y] as const)));
    });
    return {
      view: buffer.name,
      buffer,
      digits,
      extent,
      along,
      row: rowOf(own),
      isPlain: isPlain(op, own, digits, along),
      lines,
      hasWindows: own.flatMap(accessesOf).some((load) => taps.some((tap) => isWindow(op, load, tap))),
      isTurned,
    };
  }

  /** The factors' product at an element of the view, zero beyond the operand. */
  #view(
    op: ComputeOp,
    { own, extent, terms }: { readonly own: readonly Expr[]; readonly extent: PaddedAxis; readonly terms: PaddedAxis },
    numbers: readonly (readonly [readonly Digit[], Expr])[],
    k: Expr,
    s: Expr,
  ): Expr {
    const vars = new Map<Expr, Expr>();
    for (const [digits, number] of numbers)
      for (const [i, value] of decode(
        number,
        digits.map((digit) => digit.extent),
      ).entries()) {
        const { axis, below } = digits[i] as Digit;
        const { loopVar } = op.axes[axis] as Axis;
        const term = below === 1 ? value : mul(value, below);
        const known = vars.get(loopVar);
        vars.set(loopVar, known ? add(known, term) : term);
      }
    // Axes of one element take no part: beyond the last of the others their index is 0 too.
    const summed = op.reduce.filter((axis) => axis.extent > 1);
    for (const { loopVar } of op.reduce) vars.set(loopVar, constant(0, "int32"));
    const steps = decode(
      k,
      summed.map((axis) => axis.extent),
    );
    for (const [i, { loopVar }] of summed.entries()) vars.set(loopVar, steps[i] as Expr);
    const value = own.map((e) => this.#remaking.put(e, vars)).reduce((a, b) => mul(a, b));
    const within = [
      ...(terms.padded > terms.extent ? [less(k, terms.extent)] : []),
      ...(extent.padded > extent.extent ? [less(s, extent.extent)] : []),
    ];
    return within.length > 0 ? select(all(...within), value, 0) : value;
  }
}

/** Terms of a window that a copy writes out. */
const mostTaps = 32;

/** Has an index of the load an element of the result and the tap? */
const isWindow = ({ axes }: ComputeOp, load: Load, { loopVar }: Axis): boolean =>
  load.indices.some(
    (index) =>
      reads(index, (v) => v === loopVar) && axes.some((axis) => grainOf({ ...load, indices: [index] }, axis.loopVar) === 1),
  );

/** The last axes of the sum, along which windows of an operand go. */
function tapsOf(op: ComputeOp): readonly Axis[] {
  const taps: Axis[] = [];
  for (const axis of op.reduce.filter(({ extent }) => extent > 1).toReversed()) {
    if (sizeOf([...taps, axis]) > mostTaps || !accessesOf(op.body).some((load) => isWindow(op, load, axis))) break;
    taps.push(axis);
  }
  return taps;
}

function numberOf({ axes }: ComputeOp, digits: readonly Digit[], own: readonly Var[]): Expr | number {
  return digits.reduce<Expr | number>((number, { axis, below, extent }) => {
    const high: Expr = below > 1 ? floorDiv(own[axis] as Var, below) : (own[axis] as Var);
    const digit = below * extent < (axes[axis] as Axis).extent ? floorMod(high, extent) : high;
    return typeof number === "number" ? digit : add(mul(number, extent), digit);
  }, 0);
}

function rowOf(factors: readonly Expr[]): number {
  const [load, ...others] = factors.flatMap(accessesOf);
  return load && others.length === 0 ? (load.buffer.shape.at(-1) as number) : 1;
}

function isPlain({ reduce }: ComputeOp, factors: readonly Expr[], digits: readonly Digit[], along: Along): boolean {
  const last = factors.flatMap(accessesOf)[0]?.indices.at(-1);
  return (
    last !== undefined &&
    along === "side" &&
    digits.length === 1 &&
    !factors.some((e) => hasKind(e, ["Select"])) &&
    !reads(last, (v) => reduce.some(({ loopVar }) => loopVar === v))
  );
}

function runOf({ axes }: ComputeOp, columns: readonly Digit[]): number {
  let run = 1;
  for (let back = 1; back <= columns.length && back <= axes.length; back++) {
    const digit = columns.at(-back) as Digit;
    if (digit.axis !== axes.length - back || digit.below > 1) break;
    run *= digit.extent;
    if (digit.extent < (axes[digit.axis] as Axis).extent) break;
  }
  return run;
}

/** The graph with each of these reductions as a product of views; equal to the given one in every element. */
export function canonical(graph: Graph, factors: ReadonlyMap<ComputeOp, Factors>) {
  if (factors.size === 0) return { graph, products: new Map<string, Product>() };
  const rewriting = new Rewriting(graph, factors);
  return { graph: rewriting.run(graph), products: rewriting.products };
}
