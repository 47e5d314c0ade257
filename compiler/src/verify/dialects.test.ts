/**
 * Each rule of each dialect refuses what it is for, and every function that lowering makes passes
 * (compiler/test/cuda-text.test.ts).
 */
import { parseTarget } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import type { Buffer } from "../ir/buffer.ts";
import * as b from "../ir/build.ts";
import type { Channel, Stmt } from "../ir/stmt.ts";
import { at, bound, buffer, func, lin, loop, n, set, v } from "../lower/ir.testing.ts";
import { type DeviceFeatures, verifyDevice } from "./device.ts";
import { hostRules } from "./host-rules.ts";
import { verifyLowered } from "./lowered.ts";
import { verifyScheduled } from "./scheduled.ts";
import { threadRules } from "./thread-rules.ts";
import { turnFaults } from "./turns.ts";

const A = buffer("A", [64]);
const C = buffer("C", [64]);
const M = buffer("M", [8, 8]);
const S = buffer("S", [64], "shared");
const L = buffer("L", [64], "local");
const [i, j, t] = [v("i"), v("j"), v("t")] as const;
const rules = (found: readonly { readonly rule: string }[]) => found.map((violation) => violation.rule);

it("a channel ends when its turns have been released, not awaited alone", () => {
  const channel: Channel = { name: "ring", slots: 1, buffers: [S] };
  const turn = { channel, turn: n(0) };
  const [fill, wait, release]: Stmt[] = [
    { kind: "Fill", ...turn, bytes: 256, body: b.seq([]) },
    { kind: "Await", ...turn },
    { kind: "Release", ...turn },
  ];
  const faults = (...body: readonly (Stmt | undefined)[]) => [
    ...turnFaults({ kind: "AllocChannel", channel, body: b.seq(body as Stmt[]) }).values(),
  ];
  expect(faults(fill, wait, release)).toEqual([]);
  expect([faults(fill), faults(fill, wait)]).toEqual([
    ["channel ring ends and turn 0 is filled"],
    ["channel ring ends and turn 0 is held"],
  ]);
});

describe("scheduled", () => {
  const refused = (body: Stmt, params: readonly Buffer[] = [A, C, M]) => rules(verifyScheduled(func("scheduled", params, body)));
  const nested = [...Array(17).keys()].reduceRight<Stmt>(
    (body, k) => bound(v(`v${k}`), 2, "vthread", body),
    set(C, n(0), b.float(0)),
  );

  it("takes a plain nest", () => {
    expect(refused(loop(i, 8, b.allocate(L, b.seq([set(L, i, at(M, i, i)), set(C, i, at(L, i))]))))).toEqual([]);
  });
  it.each<[rule: string, body: Stmt]>([
    ["ir.variable-in-scope", set(C, i, b.float(0))],
    ["ir.buffer-in-scope", set(C, n(0), at(L, n(0)))],
    ["ir.buffer-in-scope", set(L, n(0), b.float(0))],
    ["ir.extent", { kind: "For", loopVar: i, extent: 0, forKind: "serial", body: set(C, n(0), b.float(0)) }],
    ["ir.bound", { kind: "For", loopVar: i, extent: 2, forKind: "bound", body: set(C, i, b.float(0)) }],
    ["ir.variable-once", loop(i, 2, loop(i, 2, set(C, i, b.float(0))))],
    ["ir.store", { kind: "Store", buffer: C, indices: [n(0)], value: n(0) }],
    ["ir.store", { kind: "Store", buffer: M, indices: [n(0)], value: b.float(0) }],
    ["ir.index-type", { kind: "Store", buffer: C, indices: [b.int(0, "int64")], value: b.float(0) }],
    ["ir.buffer-size", b.allocate(buffer("huge", [65536, 65536]), set(C, n(0), b.float(0)))],
    ["scheduled.no-barrier", b.seq([b.barrier, set(C, n(0), b.float(0))])],
    ["scheduled.no-vector", { kind: "Store", buffer: C, indices: [b.ramp(n(0), 1, 4)], value: b.broadcast(b.float(0), 4) }],
    ["scheduled.vthreads", nested],
    ["scheduled.thread-in-vector", b.forLoop(i, 4, bound(t, 4, "threadIdx.x", set(M, i, t, b.float(0))), "vectorized")],
  ])("%s", (rule, body) => {
    expect(refused(body)).toContain(rule);
  });
  it("ir.buffer-size of an argument", () => {
    expect(refused(set(C, n(0), b.float(0)), [C, buffer("huge", [2 ** 31])])).toEqual(["ir.buffer-size"]);
  });
});

