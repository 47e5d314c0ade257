import {
  type DType,
  dtypeBytes,
  dtypes,
  fillValue,
  float16Bits,
  float16ToNumber,
  philoxBits,
  rangeValue,
  type Tolerance,
} from "@warpfarm/common";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tensor } from "../../../test-support/kernels.ts";
import { contentsOf, type Held, largestTerm, notANumber, sumsOver, tolerancesOf, worstMismatch } from "./check.ts";
import { elementsOf } from "./elements.ts";
import { fillBytes, fillElements } from "./inputs.ts";

const float32 = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer);
const spec = (dtype: DType, count: number) => tensor("y", "out", dtype, [count]);
const mismatch32 = (got: number[], expected: number[], tolerance: Tolerance) =>
  worstMismatch(spec("float32", got.length), float32(...got), float32(...expected), tolerance);

const heldFloat = (dtype: DType, most: number): Held => ({
  dtype,
  low: -most,
  high: most,
  nearest: 0,
  mean: 0,
  rms: most / 2,
  nan: 0,
  infinite: 0,
});

describe("tolerance", () => {
  const output = { ...tensor("y", "out", "float32", [4]), reduction: 16 };
  const [a, b] = [tensor("a", "in", "float16", [4]), tensor("b", "in", "int32", [4])];
  const held = new Map([
    ["a", heldFloat("float16", 1)],
    ["b", heldFloat("int32", 50_000)],
    ["y", heldFloat("float32", 4)],
  ]);
  test("without stages, by the coarsest float input and the output; an index is no magnitude", () => {
    const rough = { rtol: 4 * 2 ** -23, atol: 4 * 2 ** -10 * 4 };
    expect(tolerancesOf([a, b, output], undefined, held).get("y")).toEqual(rough);
  });
  test("the greatest term is the product of the two greatest inputs", () => {
    expect(largestTerm([4, 1, 8].map((most) => heldFloat("float32", most)))).toBe(32);
  });
  test("an input that is written too is an input", () => {
    const both = [{ ...a, role: "inout" as const }, output];
    expect(tolerancesOf(both, undefined, held).get("y")).toEqual(tolerancesOf([a, output], undefined, held).get("y"));
    expect(tolerancesOf([output], undefined, held).get("y")?.atol).toBeLessThan(4 * 2 ** -10);
  });
  test("with stages, by these: float16 products are exact in float32", () => {
    const stages = [
      { name: "y", dtype: "float32", combine: "sum", terms: 16, body: [["load", "a", "own"], ["cast", "float32"], ["square"]] },
    ] as const;
    const { atol = 0, rtol = 0 } = tolerancesOf([a, b, output], stages, held).get("y") ?? {};
    expect(atol + rtol * 4).toBeGreaterThan(2 ** -23);
    expect(atol + rtol * 4).toBeLessThan(2 ** -15);
  });
  test("what the program states comes first; integers are exact", () => {
    const stated = { ...output, tolerance: { atol: "0.25", rtol: "0" } };
    expect(tolerancesOf([stated], undefined, held).get("y")).toEqual({ atol: 0.25, rtol: 0 });
    expect(tolerancesOf([{ ...output, dtype: "int32" }], undefined, held).get("y")).toEqual({ atol: 0, rtol: 0 });
  });
  test("contents are those of the finite elements", () => {
    const bytes = float32(3, -4, Number.NaN, Number.POSITIVE_INFINITY, 0.5);
    const found = contentsOf(spec("float32", 5), bytes);
    expect(found).toMatchObject({ low: -4, high: 3, nearest: 0.5, nan: 1, infinite: 1 });
    expect(found.rms).toBeCloseTo(Math.sqrt(25.25 / 3), 12);
    expect(contentsOf(spec("float32", 5), bytes.subarray(0, 8))).toMatchObject({ low: -4, high: 3, nan: 0 });
  });
  test("NaN in the reference is traced to the stage it comes from", () => {
    const stages = [{ name: "root", dtype: "float32", terms: 1, body: [["load", "a", "own"], ["sqrt"]] }] as const;
    const contents = new Map([
      ...held,
      ["root", { ...heldFloat("float32", 1), nan: 7 }],
      ["y", { ...heldFloat("float32", 1), nan: 9 }],
    ] as const);
    expect(notANumber([output], stages, contents)).toMatch(
      /it computes NaN.*7 elements of "root", which takes square roots; say how/,
    );
    // A stage's NaN that no output has is nobody's fault: a select may leave it out.
    expect(notANumber([output], stages, new Map([...contents, ["y", heldFloat("float32", 1)]]))).toBeUndefined();
    expect(notANumber([output], stages, held)).toBeUndefined();
  });
});

