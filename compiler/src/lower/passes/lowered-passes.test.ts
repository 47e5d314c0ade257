/** simplify, vectorize, insertBarriers, hoistGuards, clampCopies, unroll, each before and after on the smallest nest that shows it. */
import { describe, expect, it } from "vitest";
import * as b from "../../ir/build.ts";
import type { Expr, Var } from "../../ir/expr.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { walkStmt } from "../../ir/visit.ts";
import { after, at, bound, buffer, func, lin, loop, n, set, v } from "../ir.testing.ts";
import { clampCopies } from "./clamp-copies.ts";
import { hoistGuards } from "./hoist-guards.ts";
import { insertBarriers } from "./insert-barriers.ts";
import { simplify } from "./simplify.ts";
import { unroll } from "./unroll.ts";
import { type VectorizeOptions, vectorize } from "./vectorize.ts";

const A = buffer("A", [4096]);
const C = buffer("C", [4096]);
const B8 = buffer("B8", [4096], "global", "int8");
const [i, j, k, t] = [v("i"), v("j"), v("k"), v("t")] as const;
const vec = (of: Var, extent: number, ...body: Stmt[]): Stmt => b.forLoop(of, extent, b.seq(body), "vectorized");

describe("simplify", () => {
  it("dissolves loops of one iteration but not launches, decides conditions, joins fused indices", () => {
    const index = b.add(b.mul(b.floorDiv(t, n(9)), n(9)), b.floorModulo(t, n(9)));
    const body = bound(
      i,
      1,
      "blockIdx.x",
      loop(
        j,
        1,
        loop(
          t,
          54,
          b.ifThen(b.lt(lin(t, 1, j), n(54)), set(C, index, at(A, lin(j, 7, t)))),
          b.ifThen(b.lt(t, n(0)), set(C, t, b.float(1))),
        ),
      ),
    );
    expect(after(simplify, "lowered", [A, C], body)).toMatchInlineSnapshot(`
      "
      for i in 1 bind blockIdx.x:
        for t in 54:
          C[t] = A[t]
      "
    `);
  });
  it("returns the same function when it is simple", () => {
    const f = func("lowered", [A, C], loop(i, 8, b.ifThen(b.lt(i, n(5)), set(C, i, at(A, lin(i, 3))))));
    expect(simplify.run(f)).toBe(f);
  });
});

describe("vectorize", () => {
  const cuda: VectorizeOptions = {
    maxBytes: 16,
    dtypes: new Set(["float32", "int8", "int32"]),
    mustAlign: (buffer) => buffer.scope !== "local",
    selectOnlyMoves: true,
  };
  const cpu: VectorizeOptions = { ...cuda, maxBytes: 32, mustAlign: () => false, selectOnlyMoves: false };
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
    expect(on(cpu, vec(j, 4096, set(C, j, b.float(1))))).toMatchInlineSnapshot(`
      "
      for j.o in 512:
        C[ramp(j.o * 8, 1, 8)] = broadcast(1.0, 8)
      "
    `);
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
});

