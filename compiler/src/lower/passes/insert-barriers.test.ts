/** insertBarriers, before and after on the smallest nest that shows it. */
import { describe, expect, it } from "vitest";
import { interpretDirectly } from "../../interp/direct/index.ts";
import { mmaSync } from "../../intrinsic/cuda/mma-sync.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { walkStmt } from "../../ir/visit.ts";
import { after, at, bound, buffer, func, lin, loop, n, set, v } from "../ir.testing.ts";
import { insertBarriers } from "./insert-barriers.ts";

const A = buffer("A", [4096]);
const C = buffer("C", [4096]);
const [i, j, k, t] = [v("i"), v("j"), v("k"), v("t")] as const;

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
  it("puts one behind a condition that has its own: the condition may not hold", () => {
    const block = v("block");
    const some = b.ifThen(b.lt(block, n(2)), b.seq([copyT, set(C, t, other(T))]));
    const body = bound(block, 4, "blockIdx.x", kernel(copyS, some, set(C, t, other(S))));
    let barriers = 0;
    walkStmt(insertBarriers.run(func("lowered", [A, C], body)).body, (s) => {
      if (s.kind === "Barrier") barriers++;
    });
    expect(barriers).toBe(2);
  });
  it("needs none when each thread reads what it wrote itself", () => {
    expect(count(loop(k, 8, copyS, set(C, t, at(S, t))))).toBe(0);
    expect(count(loop(k, 8, set(S, t, b.add(at(S, t), at(A, k)))))).toBe(0);
    const own = loop(k, 8, loop(j, 4, set(S, lin(t, 4, j), at(A, j))), set(C, t, at(S, lin(t, 4, n(2)))));
    expect(count(own)).toBe(0);
  });
  it("needs none when a thread comes back to its own elements, turns of all threads apart", () => {
    const R = buffer("R", [1024], "shared");
    const turns = (inTurn: number, read: number, from = 0): number => {
      const fill = loop(j, 4, loop(i, 4, set(R, b.add(lin(j, inTurn, b.mul(t, n(4))), i), at(A, i))));
      const use = loop(k, 4, set(C, t, at(R, b.add(lin(k, inTurn, b.mul(t, n(4))), n(read)))));
      return count(b.allocate(R, b.seq([fill, ...(from > 0 ? [set(C, t, at(R, b.add(b.mul(t, n(4)), n(from))))] : [use])])));
    };
    // Of 64 threads by 4 elements a turn has 256.
    expect([turns(256, 3), turns(256, 0), turns(256, 0, 512)]).toEqual([0, 0, 0]);
    // The next thread's element, by a turn that is too short, or by one element.
    expect([turns(252, 3), turns(256, 4), turns(256, 0, 257 + 3)]).toEqual([1, 1, 1]);
  });
  it("takes what a condition says of a place: guarded copies that keep to another half need none", () => {
    const [R, changed] = [buffer("R", [256], "shared"), buffer("changed", [1], "global", "int32")];
    /** Copies rows of 64 into the half that is not read, those of which `cond` holds. */
    const halves = (cond: (row: Expr) => Expr): number => {
      const half = (of: Expr) => b.mul(b.floorModulo(of, n(2)), n(128));
      const place = b.add(half(b.add(k, n(1))), lin(j, 64, t));
      const copy = loop(j, 3, b.ifThen(cond(j), set(R, place, at(A, t))));
      return count(b.allocate(R, loop(k, 8, b.seq([b.barrier, copy, set(C, t, at(R, b.add(half(k), b.sub(n(63), t))))]))));
    };
    // The third row would be in the other half.
    expect(halves((row) => b.lt(row, n(2)))).toBe(1);
    expect(halves((row) => b.lt(lin(row, 64, t), n(128)))).toBe(1);
    expect(halves((row) => b.and(b.ge(t, n(0)), b.lt(row, n(2))))).toBe(1);
    expect(halves((row) => b.lt(row, n(3)))).toBe(2);
    expect(halves((row) => b.lt(lin(row, 64, t), n(129)))).toBe(2);
    expect(halves((row) => b.lt(b.sub(n(0), row), n(2)))).toBe(2);
    // Memory may have changed since.
    expect(halves((row) => b.lt(b.add(row, at(changed, n(0))), n(2)))).toBe(2);
  });
  it("has all threads meet when copies arrive, of which one array alone is read by other warps", () => {
    const mirrored = at(T, lin(b.floorDiv(t, n(32)), 32, b.sub(n(31), b.floorModulo(t, n(32)))));
    const met = (...copies: Stmt[]) => {
      const body = [b.async(b.seq(copies)), b.wait(0), b.barrier, set(C, t, b.add(other(S), mirrored))];
      return after(insertBarriers, "lowered", [A, C], kernel(...body)).match(/barrier.*/g);
    };
    expect([met(copyS, copyT), met(copyT, copyS)]).toEqual([["barrier"], ["barrier"]]);
    const own = [b.async(copyT), b.wait(0), b.barrier, set(C, t, mirrored)];
    expect(after(insertBarriers, "lowered", [A, C], kernel(...own)).match(/barrier.*/g)).toEqual(["barrier of the warp"]);
  });
  it("needs one where iterations meet in the last one alone", () => {
    const R = buffer("R", [256], "shared");
    const inTurn = (turns: number) =>
      count(b.allocate(R, loop(k, turns, set(R, lin(b.floorDiv(k, n(3)), 64, t), at(A, t)), set(C, t, at(R, b.sub(n(127), t))))));
    // Places from 64 on are written in turn 3, which 3 turns do not have. One more parts the turns.
    expect([inTurn(3), inTurn(4)]).toEqual([1, 2]);
  });
  it("needs one when all threads touch the same element", () => {
    expect(count(set(S, n(0), at(A, t)), set(C, t, at(S, n(0))))).toBe(1);
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

describe("insertBarriers, where warps keep to elements of their own", () => {
  const S = buffer("S", [256], "shared");
  const w = v("w");
  /** Four warps, by two thread variables or by one. */
  const rows = (...body: Stmt[]): Stmt => bound(w, 4, "threadIdx.y", bound(t, 32, "threadIdx.x", b.allocate(S, b.seq(body))));
  const long = (...body: Stmt[]): Stmt => bound(t, 128, "threadIdx.x", b.allocate(S, b.seq(body)));
  const agents = (nest: Stmt): string[] => {
    const found: string[] = [];
    walkStmt(insertBarriers.run(func("lowered", [A, C], nest)).body, (s) => {
      if (s.kind === "Barrier") found.push(s.agent);
    });
    return found;
  };
  const mine = lin(w, 32, t);
  const mirrored = lin(w, 32, b.sub(n(31), t));
  const inWarp = b.add(b.mul(b.floorDiv(t, n(32)), n(32)), b.sub(n(31), b.floorModulo(t, n(32))));

  it("its threads meet, once before the reads and once before the next copy", () => {
    const body = loop(k, 8, set(S, mine, at(A, lin(k, 128, mine))), set(C, mine, at(S, mirrored)));
    expect(after(insertBarriers, "lowered", [A, C], rows(body))).toMatchInlineSnapshot(`
      "
      for w in 4 bind threadIdx.y:
        for t in 32 bind threadIdx.x:
          alloc S: float32[256] shared
          for k in 8:
            barrier of the warp
            S[w * 32 + t] = A[k * 128 + (w * 32 + t)]
            barrier of the warp
            C[w * 32 + t] = S[w * 32 + (31 - t)]
      "
    `);
    expect(agents(long(set(S, t, at(A, t)), set(C, t, at(S, inWarp))))).toEqual(["warp"]);
  });
  it("the block meets where one warp reads what another wrote, though it met with itself before", () => {
    expect(agents(rows(set(S, mine, at(A, mine)), set(C, mine, at(S, lin(b.sub(n(3), w), 32, t)))))).toEqual(["block"]);
    const both = [set(S, mine, at(A, mine)), set(C, mine, at(S, mirrored)), set(C, mine, at(S, lin(b.sub(n(3), w), 32, t)))];
    expect(agents(rows(...both))).toEqual(["warp", "block"]);
    expect(agents(long(set(S, t, at(A, t)), set(C, t, at(S, b.sub(n(127), t)))))).toEqual(["block"]);
  });
  it("the block meets where rows of warps overlap by an element", () => {
    expect(agents(rows(set(S, lin(w, 32, t), at(A, t)), set(C, mine, at(S, lin(w, 32, b.sub(n(32), t))))))).toEqual(["block"]);
  });
  it("a tile is as large as it is: the block meets where the last element of a warp's is another warp's", () => {
    const [R, F] = [buffer("R", [1280], "shared", "float16"), buffer("F", [256], "wmma.matrix_a", "float16")];
    const met = (first: number) => {
      const from = { buffer: R, indices: [lin(w, 256, n(first))], strides: [16, 1] };
      const load = b.invoke(mmaSync("float16").loadA.row, "body", [from, { buffer: F, indices: [n(0)], strides: [16, 1] }]);
      const fill = loop(j, 8, set(R, lin(w, 256, lin(t, 8, j)), b.constant(1, "float16")));
      return agents(rows(b.allocate(R, b.allocate(F, b.seq([fill, load])))));
    };
    expect([met(0), met(1)]).toEqual([["warp"], ["block"]]);
  });
  it("a warp meets once where a loop begins with its meeting", () => {
    const turn = loop(k, 8, set(S, mine, at(A, mine)), set(C, mine, at(S, mirrored)));
    expect(agents(rows(loop(j, 4, turn)))).toEqual(["warp", "warp"]);
  });
  it("a warpgroup meets where it reads what another of its warps wrote, and the block where another warpgroup wrote it", () => {
    const g = v("g");
    const groups = (...body: Stmt[]): Stmt =>
      bound(g, 2, "threadIdx.y", bound(t, 128, "threadIdx.x", b.allocate(S, b.seq(body))));
    const own = lin(g, 128, t);
    const turned = at(S, lin(g, 128, b.sub(n(127), t)));
    const [write, read] = [set(S, own, at(A, own)), set(C, own, turned)];
    expect(agents(groups(write, read))).toEqual(["warpgroup"]);
    expect(agents(groups(loop(k, 8, write, read)))).toEqual(["warpgroup", "warpgroup"]);
    // What a warp has met for does not do for its warpgroup; what a warpgroup has met for does for its warps.
    const inOwnWarp = at(S, lin(g, 128, inWarp));
    expect(agents(groups(write, set(C, own, inOwnWarp), read))).toEqual(["warp", "warpgroup"]);
    expect(agents(groups(write, read, set(C, own, inOwnWarp)))).toEqual(["warpgroup"]);
    const ofOther = at(S, lin(b.sub(n(1), g), 128, t));
    expect(agents(groups(write, read, set(C, own, ofOther)))).toEqual(["warpgroup", "block"]);
    // Rows that overlap by an element, and a block that is one warpgroup.
    expect(agents(groups(write, set(C, own, at(S, lin(g, 128, b.sub(n(128), t))))))).toEqual(["block"]);
    expect(agents(long(set(S, t, at(A, t)), set(C, t, at(S, b.sub(n(127), t)))))).toEqual(["block"]);
  });
  it("a block of one warp meets, and one whose rows are no parts of warps", () => {
    expect(
      agents(bound(t, 32, "threadIdx.x", b.allocate(S, b.seq([set(S, t, at(A, t)), set(C, t, at(S, b.sub(n(31), t)))])))),
    ).toEqual(["block"]);
    const rowsOf24 = bound(
      w,
      4,
      "threadIdx.y",
      bound(t, 24, "threadIdx.x", b.allocate(S, b.seq([set(S, mine, at(A, mine)), set(C, mine, at(S, mirrored))]))),
    );
    expect(agents(rowsOf24)).toEqual(["block"]);
  });
});

describe("insertBarriers, behind a wait for asynchronous copies", () => {
  const S = buffer("S", [64], "shared");
  const ofWarp = b.add(b.mul(b.floorDiv(t, n(32)), n(32)), b.sub(n(31), b.floorModulo(t, n(32))));
  const ofOther = b.sub(n(63), t);
  const nest = (read: Expr, ...waits: Stmt[]): Stmt =>
    bound(t, 64, "threadIdx.x", b.allocate(S, b.seq([b.async(set(S, t, at(A, t))), ...waits, set(C, t, at(S, read))])));

  it.each([
    ["what its own warp has copied: a warp meets", ofWarp, "warp"],
    ["what it has copied itself: a warp, because nobody needs a smaller one", t, "warp"],
    ["what another warp has copied: the block", ofOther, "block"],
  ] as const)("a thread reads %s", (_, read, agent) => {
    const found: string[] = [];
    walkStmt(insertBarriers.run(func("lowered", [A, C], nest(read, b.wait(0), b.barrier))).body, (s) => {
      if (s.kind === "Barrier") found.push(s.agent);
    });
    expect(found).toEqual([agent]);
  });

  const warp = b.barrierOf("warp");
  it.each<[what: string, read: Expr, waits: Stmt[], verdict: "right" | RegExp]>([
    ["its warp has waited and met", ofWarp, [b.wait(0), warp], "right"],
    ["its warp has met, and the other warp copied", ofOther, [b.wait(0), warp], /interp\.(race|on_its_way)/],
    ["the block met before the wait, and the other warp copied", ofOther, [b.barrier, b.wait(0), warp], /interp\.on_its_way/],
    ["its warp has not met", ofWarp, [b.wait(0)], /interp\.(on_its_way|uninitialised)/],
    ["its warp met before the wait", ofWarp, [warp, b.wait(0)], /interp\.on_its_way/],
    ["its warp has waited for all groups but one", ofWarp, [b.wait(1), warp], /interp\.on_its_way/],
  ])("the direct interpreter judges: %s", (_, read, waits, verdict) => {
    const inputs = () => new Map([["A", Float32Array.from({ length: 4096 }, (__, at) => at)]]);
    const device = func("device", [A, C], nest(read, ...waits));
    const go = () => interpretDirectly([device], inputs()).data.get("C")?.slice(0, 64);
    if (verdict !== "right") expect(go).toThrow(verdict);
    else expect(go()).toEqual(Float32Array.from({ length: 64 }, (__, at) => Math.floor(at / 32) * 32 + 31 - (at % 32)));
  });
});
