/**
 * The kernels of helper.cu, compiled as ordinary C++ (testdata/helper-host.cpp), against the TypeScript that defines their
 * meaning; and the committed PTX against its source.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type DType,
  dtypeBytes,
  dtypes,
  type Fill,
  filledValue,
  fillFault,
  halfBits,
  isFloat,
  isFloat8,
  type ManifestBuffer,
  Random,
} from "@warpfarm/common";
import koffi from "koffi";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { some } from "../../../../test-support/campaign.ts";
import { has, needs } from "../../../../test-support/needs.ts";
import { nvccSays } from "../../../../test-support/nvcc.ts";
import { contentsOf, type Held, heldOf, sumsOfBoth, worstMismatch } from "../../measure/check.ts";
import { elementsOf } from "../../measure/elements.ts";
import { fillBytes, fillElements } from "../../measure/inputs.ts";
import { partialContents } from "./helper-kernels.ts";

/** Uses the language's own rounding, apart from the code under test; floats of 16 bits through float32. */
function roundTo(dtype: DType): (x: number) => number {
  const nearest = (x: number, bits: number, least: number): number => {
    const step = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(x))), least) - bits + 1);
    const down = Math.floor(x / step);
    const rest = x / step - down;
    return (rest > 0.5 || (rest === 0.5 && down % 2 !== 0) ? down + 1 : down) * step || x * 0;
  };
  if (dtype === "float32") return Math.fround;
  if (dtype === "float16") return (x) => nearest(Math.fround(x), 11, -14);
  if (dtype === "bfloat16") return (x) => nearest(Math.fround(x), 8, -126);
  if (dtype === "float8_e4m3fn") return (x) => nearest(x, 4, -6);
  if (dtype === "float8_e5m2") return (x) => nearest(x, 3, -14);
  return (x) => x;
}

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "warpfarm-helper-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const blocks = 2;
const verdict = 40;

let host: { func(definition: string): (...args: unknown[]) => unknown };
beforeAll(() => {
  if (!has("nvcc")) return;
  const library = join(scratch, "helper.so");
  const flags = ["-std=c++17", "-shared", "--cudart", "none", "-Xcompiler", "-fPIC,-O0,-pthread,-ffp-contract=off,-w"];
  execFileSync("nvcc", ["-x", "c++", ...flags, "-o", library, at("testdata/helper-host.cpp")]);
  host = koffi.load(library);
});

const bufferOf = (dtype: DType, count: number): Uint8Array =>
  new Uint8Array(new ArrayBuffer(Math.max(64, dtypeBytes(dtype, count))));
const specOf = (dtype: DType, count: number): ManifestBuffer => ({
  name: "out",
  dtype,
  shape: [count],
  bytes: dtypeBytes(dtype, count),
  align: 64,
  role: "out",
  reduction: 1,
});

describe("fill", () => {
  it.for(dtypes)("%s has the bits of the CPU's", (dtype, ctx) => {
    needs(ctx, "nvcc");
    const count = 2_501;
    const fill = host.func(`void host_fill_${dtype}(void *out, uint64_t n, uint k0, uint k1, uint buffer, uint blocks)`);
    const expected = bufferOf(dtype, count);
    fillElements(dtype, expected, count, 2 ** 40 + 12_345, 3);
    const got = bufferOf(dtype, count);
    fill(got, count, 12_345, 2 ** 8, 3, blocks);
    expect(got).toEqual(expected);
  });
});

