/** vectorize, before and after on the smallest nest that shows it. */
import { describe, expect, it } from "vitest";
import * as b from "../../ir/build.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { after, at, buffer, func, lin, loop, n, set, v } from "../ir.testing.ts";
import { type VectorizeOptions, vectorize } from "./vectorize.ts";

const A = buffer("A", [4096]);
const C = buffer("C", [4096]);
const B8 = buffer("B8", [4096], "global", "int8");
const [i, j] = [v("i"), v("j")] as const;
const vec = (of: Var, extent: number, ...body: Stmt[]): Stmt => b.forLoop(of, extent, b.seq(body), "vectorized");

describe("vectorize", () => {
  const cuda: VectorizeOptions = {
    maxBytes: 16,
    dtypes: new Set(["float32", "int8", "int32"]),
    movesAlone: true,
  };
  const cpu: VectorizeOptions = { ...cuda, maxBytes: 32, movesAlone: false };
  const on = (options: VectorizeOptions, body: Stmt) => after(vectorize(options), "lowered", [A, B8, C], body);
  const guard = (cond: Expr) => b.select(cond, at(A, lin(i, 64, j)), b.float(0));

  it("keeps a vector whole under a condition that is the same for all lanes", () => {
    expect(on(cuda, loop(i, 64, vec(j, 4, set(C, lin(i, 4, j), guard(b.lt(i, n(9)))))))).toMatchInlineSnapshot(`
      "
      for i in 64:
        C[ramp(i * 4, 1, 4)] = select(i < 9, A[ramp(i * 64, 1, 4)], broadcast(0.0, 4))
      "
    `);
  });
  it("keeps arithmetic under such a condition whole where it reads registers alone", () => {
    const L = buffer("L", [4], "local");
    const guarded = (of: Expr) => vec(j, 4, set(C, lin(i, 4, j), b.select(b.lt(i, n(9)), b.mul(of, b.float(2)), b.float(0))));
    const body = (of: Expr) => loop(i, 64, b.allocate(L, b.seq([loop(j, 4, set(L, j, at(A, j))), guarded(of)])));
    expect(on(cuda, body(at(L, j)))).toContain(
      "C[ramp(i * 4, 1, 4)] = select(i < 9, L[ramp(0, 1, 4)] * broadcast(2.0, 4), broadcast(0.0, 4))",
    );
    expect(on(cuda, body(at(A, lin(i, 64, j))))).toContain("C[i * 4 + j] = select(i < 9, A[i * 64 + j] * 2.0, 0.0)");
    // Whichever of the two it is.
    const otherwise = vec(
      j,
      4,
      set(C, lin(i, 4, j), b.select(b.lt(i, n(9)), b.float(0), b.mul(at(A, lin(i, 64, j)), b.float(2)))),
    );
    expect(on(cuda, loop(i, 64, otherwise))).toContain("C[i * 4 + j] = select(i < 9, 0.0, A[i * 64 + j] * 2.0)");
  });
  it("makes a statement scalar whose condition depends on the lane", () => {
    expect(on(cuda, loop(i, 64, vec(j, 4, set(C, lin(i, 4, j), guard(b.lt(j, n(3)))))))).toMatchInlineSnapshot(`
      "
      for i in 64:
        for j in 4:
          C[i * 4 + j] = select(j < 3, A[i * 64 + j], 0.0)
      "
    `);
  });
  it("repeats what is the same in all lanes", () => {
    const body = set(C, lin(i, 8, j), b.add(at(C, lin(i, 8, j)), b.mul(at(A, i), at(A, lin(i, 8, j)))));
    expect(on(cpu, loop(i, 64, vec(j, 8, body)))).toMatchInlineSnapshot(`
      "
      for i in 64:
        C[ramp(i * 8, 1, 8)] = C[ramp(i * 8, 1, 8)] + broadcast(A[i], 8) * A[ramp(i * 8, 1, 8)]
      "
    `);
  });
  it("cuts a wide loop into vectors, unrolled while they are few", () => {
    expect(on(cuda, loop(i, 8, vec(j, 8, set(C, lin(i, 8, j), at(A, lin(i, 8, j))))))).toMatchInlineSnapshot(`
      "
      for i in 8:
        for j.o in 2 unrolled:
          C[ramp(i * 8 + j.o * 4, 1, 4)] = A[ramp(i * 8 + j.o * 4, 1, 4)]
      "
    `);
    const vectors = (count: number) => on(cuda, vec(j, 4 * count, set(C, j, at(A, j))));
    expect(vectors(16)).toContain("for j.o in 16 unrolled:");
    expect(vectors(17)).toContain("for j.o in 17:");
    expect(on(cpu, vec(j, 4096, set(C, j, b.float(1))))).toMatchInlineSnapshot(`
      "
      for j.o in 512:
        C[ramp(j.o * 8, 1, 8)] = broadcast(1.0, 8)
      "
    `);
  });
  it("calls functions lane by lane where vectors are only moved, and keeps a loop of them elsewhere", () => {
    const body = vec(j, 4, set(C, j, b.call("pow", at(A, j), at(A, n(0)))));
    expect(on(cuda, body)).toMatchInlineSnapshot(`
      "
      C[ramp(0, 1, 4)] = pow(A[ramp(0, 1, 4)], broadcast(A[0], 4))
      "
    `);
    expect(on(cpu, body)).toContain("for j in 4:");
    expect(on(cpu, vec(j, 4, set(C, j, b.call("exp", at(A, n(0))))))).toContain("broadcast(exp(A[0]), 4)");
  });
  it("takes the widest vector that is aligned, on a target that needs it", () => {
    const body = loop(i, 8, vec(j, 4, set(C, lin(i, 4, j), at(A, lin(i, 6, j)))));
    expect(on(cuda, body)).toMatchInlineSnapshot(`
      "
      for i in 8:
        for j.o in 2 unrolled:
          C[ramp(i * 4 + j.o * 2, 1, 2)] = A[ramp(i * 6 + j.o * 2, 1, 2)]
      "
    `);
    expect(on(cpu, body)).toContain("ramp(i * 6, 1, 4)");
  });
  it("counts lanes by the widest type of a conversion", () => {
    const wide = buffer("W", [4096], "global", "int32");
    const body = vec(j, 16, b.store(wide, [j], b.cast("int32", at(B8, j))));
    expect(after(vectorize(cuda), "lowered", [B8, wide], body)).toMatchInlineSnapshot(`
      "
      for j.o in 4 unrolled:
        W[ramp(j.o * 4, 1, 4)] = int32(B8[ramp(j.o * 4, 1, 4)])
      "
    `);
  });
  it("does not vectorize strides, reductions, or an odd number of lanes", () => {
    expect(on(cpu, vec(j, 4, set(C, lin(j, 2), at(A, j))))).toMatchInlineSnapshot(`
      "
      for j in 4:
        C[j * 2] = A[j]
      "
    `);
    expect(on(cpu, vec(j, 4, set(C, n(0), b.add(at(C, n(0)), at(A, j)))))).toMatchInlineSnapshot(`
      "
      for j in 4:
        C[0] = C[0] + A[j]
      "
    `);
    expect(on(cpu, vec(j, 7, set(C, j, at(A, j))))).toMatchInlineSnapshot(`
      "
      for j in 7:
        C[j] = A[j]
      "
    `);
  });
  it("says why vectors are narrower than they could be, once", () => {
    const notes = (options: VectorizeOptions, body: Stmt) =>
      vectorize(options)
        .run({ dialect: "lowered", name: "f", params: [A, B8, C], body })
        .notes?.map(({ message }) => message);
    const copy = (from: Expr, to: Expr = lin(i, 8, j)) => loop(i, 4, vec(j, 8, set(C, to, at(A, from)), set(C, to, at(A, from))));
    expect(notes(cuda, copy(lin(i, 8, j)))).toBeUndefined();
    expect(notes(cuda, copy(b.add(lin(i, 8, j), n(2))))).toEqual([
      'loop "j" of 8 is vectorized, but done 2 at a time: the first place in "A" is not provably a multiple of 4 elements',
    ]);
    expect(notes(cuda, copy(b.add(lin(i, 8, j), n(1))))?.[0]).toContain("done element by element");
    expect(notes(cuda, copy(lin(j, 3)))).toEqual([
      'loop "j" of 8 is vectorized, but done element by element: neighbours in "A" are 3 elements apart',
    ]);
    expect(notes(cuda, vec(j, 4, set(C, j, guard(b.lt(j, n(3))))))?.[0]).toContain("a condition differs from lane to lane");
    expect(notes(cuda, vec(j, 4, b.ifThen(b.lt(j, n(3)), set(C, j, b.float(0)))))?.[0]).toContain("a condition differs");
    expect(notes(cuda, vec(j, 4, set(C, n(0), at(A, j))))?.[0]).toContain('all lanes write one element of "C"');
    expect(notes(cuda, vec(j, 7, set(C, j, at(A, j))))?.[0]).toContain("odd");
  });
  it("finds lanes behind a division that a vector does not cross", () => {
    const body = loop(
      i,
      8,
      vec(j, 8, set(C, lin(i, 8, j), at(A, lin(b.floorDiv(lin(i, 8, j), n(4)), 16, b.floorModulo(lin(i, 8, j), n(4)))))),
    );
    expect(on(cuda, body)).toContain("A[ramp(i * 32 + j.o * 16, 1, 4)]");
  });
  it("vectorizes inside an inner loop", () => {
    const body = vec(j, 4, loop(i, 8, set(C, lin(i, 4, j), at(A, j))));
    expect(on(cpu, body)).toMatchInlineSnapshot(`
      "
      for i in 8:
        C[ramp(i * 4, 1, 4)] = A[ramp(0, 1, 4)]
      "
    `);
  });

  it("has as many lanes as the widest of what a register's vector is computed from allows, which needs no note", () => {
    const L = buffer("L", [16], "local");
    const body = vec(j, 16, set(L, j, b.add(at(A, j), b.cast("float32", at(B8, j)))));
    expect(vectorize(cuda).run(func("lowered", [A, B8], b.allocate(L, body))).notes).toBeUndefined();
    expect(on(cuda, b.allocate(L, body))).toContain("A[ramp(j.o * 4, 1, 4)]");
  });
});
