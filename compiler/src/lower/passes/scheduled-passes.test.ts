/**
 * liftConditions, injectVirtualThread, rootWorkspaces, lowerThreads, flattenBuffers, each before and after on the smallest nest
 * that shows it.
 */
import { describe, expect, it } from "vitest";
import * as b from "../../ir/build.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { after, at, bound, buffer, func, lin, loop, n, set, v } from "../ir.testing.ts";
import { bulkCopies } from "./bulk-copies.ts";
import { flattenBuffers } from "./flatten-buffers.ts";
import { injectVirtualThread } from "./inject-virtual-thread.ts";
import { liftConditions } from "./lift-conditions.ts";
import { lowerThreads } from "./lower-threads.ts";
import { rootWorkspaces } from "./root-workspaces.ts";

const A = buffer("A", [8, 8]);
const C = buffer("C", [8]);
const D = buffer("D", [8, 8]);
const [i, j, k, t] = [v("i"), v("j"), v("k"), v("t")] as const;

describe("bulkCopies", () => {
  it.each([
    [5, true],
    [6, false],
  ])("of a tensor of %i dimensions are made: %s", (rank, isMade) => {
    const shape = [...Array<number>(rank - 1).fill(2), 4];
    const [from, to] = [buffer("F", shape), buffer("T", shape, "shared")];
    const loops = shape.map((_, d) => v(`d${d}`));
    const nest = loops.reduceRight<Stmt>((body, d, k) => loop(d, shape[k] ?? 1, body), set(to, ...loops, at(from, ...loops)));
    const text = after(bulkCopies(90), "scheduled", [from], b.allocate(to, b.stage("T", nest, { engine: "tma" })));
    expect(text).toMatch(isMade ? /T\[0.*\] = box.* F\[/ : /F has 6 dimensions; a map has at most 5/);
  });
  it.each([
    [15, false],
    [16, true],
    [17, true],
  ])("of 16 elements below %i are made, where no element of the tensor is left out: %s", (limit, isMade) => {
    const [from, to] = [buffer("F", [16]), buffer("T", [32], "shared")];
    const copied = set(to, i, b.select(b.lt(i, n(limit)), at(from, i), b.float(0)));
    const text = after(bulkCopies(90), "scheduled", [from], b.allocate(to, b.stage("T", loop(i, 32, copied), { engine: "tma" })));
    expect(text).toMatch(isMade ? /T\[0\] = box/ : /the engine only leaves out what lies outside of the tensor/);
  });
  it.each([
    [7, true],
    [8, true],
    [9, false],
  ])("8 before a tensor's first one are made from %i on, where no element of the tensor is left out: %s", (first, isMade) => {
    const [from, to] = [buffer("F", [16]), buffer("T", [16], "shared")];
    const copied = set(to, i, b.select(b.ge(i, n(first)), at(from, b.sub(i, n(8))), b.float(0)));
    const text = after(bulkCopies(90), "scheduled", [from], b.allocate(to, b.stage("T", loop(i, 16, copied), { engine: "tma" })));
    expect(text).toMatch(isMade ? /T\[0\] = box/ : /the engine only leaves out what lies outside of the tensor/);
  });
});

describe("injectVirtualThread", () => {
  const S = buffer("S", [8], "shared");
  const acc = buffer("acc", [1], "local");
  const w = buffer("w", [1], "local");
  const body = (extent: number) =>
    bound(
      t,
      extent,
      "vthread",
      b.allocate(
        acc,
        b.seq([
          set(acc, n(0), b.float(0)),
          loop(
            k,
            8,
            b.allocate(
              S,
              b.allocate(
                w,
                b.seq([
                  loop(j, 8, set(S, j, at(A, k, j))),
                  set(w, n(0), at(S, k)),
                  set(acc, n(0), b.add(at(acc, n(0)), b.mul(at(w, n(0)), at(S, t)))),
                ]),
              ),
            ),
          ),
          set(C, t, at(acc, n(0))),
        ]),
      ),
    );

  it("interleaves what depends on the thread, replicates its buffers, leaves the shared copy and other registers once", () => {
    expect(after(injectVirtualThread, "scheduled", [A, C], body(2))).toMatchInlineSnapshot(`
      "
      alloc acc: float32[2, 1] local
      pragma unroll_explicit 1:
        for t in 2 unrolled:
          acc[t, 0] = 0.0
      for k in 8:
        alloc S: float32[8] shared
        alloc w: float32[1] local
        for j in 8:
          S[j] = A[k, j]
        w[0] = S[k]
        pragma unroll_explicit 1:
          for t in 2 unrolled:
            acc[t, 0] = acc[t, 0] + w[0] * S[t]
      pragma unroll_explicit 1:
        for t in 2 unrolled:
          C[t] = acc[t, 0]
      "
    `);
  });
  it("puts a serial loop around a statement from 16 copies on", () => {
    expect(
      after(injectVirtualThread, "scheduled", [A, C], bound(t, 16, "vthread", set(C, t, at(A, t, n(0))))),
    ).toMatchInlineSnapshot(`
      "
      for t in 16:
        C[t] = A[t, 0]
      "
    `);
  });
  it("moves a condition on the thread down to each statement", () => {
    const guarded = bound(
      t,
      3,
      "vthread",
      b.ifThen(b.lt(t, n(2)), b.seq([set(C, n(7), at(A, n(0), n(0))), set(C, t, at(A, t, t))])),
    );
    expect(after(injectVirtualThread, "scheduled", [A, C], guarded)).toMatchInlineSnapshot(`
      "
      pragma unroll_explicit 1:
        for t in 3 unrolled:
          if t < 2:
            C[7] = A[0, 0]
      pragma unroll_explicit 1:
        for t in 3 unrolled:
          if t < 2:
            C[t] = A[t, t]
      "
    `);
  });
  it("keeps strides of a replicated buffer, and its axes in order", () => {
    const aligned = { ...buffer("R", [2, 3], "local"), strides: [4, 1] };
    const nest = bound(
      i,
      2,
      "vthread",
      bound(
        j,
        3,
        "vthread",
        b.allocate(aligned, b.seq([set(aligned, n(0), n(0), at(A, i, j)), set(C, i, at(aligned, n(0), n(0)))])),
      ),
    );
    const made = injectVirtualThread.run(func("scheduled", [A, C], nest)).body;
    expect(made).toMatchObject({ kind: "Allocate", buffer: { shape: [2, 3, 2, 3], strides: [24, 8, 4, 1] } });
  });
  it("returns the same function when there is no vthread", () => {
    const plain = func("scheduled", [A, C], loop(i, 8, set(C, i, at(A, i, i))));
    expect(injectVirtualThread.run(plain)).toBe(plain);
  });
});

describe("rootWorkspaces", () => {
  const P = buffer("P", [8]);
  it("makes an argument of what is allocated outside all loops, and only of that", () => {
    const inner = buffer("inner", [1], "local");
    const body = b.allocate(
      P,
      b.seq([
        b.stage("P", loop(i, 8, set(P, i, at(A, i, i)))),
        loop(j, 8, b.allocate(inner, b.seq([set(inner, n(0), at(P, j)), set(C, j, at(inner, n(0)))]))),
      ]),
    );
    const made = rootWorkspaces.run(func("scheduled", [A, C], body));
    expect(made.params).toEqual([A, C, P]);
    expect(after(rootWorkspaces, "scheduled", [A, C], body)).toMatchInlineSnapshot(`
      "
      stage P:
        for i in 8:
          P[i] = A[i, i]
      for j in 8:
        alloc inner: float32[1] local
        inner[0] = P[j]
        C[j] = inner[0]
      "
    `);
  });
});

describe("lowerThreads", () => {
  const S = buffer("S", [6], "shared");
  const r = buffer("r", [1], "local");
  const copy = (extent: number): Stmt => bound(k, extent, "threadIdx.x", set(S, k, at(A, i, k)));

  it("merges a copy's threads into the launch, guards the shorter, hoists allocations", () => {
    const nest = bound(
      i,
      4,
      "blockIdx.x",
      bound(t, 8, "threadIdx.x", b.allocate(S, b.seq([copy(6), set(D, i, t, at(S, b.floorDiv(t, n(2))))]))),
    );
    expect(after(lowerThreads, "scheduled", [A, D], nest)).toMatchInlineSnapshot(`
      "
      for i in 4 bind blockIdx.x:
        for t in 8 bind threadIdx.x:
          alloc S: float32[6] shared
          if t < 6:
            S[t] = A[i, t]
          D[i, t] = S[t // 2]
      "
    `);
  });
  it("orders the head z, y, x whatever the nest's order, blocks first", () => {
    const nest = bound(
      t,
      2,
      "threadIdx.x",
      bound(
        i,
        4,
        "blockIdx.x",
        bound(k, 8, "threadIdx.z", bound(j, 2, "blockIdx.y", set(A, k, b.add(b.add(t, i), b.add(j, j)), b.float(1)))),
      ),
    );
    expect(after(lowerThreads, "scheduled", [A], nest)).toMatchInlineSnapshot(`
      "
      for j in 2 bind blockIdx.y:
        for i in 4 bind blockIdx.x:
          for k in 8 bind threadIdx.z:
            for t in 2 bind threadIdx.x:
              A[k, t + i + (j + j)] = 1.0
      "
    `);
  });
  it("leaves to thread 0 a store that no launched axis tells apart, but not the registers", () => {
    const nest = bound(
      i,
      8,
      "blockIdx.x",
      b.allocate(S, b.allocate(r, b.seq([copy(6), set(r, n(0), at(S, n(0))), set(C, i, b.add(at(C, i), at(r, n(0))))]))),
    );
    expect(after(lowerThreads, "scheduled", [A, C], nest)).toMatchInlineSnapshot(`
      "
      for i in 8 bind blockIdx.x:
        for k in 6 bind threadIdx.x:
          alloc S: float32[6] shared
          alloc r: float32[1] local
          S[k] = A[i, k]
          r[0] = S[0]
          if k == 0:
            C[i] = C[i] + r[0]
      "
    `);
  });
  it("guards the outer nest when a copy launches more threads, statement by statement, so that barriers stay uniform", () => {
    const nest = bound(i, 8, "blockIdx.x", bound(t, 2, "threadIdx.x", b.allocate(S, b.seq([copy(6), set(A, i, t, at(S, t))]))));
    expect(after(lowerThreads, "scheduled", [A, C], nest)).toMatchInlineSnapshot(`
      "
      for i in 8 bind blockIdx.x:
        for t in 6 bind threadIdx.x:
          alloc S: float32[6] shared
          S[t] = A[i, t]
          if t < 2:
            A[i, t] = S[t]
      "
    `);
  });
  it("makes a launch of each root nest", () => {
    const both = b.seq([
      b.stage("x", bound(i, 8, "blockIdx.x", set(C, i, b.float(0)))),
      bound(j, 4, "threadIdx.y", set(C, j, b.float(1))),
    ]);
    expect(after(lowerThreads, "scheduled", [C], both)).toMatchInlineSnapshot(`
      "
      for i in 8 bind blockIdx.x:
        stage x:
          C[i] = 0.0
      for j in 4 bind threadIdx.y:
        C[j] = 1.0
      "
    `);
  });
});

describe("flattenBuffers", () => {
  it("applies strides and allocates the span", () => {
    const padded = { ...buffer("padded", [4, 9], "shared"), strides: [12, 1] };
    const body = b.allocate(padded, loop(i, 4, set(padded, i, lin(i, 2), at(A, i, n(3))), set(C, i, at(padded, n(1), i))));
    const made = flattenBuffers.run(func("scheduled", [A, C], body));
    expect(made.params.map((p) => [p.name, p.shape])).toEqual([
      ["A", [64]],
      ["C", [8]],
    ]);
    expect(after(flattenBuffers, "scheduled", [A, C], body)).toMatchInlineSnapshot(`
      "
      alloc padded: float32[48] shared
      for i in 4:
        padded[i * 12 + i * 2] = A[i * 8 + 3]
        C[i] = padded[12 + i]
      "
    `);
  });
  it("makes a global array of a single thread local, and leaves that of many threads to be refused", () => {
    const G = buffer("G", [8]);
    const nest = b.allocate(G, b.seq([set(G, i, at(A, i, i)), set(C, i, at(G, i))]));
    const scopeIn = (body: Stmt) => /alloc G: float32\[8\] (\w+)/.exec(after(flattenBuffers, "scheduled", [A, C], body))?.[1];
    expect(scopeIn(loop(i, 8, nest))).toBe("local");
    expect(scopeIn(bound(i, 1, "blockIdx.x", nest))).toBe("local");
    expect(scopeIn(bound(i, 8, "blockIdx.x", nest))).toBe("global");
  });
});

describe("liftConditions", () => {
  const S = buffer("S", [8], "shared");
  const y = v("y");
  const inside = b.lt(b.add(y, i), n(9));
  /** for y bound: for i: for k: { alloc S; copy; if cond: C[y] += S } */
  const nest = (cond: ReturnType<typeof b.lt>, then: (work: Stmt) => Stmt = (work) => work, copies: Stmt[] = []) =>
    bound(
      y,
      8,
      "blockIdx.x",
      loop(
        i,
        3,
        loop(
          k,
          8,
          then(
            b.allocate(
              S,
              b.seq([
                ...copies,
                bound(t, 8, "threadIdx.x", b.ifThen(inside, set(S, t, at(A, b.add(y, i), t)))),
                b.ifThen(cond, set(C, y, b.add(at(C, y), at(S, k)))),
              ]),
            ),
          ),
        ),
      ),
    );
  const text = (body: Stmt) => after(liftConditions, "scheduled", [A, C, D], body);

  it("moves a condition over the copies it makes needless, out of the loops it does not name, and takes it as known inside", () => {
    expect(text(nest(inside))).toMatchInlineSnapshot(`
      "
      for y in 8 bind blockIdx.x:
        for i in 3:
          if y + i < 9:
            for k in 8:
              alloc S: float32[8] shared
              for t in 8 bind threadIdx.x:
                S[t] = A[y + i, t]
              C[y] = C[y] + S[k]
      "
    `);
  });
  it("leaves the terms inside that name the loop", () => {
    expect(text(nest(b.and(inside, b.lt(k, n(5)))))).toContain(
      "if y + i < 9:\n      for k in 8:\n        if k < 5:\n          alloc S",
    );
  });
  it.each<[string, Stmt]>([
    ["that differs between threads", bound(t, 8, "threadIdx.x", nest(b.lt(b.add(t, i), n(9))))],
    ["of a virtual thread", bound(t, 2, "vthread", nest(b.lt(b.add(t, i), n(9))))],
    [
      "of one iteration over copies for the next",
      loop(
        k,
        8,
        b.allocate(
          S,
          b.seq([
            b.stage("S", set(S, n(0), at(A, k, n(0))), { ahead: { by: "pipeline", arrays: 2 } }),
            b.ifThen(b.lt(k, n(3)), set(C, k, at(S, n(0)))),
          ]),
        ),
      ),
    ],
    ["that reads memory", nest(b.lt(at(C, y), b.float(1)))],
    ["over what others see", nest(inside, undefined, [set(D, y, k, b.float(1))])],
    [
      "over an array that lasts longer than the iteration",
      loop(
        j,
        2,
        b.allocate(S, loop(k, 8, b.seq([set(S, n(0), at(A, y, k)), b.ifThen(b.lt(b.add(k, j), n(3)), set(C, y, at(S, n(0))))]))),
      ),
    ],
  ])("does not move a condition %s", (_, body) => {
    const whole = func("scheduled", [A, C, D], body);
    expect(liftConditions.run(whole)).toBe(whole);
  });
});
