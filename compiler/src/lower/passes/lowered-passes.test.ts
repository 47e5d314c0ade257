/** simplify, makeChannels, partMasks and unroll, each before and after on the smallest nest that shows it. */
import { describe, expect, it } from "vitest";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import type { Pragmas, Stmt } from "../../ir/stmt.ts";
import { after, at, bound, buffer, func, lin, loop, n, set, v } from "../ir.testing.ts";
import { makeChannels } from "./make-channels.ts";
import { partMasks } from "./part-masks.ts";
import { simplify } from "./simplify.ts";
import { unroll } from "./unroll.ts";

const A = buffer("A", [4096]);
const S = buffer("S", [4096], "shared");
const C = buffer("C", [4096]);
const [i, j, t] = [v("i"), v("j"), v("t")] as const;

describe("makeChannels", () => {
  const [block, k] = [v("block"), v("k")] as const;
  const slot = buffer("slot", [32], "shared");
  const kernel = (cond: Expr, multicast?: number) => {
    const tensor = { buffer: A, dims: [4096], strides: [1], box: [32] };
    const box: Stmt = {
      ...({ kind: "BulkCopy", direction: "in", tensor, origin: [lin(k, 32)], shared: slot, indices: [n(0)] } as const),
      ...(multicast ? { multicast: { along: "clusterIdx.x" as const, blocks: multicast } } : {}),
    };
    const use = b.ifThen(cond, set(C, lin(block, 32, t), at(slot, t)));
    const body = bound(block, 4, "blockIdx.x", bound(t, 32, "threadIdx.x", b.allocate(slot, loop(k, 4, box, use))));
    return after(makeChannels, "lowered", [A, C], body);
  };
  it("leaves out turns behind the end of all that an iteration does, none before its begin, none of a thread or a cluster", () => {
    const isLeftOut = (text: string) => /if [^\n]*:\n\s*fill/.test(text);
    expect([b.lt(k, block), b.le(k, block), b.gt(block, k), b.ge(block, k)].map((cond) => isLeftOut(kernel(cond)))).toEqual(
      Array(4).fill(true),
    );
    const others = [b.ge(k, block), b.gt(k, block), b.lt(block, k), b.lt(k, t), b.eq(k, block)];
    expect(others.map((cond) => isLeftOut(kernel(cond)))).toEqual(Array(5).fill(false));
    expect(isLeftOut(kernel(b.lt(k, block), 2))).toBe(false);
  });
});

describe("copies out of shared memory", () => {
  const [y, g] = [v("y"), v("g")] as const;
  /** Two warpgroups write `boxes` parts of 128 elements in turn, and a loop copies them. */
  const kernel = (boxes: number) => {
    const written = loop(j, boxes / 2, set(S, lin(y, 128, lin(j, 256, t)), b.float(1)));
    const tensor = { buffer: C, dims: [4096], strides: [1], box: [128] };
    const out: Stmt = { kind: "BulkCopy", direction: "out", tensor, origin: [lin(g, 128)], shared: S, indices: [lin(g, 128)] };
    const body = b.allocate(S, b.seq([written, loop(g, boxes, out)]));
    return after(makeChannels, "lowered", [C], bound(y, 2, "threadIdx.y", bound(t, 128, "threadIdx.x", body)));
  };
  it("are each warpgroup's own where their loop counts the warpgroups, and else the block's, all of them", () => {
    expect(kernel(2)).toMatch(/barrier of the warpgroup\s+drain/);
    expect(kernel(2)).not.toContain("for g");
    expect(kernel(4)).toMatch(/barrier\s+drain/);
    expect(kernel(4)).toContain("for g in 4");
  });
});

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

