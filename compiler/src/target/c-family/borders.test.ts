/** Texts at the limits of what a rule of C or CUDA allows, made from device functions written by hand. */
import { describe, expect, it } from "vitest";
import { copyA } from "../../../../test-support/programs/intrinsics.ts";
import { Analyzer } from "../../arith/analyzer.ts";
import { wgmma } from "../../intrinsic/cuda/wgmma.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import { exchangeArray } from "../../ir/fold.ts";
import type { Kernel } from "../../ir/prim-func.ts";
import type { Channel, Stmt } from "../../ir/stmt.ts";
import { at, bound, buffer, func, lin, loop, n, set, v } from "../../lower/ir.testing.ts";
import { cpuKernelText, cpuPrelude } from "../cpu/codegen.ts";
import { cudaKernelText, cudaPrelude } from "../cuda/codegen.ts";
import { mayWrap } from "./value-range.ts";

const [i, t] = [v("i"), v("t")] as const;
const A = buffer("A", [64]);
const C = buffer("C", [64]);
const I = buffer("I", [64], "global", "int32");
const kernel = (body: Stmt, params = [A, C], block: Kernel["block"] = [32, 1, 1]): Kernel => ({
  func: func("device", params, body),
  grid: [1, 1, 1],
  block,
});
const cuda = (body: Stmt, params = [A, C]): string => cudaKernelText(kernel(body, params), cudaPrelude()).text;

describe("division", () => {
  const text = (dividend: Expr): string =>
    cpuKernelText(kernel(loop(i, 8, set(I, i, b.floorDiv(dividend, n(4)))), [I]), cpuPrelude());
  it("is C's where the least dividend is 0, and not where it is -1", () => {
    expect(text(i)).toContain("i / 4");
    expect(text(b.sub(i, n(1)))).not.toContain("/ 4");
  });
});

describe("int32", () => {
  const analyzer = new Analyzer([[i, 2]]);
  const far = 2 ** 31 - 1;
  it("may wrap when a sum can be 2^31, not when it can be 2^31 - 1", () => {
    expect(mayWrap(b.add(i, n(far)), analyzer)).toBe(true);
    expect(mayWrap(b.add(i, n(far - 1)), analyzer)).toBe(false);
  });
  it("may wrap when a difference can be -2^31 - 1, not when it can be -2^31", () => {
    expect(mayWrap(b.sub(n(-far - 1), i), analyzer)).toBe(true);
    expect(mayWrap(b.sub(n(-far), i), analyzer)).toBe(false);
  });
  it("may be either side of a select, which may wrap when one of them does", () => {
    const either = (yes: number, no: number) => b.add(b.select(b.lt(i, n(1)), n(yes), n(no)), n(1));
    expect([either(far, 0), either(0, far)].map((e) => mayWrap(e, analyzer))).toEqual([true, true]);
    expect([either(far - 1, 0), either(0, far - 1)].map((e) => mayWrap(e, analyzer))).toEqual([false, false]);
  });
});

it("a table is read without a test where the index ends with its last entry, and not one beyond", () => {
  const text = (extent: number) =>
    cpuKernelText(kernel(loop(i, extent, set(I, i, b.lookup({ name: "t", values: [3, 1, 2, 0] }, i))), [I]), cpuPrelude());
  expect(text(4)).toMatch(/= \w+\[i\];/);
  expect(text(5)).toMatch(/i < 4 \? \w+\[i\] : i;/);
});

it("nothing is copied asynchronously from a place that a table says, where a condition keeps the index in the table", () => {
  const S = buffer("S", [32], "shared");
  const from = (place: Expr) => b.select(b.lt(t, n(8)), at(A, place), b.float(0));
  const text = (place: Expr) =>
    cuda(bound(t, 32, "threadIdx.x", b.allocate(S, b.seq([b.async(set(S, t, from(place))), b.wait(0)]))));
  expect(text(t)).toContain("cp_async_4_or_zero(");
  expect(text(b.lookup({ name: "t", values: [3, 1, 2, 0, 7, 6, 5, 4] }, t))).toMatch(/< 8 \? .*A\[/);
});

it.each([
  [1, "ca", 4],
  [2, "ca", 8],
  [4, "cg", 16],
] as const)("an asynchronous copy of %i floats goes by .%s: .cg has 16 bytes alone (PTX ISA, cp.async)", (lanes, cache, bytes) => {
  const S = buffer("S", [128], "shared");
  const place = lanes === 1 ? t : b.ramp(lin(t, lanes), 1, lanes);
  const copy: Stmt = { kind: "Store", buffer: S, indices: [place], value: b.load(A, [place]) };
  const prelude = cudaPrelude();
  cudaKernelText(kernel(bound(t, 16, "threadIdx.x", b.allocate(S, b.seq([b.async(copy), b.wait(0)])))), prelude);
  expect(prelude.text.match(/cp\.async\.c\w\..*?\], \d+/g)).toEqual([
    expect.stringMatching(new RegExp(`^cp\\.async\\.${cache}\\..*, ${bytes}$`)),
  ]);
});

