/** carryLoads, before and after on the smallest loop that shows it; what it computes is tested with the programs that use it. */
import { expect, it } from "vitest";
import { mmaSync } from "../../intrinsic/cuda/mma-sync.ts";
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { after, buffer, func, lin, n, v } from "../ir.testing.ts";
import { carryLoads } from "./carry-loads.ts";

const { loadA, mma } = mmaSync("float16");
const A = buffer("A", [4096], "shared", "float16");
const F = buffer("F", [512], "wmma.matrix_a", "float16");
const G = buffer("G", [256], "wmma.matrix_b", "float16");
const C = buffer("C", [256], "wmma.accumulator");
const [i, k] = [v("i"), v("k")] as const;

const strides = [16, 1] as const;
const load = (from: Expr, to: Expr): Stmt => ({
  kind: "Invoke",
  intrinsic: loadA.row,
  form: "body",
  tiles: [
    { buffer: A, indices: [from], strides },
    { buffer: F, indices: [to], strides },
  ],
});
const multiply = (from: Expr, [f, g, c]: readonly [Buffer, Buffer, Buffer] = [F, G, C]): Stmt => ({
  kind: "Invoke",
  intrinsic: mma,
  form: "update",
  tiles: [
    { buffer: f, indices: [from], strides },
    { buffer: g, indices: [n(0)], strides },
    { buffer: c, indices: [n(0)], strides },
  ],
});
const half = (of: Expr): Expr => b.mul(b.floorModulo(of, n(2)), n(256));
/** Chunks of `steps` tiles in two arrays; the fragment of an even step is F's first half. */
const chunk = (steps: number): readonly Stmt[] => {
  const ahead = b.ifThen(b.lt(i, n(steps - 1)), load(lin(k, 1024, lin(b.add(i, n(1)), 256)), half(b.add(i, n(1)))));
  const inner = b.forLoop(i, steps, b.seq([ahead, multiply(half(i))]), "unrolled");
  return [load(lin(k, 1024), n(0)), inner];
};
const loopOf = (...body: Stmt[]): Stmt => b.forLoop(k, 4, b.seq(body));
const others = [
  buffer("F'", [256], "wmma.matrix_a", "float16"),
  buffer("G'", [256], "wmma.matrix_b", "float16"),
  buffer("C'", [256], "wmma.accumulator"),
] as const;
const params = [A, F, G, C, ...others];

it("loads the next iteration's first fragments before the last products of this one", () => {
  expect(after(carryLoads, "lowered", params, loopOf(b.wait(0), b.barrier, ...chunk(4)))).toMatchInlineSnapshot(`
    "
    wait cp_async, all but 0 groups
    barrier
    ldmatrix_a_row_f16.body(A[0] strides [16, 1], F[0] strides [16, 1])
    for k in 4:
      for i in 3 unrolled:
        if i < 3:
          ldmatrix_a_row_f16.body(A[k * 1024 + (i + 1) * 256] strides [16, 1], F[(i + 1) % 2 * 256] strides [16, 1])
        mma_sync_m16n16k16_f16.update(F[i % 2 * 256] strides [16, 1], G[0] strides [16, 1], C[0] strides [16, 1])
      wait cp_async, all but 0 groups
      barrier
      if k < 3:
        ldmatrix_a_row_f16.body(A[(k + 1) * 1024] strides [16, 1], F[0] strides [16, 1])
      mma_sync_m16n16k16_f16.update(F[256] strides [16, 1], G[0] strides [16, 1], C[0] strides [16, 1])
    "
  `);
});

it.each<[what: string, body: Stmt]>([
  [
    "an odd number of steps, the last of which uses the half that the first load fills",
    loopOf(b.wait(0), b.barrier, ...chunk(3)),
  ],
  ["something else that uses what is loaded", loopOf(b.wait(0), b.barrier, multiply(n(0)), ...chunk(4))],
  ["a loop whose iterations no barrier begins", loopOf(...chunk(4))],
  [
    "products of other fragments behind the loads, which would be done for the next iteration too",
    loopOf(b.wait(0), b.barrier, chunk(4)[0] as Stmt, multiply(n(0), others), chunk(4)[1] as Stmt),
  ],
])("leaves alone: %s", (_, body) => {
  const f = func("lowered", params, body);
  expect(carryLoads.run(f)).toBe(f);
});