describe("lowered", () => {
  it.each<[rule: string, body: Stmt]>([
    ["lowered.flat", loop(i, 8, set(C, i, at(M, i, i)))],
    ["lowered.flat", loop(i, 8, set(M, i, i, b.float(0)))],
    ["lowered.no-vthread", bound(i, 2, "vthread", set(C, i, b.float(0)))],
    ["lowered.lanes", { kind: "Store", buffer: C, indices: [b.ramp(n(0), 1, 4)], value: b.broadcast(b.float(0), 2) }],
    ["lowered.lanes", { kind: "Store", buffer: C, indices: [n(0)], value: b.broadcast(b.float(0), 2) }],
  ])("%s", (rule, body) => {
    expect(rules(verifyLowered(func("lowered", [A, C, M], body)))).toContain(rule);
  });
});

const features: DeviceFeatures = {
  dtypes: new Set(["float32", "int32"]),
  vectorDTypes: new Set(["float32"]),
  maxVectorBytes: 16,
  movesAlone: false,
};
const kernel = (body: Stmt, params: readonly Buffer[] = [A, C]) => ({
  func: func("device", params, body),
  grid: [1, 1, 1] as const,
  block: [1, 1, 1] as const,
});
const verify = (k: ReturnType<typeof kernel>, kind: "cuda" | "cpu") =>
  verifyDevice(
    k,
    { ...features, movesAlone: kind === "cuda" },
    kind === "cuda" ? threadRules(k, parseTarget("cuda/sm_90")) : hostRules,
  );
const vector = (value: Stmt & { kind: "Store" }) => value;
const vstore = (of: Buffer, lanes: number, value = b.broadcast(b.constant(0, of.dtype), lanes), stride = 1): Stmt =>
  vector({ kind: "Store", buffer: of, indices: [b.ramp(n(0), stride, lanes)], value });

describe("device, both targets", () => {
  const I8 = buffer("I8", [64], "global", "int8");
  const int32Buffer = buffer("I32", [64], "global", "int32");
  const load = (of: Buffer, lanes: number) => b.load(of, [b.ramp(n(0), 1, lanes)]);
  it.each<[rule: string, body: Stmt, params?: readonly Buffer[]]>([
    ["device.vectorized", b.forLoop(i, 4, set(C, i, b.float(0)), "vectorized")],
    ["device.dtype", set(I8, n(0), b.int(0, "int8")), [I8]],
    ["device.dtype", set(C, n(0), b.cast("float32", b.cast("int8", at(A, n(0)))))],
    ["device.call", set(int32Buffer, n(0), b.call("exp", at(int32Buffer, n(1)))), [int32Buffer]],
    ["device.vector", vstore(C, 4, undefined, 2)],
    ["device.vector", vstore(C, 8)],
    ["device.vector", vstore(int32Buffer, 4), [int32Buffer]],
    ["device.vector", vstore(C, 4, b.call("exp", b.add(load(A, 4), at(A, n(0)))))],
    ["device.vector", vstore(C, 4, b.add(load(A, 4), at(A, n(0))))],
    ["device.vector", vstore(C, 4, b.select(b.lt(load(A, 4), b.broadcast(b.float(0), 4)), load(A, 4), load(A, 4)))],
  ])("%s", (rule, body, params = [A, C]) => {
    for (const kind of ["cuda", "cpu"] as const) expect(rules(verify(kernel(body, params), kind)), kind).toContain(rule);
  });
  it("takes vectors of what codegen can print", () => {
    const value = b.select(b.lt(at(A, n(0)), b.float(0)), b.mul(load(A, 4), b.broadcast(at(A, n(3)), 4)), load(C, 4));
    for (const kind of ["cuda", "cpu"] as const) expect(verify(kernel(vstore(C, 4, value)), kind)).toEqual([]);
  });
  it("takes functions of vectors where values are computed lane by lane", () => {
    const powers = kernel(vstore(C, 4, b.call("exp", load(A, 4))));
    expect(verify(powers, "cuda")).toEqual([]);
    expect(rules(verify(powers, "cpu"))).toEqual(["device.vector"]);
  });
});