it.each([
  [33, /if \(t % 32 == 0\) for \(int i = 0; i < 2; \+\+i\) mbarrier_arrive_at\(.*, i, 2\);/],
  [34, /mbarrier_arrive_at\(.*, t % 32, 2\);/],
] as const)("a warp tells both blocks of a cluster that it has read a slot, also the last one of %i threads", (threads, told) => {
  const S = buffer("S", [32], "shared");
  const channel: Channel = { name: "ring", slots: 1, buffers: [S], cluster: { x: 2, y: 1 } };
  const turns: Stmt = { kind: "AllocChannel", channel, body: { kind: "Release", channel, turn: n(0) } };
  const made = kernel(bound(t, threads, "threadIdx.x", b.allocate(S, turns)), [A, C], [threads, 1, 1]);
  expect(cudaKernelText(made, cudaPrelude()).text).toMatch(told);
});

it("who fills a slot waits from the first turn on that another turn was in it before", () => {
  const S = buffer("S", [64], "shared");
  const channel: Channel = { name: "ring", slots: 2, buffers: [S] };
  const text = (turns: number) => {
    const fill: Stmt = { kind: "Fill", channel, turn: i, bytes: 128, body: b.seq([]) };
    const body: Stmt = { kind: "AllocChannel", channel, body: loop(i, turns, fill) };
    return cuda(bound(t, 32, "threadIdx.x", b.allocate(S, body)));
  };
  expect([2, 3].map((turns) => text(turns).includes("mbarrier_wait("))).toEqual([false, true]);
});

it("rows of a block of three dimensions that blocks of a cluster fold have places of their own", () => {
  const [x, y, z] = [v("x"), v("y"), v("z")];
  const part = buffer("part", [1], "local");
  const exchange = exchangeArray(part, [4, 3, 2], 2);
  const body = [part, exchange].reduceRight<Stmt>(
    (inner, each) => b.allocate(each, inner),
    b.seq([set(part, n(0), b.float(1)), b.fold("sum", part, { blocks: 2, exchange })]),
  );
  const bound3 = bound(z, 2, "threadIdx.z", bound(y, 3, "threadIdx.y", bound(x, 4, "threadIdx.x", body)));
  const { text } = cudaKernelText(kernel(bound3, [A, C], [4, 3, 2]), cudaPrelude());
  const [, row = ""] = /fold_sum_f32_blocks2\(\w+ \+ \(\(([\w. +*()]+)\) \* 2 \+ 0\)\)/.exec(text) ?? [];
  const place = new Function("threadIdx", `return ${row}`) as (at: { readonly z: number; readonly y: number }) => number;
  const places = [0, 1].flatMap((z) => [0, 1, 2].map((y) => place({ z, y })));
  expect(places.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
  expect(exchange.shape[0]).toBe(6);
});

it("the barrier of a fold over blocks counts as shared memory", () => {
  const isDynamic = (bytes: number): boolean => {
    const [x, part, kept] = [v("x"), buffer("part", [1], "local"), buffer("kept", [bytes / 4], "shared")];
    const exchange = exchangeArray(part, [32, 1, 1], 2);
    const fold = b.seq([set(part, n(0), b.float(1)), set(kept, n(0), b.float(1)), b.fold("sum", part, { blocks: 2, exchange })]);
    const body = [part, exchange, kept].reduceRight<Stmt>((inner, each) => b.allocate(each, inner), fold);
    const { text } = cudaKernelText(kernel(bound(x, 32, "threadIdx.x", body), [A, C], [32, 1, 1]), cudaPrelude());
    return text.includes("extern __shared__");
  };
  // 48 KiB may be declared. Two floats are exchanged, 16 bytes with what aligns them, and a barrier has 8.
  expect([49_152 - 16 - 16, 49_152 - 16].map(isDynamic)).toEqual([false, true]);
});

it("a guarded vector whose other side is registers is not loaded before its guard", () => {
  const L = buffer("L", [4], "local");
  const four = (of: typeof A, start: Expr) => b.load(of, [b.ramp(start, 1, 4)]);
  const place = lin(t, 4);
  const guarded = b.select(b.lt(t, n(8)), four(A, place), four(L, n(0)));
  const store: Stmt = { kind: "Store", buffer: C, indices: [b.ramp(place, 1, 4)], value: guarded };
  const init = loop(i, 4, set(L, i, b.float(0)));
  const text = cuda(bound(t, 16, "threadIdx.x", b.allocate(L, b.seq([init, store]))));
  const loads = text.split("\n").filter((line) => /\bA\b/.test(line) && !line.includes("__global__"));
  expect(loads.length).toBeGreaterThan(0);
  for (const line of loads) expect(line).toMatch(/t(hreadIdx\.x)? < 8.*\bA\b/);
});

it("arrays of tiles in dynamic shared memory begin at multiples of 128 bytes, whatever stands before", () => {
  const [S0, S1] = [buffer("S0", [13_001], "shared"), buffer("S1", [64], "shared")];
  const F = [0, 1].map((k) => buffer(`F${k}`, [8], "wmma.matrix_a"));
  const load = (from: typeof S0, k: number): Stmt =>
    b.invoke(copyA, "body", [
      { buffer: from, indices: [n(0)], strides: [2, 1] },
      { buffer: F[k] as typeof S0, indices: [n(0)], strides: [2, 1] },
    ]);
  const nest = [S0, S1, ...F].reduceRight<Stmt>((body, each) => b.allocate(each, body), b.seq([load(S0, 0), load(S1, 1)]));
  const offsets = [...cuda(bound(t, 32, "threadIdx.x", nest)).matchAll(/shared_memory \+ (\d+)\)/g)].map(([, at]) => Number(at));
  expect(offsets).toHaveLength(2);
  expect(offsets.map((at) => at % 128)).toEqual([0, 0]);
  expect(offsets[1]).toBeGreaterThanOrEqual(13_001 * 4);
});

