/**
 * The warp-level matrix instructions of PTX as intrinsics: C[i, j] += sum over k of A[i, k] * B[k, j] on one tile, its loads and
 * its stores. A and B are row- or column-major in memory, and their fragments have different layouts accordingly; the accumulator
 * has one. Source: PTX ISA, "Warp-level matrix instructions: wmma.load, wmma.mma, wmma.store", shapes and registers by type.
 */
import type { DType, TargetNeed } from "@warpfarm/common";
import type { Intrinsic } from "../../ir/intrinsic.ts";
import { compute, placeholder, reduceAxis, sum } from "../../te/compute.ts";
import { at, cast, mul } from "../../te/expr.ts";
import { graphOf } from "../../te/graph-of.ts";
import { defineIntrinsic, type FragmentDeclaration } from "../define-intrinsic.ts";

export interface WmmaShape {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}
export type Major = "row" | "col";

interface WmmaType {
  readonly word: string;
  readonly needs: TargetNeed;
  readonly shapes: readonly WmmaShape[];
  /** Registers of A and of B; of the accumulator. */
  readonly registers: (shape: WmmaShape) => readonly [a: number, b: number, c: number];
  readonly out: "float32" | "int32";
  /** Alignment in elements of a tile's first element; strideFactor: of the distance of rows. */
  readonly offsetFactor: number;
  readonly strideFactor: number;
  /** Whether operands allow only A by rows and B by columns (sub-byte types). */
  readonly fixedMajor: boolean;
  /** The text between `wmma.mma` and `.sync`. */
  readonly operation: string;
  /** Whether a chip counts only XOR of bits. */
  readonly byXor?: true;
}

const shape = (m: number, n: number, k: number): WmmaShape => ({ m, n, k });
const byteShapes = [shape(16, 16, 16), shape(32, 8, 16), shape(8, 32, 16)];
const since75: TargetNeed = { kind: "cuda", from: 75 };
const bytes = (word: string): WmmaType => ({
  word,
  needs: since75,
  shapes: byteShapes,
  registers: ({ m, n }) => [m / 8, n / 8, 8],
  out: "int32",
  offsetFactor: 16,
  strideFactor: 16,
  fixedMajor: false,
  operation: "",
});
const bits = (word: string, k: number, needs: TargetNeed, operation: string): WmmaType => ({
  word,
  needs,
  shapes: [shape(8, 8, k)],
  registers: () => [1, 1, 2],
  out: "int32",
  offsetFactor: k,
  strideFactor: k,
  fixedMajor: true,
  operation,
});

const types: Partial<Record<DType, WmmaType>> = {
  float16: {
    word: "f16",
    needs: since75,
    shapes: byteShapes,
    registers: () => [8, 8, 8],
    out: "float32",
    offsetFactor: 8,
    strideFactor: 8,
    fixedMajor: false,
    operation: "",
  },
  int8: bytes("s8"),
  uint8: bytes("u8"),
  int4: bits("s4", 32, since75, ""),
  // A product of bits is their AND, and the instruction counts the ones.
  int1: bits("b1", 128, { kind: "cuda", from: 80 }, ".and.popc"),
};

/** Chips before sm_80 count only XOR: a & b is (a + b - (a ^ b)) / 2, bit by bit, and a is a ^ 0. */
const bitsByXor: WmmaType = { ...bits("b1", 128, since75, ".xor.popc"), byXor: true };
const xorText = (mma: (a: string, b: string, d: string, c: string) => string): string =>
  [
    "{{",
    ".reg .b32 z; .reg .s32 p, q, r, s, t, u, n;",
    "mov.b32 z, 0; mov.s32 n, 0;",
    mma("{a}", "{{z}}", "{{p, q}}", "{{n, n}}"),
    mma("{{z}}", "{b}", "{{p, q}}", "{{p, q}}"),
    mma("{a}", "{b}", "{{r, s}}", "{{n, n}}"),
    ...[
      ["p", "r", "t", 0],
      ["q", "s", "u", 1],
    ].map(
      ([both, either, half, r]) =>
        `sub.s32 ${half}, ${both}, ${either}; shr.s32 ${half}, ${half}, 1; add.s32 {c.${r}}, {c.${r}}, ${half};`,
    ),
    "}}",
  ].join("\n");

export interface Wmma {
  readonly out: DType;
  readonly load: (operand: "a" | "b", major: Major) => Intrinsic;
  readonly mma: (a: Major, b: Major) => Intrinsic;
  readonly store: (major: Major) => Intrinsic;
  readonly majors: readonly (readonly [a: Major, b: Major])[];
}

export const wmmaShapes = (dtype: DType): readonly WmmaShape[] => types[dtype]?.shapes ?? [];

const strides = (major: Major): readonly (number | null)[] => (major === "row" ? [null, 1] : [1, null]);
const allMajors = (["row", "col"] as const).flatMap((a) => (["row", "col"] as const).map((b) => [a, b] as const));

const made = new Map<string, Wmma>();

interface Family {
  readonly dtype: DType;
  readonly type: WmmaType;
  readonly name: string;
  readonly outWord: string;
  readonly reduction: number;
  readonly size: Readonly<Record<"a" | "b" | "c", readonly [rows: number, columns: number]>>;
  readonly fragment: (operand: "a" | "b", major: Major) => FragmentDeclaration;
  readonly accumulator: FragmentDeclaration;
}

