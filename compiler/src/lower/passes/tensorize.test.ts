/**
 * tensorize realised: what becomes of the nests, that the warps compute what the loops did, why a nest does not match, and what
 * the rules of the device and the interpreter find wrong with calls of intrinsics.
 */

import { parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { copyIn, copyOut, product } from "../../../../test-support/programs/intrinsics.ts";
import { matmulByTiles } from "../../../../test-support/programs/product-by-tiles.ts";
import { interpretDirectly } from "../../interp/direct/index.ts";
import { evaluate } from "../../interp/evaluate.ts";
import { interpret, interpretKernels } from "../../interp/interpret.ts";
import type { Buffer } from "../../ir/buffer.ts";
import * as b from "../../ir/build.ts";
import type { Intrinsic } from "../../ir/intrinsic.ts";
import type { Kernel } from "../../ir/prim-func.ts";
import { printStmt } from "../../ir/print.ts";
import type { Stmt, ThreadTag } from "../../ir/stmt.ts";
import { walkStmt } from "../../ir/visit.ts";
import { infer } from "../../schedule/infer.ts";
import { expectReplay, inputsOf, nestOf } from "../../schedule/primitives/primitive.testing.ts";
import { replay, type Schedule } from "../../schedule/schedule.ts";
import type { LoopRef } from "../../schedule/state.ts";
import { lowerFunc, lowerVerified } from "../../target/index.ts";
import { verifyDevice } from "../../verify/device.ts";
import { threadRules } from "../../verify/thread-rules.ts";
import { tensorize } from "./tensorize.ts";

const target = parseTarget("cuda/sm_80");
const calls = (s: Stmt): string[] => {
  const found: string[] = [];
  walkStmt(s, (child) => {
    if (child.kind === "Invoke") found.push(printStmt(child).trim());
  });
  return found;
};
const realised = (schedule: Schedule) => tensorize.run(nestOf(schedule));

describe("a product by tiles", () => {
  it("becomes calls: init where the reduction starts, update where it goes on, strides from storageAlign", () => {
    expect(calls(realised(matmulByTiles({ pad: 2 })).body)).toEqual([
      "product.init(C.wmma.accumulator[0, 0] strides [4, 1])",
      "copy_a.body(A.shared[i.outer * 4, 0] strides [2, 1], A.shared.wmma.matrix_a[0, 0] strides [2, 1])",
      "copy_b.body(B.shared[0, 0] strides [4, 1], B.shared.wmma.matrix_b[0, 0] strides [4, 1])",
      "product.update(A.shared.wmma.matrix_a[0, 0] strides [2, 1], B.shared.wmma.matrix_b[0, 0] strides [4, 1], C.wmma.accumulator[0, 0] strides [4, 1])",
      "copy_out.body(C.wmma.accumulator[0, 0] strides [4, 1], C[i.outer * 4, j.outer * 4] strides [8, 1])",
    ]);
  });
  it.each([0, 2])("computes what the loops did, as scheduled and by two warps, rows padded by %i", (pad) => {
    const schedule = matmulByTiles({ pad });
    const inputs = inputsOf(schedule.graph);
    const expected = evaluate(schedule.graph, inputs).get("C");
    expect(interpret([nestOf(schedule)], inputs).data.get("C")).toEqual(expected);
    expect(interpret([realised(schedule)], inputs).data.get("C")).toEqual(expected);
    const kernels = lowerVerified(nestOf(schedule), target);
    if (!kernels.ok) throw new Error(kernels.error[0]?.message);
    expect(interpretKernels(kernels.value, inputs).data.get("C")).toEqual(expected);
  });
  it("is in the trace by name", () => {
    const schedule = matmulByTiles();
    expect(schedule.trace.at(-1)).toMatchObject({ op: "tensorize", args: { intrinsic: "product" }, out: [] });
    expect(schedule.print()).toContain("createSchedule(graph, intrinsics)");
    expectReplay(schedule);
    const without = replay(schedule.graph, schedule.trace);
    expect(without.ok ? "" : without.error.message).toContain('tensorize: intrinsic is "copy_a"');
  });
});

describe("a nest that is another keeps its loops, and is refused with the reason", () => {
  /** The accumulating stage tensorized by `intrinsic`, everything else as it was. */
  const by = (intrinsic: Intrinsic, loop: "row" | "copy" | "out" = "row"): Schedule => {
    const s = matmulByTiles({ tensorize: false });
    const stage = s.stage({ row: "C.wmma.accumulator", copy: "A.shared.wmma.matrix_a", out: "C" }[loop]);
    const at = loop === "out" ? s.leaves(stage)[2] : s.axes(stage)[0];
    s.tensorize(at as LoopRef, intrinsic);
    return s;
  };
  const swapped = copyIn("a", 2, 4);
  it.each<[what: string, schedule: () => Schedule, reason: RegExp]>([
    ["another shape", () => by(swapped, "copy"), /strides|loops are ax0 4, ax1 2/],
    ["another scope", () => by(copyIn("b", 4, 2), "copy"), /lives in wmma.matrix_a; the intrinsic takes it from wmma.matrix_b/],
    ["no reduction", () => by(copyOut, "row"), /reads|loops are/],
    ["a reduction", () => by(product, "out"), /summed over, none; the tile has i 4, j 4 and k 2/],
  ])("%s", (_, make, reason) => {
    const reasons: string[] = [];
    walkStmt(realised(make()).body, (child) => {
      if (child.kind === "Unmatched" && child.primitive === "tensorize") reasons.push(child.why);
    });
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatch(reason);
    const found = lowerVerified(nestOf(make()), target);
    expect(found.ok ? [] : found.error.map((v) => v.rule)).toEqual(["tensorize.match"]);
  });
  it("rows that no stride fits", () => {
    const found = lowerVerified(nestOf(matmulByTiles({ pad: 1 })), target);
    expect(found.ok ? "" : found.error[0]?.message).toMatch(
      /A.shared as "src" has strides \[5, 1\].* multiple of 2|not proven a multiple of 2/,
    );
  });
  it("a guard, before any nest is built", () => {
    const inferred = infer(matmulByTiles({ rows: 6 }).state);
    expect(inferred.ok ? "" : inferred.error.rule).toBe("tensorize.guard");
    expect(inferred.ok ? "" : inferred.error.message).toContain('"C" by copy_out');
  });
});

describe("the primitive refuses", () => {
  it.each<[rule: string, call: (s: Schedule) => void]>([
    ["tensorize.leaf", (s) => s.tensorize(s.axes(s.stage("C"))[0] as LoopRef, product)],
    ["tensorize.twice", (s) => s.tensorize(s.leaves(s.stage("C"))[0] as LoopRef, product)],
    [
      "tensorize.twice",
      (s) => {
        const [row, column] = s.axes(s.stage("C.wmma.accumulator")) as [LoopRef, LoopRef];
        s.tensorize(row, product);
        s.tensorize(column, product);
      },
    ],
    ["tensorize.args", (s) => s.tensorize(s.leaves(s.stage("C"))[1] as LoopRef, "unheard_of")],
    [
      "tensorize.args",
      (s) => {
        s.tensorize(s.axes(s.stage("A.shared.wmma.matrix_a"))[0] as LoopRef, copyIn("a", 4, 2));
        s.tensorize(s.axes(s.stage("B.shared.wmma.matrix_b"))[0] as LoopRef, copyIn("a", 2, 4));
      },
    ],
    [
      "split.tensorized",
      (s) => {
        const [row] = s.axes(s.stage("C.wmma.accumulator")) as [LoopRef];
        s.tensorize(row, product);
        s.split(row, [null, 2]);
      },
    ],
  ])("%s", (rule, call) => {
    const s = matmulByTiles({ tensorize: false });
    expect(() => call(s)).toThrow(`[${rule}]`);
  });
});

// Hand-made kernels: a warp (or two) that loads a tile of shared memory.

const A: Buffer = { name: "A", dtype: "float32", shape: [64], scope: "global" };
const S: Buffer = { name: "S", dtype: "float32", shape: [64], scope: "shared" };
const F: Buffer = { name: "F", dtype: "float32", shape: [16], scope: "wmma.accumulator" };
const G: Buffer = { name: "G", dtype: "float32", shape: [16], scope: "wmma.matrix_a" };
const [tx, ty] = [b.variable("tx"), b.variable("ty")];
const loadA = copyIn("a", 4, 2);
const tile = (buffer: Buffer, index: Parameters<typeof b.add>[0], strides = [2, 1]) => ({ buffer, indices: [index], strides });
const loaded = (at: Parameters<typeof b.add>[0], intrinsic = loadA): Stmt =>
  b.invoke(intrinsic, "body", [tile(S, at), tile(G, b.int(0))]);
function kernel(body: Stmt, threads: readonly [x: number, y: number] = [32, 1]): Kernel {
  const loops: readonly [typeof tx, number, ThreadTag][] = [
    [ty, threads[1], "threadIdx.y"],
    [tx, threads[0], "threadIdx.x"],
  ];
  const inside = [S, G, F].reduceRight<Stmt>((below, buffer) => b.allocate(buffer, below), body);
  const func = loops.reduceRight<Stmt>((below, [v, extent, tag]) => b.boundLoop(v, extent, tag, below), inside);
  return { func: { dialect: "device", name: "k", params: [A], body: func }, grid: [1, 1, 1], block: [...threads, 1] };
}
const fill = b.seq([0, 32].map((at) => b.store(S, [b.add(tx, b.int(at))], b.load(A, [b.add(tx, b.int(at))]))));
const change = b.store(S, [tx], b.add(b.load(A, [tx]), b.float(1)));

const deviceFeatures = {
  dtypes: new Set(["float32", "int32"] as const),
  vectorDTypes: new Set<never>(),
  maxVectorBytes: 16,
  movesAlone: true,
};

describe("rules of the device", () => {
  const rules = (body: Stmt, threads?: readonly [number, number], target = "cuda/sm_75") => {
    const made = kernel(body, threads);
    return verifyDevice(made, deviceFeatures, threadRules(made, parseTarget(target))).map((v) => v.rule);
  };
  it("take whole warps at places that their lanes share", () => {
    expect(rules(loaded(b.int(0)))).toEqual([]);
    expect(rules(loaded(b.mul(ty, b.int(8))), [32, 2])).toEqual([]);
    // Two rows of 16 threads are a warp.
    expect(rules(loaded(b.mul(b.floorDiv(ty, b.int(2)), b.int(8))), [16, 4])).toEqual([]);
  });
  it.each<[rule: string, body: Stmt, threads?: readonly [number, number]]>([
    ["device.warp", loaded(b.mul(tx, b.int(2)))],
    ["device.warp", loaded(b.int(0)), [16, 1]],
    ["device.warp", loaded(b.mul(ty, b.int(8))), [16, 4]],
    ["device.warp", loaded(b.mul(b.floorDiv(b.add(ty, b.int(1)), b.int(2)), b.int(8))), [16, 4]],
    ["device.warp", b.ifThen(b.lt(tx, b.int(16)), loaded(b.int(0)))],
    ["device.tile", loaded(b.int(3))],
    ["device.fragment", b.store(F, [b.int(0)], b.float(0))],
    ["device.fragment", b.seq([loaded(b.int(0)), loaded(b.int(0), copyIn("a", 4, 2, "other"))])],
    ["tensorize.match", { kind: "Unmatched", primitive: "tensorize", why: "x does not match: y", body: loaded(b.int(0)) }],
    ["copyBy.match", { kind: "Unmatched", primitive: "copyBy", why: "it computes x", body: loaded(b.int(0)) }],
    ["tensorize.match", { kind: "Tensorize", intrinsic: loadA, body: loaded(b.int(0)) }],
  ])("%s", (rule, body, threads) => {
    expect(rules(body, threads)).toContain(rule);
  });
  it("device.capability", () => {
    const needing = (needs: Intrinsic["needs"]) => loaded(b.int(0), { ...loadA, needs });
    const on = (needs: Intrinsic["needs"], target: string) => rules(needing(needs), undefined, target);
    expect(on({ kind: "cuda", from: 90 }, "cuda/sm_75")).toEqual(["device.capability"]);
    expect(on({ kind: "cuda", from: 80, to: 86 }, "cuda/sm_89")).toEqual(["device.capability"]);
    // What one capability has and no other, and only its own code may use.
    const specific = { kind: "cuda", from: 90, to: 90, features: ["a"] };
    expect(on(specific, "cuda/sm_90")).toEqual(["device.capability"]);
    expect(on(specific, "cuda/sm_100a")).toEqual(["device.capability"]);
    expect(on(specific, "cuda/sm_90a")).toEqual([]);
  });
});

/** The same tile, loaded by a warpgroup into registers of its 128 lanes. */
const H: Buffer = { name: "H", dtype: "float32", shape: [16], scope: "warpgroup.accumulator" };
const loadGroup: Intrinsic = {
  ...loadA,
  name: "load_group",
  agent: "warpgroup",
  operands: loadA.operands.map((o) => (o.fragment ? { ...o, scopes: ["warpgroup.accumulator"] } : o)),
};
const groupLoaded = (at: Parameters<typeof b.add>[0]): Stmt =>
  b.allocate(H, b.invoke(loadGroup, "body", [tile(S, at), tile(H, b.int(0))]));

describe("a warpgroup", () => {
  const group = [128, 1] as const;
  const quarter = (at: number) =>
    b.store(S, [b.add(b.floorModulo(tx, b.int(32)), b.int(at))], b.load(A, [b.floorModulo(tx, b.int(32))]));
  const filled = b.seq([b.ifThen(b.lt(tx, b.int(32)), b.seq([quarter(0), quarter(32)])), b.barrier]);
  const run = (body: Stmt, threads: readonly [number, number] = group) => {
    const inputs = new Map([["A", Float32Array.from({ length: 64 }, (_, i) => i)]]);
    const { func } = kernel(b.seq([filled, body]), threads);
    return [() => interpretKernels([kernel(b.seq([filled, body]), threads)], inputs), () => interpretDirectly([func], inputs)];
  };
  it("is 128 threads that do one thing", () => {
    const ok = (body: Stmt, threads: readonly [number, number]) => {
      const made = kernel(body, threads);
      const found = verifyDevice(made, deviceFeatures, threadRules(made, parseTarget("cuda/sm_90")));
      return found.map(({ message }) => message);
    };
    expect(ok(groupLoaded(b.int(0)), group)).toEqual([]);
    expect(ok(groupLoaded(b.mul(ty, b.int(8))), [128, 2])).toEqual([]);
    expect(ok(groupLoaded(b.int(0)), [64, 1])[0]).toContain("whole warpgroups of 128; a block has 64 x 1 x 1");
    // What warps have in common, their group has not.
    expect(ok(loaded(b.mul(b.floorDiv(tx, b.int(32)), b.int(8))), group)).toEqual([]);
    expect(ok(groupLoaded(b.mul(b.floorDiv(tx, b.int(32)), b.int(8))), group)[0]).toContain("for all lanes of a warpgroup");
    expect(ok(groupLoaded(b.mul(ty, b.int(8))), [32, 4])[0]).toContain("for all lanes of a warpgroup");
  });
  it("is run as one by both interpreters, beside warps", () => {
    for (const go of run(b.seq([groupLoaded(b.int(0)), loaded(b.int(8)), groupLoaded(b.int(16))]))) expect(go).not.toThrow();
    const odd: readonly [Stmt, (readonly [number, number])?][] = [
      [groupLoaded(b.mul(b.floorDiv(tx, b.int(32)), b.int(2)))],
      [b.ifThen(b.lt(tx, b.int(96)), groupLoaded(b.int(0)))],
      [b.ifThen(b.ge(tx, b.int(32)), groupLoaded(b.int(0)))],
    ];
    for (const [body, threads] of odd) for (const go of run(body, threads)) expect(go).toThrow("[interp.divergence]");
  });
});

describe("the interpreter", () => {
  const inputs = () => new Map([["A", Float32Array.from({ length: 64 }, (_, i) => i)]]);
  const run = (body: Stmt, threads?: readonly [number, number]) => () => interpretKernels([kernel(body, threads)], inputs());
  it("runs a call once a warp, after a barrier", () => {
    expect(run(b.seq([fill, b.barrier, loaded(b.int(0))]))).not.toThrow();
  });
  it("that looks for the order of threads finds interp.race", () => {
    const { func } = kernel(b.seq([fill, b.barrier, change, loaded(b.int(0))]));
    expect(() => interpretDirectly([func], inputs())).toThrow("[interp.race]");
  });
  it.each<[rule: string, body: Stmt, threads?: readonly [number, number]]>([
    ["interp.uninitialised", b.seq([change, b.barrier, loaded(b.int(32))])],
    ["interp.bounds", b.seq([fill, b.barrier, loaded(b.int(60))])],
    ["interp.alignment", b.seq([fill, b.barrier, loaded(b.int(1))])],
    ["interp.divergence", b.seq([fill, b.barrier, loaded(b.mul(b.floorDiv(tx, b.int(16)), b.int(2)))])],
    ["interp.divergence", b.seq([fill, b.barrier, b.ifThen(b.lt(tx, b.int(16)), loaded(b.int(0)))])],
    ["interp.divergence", b.seq([fill, b.barrier, b.ifThen(b.ge(tx, b.int(16)), loaded(b.int(0)))])],
    ["interp.dialect", b.seq([b.barrier, loaded(b.int(0))]), [24, 1]],
  ])("finds %s", (rule, body, threads) => {
    expect(run(body, threads)).toThrow(`[${rule}]`);
  });
});

it("lowers deterministically", () => {
  const text = () => lowerFunc(nestOf(matmulByTiles()), target).map((k) => printStmt(k.func.body));
  expect(text()).toEqual(text());
});