describe("fill as a program says", () => {
  const whole = (dtype: DType): readonly Fill[] => {
    const ends: Partial<Record<DType, readonly [string, string]>> = {
      int32: ["-2147483648", "2147483647"],
      int64: ["-4503599627370496", "-4503599627370001"],
      uint8: ["3", "250"],
      int8: ["-128", "127"],
      int4: ["-7", "5"],
    };
    const [from, to] = ends[dtype] ?? ["0", "1"];
    return [
      { kind: "range", from, to },
      { kind: "constant", value: to },
    ];
  };
  const floats: readonly Fill[] = [
    { kind: "range", from: "-1", to: "1" },
    { kind: "range", from: "0.00390625", to: "1" },
    { kind: "range", from: "-65504", to: "65504" },
    { kind: "range", from: "1e-8", to: "0.00001" },
    { kind: "constant", value: "0.1" },
    { kind: "normal", mean: "0", deviation: "1" },
    { kind: "normal", mean: "-3.5", deviation: "0.02" },
  ];
  it.for(dtypes)("%s has the bits of the CPU's and of common's", (dtype, ctx) => {
    needs(ctx, "nvcc");
    const shape = [5, 151];
    const count = 5 * 151;
    const permutations: readonly Fill[] = dtype === "int32" || dtype === "int64" ? [{ kind: "permutation" }] : [];
    const seeds = "uint64_t n, uint k0, uint k1, uint buffer";
    const given = host.func(
      `void host_given_${dtype}(void *out, ${seeds}, uint kind, double from, double to, uint64_t row, uint half, uint blocks)`,
    );
    // Floats of 8 bits do not reach as far as those of 16.
    const held = floats.filter((fill) => !isFloat8(dtype) || fillFault(dtype, shape, fill) === undefined);
    const all = [...(isFloat(dtype) ? held : whole(dtype)), ...permutations];
    expect(held.length).toBeGreaterThanOrEqual(floats.length - 1);
    for (const fill of all) {
      expect(fillFault(dtype, shape, fill)).toBeUndefined();
      const spec = { ...specOf(dtype, count), shape, fill };
      const expected = bufferOf(dtype, count);
      fillBytes(spec, expected, 2 ** 40 + 12_345, 3, "exact");
      const got = bufferOf(dtype, count);
      const [kind, from, to] =
        fill.kind === "range"
          ? [0, Number(fill.from), Number(fill.to)]
          : fill.kind === "constant"
            ? [2, Number(fill.value), 0]
            : fill.kind === "normal"
              ? [3, Number(fill.mean), Number(fill.deviation)]
              : [1, 0, 0];
      given(got, count, 12_345, 2 ** 8, 3, kind, from, to, 151, halfBits(151), blocks);
      expect(got).toEqual(expected);
      const elements = elementsOf(dtype, expected, count);
      const common = Array.from({ length: count }, (_, i) => filledValue(spec, fill, 2 ** 40 + 12_345, 3, i));
      expect(Array.from({ length: count }, (_, i) => Number(elements[i]))).toEqual(common.map(roundTo(dtype)));
      if (fill.kind === "permutation")
        for (let row = 0; row < 5; row++)
          expect(common.slice(row * 151, row * 151 + 151).sort((a, b) => a - b)).toEqual(
            Array.from({ length: 151 }, (_, i) => i),
          );
    }
  });
});

