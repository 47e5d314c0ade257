/**
 * wgmma as intrinsics: C[i, j] += sum over k of A[i, k] * B[k, j], 64 rows, 8 to 256 columns, 32 bytes deep, by the 128
 * threads of a warpgroup. Tensor cores read A and B out of shared memory, told by descriptors how tiles lie there, or A out of
 * registers, which lanes write. Sums stay in registers. All are in flight until waited for (ir/stmt.ts, Async).
 *
 * By rows of the reduction (major k) an operand is S[row, k] with rows of `swizzle` bytes. The other way round (major mn) its
 * rows are runs along m or n; more columns than a row has come in panels, S[panel, k, column]: then the intrinsic's columns are
 * two dimensions as well. Operands of 8 and 32 bits lie by rows of the reduction alone.
 *
 * Of float32, tensor cores multiply the first 11 significant bits (tf32). What they make of the others is not defined, so every
 * value must have been rounded where it was written (verify/tf32.ts). Source: PTX ISA, "Asynchronous warpgroup level matrix
 * operations".
 */
import { dtypeBytes, type TargetNeed } from "@warpfarm/common";
import type { Expr, Var } from "../../ir/expr.ts";
import { type DescriptorSwizzle, descriptorSwizzles, type Intrinsic } from "../../ir/intrinsic.ts";
import { compute, placeholder, reduceAxis, sum } from "../../te/compute.ts";
import { add, at, cast, floorDiv, floorMod, mul, tf32 } from "../../te/expr.ts";
import { refuse } from "../../te/graph-error.ts";
import { graphOf } from "../../te/graph-of.ts";
import { defineIntrinsic, type OperandDeclaration } from "../define-intrinsic.ts";

const rows = 64;
/** Bytes of the reduction that one instruction takes. */
const depthBytes = 32;
const needs: TargetNeed = { kind: "cuda", from: 90, to: 90, features: ["a"] };

export interface WgmmaOperand {
  readonly major: "k" | "mn";
  readonly swizzle: DescriptorSwizzle;
}
/** The type's word in PTX, what sums are, and what follows the operands: signs, then a transposition each where there is one. */
const types = {
  float16: { word: "f16", sums: "float32", signs: ", 1, 1", turns: true },
  bfloat16: { word: "bf16", sums: "float32", signs: ", 1, 1", turns: true },
  float8_e4m3fn: { word: "e4m3", sums: "float32", signs: ", 1, 1", turns: false },
  float8_e5m2: { word: "e5m2", sums: "float32", signs: ", 1, 1", turns: false },
  float32: { word: "tf32", sums: "float32", signs: ", 1, 1", turns: false },
  int8: { word: "s8", sums: "int32", signs: "", turns: false },
} as const;
const registers = {
  float32: { word: "f32", register: "f32", zero: "0f00000000" },
  int32: { word: "s32", register: "s32", zero: "0" },
} as const;

export interface Wgmma {
  readonly dtype: keyof typeof types;
  readonly n: number;
  readonly a: WgmmaOperand | "registers";
  readonly b: WgmmaOperand;
}

/** The dimensions are [other, k], or [panel, k, other] for runs of several rows. */
function described({ major, swizzle }: WgmmaOperand, bytes: number, panels: number): OperandDeclaration {
  const line = swizzle / bytes;
  const block = 8 * line;
  const descriptor = { major, swizzle };
  if (major === "k") return { scope: "shared", strides: [line, 1], offsetFactor: depthBytes / bytes, descriptor };
  if (panels === 1) return { scope: "shared", strides: [1, line], offsetFactor: block, descriptor };
  return { scope: "shared", strides: [null, line, 1], offsetFactor: block, strideFactor: block, descriptor };
}

/**
 * Where an element of a fragment is kept: each warp has 32 lanes and 16 rows, and a lane `run` neighbours of each `4 * run`
 * columns in each 8 rows. Sums of 16 columns, rounded to 16 bits, lie as A in registers does.
 */
const placeIn = (run: number, i: Expr, j: Expr): readonly [lane: Expr, slot: Expr] => [
  add(add(mul(floorDiv(i, 16), 32), mul(floorMod(i, 8), 4)), floorDiv(floorMod(j, 4 * run), run)),
  add(add(mul(floorDiv(j, 4 * run), 2 * run), mul(floorDiv(floorMod(i, 16), 8), run)), floorMod(j, run)),
];

/** A in four registers of each lane. */
const kept = (word: string, bytes: number): OperandDeclaration => ({
  scope: "warpgroup.matrix_a",
  fragment: {
    layout: `wgmma.m64k${depthBytes / bytes}.a.${word}`,
    register: "b32",
    count: 4,
    places: (i, k) => placeIn(4 / bytes, i as Var, k as Var),
  },
});