it("a wait for products of a warpgroup holds every register of their sums: of one tile, and of another array's two", () => {
  const alongK = { major: "k", swizzle: 32 } as const;
  const product = wgmma({ dtype: "float16", n: 24, a: alongK, b: alongK });
  const [L, R] = [buffer("L", [64 * 16], "shared", "float16"), buffer("R", [24 * 16], "shared", "float16")];
  const sums = [1, 2].map((tiles) => buffer(`S${tiles}`, [tiles * 64 * 24], "warpgroup.accumulator"));
  const tile = (of: typeof L, at: number, row: number) => ({ buffer: of, indices: [n(at)], strides: [row, 1] });
  const products = sums.flatMap((of, i) =>
    Array.from({ length: i + 1 }, (_, t) =>
      b.invoke(product, "update", [tile(L, 0, 16), tile(R, 0, 16), tile(of, t * 64 * 24, 24)]),
    ),
  );
  const prelude = cudaPrelude(true);
  const group = (...of: readonly Stmt[]): Stmt => ({ kind: "Async", engine: "wgmma", body: b.seq(of) });
  const waitFor = (pending: number): Stmt => ({ kind: "Wait", engine: "wgmma", pending });
  const held = (...body: readonly Stmt[]) => {
    const nest = [L, R, ...sums].reduceRight<Stmt>((inner, each) => b.allocate(each, inner), b.seq(body));
    const { text } = cudaKernelText(kernel(bound(t, 128, "threadIdx.x", nest)), prelude);
    return [...text.matchAll(/wgmma_(end|wait)_(\d+)\((\w*)\);/g)].map(([, what, count, of]) => `${what} ${count} ${of}`.trim());
  };
  const [one, ...two] = products as [Stmt, ...Stmt[]];
  expect(held(group(...products), waitFor(0))).toEqual(["wait 0", "end 12 S1", "end 24 S2"]);
  // Those of a group that is still in flight are not.
  const apart = held(group(one), group(...two), waitFor(1), waitFor(0));
  expect(apart).toEqual(["wait 1", "end 12 S1", "wait 0", "end 24 S2"]);
  expect(held(group(one), group(one), waitFor(1), waitFor(0))).toEqual(["wait 1", "wait 0", "end 12 S1"]);
  for (const count of [12, 24]) {
    const registers = new RegExp(`void wgmma_end_${count}\\(.*?\n}`, "s").exec(prelude.text)?.[0] ?? "";
    const numbers = [...registers.matchAll(/c\[(\d+)\]/g)].map(([, at]) => Number(at));
    expect(numbers).toEqual(Array.from({ length: count }, (_, at) => at));
  }
});
