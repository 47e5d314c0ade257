import { float8Bits, float8ToNumber } from "@warpfarm/common";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { floorMod, roundTo, toBfloat16, toE4m3, toE5m2, toFloat16, truncateTo } from "./numeric.ts";

/** IEEE 754 binary16 and bfloat16 by their definition: sign, exponent, fraction. */
function decode(bits: number, exponentBits: number, fractionBits: number): number {
  const sign = bits >> (exponentBits + fractionBits) ? -1 : 1;
  const exponent = (bits >> fractionBits) & (2 ** exponentBits - 1);
  const fraction = bits & (2 ** fractionBits - 1);
  const bias = 2 ** (exponentBits - 1) - 1;
  if (exponent === 2 ** exponentBits - 1) return fraction ? Number.NaN : sign * Infinity;
  if (exponent === 0) return sign * fraction * 2 ** (1 - bias - fractionBits);
  return sign * (1 + fraction / 2 ** fractionBits) * 2 ** (exponent - bias);
}

describe.each([
  ["float16", toFloat16, 5, 10],
  ["bfloat16", toBfloat16, 8, 7],
] as const)("%s rounds to nearest even", (_, round, exponentBits, fractionBits) => {
  it("keeps every value it can represent, and splits every gap in the middle", () => {
    const largest = (2 ** exponentBits - 1) * 2 ** fractionBits - 1;
    const wrong: number[] = [];
    for (let bits = 0; bits <= largest; bits++) {
      const x = decode(bits, exponentBits, fractionBits);
      const next =
        bits === largest ? 2 * x - decode(bits - 1, exponentBits, fractionBits) : decode(bits + 1, exponentBits, fractionBits);
      const above = bits === largest ? Infinity : next;
      const middle = (x + next) / 2;
      const even = bits % 2 === 0 ? x : above;
      const good =
        round(x) === x &&
        round(-x) === -x &&
        round(middle) === even &&
        round(-middle) === -even &&
        round(middle - (next - x) * 1e-6) === x &&
        round(middle + (next - x) * 1e-6) === above;
      if (!good) wrong.push(bits);
    }
    expect(wrong).toEqual([]);
  });
  it("keeps zeros' signs, infinities and NaN", () => {
    expect([0, -0, Infinity, -Infinity, Number.NaN, -1e-300].map(round)).toEqual([0, -0, Infinity, -Infinity, Number.NaN, -0]);
  });
});

describe.each([
  ["float8_e4m3fn", toE4m3, 4, 3, 0x7e],
  ["float8_e5m2", toE5m2, 5, 2, 0x7b],
] as const)("%s rounds to nearest even and saturates", (dtype, round, exponentBits, fractionBits, largest) => {
  /** By the definition of IEEE 754, but that the highest exponent of e4m3fn has numbers, all but one. */
  const numberOf = (bits: number): number =>
    dtype === "float8_e4m3fn" && bits >= 0x78 ? (1 + (bits & 7) / 8) * 2 ** 8 : decode(bits, exponentBits, fractionBits);
  it("keeps every value it can represent, and splits every gap in the middle", () => {
    const wrong: number[] = [];
    for (let bits = 0; bits < largest; bits++) {
      const [x, next] = [numberOf(bits), numberOf(bits + 1)];
      const [middle, even] = [(x + next) / 2, bits % 2 === 0 ? x : next];
      const at = [x, middle, middle - (next - x) * 1e-6, middle + (next - x) * 1e-6];
      const want = [x, even, x, next];
      const bitsOf = [bits, bits + (bits % 2), bits, bits + 1];
      const good = at.every(
        (value, i) =>
          round(value) === want[i] &&
          round(-value) === -(want[i] as number) &&
          float8Bits(dtype, value) === bitsOf[i] &&
          float8Bits(dtype, -value) === (bitsOf[i] as number) + 128,
      );
      if (!good || float8ToNumber(dtype, bits) !== x || float8ToNumber(dtype, bits + 128) !== -x) wrong.push(bits);
    }
    expect(wrong).toEqual([]);
  });
  it("ends at the greatest value, with zeros' signs and NaN kept", () => {
    const most = numberOf(largest);
    const at = [most, most * 1.04, 1e30, Infinity, -Infinity, 0, -0, Number.NaN, -1e-300];
    const want = [most, most, most, most, -most, 0, -0, Number.NaN, -0];
    expect(at.map(round)).toEqual(want);
    expect(at.map((x) => float8ToNumber(dtype, float8Bits(dtype, x)))).toEqual(want);
  });
});

it("integers wrap around as two's complement", () => {
  fc.assert(
    fc.property(fc.integer(), (x) => {
      const wrap = (bits: number) => Number(BigInt.asIntN(bits, BigInt(x)));
      expect(roundTo("int8")(x)).toBe(wrap(8));
      expect(roundTo("int4")(x)).toBe(wrap(4));
      expect(roundTo("int32")(x + 2 ** 31)).toBe(Number(BigInt.asIntN(32, BigInt(x) + 2n ** 31n)));
      expect(roundTo("uint8")(x)).toBe(Number(BigInt.asUintN(8, BigInt(x))));
    }),
  );
  expect(() => roundTo("int64")(2 ** 53)).toThrow(/2\^53/);
});

it("floorMod has the divisor's sign and completes floor division", () => {
  for (let a = -20; a <= 20; a++)
    for (const b of [-7, -3, -1, 1, 2, 5]) {
      const m = floorMod(a, b);
      expect(Math.floor(a / b) * b + m).toBe(a);
      expect(b > 0 ? m >= 0 && m < b : m <= 0 && m > b).toBe(true);
    }
});

it("floats become integers towards zero, saturating", () => {
  expect([2.9, -2.9, 1e10, -1e10, Number.NaN, -0.5].map(truncateTo("int8"))).toEqual([2, -2, 127, -128, 0, 0]);
});