describe("insertBarriers", () => {
  const S = buffer("S", [64], "shared");
  const T = buffer("T", [64], "shared");
  const kernel = (...body: Stmt[]): Stmt => bound(t, 64, "threadIdx.x", b.allocate(S, b.allocate(T, b.seq(body))));
  const count = (...body: Stmt[]): number => {
    let barriers = 0;
    walkStmt(insertBarriers.run(func("lowered", [A, C], kernel(...body))).body, (s) => {
      if (s.kind === "Barrier") barriers++;
    });
    return barriers;
  };
  const copyS = set(S, t, at(A, lin(k, 64, t)));
  const copyT = set(T, t, at(A, t));
  const other = (of: typeof S) => at(of, b.sub(n(63), t));

  it("puts two into a loop that copies and computes: one before the reads, one before the next copy", () => {
    const body = loop(k, 8, copyS, copyT, loop(j, 4, set(C, t, b.add(other(S), other(T)))));
    expect(after(insertBarriers, "lowered", [A, C], kernel(body))).toMatchInlineSnapshot(`
      "
      for t in 64 bind threadIdx.x:
        alloc S: float32[64] shared
        alloc T: float32[64] shared
        for k in 8:
          barrier
          S[t] = A[k * 64 + t]
          T[t] = A[t]
          barrier
          for j in 4:
            C[t] = S[63 - t] + T[63 - t]
      "
    `);
  });
  it("puts one after a copy that is done once", () => {
    expect(count(copyS, loop(k, 8, set(C, t, other(S))))).toBe(1);
  });
  it("needs none when each thread reads what it wrote itself", () => {
    expect(count(loop(k, 8, copyS, set(C, t, at(S, t))))).toBe(0);
    expect(count(loop(k, 8, set(S, t, b.add(at(S, t), at(A, k)))))).toBe(0);
    const own = loop(k, 8, loop(j, 4, set(S, lin(t, 4, j), at(A, j))), set(C, t, at(S, lin(t, 4, n(2)))));
    expect(count(own)).toBe(0);
  });
  it("needs one when neighbours overlap by a single element", () => {
    expect(count(loop(j, 5, set(S, lin(t, 4, j), at(A, j))), set(C, t, at(S, lin(t, 4, n(2)))))).toBe(1);
  });
  it("needs none when the thread number hides in a division and nobody writes", () => {
    expect(count(set(C, t, at(S, b.floorDiv(t, n(2)))))).toBe(0);
    expect(count(copyS, set(C, t, at(S, b.floorDiv(t, n(2)))))).toBe(1);
  });
  it("needs no more where a barrier parts iterations that use parts of an array in turn, nor for a part that is read before the loop", () => {
    const thirds = buffer("R", [192], "shared");
    const third = (of: Expr, at: Expr) => lin(b.floorModulo(of, n(3)), 64, at);
    const others = (of: Expr) => at(thirds, third(of, b.sub(n(63), t)));
    const turn = (ahead: number, before = 0): number => {
      const fill = set(thirds, third(b.add(k, n(ahead)), t), at(A, lin(k, 64, t)));
      const body = loop(k, 8, fill, b.barrier, set(C, t, others(b.add(k, n(1)))));
      return count(b.allocate(thirds, b.seq([set(C, t, others(n(before))), body])));
    };
    expect([turn(1), turn(2)]).toEqual([1, 1]);
    // Filled where the iteration before reads; where the loop begins, what was read before it.
    expect(turn(0)).toBe(2);
    expect(turn(2, 2)).toBe(2);
  });
  it("puts a barrier before the loop, not into it, where the loop's conflict is with what came before", () => {
    expect(
      after(insertBarriers, "lowered", [A, C], kernel(copyS, loop(i, 2, loop(j, 4, set(C, t, other(S)))))),
    ).toMatchInlineSnapshot(`
      "
      for t in 64 bind threadIdx.x:
        alloc S: float32[64] shared
        alloc T: float32[64] shared
        S[t] = A[k * 64 + t]
        barrier
        for i in 2:
          for j in 4:
            C[t] = S[63 - t]
      "
    `);
  });
  it("keeps a barrier out of a guard", () => {
    const body = loop(k, 8, loop(i, 2, b.ifThen(b.lt(t, n(9)), copyS)), set(C, t, other(S)));
    expect(after(insertBarriers, "lowered", [A, C], kernel(body))).toMatchInlineSnapshot(`
      "
      for t in 64 bind threadIdx.x:
        alloc S: float32[64] shared
        alloc T: float32[64] shared
        for k in 8:
          barrier
          for i in 2:
            if t < 9:
              S[t] = A[k * 64 + t]
          barrier
          C[t] = S[63 - t]
      "
    `);
  });
  it("counts vectors whole", () => {
    const ramp = (base: Expr) => b.ramp(base, 1, 4);
    expect(count(b.store(S, [ramp(lin(t, 4))], b.broadcast(b.float(0), 4)), set(C, t, at(S, lin(t, 4, n(3)))))).toBe(0);
    expect(count(b.store(S, [ramp(lin(t, 2))], b.broadcast(b.float(0), 4)), set(C, t, at(S, lin(t, 2))))).toBe(1);
  });
});