describe("partMasks", () => {
  const [k, block, thread] = [v("k"), v("block"), v("thread")] as const;
  const inBlock = (body: Stmt): Stmt => bound(block, 4, "blockIdx.x", bound(thread, 16, "threadIdx.x", loop(k, 9, body)));
  const ends = b.lt(lin(k, 8), lin(b.add(block, n(1)), 16));
  const masked = (test: Expr): Stmt => loop(j, 8, b.ifThen(test, set(C, j, at(A, lin(k, 8, j)))));
  const isSeen = b.le(lin(k, 8, j), lin(block, 16, thread));

  it("tests a step once, where its elements would be tested, by the strictest test", () => {
    expect(after(partMasks, "lowered", [A, C], inBlock(b.ifThen(ends, masked(isSeen))))).toMatchInlineSnapshot(`
      "
      for block in 4 bind blockIdx.x:
        for thread in 16 bind threadIdx.x:
          for k in 9:
            if k * 8 < (block + 1) * 16:
              if k < block * 2:
                for j in 8:
                  C[j] = A[k * 8 + j]
              if not (k < block * 2):
                for j in 8:
                  if k * 8 + j <= block * 16 + thread:
                    C[j] = A[k * 8 + j]
      "
    `);
  });
  it("has one test around neighbours that have tests, with folds and all else between them", () => {
    const [most, own] = [buffer("most", [1], "local"), buffer("own", [1], "local")];
    const top = loop(j, 8, b.ifThen(isSeen, set(most, n(0), b.max(at(most, n(0)), at(A, lin(k, 8, j))))));
    const fold: Stmt = { kind: "Fold", combiner: "max", lanes: 4, buffer: most };
    const between = set(own, n(0), at(most, n(0)));
    const step = b.seq([set(own, n(0), b.float(1)), top, fold, between, masked(isSeen), set(C, k, at(own, n(0)))]);
    const body = b.allocate(most, b.allocate(own, inBlock(b.ifThen(ends, step))));
    expect(after(partMasks, "lowered", [A, C], body)).toMatchInlineSnapshot(`
      "
      alloc most: float32[1] local
      alloc own: float32[1] local
      for block in 4 bind blockIdx.x:
        for thread in 16 bind threadIdx.x:
          for k in 9:
            if k * 8 < (block + 1) * 16:
              own[0] = 1.0
              if k < block * 2:
                for j in 8:
                  most[0] = max(most[0], A[k * 8 + j])
                fold most by max over 4 lanes
                own[0] = most[0]
                for j in 8:
                  C[j] = A[k * 8 + j]
              if not (k < block * 2):
                for j in 8:
                  if k * 8 + j <= block * 16 + thread:
                    most[0] = max(most[0], A[k * 8 + j])
                fold most by max over 4 lanes
                own[0] = most[0]
                for j in 8:
                  if k * 8 + j <= block * 16 + thread:
                    C[j] = A[k * 8 + j]
              C[k] = own[0]
      "
    `);
  });
  it("the strictest test is exact: elements 3k to 3k + 7 of a step, of which all are to be below 16 a block", () => {
    const body = inBlock(b.ifThen(b.lt(lin(k, 3), lin(block, 16, n(16))), masked(b.lt(lin(k, 3, j), lin(block, 16, thread)))));
    expect(after(partMasks, "lowered", [A, C], body)).toContain("if k * 3 + 7 < block * 16:");
  });
  it("leaves a fold alone where nothing has a test", () => {
    const fold: Stmt = { kind: "Fold", combiner: "max", lanes: 4, buffer: A };
    const f = func("lowered", [A, C], inBlock(b.ifThen(ends, b.seq([fold, set(C, k, at(A, k))]))));
    expect(partMasks.run(f)).toBe(f);
  });
  it.each<[what: string, body: Stmt]>([
    ["every step is done", masked(isSeen)],
    ["the end differs between threads", b.ifThen(b.lt(k, thread), masked(isSeen))],
    ["the tests are not of the step", b.ifThen(ends, masked(b.lt(j, thread)))],
    ["a step has one test anyhow", b.ifThen(ends, masked(b.lt(lin(k, 2), block)))],
    ["no step has all its elements", b.ifThen(ends, masked(b.le(lin(k, 8, lin(j, 99)), thread)))],
    ["a test reads memory", b.ifThen(ends, masked(b.lt(k, b.load(buffer("I", [8], "global", "int32"), [j]))))],
  ])("leaves a nest where %s", (_, body) => {
    const f = func("lowered", [A, C], inBlock(body));
    expect(partMasks.run(f)).toBe(f);
  });
});

