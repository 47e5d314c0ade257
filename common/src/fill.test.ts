import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type Fill, fillFault, permuted, rangeValue } from "./fill.ts";

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