function familyOf(dtype: DType, type: WmmaType, { m, n, k }: WmmaShape): Family {
  const name = `m${m}n${n}k${k}`;
  const [aCount, bCount, count] = type.registers({ m, n, k });
  const outWord = type.out === "float32" ? "f32" : "s32";
  return {
    dtype,
    type,
    name,
    outWord,
    reduction: k,
    size: { a: [m, k], b: [k, n], c: [m, n] },
    fragment: (operand, major) => ({
      layout: `${name}.${operand}.${major}.${type.word}`,
      register: "b32",
      count: operand === "a" ? aCount : bCount,
    }),
    accumulator: { layout: `${name}.c.${outWord}`, register: outWord, count },
  };
}

const ij = ([rows, columns]: readonly [number, number]) =>
  [
    ["i", rows],
    ["j", columns],
  ] as const;

function defineLoad({ dtype, type, name, size, fragment }: Family, operand: "a" | "b", major: Major): Intrinsic {
  const src = placeholder("src", size[operand], dtype);
  return defineIntrinsic({
    name: `wmma_load_${operand}_${major}_${name}_${type.word}`,
    needs: type.needs,
    semantics: graphOf([src], [compute("frag", ij(size[operand]), (i, j) => at(src, i, j))]),
    operands: {
      src: {
        scope: ["shared", "global"],
        strides: strides(major),
        offsetFactor: type.offsetFactor,
        strideFactor: type.strideFactor,
      },
      frag: { scope: `wmma.matrix_${operand}`, fragment: fragment(operand, major) },
    },
    text: `wmma.load.${operand}.sync.aligned.${major}.${name}{src.space}.${type.word} {frag}, [{src}], {src.stride};`,
  });
}

function defineMma(family: Family, aMajor: Major, bMajor: Major): Intrinsic {
  const { dtype, type, name, size, fragment, accumulator } = family;
  const a = placeholder("a", size.a, dtype);
  const b = placeholder("b", size.b, dtype);
  const axis = reduceAxis("k", family.reduction);
  const product = compute("c", ij(size.c), (i, j) =>
    sum(mul(cast(type.out, at(a, i, axis.loopVar)), cast(type.out, at(b, axis.loopVar, j))), [axis]),
  );
  const operands = type.out === "float32" ? "f32.f32" : `s32.${type.word}.${type.word}.s32`;
  const instruction = (left: string, right: string, out: string, added: string): string =>
    `wmma.mma${type.operation}.sync.aligned.${aMajor}.${bMajor}.${name}.${operands} ${out}, ${left}, ${right}, ${added};`;
  const zero = type.out === "float32" ? "mov.f32 {c.R}, 0f00000000;" : "mov.s32 {c.R}, 0;";
  return defineIntrinsic({
    name: `wmma_mma_${aMajor}_${bMajor}_${name}_${type.word}`,
    needs: type.needs,
    semantics: graphOf([a, b], [product]),
    operands: {
      a: { scope: "wmma.matrix_a", fragment: fragment("a", aMajor) },
      b: { scope: "wmma.matrix_b", fragment: fragment("b", bMajor) },
      c: { scope: "wmma.accumulator", fragment: accumulator },
    },
    text: {
      init: Array.from({ length: accumulator.count }, (_, r) => zero.replace("R", String(r))).join("\n"),
      update: type.byXor ? xorText(instruction) : instruction("{a}", "{b}", "{c}", "{c}"),
    },
  });
}

function defineStore({ type, name, size, outWord, accumulator }: Family, major: Major): Intrinsic {
  const frag = placeholder("frag", size.c, type.out);
  return defineIntrinsic({
    name: `wmma_store_${major}_${name}_${outWord}`,
    needs: type.needs,
    semantics: graphOf([frag], [compute("out", ij(size.c), (i, j) => at(frag, i, j))]),
    operands: {
      frag: { scope: "wmma.accumulator", fragment: accumulator },
      out: { scope: ["global", "shared"], strides: strides(major), offsetFactor: 4, strideFactor: 4 },
    },
    text: `wmma.store.d.sync.aligned.${major}.${name}{out.space}.${outWord} [{out}], {frag}, {out.stride};`,
  });
}

function remembered<K extends readonly string[]>(make: (...of: K) => Intrinsic): (...of: K) => Intrinsic {
  const kept = new Map<string, Intrinsic>();
  return (...of) => {
    const key = of.join(" ");
    const intrinsic = kept.get(key) ?? make(...of);
    kept.set(key, intrinsic);
    return intrinsic;
  };
}

/** `capability`: compute capability times ten. */
export function wmma(dtype: DType, shape: WmmaShape, capability: number): Wmma | undefined {
  const type = dtype === "int1" && capability < 80 ? bitsByXor : types[dtype];
  if (!type?.shapes.some((s) => s.m === shape.m && s.n === shape.n && s.k === shape.k)) return undefined;
  const family = familyOf(dtype, type, shape);
  const key = `${dtype} ${family.name} ${type.operation}`;
  const known = made.get(key);
  if (known) return known;
  const all: Wmma = {
    out: type.out,
    load: remembered((operand: "a" | "b", major: Major) => defineLoad(family, operand, major)),
    mma: remembered((a: Major, b: Major) => defineMma(family, a, b)),
    store: remembered((major: Major) => defineStore(family, major)),
    majors: type.fixedMajor ? [["row", "col"]] : allMajors,
  };
  made.set(key, all);
  return all;
}