describe("hoistGuards", () => {
  it("moves each part of a condition as far out as it goes", () => {
    const body = loop(
      i,
      4,
      loop(j, 4, b.ifThen(b.and(b.lt(t, n(6)), b.lt(i, n(3)), b.lt(lin(i, 4, j), n(9))), set(C, lin(i, 4, j), b.float(0)))),
    );
    expect(after(hoistGuards, "lowered", [C], bound(t, 8, "threadIdx.x", body))).toMatchInlineSnapshot(`
      "
      for t in 8 bind threadIdx.x:
        if t < 6:
          for i in 4:
            if i < 3:
              for j in 4:
                if i * 4 + j < 9:
                  C[i * 4 + j] = 0.0
      "
    `);
  });
  it("joins neighbours of one condition, and stops at barriers and at loads", () => {
    const guarded = b.ifThen(b.lt(t, n(6)), set(C, t, b.float(0)));
    const loaded = b.ifThen(b.lt(at(A, n(0)), b.float(0)), set(C, t, b.float(0)));
    expect(
      after(hoistGuards, "lowered", [A, C], bound(t, 8, "threadIdx.x", guarded, guarded, b.barrier, guarded)),
    ).toMatchInlineSnapshot(`
      "
      for t in 8 bind threadIdx.x:
        if t < 6:
          C[t] = 0.0
          C[t] = 0.0
        barrier
        if t < 6:
          C[t] = 0.0
      "
    `);
    const still = func("lowered", [A, C], loop(i, 4, loaded, loaded));
    expect(hoistGuards.run(still)).toBe(still);
    const around = func(
      "lowered",
      [A, C],
      bound(t, 8, "threadIdx.x", loop(i, 4, b.ifThen(b.lt(t, n(6)), b.seq([b.barrier, set(C, t, b.float(0))])))),
    );
    expect(hoistGuards.run(around)).toBe(around);
  });
});

describe("clampCopies", () => {
  const S = buffer("S", [4096], "shared");
  const [x, y] = [v("x"), v("y")] as const;
  const threads = (...body: Stmt[]): Stmt => bound(y, 7, "threadIdx.y", bound(x, 7, "threadIdx.x", ...body));
  const run = lin(x, 14, i);
  const copy = (limit: number, place: Expr, value: Expr = at(A, place)): Stmt =>
    threads(loop(i, 14, b.ifThen(b.lt(run, n(limit)), set(S, place, value))));

  it("moves a run that would be cut off back to where it ends, through divisions", () => {
    const split = lin(b.floorDiv(run, n(9)), 9, b.floorModulo(run, n(9)));
    expect(after(clampCopies, "lowered", [A], copy(93, lin(y, 93, split)))).toMatchInlineSnapshot(`
      "
      for y in 7 bind threadIdx.y:
        for x in 7 bind threadIdx.x:
          for i in 14:
            S[y * 93 + i + min(x * 14, 79)] = A[y * 93 + i + min(x * 14, 79)]
      "
    `);
  });
  it("twice, where a run of runs is cut off too", () => {
    const place = lin(y, 93, run);
    const guard = b.and(b.lt(place, n(648)), b.lt(run, n(93)));
    const body = threads(loop(i, 14, b.ifThen(guard, set(S, place, at(A, b.floorModulo(place, n(81)))))));
    expect(after(clampCopies, "lowered", [A], body)).toMatchInlineSnapshot(`
      "
      for y in 7 bind threadIdx.y:
        for x in 7 bind threadIdx.x:
          for i in 14:
            S[i + min(y * 93 + min(x * 14, 79), 634)] = A[(i + min(y * 93 + min(x * 14, 79), 634)) % 81]
      "
    `);
  });
  it("keeps out threads whose run begins past the end", () => {
    expect(after(clampCopies, "lowered", [A], copy(50, run))).toMatchInlineSnapshot(`
      "
      for y in 7 bind threadIdx.y:
        for x in 7 bind threadIdx.x:
          if x < 4:
            for i in 14:
              S[i + min(x * 14, 36)] = A[i + min(x * 14, 36)]
      "
    `);
  });
  it.each<[string, Stmt]>([
    ["another limit on the same thread's place", copy(93, lin(x, 15, i))],
    ["a whole shorter than a run", copy(13, run)],
    ["runs with gaps between them", threads(loop(i, 14, b.ifThen(b.lt(lin(x, 15, i), n(93)), set(S, lin(x, 15, i), at(A, i)))))],
    ["a value that the kernel writes", copy(93, run, at(S, run))],
    ["steps of more than one element", threads(loop(i, 14, b.ifThen(b.lt(lin(i, 7, y), n(98)), set(S, lin(i, 7, y), at(A, i)))))],
    ["what is not a copy into shared memory", threads(loop(i, 14, b.ifThen(b.lt(run, n(93)), set(C, run, at(A, run)))))],
  ])("leaves %s", (_, body) => {
    const f = func("lowered", [A, C], body);
    expect(clampCopies.run(f)).toBe(f);
  });
});

