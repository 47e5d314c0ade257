/**
 * The three tensor intrinsics that TVM's tutorial on tensor cores declares (docs/reference/source-programs.md 3): load a 16x16
 * tile into a fragment, multiply two fragments into an accumulator, store an accumulator. Declared here as any user would in a
 * file of their own: what each means, where its operands live, and the PTX that does it. A lane keeps 8 registers of each
 * fragment; which elements, only these instructions know. Source: PTX ISA, "Warp-level matrix load / multiply-accumulate / store
 * instruction: wmma".
 */
import { at, cast, compute, defineIntrinsic, graphOf, mul, placeholder, reduceAxis, sum } from "@warpfarm/compiler/language";

const n = 16;
const shape = [n, n];
const ij = [
  ["i", n],
  ["j", n],
] as const;

/** Addresses are multiples of 32 bytes, rows of 16. */
const half = { offsetFactor: 16, strideFactor: 8 };
const operand = (which: "a" | "b") => ({ layout: `m16n16k16.${which}.row.f16`, register: "b32", count: 8 }) as const;
const accumulator = { layout: "m16n16k16.c.f32", register: "f32", count: 8 } as const;

/** C[i, j] = A[i, j], from shared memory into a fragment of the left (a) or right (b) operand. */
const load = (which: "a" | "b") =>
  defineIntrinsic({
    name: `wmma_load_${which}`,
    needs: { kind: "cuda", from: 75 },
    semantics: () => {
      const A = placeholder("A", shape, "float16");
      return graphOf([A], [compute("C", ij, (i, j) => at(A, i, j))]);
    },
    operands: {
      A: { scope: "shared", ...half },
      C: { scope: `wmma.matrix_${which}`, fragment: operand(which) },
    },
    text: `wmma.load.${which}.sync.aligned.row.m16n16k16{A.space}.f16 {C}, [{A}], {A.stride};`,
  });

/** C[i, j] += sum over k of A[i, k] * B[k, j], all three in fragments; `init` fills C with zeros. */
const gemm = () =>
  defineIntrinsic({
    name: "wmma_gemm",
    needs: { kind: "cuda", from: 75 },
    semantics: () => {
      const A = placeholder("A", shape, "float16");
      const B = placeholder("B", shape, "float16");
      const k = reduceAxis("k", n);
      return graphOf(
        [A, B],
        [compute("C", ij, (i, j) => sum(mul(cast("float32", at(A, i, k.loopVar)), cast("float32", at(B, k.loopVar, j))), [k]))],
      );
    },
    operands: {
      A: { scope: "wmma.matrix_a", fragment: operand("a") },
      B: { scope: "wmma.matrix_b", fragment: operand("b") },
      C: { scope: "wmma.accumulator", fragment: accumulator },
    },
    text: {
      init: Array.from({ length: accumulator.count }, (_, r) => `mov.f32 {C.${r}}, 0f00000000;`).join("\n"),
      update: "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {C}, {A}, {B}, {C};",
    },
  });

/** C[i, j] = A[i, j], from an accumulator to global memory. */
const store = () =>
  defineIntrinsic({
    name: "wmma_store",
    needs: { kind: "cuda", from: 75 },
    semantics: () => {
      const A = placeholder("A", shape, "float32");
      return graphOf([A], [compute("C", ij, (i, j) => at(A, i, j))]);
    },
    operands: {
      A: { scope: "wmma.accumulator", fragment: accumulator },
      C: { scope: "global", offsetFactor: 8, strideFactor: 4 },
    },
    text: "wmma.store.d.sync.aligned.row.m16n16k16{C.space}.f32 [{C}], {A}, {C.stride};",
  });

const declared = () => ({ loadA: load("a"), loadB: load("b"), gemm: gemm(), store: store() });
let tiles: ReturnType<typeof declared> | undefined;

/** All four, declared when a schedule first needs them. */
export function wmmaTiles() {
  tiles ??= declared();
  return tiles;
}
