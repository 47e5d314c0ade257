/**
 * The source tutorials' programs: every number that docs/reference/source-programs.md 1 to 4 gives (launches, allocations, loop
 * extents, guards, index expressions), and small versions with borders and tails run against the definition.
 */
import { describe, expect, it } from "vitest";
import { convGraph, published, resnetConv, scheduleA } from "../../test/programs.testing.ts";
import { simplify } from "../arith/simplify.ts";
import { type Buffer, bufferStrides } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import type { Expr, Var } from "../ir/expr.ts";
import { isRemark } from "../ir/parts.ts";
import { printExpr } from "../ir/print.ts";
import type { For, Stmt } from "../ir/stmt.ts";
import { children } from "../ir/visit.ts";
import { infer } from "./infer.ts";
import { expectAgreement, expectReplay, nestOf } from "./primitives/primitive.testing.ts";
import { createSchedule, type Schedule } from "./schedule.ts";
import { graphB, graphC, graphD, scheduleB, scheduleC, scheduleD, tutorialB } from "./source-programs.testing.ts";

const inferred = (schedule: Schedule) => {
  const result = infer(schedule.state);
  if (!result.ok) throw result.error;
  return result.value;
};
const sizes = (schedule: Schedule) =>
  Object.fromEntries(inferred(schedule).allocations.map((a) => [a.buffer.name, a.buffer.shape.reduce((x, y) => x * y, 1)]));

interface Found {
  readonly loops: readonly For[];
  readonly guards: readonly Expr[];
  readonly store: Extract<Stmt, { kind: "Store" }>;
}
/** The stores of one stage with what encloses each inside the stage, in program order. */
function storesOf(schedule: Schedule, stage: string): Found[] {
  const found: Found[] = [];
  const walk = (s: Stmt, inside: string | undefined, loops: readonly For[], guards: readonly Expr[]): void => {
    if (s.kind === "Store" && inside === stage) found.push({ loops, guards, store: s });
    else if (s.kind === "Seq") for (const child of s.stmts) walk(child, inside, loops, guards);
    else if (s.kind === "Stage") walk(s.body, s.name, [], []);
    else if (s.kind === "For") walk(s.body, inside, [...loops, s], guards);
    else if (s.kind === "If") walk(s.body, inside, loops, [...guards, s.cond]);
    else if ("body" in s) walk(s.body, inside, loops, guards);
  };
  walk(nestOf(schedule).body, undefined, [], []);
  return found;
}
/** `rc.0 128, ry.0 1, ...` without the loops of one iteration. */
const nest = ({ loops }: Found): string =>
  loops
    .filter((l) => l.extent > 1)
    .map((l) => `${l.thread ?? l.loopVar.name.split(".").at(-1)} ${l.extent}${l.forKind === "vectorized" ? " vectorized" : ""}`)
    .join(", ");

const loadsIn = (e: Expr): Extract<Expr, { kind: "Load" }>[] => (e.kind === "Load" ? [e] : children(e).flatMap(loadsIn));
const flat = (buffer: Buffer, indices: readonly Expr[]): Expr =>
  bufferStrides(buffer)
    .map((stride, d) => b.mul(indices[d] as Expr, b.int(stride)))
    .reduce((x, y) => b.add(x, y));

/** All loops of the nest by name of stage and loop, for writing expected indices. */
function variables(schedule: Schedule): { of: (stage: string, ...names: string[]) => Var[]; ranges: Map<Var, number> } {
  const byName = new Map<string, Var>();
  const ranges = new Map<Var, number>();
  const walk = (s: Stmt, stage: string): void => {
    if (s.kind === "For") {
      byName.set(`${stage}:${s.loopVar.name}`, s.loopVar);
      ranges.set(s.loopVar, s.extent);
    }
    if (s.kind === "Seq") for (const child of s.stmts) walk(child, stage);
    if ("body" in s) walk(s.body, s.kind === "Stage" ? s.name : stage);
  };
  walk(nestOf(schedule).body, "");
  const of = (stage: string, ...names: string[]) =>
    names.map((name) => {
      const found = byName.get(`${stage}:${name}`);
      if (!found) throw new Error(`no loop ${name} in ${stage}; ${[...byName.keys()].join(" ")}`);
      return found;
    });
  return { of, ranges };
}
type Term = readonly [Expr, number];
const poly = (constant: number, ...terms: readonly Term[]): Expr =>
  terms.reduce<Expr>((sum, [e, c]) => b.add(sum, b.mul(e, b.int(c))), b.int(constant));