describe("unroll", () => {
  const pragma = (maxStep: number, explicit: number, body: Stmt): Stmt =>
    b.attr("unroll_explicit", explicit, b.attr("auto_unroll_max_step", maxStep, body));
  const step = (index: Expr): Stmt => set(C, index, at(A, index));

  it("repeats a loop marked unrolled, folding its indices and conditions", () => {
    const body = loop(i, 8, b.forLoop(j, 3, b.ifThen(b.lt(j, n(2)), step(lin(i, 3, b.add(j, n(4))))), "unrolled"));
    expect(after(unroll, "device", [A, C], body)).toMatchInlineSnapshot(`
      "
      for i in 8:
        C[i * 3 + 4] = A[i * 3 + 4]
        C[i * 3 + 5] = A[i * 3 + 5]
      "
    `);
  });
  it("counts steps after inner unrolling: 6 fit into 6, not into 5", () => {
    const body = loop(i, 2, loop(j, 3, step(lin(i, 3, j))));
    expect(after(unroll, "device", [A, C], pragma(6, 1, body)).match(/=/g)).toHaveLength(6);
    expect(after(unroll, "device", [A, C], pragma(5, 1, body))).toMatchInlineSnapshot(`
      "
      for i in 2:
        C[i * 3] = A[i * 3]
        C[i * 3 + 1] = A[i * 3 + 1]
        C[i * 3 + 2] = A[i * 3 + 2]
      "
    `);
    expect(after(unroll, "device", [A, C], pragma(2, 1, body))).toMatchInlineSnapshot(`
      "
      for i in 2:
        for j in 3:
          C[i * 3 + j] = A[i * 3 + j]
      "
    `);
  });
  it("counts the members of a sequence and adds them", () => {
    const body = loop(i, 2, step(i), loop(j, 3, step(j)));
    expect(after(unroll, "device", [A, C], pragma(7, 1, body)).match(/for/g)).toHaveLength(1);
    expect(after(unroll, "device", [A, C], pragma(8, 1, body)).match(/for/g)).toBeNull();
  });
  it("keeps a loop that holds a rolled one", () => {
    const body = loop(i, 2, loop(j, 100, step(j)));
    expect(after(unroll, "device", [A, C], pragma(99, 1, body)).match(/for/g)).toHaveLength(2);
  });
  it("leaves loops to the compiler when not explicit", () => {
    expect(after(unroll, "device", [A, C], pragma(6, 0, loop(i, 2, loop(j, 3, step(lin(i, 3, j))))))).toMatchInlineSnapshot(`
      "
      for i in 2 unrolled:
        for j in 3 unrolled:
          C[i * 3 + j] = A[i * 3 + j]
      "
    `);
  });
  it("leaves to the compiler what would be too long a text", () => {
    const body = b.forLoop(i, 1 << 16, step(i), "unrolled");
    expect(after(unroll, "device", [A, C], body).match(/=/g)).toHaveLength(1);
  });
  it("leaves copies into shared memory to the compiler: whole when short, else by an even part", () => {
    const S = buffer("S", [4096], "shared");
    const copy = (extent: number) => after(unroll, "device", [A], pragma(1500, 1, loop(i, extent, set(S, i, at(A, i)))));
    expect(copy(8).match(/=/g)).toHaveLength(8);
    expect(copy(32)).toContain("for i in 32 unrolled:");
    expect(copy(330)).toContain("for i in 330 unrolled by 30:");
    expect(copy(331)).toContain("for i in 331 unrolled by 32:");
  });
  it("returns the same function when nothing is to be unrolled", () => {
    const f = func("device", [A, C], loop(i, 2, step(i)));
    expect(unroll.run(f)).toBe(f);
  });
});