/** Templates of users are not always type-checked. */
function checkForm({ dtype, a, b }: Wgmma): void {
  const isTile = (operand: Partial<WgmmaOperand> | undefined): boolean =>
    ["k", "mn"].includes(operand?.major as string) && descriptorSwizzles.some((swizzle) => swizzle === operand?.swizzle);
  const tile = `a tile, { major: "k" or "mn", swizzle: ${descriptorSwizzles.join(", ")} }`;
  if (!Object.hasOwn(types, dtype)) refuse(`wgmma takes ${Object.keys(types).join(", ")}, not ${dtype}`);
  if (a !== "registers" && !isTile(a)) refuse(`wgmma takes as A "registers" or ${tile}, not ${JSON.stringify(a)}`);
  if (!isTile(b)) refuse(`wgmma takes as B ${tile}, not ${JSON.stringify(b)}`);
}

/** Widths of whole numbers have steps of 16 from 32 on, where others have 8. */
function checkWgmma({ dtype, n, a, b }: Wgmma, width: number): void {
  const majors = [a, b].map((operand) => (operand === "registers" ? "k" : operand.major));
  if (!(Number.isInteger(n) && n >= 8 && n <= 256 && n % 8 === 0)) refuse(`wgmma has 8 to 256 columns in steps of 8, not ${n}`);
  if (types[dtype].sums === "int32" && n > 32 && n % 16 !== 0)
    refuse(`wgmma of ${dtype} has 8, 16, 24, 32 columns, or up to 256 in steps of 16, not ${n}`);
  if (!types[dtype].turns && majors.includes("mn"))
    refuse(`wgmma takes ${dtype} along the reduction, so both operands are of major k`);
  if (n % width !== 0) refuse(`wgmma: ${n} columns are no whole panels of ${width}, which rows of ${b.swizzle} bytes have`);
  if (a !== "registers" && a.major === "mn" && a.swizzle !== 128)
    refuse(`wgmma takes A along m in rows of 128 bytes, which its ${rows} rows are, not ${a.swizzle}`);
}

function make(asked: Wgmma): Intrinsic {
  checkForm(asked);
  const { dtype, n, a, b } = asked;
  const { word, sums: sumType, signs, turns } = types[dtype];
  const { register, zero, word: sumWord } = registers[sumType];
  const bytes = dtypeBytes(dtype);
  const depth = depthBytes / bytes;
  const width = b.major === "mn" ? Math.min(n, b.swizzle / bytes) : n;
  checkWgmma(asked, width);
  const panels = n / width;
  const left = placeholder("a", [rows, depth], dtype);
  const right = placeholder("b", panels === 1 ? [n, depth] : [panels, depth, width], dtype);
  const k = reduceAxis("k", depth);
  const wide = (e: Expr): Expr => (dtype === "float32" ? tf32(e) : cast(sumType, e));
  const product = (i: Var, other: Expr) => sum(mul(wide(at(left, i, k.loopVar)), wide(other)), [k]);
  const sums =
    panels === 1
      ? compute(
          "c",
          [
            ["i", rows],
            ["j", n],
          ],
          (i, j) => product(i, at(right, j, k.loopVar)),
        )
      : compute(
          "c",
          [
            ["i", rows],
            ["p", panels],
            ["j", width],
          ],
          (i, p, j) => product(i, at(right, p, k.loopVar, j)),
        );
  const count = n / 2;
  // Registers have no major, so they have no word for it.
  const turned = [a, b].map((operand) => (operand === "registers" ? "" : `, ${operand.major === "mn" ? 1 : 0}`)).join("");
  const form = `m64n${n}k${depth}`;
  return defineIntrinsic({
    name: `wgmma_${form}_${word}_${nameOf(a)}_${nameOf(b)}`,
    agent: "warpgroup",
    needs,
    engine: "wgmma",
    semantics: graphOf([left, right], [sums]),
    operands: {
      a: a === "registers" ? kept(word, bytes) : described(a, bytes, 1),
      b: described(b, bytes, panels),
      c: {
        scope: "warpgroup.accumulator",
        fragment: {
          layout: `wgmma.m64n${n}${panels === 1 ? "" : `.p${panels}`}.c.${sumWord}`,
          register,
          count,
          places: (i, ...columns) => {
            const [first, second] = columns as [Var, Var | undefined];
            const j = second ? add(mul(first, width), second) : first;
            return placeIn(2, i, j);
          },
        },
      },
    },
    text: {
      init: Array.from({ length: count }, (_, r) => `mov.${sumWord} {c.${r}}, ${zero};`).join("\n"),
      update: [
        "{{",
        ".reg .pred p;",
        "setp.eq.u32 p, 0, 0;",
        `wgmma.mma_async.sync.aligned.${form}.${sumWord}.${word}.${word} {c}, {a}, {b}, p${signs}${turns ? turned : ""};`,
        "}}",
      ].join("\n"),
    },
  });
}

const nameOf = (operand: Wgmma["a"]): string => (operand === "registers" ? operand : `${operand?.major}${operand?.swizzle}`);
const made = new Map<string, Intrinsic>();

/** A product of a warpgroup (wgmma), for sm_90a. */
export function wgmma(asked: Wgmma): Intrinsic {
  const { dtype, n, a, b } = asked;
  const key = [dtype, n, nameOf(a), nameOf(b)].join(" ");
  const known = made.get(key) ?? make(asked);
  made.set(key, known);
  return known;
}