describe("compare", () => {
  const compare = (dtype: DType, got: Uint8Array, reference: Uint8Array, count: number, atol: number, rtol: number): unknown => {
    const verdicts = new Uint8Array(new ArrayBuffer((blocks + 1) * verdict));
    const signature = "const void *got, const void *reference, uint64_t n, double atol, double rtol, void *all, uint blocks";
    host.func(`void host_compare_${dtype}(${signature})`)(got, reference, count, atol, rtol, verdicts, blocks);
    const view = new DataView(verdicts.buffer);
    const wrong = Number(view.getBigUint64(16, true));
    if (wrong === 0) return undefined;
    const index = Number(view.getBigUint64(8, true));
    return { buffer: "out", index, expected: view.getFloat64(32, true), got: view.getFloat64(24, true), count: wrong };
  };

  it.for(dtypes)("%s gives the CPU's verdict", (dtype, ctx) => {
    needs(ctx, "nvcc");
    const count = 1_003;
    const random = new Random(7);
    const reference = bufferOf(dtype, count);
    fillElements(dtype, reference, count, 1, 0);
    const tolerance = dtype.startsWith("float") || dtype === "bfloat16" ? { atol: 1e-2, rtol: 1e-2 } : { atol: 0, rtol: 0 };
    expect(compare(dtype, reference, reference, count, tolerance.atol, tolerance.rtol)).toBeUndefined();
    for (let round = 0; round < 2; round++) {
      const got = reference.slice();
      const places = dtypeBytes(dtype, count) - 8;
      for (let i = 0; i <= round * 9; i++) got[random.below(places)] = random.below(256);
      expect(compare(dtype, got, reference, count, tolerance.atol, tolerance.rtol)).toEqual(
        worstMismatch(specOf(dtype, count), got, reference, tolerance),
      );
    }
  });

  const float32 = (...values: number[]): Uint8Array =>
    new Uint8Array(Float32Array.from([...values, ...new Array(16).fill(0)]).buffer);
  it.for([
    ["NaN against a number", [Number.NaN, 1], [1, 1], { index: 0, count: 1 }],
    ["a number against NaN", [1, 1], [1, Number.NaN], { index: 1, count: 1 }],
    ["NaN against NaN", [Number.NaN], [Number.NaN], { index: 0, count: 1 }],
    ["equal infinities", [Number.POSITIVE_INFINITY], [Number.POSITIVE_INFINITY], undefined],
    ["opposite infinities", [Number.NEGATIVE_INFINITY], [Number.POSITIVE_INFINITY], { index: 0, count: 1 }],
    ["a number against infinity", [3], [Number.POSITIVE_INFINITY], { index: 0, count: 1 }],
    ["the first of two equal faults", [1, 9, 9], [1, 1, 1], { index: 1, count: 2 }],
  ] as const)("%s", ([, got, reference, expected], ctx) => {
    needs(ctx, "nvcc");
    const [a, b] = [float32(...got), float32(...reference)];
    const count = got.length + 16;
    const found = compare("float32", a, b, count, 1e-3, 1e-3);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
    expect(found).toEqual(worstMismatch(specOf("float32", count), a, b, { atol: 1e-3, rtol: 1e-3 }));
  });

  it("tells 64-bit integers apart that no double does", (ctx) => {
    needs(ctx, "nvcc");
    const a = new Uint8Array(BigInt64Array.from([2n ** 60n, 2n ** 60n + 1n]).buffer);
    const b = new Uint8Array(BigInt64Array.from([2n ** 60n, 2n ** 60n]).buffer);
    expect(compare("int64", a, b, 2, 0, 0)).toMatchObject({ index: 1, count: 1 });
  });
});

describe("contents", () => {
  const contents = (dtype: DType, data: Uint8Array, count: number): Held => {
    const partial = new Uint8Array(new ArrayBuffer(blocks * 56));
    host.func(`void host_contents_${dtype}(const void *data, uint64_t n, void *partial, uint blocks)`)(
      data,
      count,
      partial,
      blocks,
    );
    return heldOf(dtype, count, partialContents(partial).reduce(sumsOfBoth));
  };

  it.for(dtypes)("%s gives what the CPU gives", (dtype, ctx) => {
    needs(ctx, "nvcc");
    const count = 1_003;
    const seeded = bufferOf(dtype, count);
    fillElements(dtype, seeded, count, 1, 0);
    // Every element is a small multiple of 1/256, so the sums are exact in any order.
    expect(contents(dtype, seeded, count)).toEqual(contentsOf(specOf(dtype, count), seeded));
    const random = new Random(7);
    // Doubles below 2, because squares of larger ones overflow.
    const any = seeded.map((_, i) => random.below(dtype === "float64" && i % 8 === 7 ? 64 : 256));
    const [{ mean, rms, ...rest }, expected] = [contents(dtype, any, count), contentsOf(specOf(dtype, count), any)];
    const { mean: wantedMean, rms: wantedRms, ...wanted } = expected;
    expect(rest).toEqual(wanted);
    expect(Math.abs(mean - wantedMean)).toBeLessThanOrEqual(1e-12 * wantedRms);
    expect(Math.abs(rms - wantedRms)).toBeLessThanOrEqual(1e-12 * wantedRms);
  });

  it("counts what is no number, and infinities of both signs", (ctx) => {
    needs(ctx, "nvcc");
    const data = Float32Array.of(Number.NaN, -3, Number.POSITIVE_INFINITY, 0.5, Number.NEGATIVE_INFINITY, Number.NaN);
    const bytes = new Uint8Array(data.buffer);
    expect(contents("float32", bytes, 6)).toMatchObject({ low: -3, high: 0.5, nearest: 0.5, mean: -1.25, nan: 2, infinite: 2 });
    expect(contents("float32", bytes, 1)).toEqual(contentsOf(specOf("float32", 1), bytes.subarray(0, 4)));
  });
});