describe("unroll", () => {
  const pragma = (maxStep: number, explicit: number, body: Stmt): Stmt =>
    b.pragma({ unroll_explicit: explicit, auto_unroll_max_step: maxStep }, body);
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
  it("counts unrolled loops inside: 8 are allowed, and of 10 loops, one in another, the outermost stays", () => {
    const nest = (loops: number): Stmt =>
      Array.from({ length: loops }, (_, at) => v(`l${at}`)).reduce((body, of) => loop(of, 2, body), step(n(0)));
    const loopsLeft = (loops: number) => after(unroll, "device", [A, C], pragma(4096, 1, nest(loops))).match(/for/g)?.length ?? 0;
    expect([loopsLeft(8), loopsLeft(9), loopsLeft(10)]).toEqual([0, 0, 1]);
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
  it("takes what a pragma does not say from the one around it", () => {
    const twice = (outer: Pragmas, inner: Pragmas) =>
      after(unroll, "device", [A, C], b.pragma(outer, loop(i, 4, b.pragma(inner, loop(j, 3, step(lin(i, 3, j)))))));
    expect(twice({ unroll_explicit: 0 }, { auto_unroll_max_step: 3 })).toContain("for j in 3 unrolled:");
    expect(twice({ auto_unroll_max_step: 3 }, { unroll_explicit: 0 })).toContain("for j in 3 unrolled:");
    expect(twice({ auto_unroll_max_step: 3 }, { tensor_core: 1 }).match(/=/g)).toHaveLength(3);
    expect(twice({ unroll_explicit: 0, auto_unroll_max_step: 9 }, { unroll_explicit: 1 }).match(/=/g)).toHaveLength(3);
    expect(twice({ auto_unroll_max_step: 12 }, { auto_unroll_max_step: 2 })).toContain("for j in 3:");
  });
  it("leaves to the compiler what would be too long a text", () => {
    const body = b.forLoop(i, 1 << 16, step(i), "unrolled");
    expect(after(unroll, "device", [A, C], body).match(/=/g)).toHaveLength(1);
  });
  it("leaves copies into shared memory to the compiler: whole when short, else by an even part", () => {
    const copy = (extent: number) => after(unroll, "device", [A], pragma(1500, 1, loop(i, extent, set(S, i, at(A, i)))));
    expect(copy(8).match(/=/g)).toHaveLength(8);
    expect(copy(32)).toContain("for i in 32 unrolled:");
    expect(copy(330)).toContain("for i in 330 unrolled by 30:");
    expect(copy(331)).toContain("for i in 331 unrolled by 32:");
    // Of 592 = 16 * 37 the greatest divisor up to 32 is half of it, which is too small.
    expect(copy(592)).toContain("for i in 592 unrolled by 32:");
  });
  it("keeps a group of copies that has none left: barriers count groups", () => {
    const group = b.async(b.ifThen(b.lt(j, n(1)), set(S, j, at(A, j))));
    const body = b.forLoop(j, 2, b.seq([b.wait(1), b.barrier, group]), "unrolled");
    expect(after(unroll, "device", [A], body)).toMatchInlineSnapshot(`
      "
      wait cp_async, all but 1 groups
      barrier
      async cp_async:
        S[0] = A[0]
      wait cp_async, all but 1 groups
      barrier
      async cp_async:
      "
    `);
    expect(
      after(simplify, "lowered", [A], loop(i, 4, b.async(b.ifThen(b.lt(i, n(0)), set(S, i, at(A, i)))))),
    ).toMatchInlineSnapshot(`
      "
      for i in 4:
        async cp_async:
      "
    `);
  });
  it("returns the same function when nothing is to be unrolled", () => {
    const f = func("device", [A, C], loop(i, 2, step(i)));
    expect(unroll.run(f)).toBe(f);
  });
});
