/**
 * wgmma as intrinsics: C[i, j] += sum over k of A[i, k] * B[k, j], 64 rows, 8 to 256 columns, 16 products deep, by the 128
 * threads of a warpgroup. Tensor cores read A and B out of shared memory, told by descriptors how tiles lie there; sums stay in
 * registers, and are in flight until waited for (ir/stmt.ts, Async).
 *
 * By rows of the reduction (major k) an operand is S[row, k] with rows of `swizzle` bytes. The other way round (major mn) its
 * rows are runs along m or n; more columns than a row has come in panels, S[panel, k, column]: then the intrinsic's columns are
 * two dimensions as well. Source: PTX ISA, "Asynchronous warpgroup level matrix operations".
 */
import type { TargetNeed } from "@warpfarm/common";
import type { Expr, Var } from "../../ir/expr.ts";
import type { DescriptorSwizzle, Intrinsic } from "../../ir/intrinsic.ts";
import { compute, placeholder, reduceAxis, sum } from "../../te/compute.ts";
import { add, at, cast, floorDiv, floorMod, mul } from "../../te/expr.ts";
import { refuse } from "../../te/graph-error.ts";
import { graphOf } from "../../te/graph-of.ts";
import { defineIntrinsic, type OperandDeclaration } from "../define-intrinsic.ts";

const rows = 64;
const depth = 16;
const elementBytes = 2;
const needs: TargetNeed = { kind: "cuda", from: 90, to: 90, features: ["a"] };

export interface WgmmaOperand {
  readonly major: "k" | "mn";
  readonly swizzle: DescriptorSwizzle;
}
export interface Wgmma {
  readonly dtype: "float16" | "bfloat16";
  readonly n: number;
  readonly a: WgmmaOperand;
  readonly b: WgmmaOperand;
}

const lineOf = ({ swizzle }: WgmmaOperand): number => swizzle / elementBytes;

/** The dimensions are [other, k], or [panel, k, other] for runs of several rows. */
function described(operand: WgmmaOperand, panels: number): OperandDeclaration {
  const line = lineOf(operand);
  const block = 8 * line;
  const { major, swizzle } = operand;
  const descriptor = { major, swizzle };
  if (major === "k") return { scope: "shared", strides: [line, 1], offsetFactor: depth, descriptor };
  if (panels === 1) return { scope: "shared", strides: [1, line], offsetFactor: block, descriptor };
  return { scope: "shared", strides: [null, line, 1], offsetFactor: block, strideFactor: block, descriptor };
}

/** Each warp has 32 lanes and 16 rows. A lane has two neighbours in each 8 columns, in each 8 rows. */
const laneOf = (i: Expr, j: Expr): Expr =>
  add(add(mul(floorDiv(i, 16), 32), mul(floorMod(i, 8), 4)), floorDiv(floorMod(j, 8), 2));
const slotOf = (i: Expr, j: Expr): Expr => add(add(mul(floorDiv(j, 8), 4), mul(floorDiv(floorMod(i, 16), 8), 2)), floorMod(j, 2));

function make({ dtype, n, a, b }: Wgmma): Intrinsic {
  const word = dtype === "float16" ? "f16" : "bf16";
  const width = b.major === "mn" ? Math.min(n, lineOf(b)) : n;
  if (!(Number.isInteger(n) && n >= 8 && n <= 256 && n % 8 === 0)) refuse(`wgmma has 8 to 256 columns in steps of 8, not ${n}`);
  if (n % width !== 0) refuse(`wgmma: ${n} columns are no whole panels of ${width}, which rows of ${b.swizzle} bytes have`);
  if (a.major === "mn" && lineOf(a) !== rows)
    refuse(`wgmma takes A along m in rows of 128 bytes, which its ${rows} rows are, not ${a.swizzle}`);
  const panels = n / width;
  const left = placeholder("a", [rows, depth], dtype);
  const right = placeholder("b", panels === 1 ? [n, depth] : [panels, depth, width], dtype);
  const k = reduceAxis("k", depth);
  const float = (e: Expr): Expr => cast("float32", e);
  const product = (i: Var, other: Expr) => sum(mul(float(at(left, i, k.loopVar)), float(other)), [k]);
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
  const turned = (operand: WgmmaOperand): number => (operand.major === "mn" ? 1 : 0);
  return defineIntrinsic({
    name: `wgmma_m64n${n}k16_${word}_${a.major}${a.swizzle}_${b.major}${b.swizzle}`,
    agent: "warpgroup",
    needs,
    engine: "wgmma",
    semantics: graphOf([left, right], [sums]),
    operands: {
      a: described(a, 1),
      b: described(b, panels),
      c: {
        scope: "warpgroup.accumulator",
        fragment: {
          layout: `wgmma.m64n${n}${panels === 1 ? "" : `.p${panels}`}.c.f32`,
          register: "f32",
          count,
          places: (i, ...columns) => {
            const [first, second] = columns as [Var, Var | undefined];
            const j = second ? add(mul(first, width), second) : first;
            return [laneOf(i, j), slotOf(i, j)];
          },
        },
      },
    },
    text: {
      init: Array.from({ length: count }, (_, r) => `mov.f32 {c.${r}}, 0f00000000;`).join("\n"),
      update: [
        "{{",
        ".reg .pred p;",
        "setp.eq.u32 p, 0, 0;",
        `wgmma.mma_async.sync.aligned.m64n${n}k16.f32.${word}.${word} {c}, {a}, {b}, p, 1, 1, ${turned(a)}, ${turned(b)};`,
        "}}",
      ].join("\n"),
    },
  });
}

const made = new Map<string, Intrinsic>();

/** A product of a warpgroup (wgmma), for sm_90a. */
export function wgmma(asked: Wgmma): Intrinsic {
  const { dtype, n, a, b } = asked;
  const key = [dtype, n, a.major, a.swizzle, b.major, b.swizzle].join(" ");
  const known = made.get(key) ?? make(asked);
  made.set(key, known);
  return known;
}