describe("comparison", () => {
  const tolerance = { rtol: 0.01, atol: 0.1 };
  test("on the edge passes, beyond it fails", () => {
    expect(mismatch32([100 + 1], [100], { rtol: 0.01, atol: 0 })).toBeUndefined();
    expect(mismatch32([100 + 1.01], [100], { rtol: 0.01, atol: 0 })).toMatchObject({ index: 0, count: 1 });
  });
  test("the worst is the furthest beyond its own tolerance, not the largest difference", () => {
    expect(mismatch32([1020, 1], [1000, 0], tolerance)).toMatchObject({ index: 1, expected: 0, got: 1, count: 2 });
  });
  test("NaN fails on either side and is worse than any number", () => {
    expect(mismatch32([1e30, Number.NaN, 5], [0, 0, 5], tolerance)).toMatchObject({ index: 1, got: Number.NaN, count: 2 });
    expect(mismatch32([Number.NaN], [Number.NaN], tolerance)).toMatchObject({ index: 0, count: 1 });
    // Without any tolerance each difference is infinitely far beyond it, and the first one wins.
    const none = { rtol: 0, atol: 0 };
    expect(mismatch32([Number.NaN, 1], [0, 0], none)).toMatchObject({ index: 0, count: 2 });
    expect(mismatch32([1, Number.NaN], [0, 0], none)).toMatchObject({ index: 0, count: 2 });
  });
  test("equal infinities agree, others do not", () => {
    expect(mismatch32([Number.POSITIVE_INFINITY], [Number.POSITIVE_INFINITY], tolerance)).toBeUndefined();
    expect(mismatch32([Number.POSITIVE_INFINITY], [1], tolerance)).toMatchObject({ index: 0 });
    expect(mismatch32([1], [Number.NEGATIVE_INFINITY], tolerance)).toMatchObject({ index: 0 });
  });
  test("an exact reference of zero with no tolerance still finds a difference", () => {
    expect(mismatch32([1e-30], [0], { rtol: 0, atol: 0 })).toMatchObject({ index: 0 });
  });
  test("64-bit integers are compared beyond 2^53", () => {
    const got = new Uint8Array(BigInt64Array.of(2n ** 60n + 1n, 5n).buffer);
    const expected = new Uint8Array(BigInt64Array.of(2n ** 60n, 5n).buffer);
    expect(worstMismatch(spec("int64", 2), got, expected, { rtol: 0, atol: 0 })).toMatchObject({ index: 0, count: 1 });
  });
  test.each(dtypes)("%s: one flipped element anywhere is found, and no other", (dtype) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(), (count, at) => {
        const index = at % count;
        const make = (change: boolean) => {
          const bytes = new Uint8Array(new ArrayBuffer(Math.max(8, Math.ceil(dtypeBytes(dtype, count) / 8) * 8)));
          fillElements(dtype, bytes, count, 1, 0);
          const [byte, mask] = flip(dtype, index);
          if (change) bytes[byte] = (bytes[byte] ?? 0) ^ mask;
          return bytes;
        };
        expect(worstMismatch(spec(dtype, count), make(false), make(false), { rtol: 1e-3, atol: 1e-3 })).toBeUndefined();
        expect(worstMismatch(spec(dtype, count), make(true), make(false), { rtol: 1e-3, atol: 1e-3 })).toMatchObject({
          index,
          count: 1,
        });
      }),
    );
  });
});