const div = (e: Expr, d: number) => b.floorDiv(e, b.int(d));
const mod = (e: Expr, d: number) => b.floorModulo(e, b.int(d));
/** Equal as polynomials over the loops. */
const expectEqual = (found: Expr, expected: Expr, ranges: Map<Var, number>) =>
  expect(printExpr(simplify(b.sub(found, expected), ranges))).toBe("0");

describe("program A, index 4881186", () => {
  const schedule = scheduleA(convGraph(resnetConv), published);
  it("launches 4 blocks of 7 x 1 x 64 threads", () => {
    expect(inferred(schedule).launches).toEqual([{ name: "conv", grid: [1, 1, 4], block: [7, 1, 64] }]);
  });
  it("allocates AA 324, WW 4608, OL 7 a vthread, AL 18, WL 6", () => {
    expect(sizes(schedule)).toEqual({
      "pad_temp.shared": 324,
      "kernel.shared": 4608,
      "pad_temp.shared.local": 18,
      "kernel.shared.local": 6,
      "conv.local": 7,
    });
    const shared = inferred(schedule).allocations.filter((a) => a.scope === "shared");
    expect(shared.reduce((bytes, a) => bytes + a.bytes, 0)).toBe(19_728);
  });
  it("runs conv over vthread f 2 and the threads, the reduction as told", () => {
    const [copy] = storesOf(schedule, "conv") as [Found];
    expect(nest(copy)).toBe("blockIdx.z 4, vthread 2, threadIdx.z 64, threadIdx.x 7, 3 7");
    const [init, update] = storesOf(schedule, "conv.local") as [Found, Found];
    expect(nest(init)).toBe("init 7");
    const reduction = update.loops.map((l) => `${l.loopVar.name} ${l.extent}`).slice(0, 9);
    expect(reduction).toEqual(["rc.0 128", "ry.0 1", "rx.0 1", "rc.1 2", "ry.1 1", "rx.1 3", "rc.2 2", "ry.2 3", "rx.2 1"]);
    expect([...init.guards, ...update.guards, ...copy.guards]).toEqual([]);
  });
  it("copies AA in runs of 6 of which 54 of 64 rows do work", () => {
    const stores = storesOf(schedule, "pad_temp.shared");
    expect(stores.map(nest)).toEqual(["threadIdx.z 64, threadIdx.x 7"]);
    const { of, ranges } = variables(schedule);
    const name = "ax0.ax1.ax2.ax3.fused";
    const [tz, tx] = of("pad_temp.shared", `${name}.outer`, `${name}.inner.inner.outer`) as [Var, Var];
    const guard = b.and(b.lt(poly(0, [tz, 6], [tx, 1]), b.int(324)), b.lt(tx, b.int(6)));
    expect(stores[0]?.guards).toEqual([guard]);
    expectEqual(flat(stores[0]?.store.buffer as Buffer, stores[0]?.store.indices as Expr[]), poly(0, [tz, 6], [tx, 1]), ranges);
  });
  it("copies WW in runs of 11, guarded by tx*11 + i < 72", () => {
    const stores = storesOf(schedule, "kernel.shared");
    expect(stores.map(nest)).toEqual(["threadIdx.z 64, threadIdx.x 7, inner 11"]);
    const { of } = variables(schedule);
    const name = "ax0.ax1.ax2.ax3.fused.inner.inner";
    const [tx, i] = of("kernel.shared", `${name}.outer`, `${name}.inner`) as [Var, Var];
    expect(stores[0]?.guards).toEqual([b.lt(poly(0, [tx, 11], [i, 1]), b.int(72))]);
  });
  it("puts the pragmas around the whole kernel", () => {
    const keys: string[] = [];
    for (let s = nestOf(schedule).body; "body" in s && s.kind !== "For"; s = s.body)
      if (isRemark(s)) keys.push(s.kind === "Pragma" ? JSON.stringify(s.pragmas) : s.kind);
    expect(keys).toEqual(["Stage", '{"auto_unroll_max_step":1500,"unroll_explicit":0}']);
  });
  it("replays from JSON, and from what it prints", () => {
    expectReplay(schedule);
    const run = new Function("createSchedule", "graph", `${schedule.print()}return sch;`);
    const again: Schedule = run(createSchedule, schedule.graph);
    expect(again.trace).toEqual(schedule.trace);
  });
});

