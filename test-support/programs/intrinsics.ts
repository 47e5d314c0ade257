/**
 * Small tiles for tests: a 4x4x2 product whose operands are "registers" of a warp, its loads and its store. Their texts do not
 * compile for a GPU.
 */

import { defineIntrinsic, type FragmentDeclaration } from "../../compiler/src/intrinsic/define-intrinsic.ts";
import { compute, placeholder, reduceAxis, sum } from "../../compiler/src/te/compute.ts";
import { at, mul } from "../../compiler/src/te/expr.ts";
import { graphOf } from "../../compiler/src/te/graph-of.ts";

const fragment = (layout: string, count: number): FragmentDeclaration => ({ layout, register: "f32", count });
const ij = (rows: number, columns: number) =>
  [
    ["i", rows],
    ["j", columns],
  ] as const;

export const copyIn = (which: "a" | "b", rows: number, columns: number, layout = which as string) =>
  defineIntrinsic({
    name: `copy_${which}`,
    needs: { kind: "cuda", from: 75 },
    semantics: () => {
      const src = placeholder("src", [rows, columns]);
      return graphOf([src], [compute("dst", ij(rows, columns), (i, j) => at(src, i, j))]);
    },
    operands: {
      src: { scope: ["shared", "global"], offsetFactor: 2, strideFactor: 2 },
      dst: { scope: `wmma.matrix_${which}`, fragment: fragment(layout, 1) },
    },
    text: "ld{src.space}.f32 {dst.0}, [{src}];",
  });
export const copyA = copyIn("a", 4, 2);
export const copyB = copyIn("b", 2, 4);

export const product = defineIntrinsic({
  name: "product",
  needs: { kind: "cuda", from: 75 },
  semantics: () => {
    const a = placeholder("a", [4, 2]);
    const b = placeholder("b", [2, 4]);
    const k = reduceAxis("k", 2);
    const c = compute("c", ij(4, 4), (i, j) => sum(mul(at(a, i, k.loopVar), at(b, k.loopVar, j)), [k]));
    return graphOf([a, b], [c]);
  },
  operands: {
    a: { scope: "wmma.matrix_a", fragment: fragment("a", 1) },
    b: { scope: "wmma.matrix_b", fragment: fragment("b", 1) },
    c: { scope: "wmma.accumulator", fragment: fragment("c", 1) },
  },
  text: { init: "mov.f32 {c.0}, 0f00000000;", update: "fma.rn.f32 {c.0}, {a.0}, {b.0}, {c.0};" },
});

export const copyOut = defineIntrinsic({
  name: "copy_out",
  needs: { kind: "cuda", from: 75 },
  semantics: () => {
    const src = placeholder("src", [4, 4]);
    return graphOf([src], [compute("dst", ij(4, 4), (i, j) => at(src, i, j))]);
  },
  operands: { src: { scope: "wmma.accumulator", fragment: fragment("c", 1) }, dst: { scope: "global" } },
  text: "st{dst.space}.f32 [{dst}], {src.0};",
});