test("sums over axes are exact: of 64-bit integers beyond 2^53, in the order of the axes that stay", () => {
  const values = Array.from({ length: 24 }, (_, i) => 2n ** 61n * BigInt((i % 3) - 1) + BigInt(i * i));
  const shape = [2, 3, 4];
  const bytes = new Uint8Array(BigInt64Array.from(values).buffer);
  for (const sum_over of [[0], [1], [2], [0, 2]]) {
    const expected = new Map<string, bigint>();
    for (const [i, value] of values.entries()) {
      const at = [Math.floor(i / 12), Math.floor(i / 4) % 3, i % 4].filter((_, axis) => !sum_over.includes(axis)).join();
      expected.set(at, BigInt.asIntN(64, (expected.get(at) ?? 0n) + value));
    }
    expect([...(sumsOver({ dtype: "int64", shape, sum_over }, bytes) as BigInt64Array)]).toEqual([...expected.values()]);
  }
});

/** A byte and bit whose change alters only element `index`, and by a lot. */
function flip(dtype: DType, index: number): readonly [number, number] {
  if (dtype === "int4") return [(index >> 1) ^ 3, index % 2 === 0 ? 0x80 : 0x08];
  if (dtype === "int1") return [(index >> 3) ^ 3, 0x80 >> (index & 7)];
  const width = dtypeBytes(dtype, 1);
  return [index * width + width - 1, dtype.includes("float") ? 0x40 : 0x01];
}

describe("inputs", () => {
  test.each(dtypes)("%s: every element is common's value of common's Philox bits", (dtype) => {
    const count = 301;
    for (const [seed, number] of [
      [0x5eed, 0],
      [2 ** 40 + 7, 3],
    ] as const) {
      const bytes = new Uint8Array(new ArrayBuffer(4096));
      fillElements(dtype, bytes, count, seed, number);
      const want = Array.from({ length: count }, (_, i) => fillValue(dtype, philoxBits(seed, number, i)));
      expect(Array.from(elementsOf(dtype, bytes, count) as ArrayLike<number>, Number)).toEqual(want.map((v) => v + 0));
    }
  });
  test.each([
    ["int4", 8, (word: number, e: number) => (word << (4 * e)) >> 28],
    ["int1", 32, (word: number, e: number) => (word >>> (31 - e)) & 1],
  ] as const)("%s: the first of the elements of a 32-bit word is in its most significant bits", (dtype, perWord, element) => {
    const bytes = new Uint8Array(new ArrayBuffer(dtypeBytes(dtype, 100)));
    fillElements(dtype, bytes, 100, 3, 1);
    const words = new DataView(bytes.buffer);
    const got = Array.from({ length: 100 }, (_, i) => element(words.getInt32(4 * Math.floor(i / perWord), true), i % perWord));
    expect(got).toEqual(Array.from({ length: 100 }, (_, i) => fillValue(dtype, philoxBits(3, 1, i))));
  });
  test("a range is common's value of the bits of the whole seed", () => {
    const input = { ...tensor("x", "in", "int32", [50]), fill: { kind: "range", from: "-5", to: "100000" } as const };
    for (const seed of [7, 2 ** 40 + 7]) {
      const bytes = new Uint8Array(new ArrayBuffer(200));
      fillBytes(input, bytes, seed, 3, "full");
      const wanted = Array.from({ length: 50 }, (_, i) => rangeValue("int32", -5, 100_000, philoxBits(seed, 3, i) >>> 0));
      expect([...new Int32Array(bytes.buffer)]).toEqual(wanted);
    }
  });
  test("float16: every multiple of 1/256 up to 1 goes there and back, and the corner values are IEEE's", () => {
    for (let k = -256; k <= 256; k++) expect(float16ToNumber(float16Bits(k / 256))).toBe(k / 256);
    expect([0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00].map(float16ToNumber)).toEqual([
      1,
      -2,
      65504,
      2 ** -24,
      Number.POSITIVE_INFINITY,
    ]);
    expect(float16ToNumber(0x7e00)).toBeNaN();
  });
});