describe("program B", () => {
  const schedule = scheduleB(graphB({ image: 14, batch: 256, inChannels: 256, outChannels: 512 }), tutorialB);
  it("launches 4 x 8 x 196 blocks of 8 x 8 threads", () => {
    expect(inferred(schedule).launches).toEqual([{ name: "B", grid: [4, 8, 196], block: [8, 8, 1] }]);
  });
  it("allocates 512 + 512 shared, a 4 x 4 tile of 4 vthreads, and 4 + 4 operands", () => {
    expect(sizes(schedule)).toEqual({
      "Apad.shared": 512,
      "W.shared": 512,
      "Apad.shared.local": 4,
      "W.shared.local": 4,
      "B.local": 16,
    });
  });
  it("keeps the loop orders, the unnamed outer part between ci and ni", () => {
    expect(storesOf(schedule, "B.local").map(nest)).toEqual(["init 4, init 4", "outer 32, ry 3, rx 3, inner 8, c 4, c 4"]);
    for (const stage of ["Apad.shared", "W.shared"])
      expect(storesOf(schedule, stage).map(nest)).toEqual(["threadIdx.y 8, threadIdx.x 8, outer 2, inner 4 vectorized"]);
  });
  it("has the tutorial's index expressions and no guard", () => {
    const { of, ranges } = variables(schedule);
    const [z, by, bx] = of("B", "yy.xx.fused", "ff.outer", "nn.outer") as [Var, Var, Var];
    const [rco, ry, rx] = of("B.local", "rc.outer", "ry", "rx") as [Var, Var, Var];
    const copy = (stage: string) =>
      of(stage, "ax2.outer", "ax3.outer", "ax3.inner.outer", "ax3.inner.inner") as [Var, Var, Var, Var];
    const [a, w, out] = [storesOf(schedule, "Apad.shared")[0], storesOf(schedule, "W.shared")[0], storesOf(schedule, "B")[0]];
    if (!a || !w || !out) throw new Error("a store is missing");
    expect([a, w, out].flatMap((found) => found.guards)).toEqual([]);

    const [aty, atx, ao, ai] = copy("Apad.shared");
    const [aLoad] = loadsIn(a.store.value) as [Extract<Expr, { kind: "Load" }>];
    const pixel = b.add(b.mul(poly(-1, [div(z, 14), 1], [ry, 1]), b.int(14)), poly(-1, [mod(z, 14), 1], [rx, 1]));
    expectEqual(
      flat(aLoad.buffer, aLoad.indices),
      poly(0, [pixel, 65_536], [rco, 8 * 256], [aty, 256], [bx, 64], [atx, 8], [ao, 4], [ai, 1]),
      ranges,
    );
    expectEqual(flat(a.store.buffer, a.store.indices), poly(0, [aty, 64], [atx, 8], [ao, 4], [ai, 1]), ranges);

    const [wty, wtx, wo, wi] = copy("W.shared");
    const [wLoad] = loadsIn(w.store.value) as [Extract<Expr, { kind: "Load" }>];
    expectEqual(
      flat(wLoad.buffer, wLoad.indices),
      poly(0, [ry, 3 * 256 * 512], [rx, 256 * 512], [rco, 8 * 512], [wty, 512], [by, 64], [wtx, 8], [wo, 4], [wi, 1]),
      ranges,
    );
    expectEqual(flat(w.store.buffer, w.store.indices), poly(0, [wty, 64], [wtx, 8], [wo, 4], [wi, 1]), ranges);

    const outer = ["ff.inner.outer", "ff.inner.inner.outer", "ff.inner.inner.inner"];
    const [vy, ty, fi] = of("B", ...outer) as [Var, Var, Var];
    const [vx, tx, ni] = of("B", ...outer.map((name) => name.replace("ff", "nn"))) as [Var, Var, Var];
    expectEqual(
      flat(out.store.buffer, out.store.indices),
      poly(0, [z, 131_072], [by, 64 * 256], [vy, 32 * 256], [ty, 4 * 256], [fi, 256], [bx, 64], [vx, 32], [tx, 4], [ni, 1]),
      ranges,
    );
  });
  it("tests the padding by block and ry, rx only, never by lane", () => {
    const [a] = storesOf(schedule, "Apad.shared") as [Found];
    expect(a.store.value.kind).toBe("Select");
    if (a.store.value.kind !== "Select") return;
    const names = printExpr(a.store.value.cond).match(/[a-z][\w.]*/g) ?? [];
    expect([...new Set(names)].sort()).toEqual(["and", "rx", "ry", "yy.xx.fused"]);
  });
});