describe("device, cuda", () => {
  const refused = (body: Stmt, params?: readonly Buffer[]) => rules(verify(kernel(body, params), "cuda"));
  const threads = (...body: Stmt[]) => bound(i, 4, "blockIdx.x", bound(t, 8, "threadIdx.x", b.allocate(S, b.seq(body))));
  const whole = set(C, lin(i, 8, t), at(A, t));

  it("takes a kernel", () => {
    const uniform = b.ifThen(b.lt(i, n(2)), b.barrier);
    expect(refused(threads(set(S, t, at(A, t)), uniform, b.ifThen(b.eq(t, n(0)), set(C, i, at(S, t)))))).toEqual([]);
  });
  it.each<[rule: string, body: Stmt]>([
    ["device.head", loop(j, 2, bound(i, 64, "blockIdx.x", set(C, i, b.float(0))))],
    ["device.head", bound(t, 8, "threadIdx.x", bound(i, 8, "blockIdx.x", set(C, lin(i, 8, t), b.float(0))))],
    ["device.parallel", b.forLoop(i, 4, set(C, i, b.float(0)), "parallel")],
    ["device.allocate", b.allocate(buffer("G", [4]), set(C, n(0), b.float(0)))],
    ["device.barrier", threads(b.ifThen(b.lt(t, n(2)), b.seq([b.barrier, whole])))],
    ["device.barrier", threads(b.ifThen(b.lt(at(A, n(0)), b.float(0)), b.seq([b.barrier, whole])))],
    ["device.race", threads(set(C, t, at(A, t)))],
    ["device.race", threads(set(S, n(0), at(A, t)), whole)],
    ["device.global-order", threads(whole, set(A, lin(i, 8, t), at(C, b.add(lin(i, 8, t), n(1)))))],
  ])("%s", (rule, body) => {
    expect(refused(body)).toContain(rule);
  });
});

describe("device, cpu", () => {
  const refused = (body: Stmt) => rules(verify(kernel(body), "cpu"));
  const parallel = (body: Stmt) => b.forLoop(i, 8, body, "parallel");
  it("takes private arrays in parallel loops, and serial loops that write one element", () => {
    expect(
      refused(
        parallel(b.allocate(L, b.seq([set(L, n(0), b.float(0)), loop(j, 4, set(C, i, at(L, n(0)))), set(A, i, b.float(1))]))),
      ),
    ).toEqual([]);
  });
  it("takes a mebibyte of arrays in a loop, all together, and no more", () => {
    const arrays = (...floats: readonly number[]) =>
      refused(
        parallel(
          floats.reduceRight<Stmt>(
            (body, count, k) => b.allocate(buffer(`big${k}`, [count], "local"), body),
            set(C, i, b.float(0)),
          ),
        ),
      );
    const most = 2 ** 20 / 4;
    expect([arrays(most), arrays(most - 64, 64)]).toEqual([[], []]);
    expect([arrays(most + 1), arrays(most - 64, 65)]).toEqual([["device.stack"], ["device.stack"]]);
  });
  it.each<[rule: string, body: Stmt]>([
    ["device.bound", bound(i, 8, "blockIdx.x", set(C, i, b.float(0)))],
    ["device.machine", b.seq([b.barrier, set(C, n(0), b.float(0))])],
    ["device.stack", parallel(b.allocate(buffer("big", [1 << 20], "local"), set(C, i, b.float(0))))],
    ["device.race", parallel(set(C, n(0), b.add(at(C, n(0)), at(A, i))))],
    ["device.race", b.allocate(L, parallel(set(L, n(0), at(A, i))))],
  ])("%s", (rule, body) => {
    expect(refused(body)).toContain(rule);
  });
});
