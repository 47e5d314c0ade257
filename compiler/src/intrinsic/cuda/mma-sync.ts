/**
 * mma.sync and ldmatrix as intrinsics on tiles of 16x16x16, or of 8 columns: C[i, j] += sum over k of A[i, k] * B[k, j] is a
 * mma.m16n8k16 for each 8 columns, and an operand's tile is four 8x8 matrices of one ldmatrix, or two. Their layouts are known,
 * so a lane's own code may read what it has accumulated.
 *
 * ldmatrix deals out matrices whose rows are 16 bytes in memory; each lane is given the address of one row. An operand that lies
 * the other way round is transposed on its way. Each of its accesses takes eight rows of 16 bytes: swizzled shared memory has
 * them in different banks. Source: PTX ISA, "Matrix fragments for mma.m16n8k16 with floating point type", "ldmatrix".
 */
import type { DType, TargetNeed } from "@warpfarm/common";
import type { Expr, Var } from "../../ir/expr.ts";
import type { Intrinsic } from "../../ir/intrinsic.ts";
import { compute, placeholder, reduceAxis, sum } from "../../te/compute.ts";
import { add, at, cast, floorDiv, floorMod, mul } from "../../te/expr.ts";
import { graphOf } from "../../te/graph-of.ts";
import { defineIntrinsic, type FragmentDeclaration } from "../define-intrinsic.ts";

const n = 16;
const sides = (columns: MmaColumns) =>
  [
    ["i", n],
    ["j", columns],
  ] as const;
const needs: TargetNeed = { kind: "cuda", from: 80 };

const low = (e: Expr): Expr => floorMod(e, 8);
const high = (e: Expr): Expr => floorDiv(e, 8);
/** Eight rows of four lanes; a lane has two neighbours. */
const laneOf = (row: Expr, column: Expr): Expr => add(mul(low(row), 4), floorDiv(low(column), 2));
const slotOf = (first: Expr, second: Expr, column: Expr): Expr => add(add(mul(first, 4), mul(second, 2)), floorMod(column, 2));

/**
 * A: the matrices of the first eight k, rows 0-7 and 8-15, then those of the next eight. B: the same with columns for rows, k
 * first. C: two matrices of mma.
 */
const fragments = (word: string, columns: MmaColumns = n) =>
  ({
    a: {
      layout: `mma.m16k16.a.${word}`,
      register: "b32",
      count: 4,
      places: (i, k) => [laneOf(i, k), slotOf(high(k), high(i), k)],
    },
    b: {
      layout: `mma.k16n${columns}.b.${word}`,
      register: "b32",
      count: columns / 4,
      places: (k, j) => [laneOf(j, k), slotOf(high(j), high(k), k)],
    },
    c: {
      layout: `mma.m16n${columns}.c.f32`,
      register: "f32",
      count: columns / 2,
      places: (i, j) => [laneOf(i, j), slotOf(high(j), high(i), j)],
    },
  }) satisfies Record<string, FragmentDeclaration>;

/** The registers of a tile of A, for loads that have an order of their own. */
export const leftLayout = (word: "f16" | "bf16"): Omit<FragmentDeclaration, "places"> => {
  const { layout, register, count } = fragments(word).a;
  return { layout, register, count };
};

/** Which of the 8 rows a lane addresses: 8 neighbouring lanes have one matrix. Matrices go down first, then across. */
const down = (lane: Var): Expr => floorMod(lane, 16);
const across = (lane: Var): Expr => mul(floorDiv(lane, 16), 8);
/** The same with the second and third matrix exchanged. */
const downTurned = (lane: Var): Expr => add(floorMod(lane, 8), across(lane));
const acrossTurned = (lane: Var): Expr => mul(floorMod(floorDiv(lane, 8), 2), 8);

export type MmaType = "float16" | "bfloat16";
type MmaColumns = 8 | 16;
/** `row`: neighbours of a row are neighbours in memory; `col`: those of a column. */
export type MmaMajor = "row" | "col";

export interface MmaSync {
  readonly loadA: Readonly<Record<MmaMajor, Intrinsic>>;
  readonly loadB: Readonly<Record<MmaMajor, Intrinsic>>;
  readonly mma: Intrinsic;
}