describe("digest and invert", () => {
  const digests = (...all: readonly Uint8Array[]): readonly string[] => {
    const sums = new BigUint64Array(new ArrayBuffer(16 * all.length));
    const regions = BigUint64Array.from(all.flatMap((data) => [koffi.address(data), BigInt(data.byteLength)]));
    const signature = "void host_digest(const void *regions, uint count, void *sums, uint blocks)";
    host.func(signature)(regions, all.length, sums, blocks);
    return all.map((_, i) => sums.subarray(2 * i, 2 * i + 2).join());
  };
  const digest = (data: Uint8Array): string => digests(data)[0] as string;
  it("a digest depends on every byte and its place, not on the address", (ctx) => {
    needs(ctx, "nvcc");
    const data = Uint8Array.from({ length: 1_001 }, (_, i) => (i * 7) & 255);
    const whole = digest(data);
    const shifted = new Uint8Array(1_004);
    shifted.set(data, 3);
    expect(digest(shifted.subarray(3))).toBe(whole);
    const seen = new Set([whole]);
    for (const place of [0, 500, 999, 1_000]) {
      const other = data.slice();
      other[place] = (other[place] ?? 0) ^ 1;
      seen.add(digest(other));
    }
    const swapped = data.slice();
    [swapped[0], swapped[8]] = [data[8] ?? 0, data[0] ?? 0];
    seen.add(digest(swapped));
    expect(seen.size).toBe(6);
  });
  it("of many regions, long and short, each has the digest that it has alone", (ctx) => {
    needs(ctx, "nvcc");
    const lengths = [1, 40_000, 8, 0, 2_047, 12, 4_096, 9_000];
    const regions = lengths.map((length, r) => Uint8Array.from({ length }, (_, i) => (i * (2 * r + 3) + (i >> 8)) & 255));
    expect(digests(...regions)).toEqual(regions.map(digest));
    expect(new Set(digests(...regions)).size).toBe(lengths.length);
  });
  it("invert turns every bit", (ctx) => {
    needs(ctx, "nvcc");
    const from = Uint8Array.from({ length: 777 }, (_, i) => i & 255);
    const to = new Uint8Array(777);
    host.func("void host_invert(void *to, const void *from, uint64_t bytes, uint blocks)")(to, from, 777, blocks);
    expect(to).toEqual(from.map((byte) => ~byte));
  });
});

describe("the committed PTX", () => {
  const ptx = at("../../../ptx/helper.ptx");
  const recorded = /with nvcc ([\d.]+)/.exec(readFileSync(ptx, "utf8"))?.[1];

  it("is what the source gives", (ctx) => {
    needs(ctx, "nvcc");
    const here = /V([\d.]+)/.exec(execFileSync("nvcc", ["--version"], { encoding: "utf8" }))?.[1];
    if (here !== recorded) ctx.skip(`nvcc ${here} words PTX unlike nvcc ${recorded}, which made the committed text`);
    const script = at("../../../../scripts/gen-cuda-helper.mjs");
    const sources = ["helper.cu", "own.cu", "../../../ptx/helper.ptx", "../../../ptx/own.ptx"].map(at);
    nvccSays(
      [script, ...sources].map((path) => readFileSync(path, "utf8")),
      () => execFileSync("node", [script, "--check"], { encoding: "utf8" }),
    );
  });

  it.for(some([75, 90, 120], 2))("assembles for sm_%d", (sm, ctx) => {
    needs(ctx, "nvcc");
    for (const name of ["helper", "own"]) {
      const path = at(`../../../ptx/${name}.ptx`);
      const flags = ["-cubin", `-arch=sm_${sm}`];
      nvccSays([flags, readFileSync(path, "utf8")], () =>
        execFileSync("nvcc", [...flags, "-o", join(scratch, `${name}-${sm}.cubin`), path], { encoding: "utf8" }),
      );
    }
  });
});
