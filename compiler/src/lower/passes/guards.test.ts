/** hoistGuards and clampCopies, each before and after on the smallest nest that shows it. */
import { describe, expect, it } from "vitest";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { after, at, bound, buffer, func, lin, loop, n, set, v } from "../ir.testing.ts";
import { clampCopies } from "./clamp-copies.ts";
import { hoistGuards } from "./hoist-guards.ts";

type Clampable = Parameters<typeof clampCopies.run>[0];
const A = buffer("A", [4096]);
const C = buffer("C", [4096]);
const [i, j, t] = [v("i"), v("j"), v("t")] as const;

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
  const [Q, P] = [buffer("Q", [4096], "global", "int4"), buffer("P", [4096], "shared", "int4")];
  const [x, y] = [v("x"), v("y")] as const;
  const threads = (...body: Stmt[]): Stmt => bound(y, 7, "threadIdx.y", bound(x, 7, "threadIdx.x", ...body));
  const run = lin(x, 14, i);
  const copy = (limit: number, place: Expr, value: Expr = at(A, place)): Stmt =>
    threads(loop(i, 14, b.ifThen(b.lt(run, n(limit)), set(S, place, value))));

  it("leaves a run with a gap alone: what stands in the gap would be copied by nobody", () => {
    const [gapped, dense] = [15, 14].map((row) => {
      const place = lin(x, row, i);
      return func(
        "lowered",
        [A],
        bound(x, 7, "threadIdx.x", loop(i, 14, b.ifThen(b.lt(place, n(93)), set(S, place, at(A, place))))),
      );
    }) as [Clampable, Clampable];
    expect(clampCopies.run(gapped)).toBe(gapped);
    expect(clampCopies.run(dense)).not.toBe(dense);
  });
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
  it("moves back the only run that there is room for, too", () => {
    const whole = func("lowered", [A], copy(14, run)) as Clampable;
    expect(clampCopies.run(whole)).not.toBe(whole);
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
    [
      "start values whose run a neighbour has added to",
      loop(
        x,
        7,
        loop(i, 14, b.ifThen(b.lt(run, n(93)), set(S, run, b.float(0)))),
        loop(
          j,
          14,
          b.ifThen(b.lt(lin(x, 14, j), n(93)), set(S, lin(x, 14, j), b.add(at(S, lin(x, 14, j)), at(A, lin(x, 14, j))))),
        ),
      ),
    ],
    [
      "a run under a condition of memory, by which its neighbour may do nothing",
      threads(loop(i, 14, b.ifThen(b.and(b.lt(run, n(93)), b.lt(at(A, x), b.float(1))), set(S, run, at(A, run))))),
    ],
    ["parts of words", threads(loop(i, 14, b.ifThen(b.lt(run, n(93)), set(P, run, at(Q, run)))))],
    ["what is not a copy into shared memory", threads(loop(i, 14, b.ifThen(b.lt(run, n(93)), set(C, run, at(A, run)))))],
  ])("leaves %s", (_, body) => {
    const f = func("lowered", [A, C], body);
    expect(clampCopies.run(f)).toBe(f);
  });
});