describe("program C, before tensorize", () => {
  const schedule = scheduleC(graphC());
  it("launches 2 x 4 x 196 blocks of 32 x 4 x 2 threads, threadIdx.x from the copies", () => {
    expect(inferred(schedule).launches).toEqual([{ name: "Conv", grid: [2, 4, 196], block: [32, 4, 2] }]);
  });
  it("allocates as printed", () => {
    expect(sizes(schedule)).toEqual({
      "Conv.wmma.accumulator": 2048,
      "Apad.shared": 12_288,
      "W.shared": 12_288,
      "Apad.shared.wmma.matrix_a": 512,
      "W.shared.wmma.matrix_b": 1024,
    });
  });
  it("has the printed loops", () => {
    expect(storesOf(schedule, "Conv.wmma.accumulator").map(nest)).toEqual([
      "init 2, init 4, init 16, init 16",
      "outer 8, kh 3, inner 2, kw 3, c 2, c 4, c 16, c 16, ii 16",
    ]);
    expect(storesOf(schedule, "Apad.shared").map(nest)).toEqual([
      "threadIdx.y 4, threadIdx.z 2, ax2 3, ax3 2, outer 8, threadIdx.x 32",
    ]);
    expect(storesOf(schedule, "W.shared").map(nest)).toEqual([
      "ax1 3, ax2 2, threadIdx.y 4, threadIdx.z 2, threadIdx.x 32, inner 8 vectorized",
    ]);
    expect(storesOf(schedule, "Apad.shared.wmma.matrix_a").map(nest)).toEqual(["ax0 2, ax4 16, ax5 16"]);
    expect(storesOf(schedule, "W.shared.wmma.matrix_b").map(nest)).toEqual(["ax3 4, ax4 16, ax5 16"]);
  });
  it("copies A from the printed address", () => {
    const { of, ranges } = variables(schedule);
    const [z, bx] = of("Conv", "h.w.fused", "n.outer.outer") as [Var, Var];
    const [ko, kh] = of("Conv.wmma.accumulator", "ic.outer", "kh") as [Var, Var];
    const [ty, tz, ax2, ax3, outer, tx] = of(
      "Apad.shared",
      "ax0.outer",
      "ax0.inner.outer",
      "ax2",
      "ax3",
      "ax4.ax5.fused.outer",
      "ax4.ax5.fused.inner",
    ) as [Var, Var, Var, Var, Var, Var];
    const [{ store }] = storesOf(schedule, "Apad.shared") as [Found];
    const [from] = loadsIn(store.value) as [Extract<Expr, { kind: "Load" }>];
    expectEqual(
      flat(store.buffer, store.indices),
      poly(0, [ty, 3072], [tz, 1536], [ax2, 512], [ax3, 256], [outer, 32], [tx, 1]),
      ranges,
    );
    expectEqual(
      flat(from.buffer, from.indices),
      poly(
        -61_440,
        [bx, 6_422_528],
        [ty, 1_605_632],
        [tz, 802_816],
        [kh, 57_344],
        [z, 4096],
        [ax2, 4096],
        [ko, 512],
        [ax3, 256],
        [outer, 32],
        [tx, 1],
      ),
      ranges,
    );
  });
});

