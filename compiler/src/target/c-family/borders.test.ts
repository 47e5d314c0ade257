/** Texts at the limits of what a rule of C or CUDA allows, made from device functions written by hand. */
import { describe, expect, it } from "vitest";
import { copyA } from "../../../../test-support/programs/intrinsics.ts";
import { Analyzer } from "../../arith/analyzer.ts";
import { wgmma } from "../../intrinsic/cuda/wgmma.ts";
import * as b from "../../ir/build.ts";
import type { Expr } from "../../ir/expr.ts";
import type { Stmt } from "../../ir/stmt.ts";
import { bound, buffer, func, lin, loop, n, set, v } from "../../lower/ir.testing.ts";
import { cpuKernelText, cpuPrelude } from "../cpu/codegen.ts";
import { cudaKernelText, cudaPrelude } from "../cuda/codegen.ts";
import { mayWrap } from "./value-range.ts";

const [i, t] = [v("i"), v("t")] as const;
const A = buffer("A", [64]);
const C = buffer("C", [64]);
const I = buffer("I", [64], "global", "int32");
const kernel = (body: Stmt, params = [A, C]) => ({
  func: func("device", params, body),
  grid: [1, 1, 1] as const,
  block: [32, 1, 1] as const,
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
  const group: Stmt = { kind: "Async", engine: "wgmma", body: b.seq(products) };
  const body = b.seq([group, { kind: "Wait", engine: "wgmma", pending: 0 }]);
  const nest = [L, R, ...sums].reduceRight<Stmt>((inner, each) => b.allocate(each, inner), body);
  const prelude = cudaPrelude(true);
  const { text } = cudaKernelText(kernel(bound(t, 128, "threadIdx.x", nest)), prelude);
  expect([...text.matchAll(/(wgmma_settle_\d+)\((\w+)\);/g)].map(([, settle, of]) => [settle, of])).toEqual([
    ["wgmma_settle_12", "S1"],
    ["wgmma_settle_24", "S2"],
  ]);
  const held = /void wgmma_settle_24\(.*?\n}/s.exec(prelude.text)?.[0] ?? "";
  expect([...held.matchAll(/c\[(\d+)\]/g)].map(([, at]) => Number(at))).toEqual(Array.from({ length: 24 }, (_, at) => at));
});
