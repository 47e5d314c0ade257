/** Rings of slots and what they order, and what may be in flight when a block ends, on the smallest programs that show it. */
import { expect, it } from "vitest";
import { wgmma } from "../intrinsic/cuda/wgmma.ts";
import * as b from "../ir/build.ts";
import type { Channel, Stmt } from "../ir/stmt.ts";
import { at, bound, buffer, func, lin, loop, n, set, v } from "../lower/ir.testing.ts";
import { Cluster, Ring } from "./channels.ts";
import { interpretDirectly } from "./direct/index.ts";

const [A, C] = [buffer("A", [32]), buffer("C", [64])];
const S = buffer("S", [32], "shared");

it("a block that ends before it fills a turn of which another block has sent its part is refused", () => {
  const channel: Channel = { name: "ring", slots: 1, buffers: [S], cluster: { x: 2, y: 1 } };
  const cluster = new Cluster({ x: 2, y: 1 });
  const [here, there] = [0, 1].map((rank) => new Ring(channel, 1, cluster, rank)) as [Ring, Ring];
  here.beginFill(0, 128);
  here.landed(S, 0, 15, 64, [0, 1]);
  expect(() => there.close()).toThrow("64 bytes of a turn that it never fills have come");
  // Its own part comes, and both give the slot away.
  there.beginFill(0, 128);
  there.landed(S, 16, 31, 64, [0, 1]);
  for (const ring of [here, there]) {
    ring.hold(0, 0);
    ring.release(0, 0, 0);
  }
  for (const ring of [here, there]) expect(() => ring.close()).not.toThrow();
});

it("who awaits a turn comes after what others did before they released the slot to it", () => {
  const [t, X] = [v("t"), buffer("X", [1], "shared")];
  const channel: Channel = { name: "ring", slots: 1, buffers: [S] };
  const box: Stmt = {
    kind: "BulkCopy",
    direction: "in",
    tensor: { buffer: A, dims: [32], strides: [1], box: [32] },
    origin: [n(0)],
    shared: S,
    indices: [n(0)],
  };
  const turn = (number: number, body: Stmt): readonly Stmt[] => [
    { kind: "Fill", channel, turn: n(number), bytes: 128, body: box },
    { kind: "Await", channel, turn: n(number) },
    body,
    { kind: "Release", channel, turn: n(number) },
  ];
  const write = (who: number) => b.ifThen(b.eq(t, n(who)), set(X, n(0), b.float(7)));
  const read = set(C, t, at(X, n(0)));
  /** A thread writes in one turn what all read in another. */
  const run = (...body: readonly Stmt[]) => {
    const inside: Stmt = { kind: "AllocChannel", channel, body: b.seq(body) };
    const kernel = func("device", [A, C], bound(t, 64, "threadIdx.x", b.allocate(S, b.allocate(X, inside))));
    return interpretDirectly([kernel], new Map([["A", new Float32Array(32)]])).data.get("C");
  };
  expect([...(run(...turn(0, write(1)), ...turn(1, read)) ?? [])]).toEqual(Array(64).fill(7));
  expect(() => run(...turn(0, b.seq([write(0), read])))).toThrow(expect.objectContaining({ rule: "interp.race" }));
});

it("a slot is read between its await and its release", () => {
  const t = v("t");
  const channel: Channel = { name: "ring", slots: 1, buffers: [S] };
  const tensor = { buffer: A, dims: [32], strides: [1], box: [32] };
  const box: Stmt = { kind: "BulkCopy", direction: "in", tensor, origin: [n(0)], shared: S, indices: [n(0)] };
  const fill: Stmt = { kind: "Fill", channel, turn: n(0), bytes: 128, body: box };
  const [wait, release] = (["Await", "Release"] as const).map((kind): Stmt => ({ kind, channel, turn: n(0) })) as [Stmt, Stmt];
  const read = set(C, t, at(S, t));
  const ran = (...body: readonly Stmt[]) => {
    const inside: Stmt = { kind: "AllocChannel", channel, body: b.seq(body) };
    const kernel = func("device", [A, C], bound(t, 32, "threadIdx.x", b.allocate(S, inside)));
    return interpretDirectly([kernel], new Map([["A", Float32Array.from({ length: 32 }, (_, i) => i)]])).data.get("C");
  };
  expect([...(ran(fill, wait, read, release) ?? [])].slice(0, 32)).toEqual(Array.from({ length: 32 }, (_, i) => i));
  for (const body of [
    [fill, read, wait, release],
    [fill, wait, release, read],
  ])
    expect(() => ran(...body)).toThrow(expect.objectContaining({ rule: "interp.channel" }));
});

it("a product that nothing has waited for when the block ends is refused, though nobody reads its sums, and one of several tiles", () => {
  const [t, i] = [v("t"), v("i")];
  const alongK = { major: "k", swizzle: 32 } as const;
  const product = wgmma({ dtype: "float16", n: 8, a: alongK, b: alongK });
  const [L, R] = [buffer("L", [1024], "shared", "float16"), buffer("R", [128], "shared", "float16")];
  const sums = buffer("sums", [512], "warpgroup.accumulator");
  const tile = (of: typeof L, row: number) => ({ buffer: of, indices: [n(0)], strides: [row, 1] });
  const one = b.constant(1, "float16");
  const multiply = (right = tile(R, 16)): Stmt => ({
    kind: "Async",
    engine: "wgmma",
    body: b.seq([b.invoke(product, "init", [tile(sums, 8)]), b.invoke(product, "update", [tile(L, 16), right, tile(sums, 8)])]),
  });
  const runOf = (products: Stmt, ...after: readonly Stmt[]) => {
    const fill = b.seq([loop(i, 8, set(L, lin(i, 128, t), one)), set(R, t, one), { kind: "Fence" }, b.barrier]);
    const body = [L, R, sums].reduceRight<Stmt>((inner, each) => b.allocate(each, inner), b.seq([fill, products, ...after]));
    return interpretDirectly([func("device", [], bound(t, 128, "threadIdx.x", body))], new Map());
  };
  const wait: Stmt = { kind: "Wait", engine: "wgmma", pending: 0 };
  expect(() => runOf(multiply(), wait)).not.toThrow();
  expect(() => runOf(multiply())).toThrow(/^the block ends and wgmma_\w+ is in flight/);
  // All its lanes name the same tiles.
  const ofLane = { ...tile(R, 16), indices: [b.min(t, n(0))] };
  const ofHalf = { ...tile(R, 16), indices: [lin(b.floorDiv(t, n(64)), 8)] };
  expect(() => runOf(multiply(ofLane), wait)).not.toThrow();
  expect(() => runOf(multiply(ofHalf), wait)).toThrow(/calls wgmma_\w+ with other tiles/);
});