describe("program D, on CUDA cores", () => {
  const size = { n: 32, l: 512, m: 512 };
  it("has the published configuration's launch, allocations and turns", () => {
    const schedule = scheduleD(graphD(size), { bx: 4, by: 32, stepK: 16, v: 8, warp: 16 });
    expect(inferred(schedule).launches).toEqual([{ name: "C", grid: [16, 1, 1], block: [2, 32, 2] }]);
    expect(sizes(schedule)).toMatchObject({ "A.shared": 32 * 256, "B.shared": 256 * 32 });
    for (const stage of ["A.shared", "B.shared"])
      expect(storesOf(schedule, stage).map(nest)).toEqual([
        "outer 8, threadIdx.y 32, threadIdx.z 2, threadIdx.x 2, inner 8 vectorized",
      ]);
  });
  it("clips A to its 32 rows when 64 threads stand over them, and guards what they do", () => {
    const schedule = scheduleD(graphD(size), { bx: 4, by: 64, stepK: 16, v: 8, warp: 16 });
    expect(inferred(schedule).launches).toEqual([{ name: "C", grid: [16, 1, 1], block: [2, 64, 2] }]);
    expect(sizes(schedule)["A.shared"]).toBe(32 * 256);
    const { of } = variables(schedule);
    const [ty] = of("C", "i.inner.outer") as [Var];
    for (const stage of ["C", "C.local", "A.shared.local"])
      for (const { guards } of storesOf(schedule, stage)) expect(guards).toEqual([b.lt(ty, b.int(32))]);
  });
});

describe("small sizes with borders and tails, run", () => {
  const conv = { batch: 1, size: 5, inChannels: 6, outChannels: 10, kernel: 3, stride: 1, padding: 1 };
  const config = { ...published, f: [2, 2, 1], y: [1, 1, 2], x: [1, 3, 1], rc: [2, 1], ry: [3, 1], rx: [1, 3] } as const;
  const programs: readonly (readonly [string, () => Schedule])[] = [
    ["A", () => scheduleA(convGraph(conv), config)],
    ["A, stride 2", () => scheduleA(convGraph({ ...conv, size: 7, stride: 2 }), config)],
    [
      "B",
      () =>
        scheduleB(graphB({ image: 3, batch: 10, inChannels: 3, outChannels: 6 }), {
          tile: 4,
          threads: 2,
          step: 2,
          vthreads: 2,
          lanes: 2,
        }),
    ],
    ["D", () => scheduleD(graphD({ n: 6, l: 20, m: 40 }), { bx: 2, by: 4, stepK: 2, v: 2, warp: 8 })],
  ];
  it.each(programs)("%s", (_, make) => {
    const schedule = make();
    expectAgreement(schedule);
    expectReplay(schedule);
  });
});
