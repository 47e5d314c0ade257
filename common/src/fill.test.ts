import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type Fill, filledValue, fillFault, fillFor, normalValue, permuted, rangeValue } from "./fill.ts";
import { philoxBits } from "./philox.ts";

describe("how a buffer may be filled", () => {
  it.each<[string, readonly number[], Fill, RegExp | undefined]>([
    ["int8", [4], { kind: "range", from: "-128", to: "127" }, undefined],
    ["int8", [4], { kind: "range", from: "0", to: "128" }, /128 is not a whole number from -128 to 127, which int8 holds/],
    ["int8", [4], { kind: "range", from: "-129", to: "0" }, /-129 is not a whole number/],
    ["int32", [4], { kind: "constant", value: "0.5" }, /0.5 is not a whole number/],
    ["float16", [4], { kind: "constant", value: "65504" }, undefined],
    ["float16", [4], { kind: "constant", value: "65505" }, /65505 is beyond what float16 holds/],
    ["float32", [4], { kind: "range", from: "1", to: "0" }, /the range is empty: it goes from 1 to 0/],
    ["float32", [4], { kind: "constant", value: "1e400" }, /"1e400" is not a finite number/],
    ["int64", [4], { kind: "range", from: "0", to: "4294967296" }, /the range has 4294967297 numbers/],
    ["int64", [4, 7], { kind: "permutation" }, undefined],
    ["float32", [4, 7], { kind: "permutation" }, /a permutation is of int32 or int64, not of float32/],
    ["int32", [], { kind: "permutation" }, /a permutation needs a last dimension/],
    ["float16", [4], { kind: "normal", mean: "0", deviation: "10000" }, undefined],
    [
      "float16",
      [4],
      { kind: "normal", mean: "0", deviation: "10400" },
      /elements reach 65915.2, which is beyond what float16 holds/,
    ],
    ["float32", [4], { kind: "normal", mean: "1", deviation: "0" }, /the standard deviation is 0; it is greater than 0/],
    ["float32", [4], { kind: "normal", mean: "x", deviation: "1" }, /"x" is not a finite number/],
    ["int8", [4], { kind: "normal", mean: "0", deviation: "1" }, /a normal distribution is of floats, not of int8/],
  ])("%s %j with %j", (dtype, shape, fill, fault) => {
    const found = fillFault(dtype as Parameters<typeof fillFault>[0], shape, fill);
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(fault);
  });
});

test("a row's permutation holds each number below its length once", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.array(fc.nat(0xffff_ffff), { minLength: 4, maxLength: 4 }), (n, keys) => {
      const row = Array.from({ length: n }, (_, i) => permuted(i, n, keys));
      expect(row.sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i));
    }),
  );
});

test("whole numbers of a range are the share of 2^32 that their bits are, both ends among them", () => {
  const limits = fc.tuple(fc.integer(), fc.nat(2 ** 32 - 2)).filter(([from, more]) => from + more < 2 ** 31);
  fc.assert(
    fc.property(limits, fc.nat(2 ** 32 - 1), ([from, more], bits) => {
      const exact = (at: number) => from + Number((BigInt(more + 1) * BigInt(at)) >> 32n);
      for (const at of [0, bits, 2 ** 32 - 1]) expect(rangeValue("int32", from, from + more, at)).toBe(exact(at));
    }),
  );
});

describe("normal values", () => {
  /** The distribution function by Simpson's rule from 0: right to 1e-9 where the tests look. */
  const below = (x: number): number => {
    const steps = 2_000;
    const h = x / steps;
    let sum = 0;
    for (let i = 0; i <= steps; i++) sum += Math.exp(-((i * h) ** 2) / 2) * (i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2);
    return 0.5 + (sum * h) / 3 / Math.sqrt(2 * Math.PI);
  };
  it.each([
    0,
    1,
    1000,
    2 ** 20,
    322_122_547,
    322_122_548,
    2 ** 31 - 1,
    2 ** 31,
    3_972_844_747,
    3_972_844_748,
    2 ** 32 - 1,
  ])("of the bits %i lie where that share of all values lies below", (bits) => {
    const x = normalValue(bits);
    const density = Math.exp(-(x ** 2) / 2) / Math.sqrt(2 * Math.PI);
    expect(Math.abs(below(x) - (bits + 0.5) / 2 ** 32) / density).toBeLessThan(2e-7 * Math.max(1, Math.abs(x)) + 1e-9 / density);
    expect(normalValue(2 ** 32 - 1 - bits)).toBe(-x);
  });
  it("have the moments of the distribution, grow with the bits, and use all digits", () => {
    const values = Array.from({ length: 40_000 }, (_, i) => normalValue(philoxBits(3, 1, i)));
    const moment = (power: number): number => values.reduce((sum, x) => sum + x ** power, 0) / values.length;
    // Four standard errors each.
    expect(Math.abs(moment(1))).toBeLessThan(0.02);
    expect(Math.abs(moment(2) - 1)).toBeLessThan(0.03);
    expect(Math.abs(moment(4) - 3)).toBeLessThan(0.2);
    const sorted = Array.from({ length: 20_000 }, (_, i) => normalValue(i * 214_748));
    expect(sorted.every((x, i) => i === 0 || x > (sorted[i - 1] as number))).toBe(true);
    const digits = new Uint32Array(new Float32Array(values).buffer).reduce((all, word) => all | word, 0) & 0x7f_ffff;
    expect(digits).toBe(0x7f_ffff);
  });
  it("have the mean and the deviation that a fill says; integers and stated fills are the same whatever the inputs", () => {
    const spec = { dtype: "float32", shape: [9] } as const;
    const [plain, moved] = [
      { kind: "normal", mean: "0", deviation: "1" },
      { kind: "normal", mean: "10", deviation: "0.5" },
    ] as const;
    for (let i = 0; i < 9; i++) expect(filledValue(spec, moved, 1, 2, i)).toBe(10 + 0.5 * filledValue(spec, plain, 1, 2, i));
    expect(fillFor("bfloat16", undefined, "full")).toEqual(plain);
    expect(fillFor("bfloat16", undefined, "exact")).toBeUndefined();
    expect(fillFor("int32", undefined, "full")).toBeUndefined();
    for (const inputs of ["full", "exact"] as const) expect(fillFor("float32", moved, inputs)).toBe(moved);
  });
});