function make(dtype: MmaType, columns: MmaColumns): MmaSync {
  const word = dtype === "float16" ? "f16" : "bf16";
  const { a, b, c } = fragments(word, columns);
  const suffix = columns === n ? word : `n${columns}_${word}`;
  const load = (which: "a" | "b", major: MmaMajor): Intrinsic => {
    // Rows of the matrices are rows of A or columns of B. If memory has the other order, they are transposed.
    const turned = (which === "a") !== (major === "row");
    const width = which === "a" ? n : columns;
    // Of two matrices the lanes of the second half address those of the first again, which nobody reads.
    const inWidth = ([row, column]: readonly Expr[]): readonly Expr[] =>
      width === n ? [row as Expr, column as Expr] : [row as Expr, low(column as Expr)];
    const rowAddress = (lane: Var) => (which === "a" ? [down(lane), across(lane)] : [acrossTurned(lane), downTurned(lane)]);
    const turnedAddress = (lane: Var) => (which === "a" ? [acrossTurned(lane), downTurned(lane)] : [down(lane), across(lane)]);
    const src = placeholder("src", [n, width], dtype);
    return defineIntrinsic({
      name: `ldmatrix_${which}_${major}_${which === "a" ? word : suffix}`,
      needs,
      semantics: graphOf([src], [compute("frag", sides(width), (i, j) => at(src, i, j))]),
      operands: {
        src: {
          scope: "shared",
          strides: major === "row" ? [null, 1] : [1, null],
          offsetFactor: 8,
          strideFactor: 8,
          address: (lane) => inWidth((turned ? turnedAddress : rowAddress)(lane)),
        },
        frag: { scope: `wmma.matrix_${which}`, fragment: which === "a" ? a : b },
      },
      text: `ldmatrix.sync.aligned.m8n8.x${width / 4}${turned ? ".trans" : ""}.shared.b16 {frag}, [{src}];`,
    });
  };
  const left = placeholder("a", [n, n], dtype);
  const right = placeholder("b", [n, columns], dtype);
  const k = reduceAxis("k", n);
  const product = (i: Var, j: Var): Expr => mul(float(at(left, i, k.loopVar)), float(at(right, k.loopVar, j)));
  const half = (h: number): string => {
    const out = `{{${[0, 1, 2, 3].map((r) => `{c.${4 * h + r}}`).join(", ")}}}`;
    return `mma.sync.aligned.m16n8k16.row.col.f32.${word}.${word}.f32 ${out}, {a}, {{{b.${2 * h}}, {b.${2 * h + 1}}}}, ${out};`;
  };
  return {
    loadA: byMajor((major) => load("a", major)),
    loadB: byMajor((major) => load("b", major)),
    mma: defineIntrinsic({
      name: `mma_sync_m16n${columns}k16_${word}`,
      needs,
      semantics: graphOf([left, right], [compute("c", sides(columns), (i, j) => sum(product(i, j), [k]))]),
      operands: {
        a: { scope: "wmma.matrix_a", fragment: a },
        b: { scope: "wmma.matrix_b", fragment: b },
        c: { scope: "wmma.accumulator", fragment: c },
      },
      text: {
        init: Array.from({ length: c.count }, (_, r) => `mov.f32 {c.${r}}, 0f00000000;`).join("\n"),
        update: Array.from({ length: columns / 8 }, (_, h) => half(h)).join("\n"),
      },
    }),
  };
}
/** Each is made when it is asked for: a schedule needs one of the two, and its checks take milliseconds. */
function byMajor(make: (major: MmaMajor) => Intrinsic): MmaSync["loadA"] {
  const known: { [major in MmaMajor]?: Intrinsic } = {};
  const of = (major: MmaMajor): Intrinsic => {
    known[major] ??= make(major);
    return known[major];
  };
  return {
    get row() {
      return of("row");
    },
    get col() {
      return of("col");
    },
  };
}

const float = (e: Expr): Expr => cast("float32" satisfies DType, e);

const made = new Map<string, MmaSync>();

/** Products of a warp (mma.sync) and the loads of their operands, for sm_80 and later. */
export function mmaSync(dtype: MmaType, columns: MmaColumns = n): MmaSync {
  const key = `${dtype} ${columns}`;
  const known = made.get(key) ?? make(dtype, columns);
  made.set(key, known);
  return known;
}
