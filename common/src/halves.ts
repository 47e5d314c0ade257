/** Bits of floats of 16 and 8 bits, and the numbers that they stand for. */
import type { Float8 } from "./dtype.ts";

/** IEEE 754 binary16. */
export function float16ToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const word = new Float32Array(1);
const wordBits = new Uint32Array(word.buffer);

/** Bits of the float16 nearest to a float32, ties to even. */
export function float16Bits(value: number): number {
  word[0] = value;
  const bits = wordBits[0] ?? 0;
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fff_ffff;
  if (magnitude >= 0x4780_0000) return sign | (magnitude > 0x7f80_0000 ? 0x7e00 : 0x7c00);
  // Below 2^-14 the spacing is 2^-24.
  if (magnitude < 0x3880_0000) return sign | nearestEven(Math.abs(word[0] ?? 0) * 2 ** 24);
  return sign | ((magnitude - 0x3800_0000 + 0xfff + ((magnitude >>> 13) & 1)) >>> 13);
}

/** Bits of the bfloat16 nearest to a number's float32, ties to even. */
export function bfloat16Bits(value: number): number {
  word[0] = value;
  const bits = wordBits[0] ?? 0;
  if ((bits & 0x7fff_ffff) > 0x7f80_0000) return (bits >>> 16) | 0x40;
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

/** The greatest values of floats of 8 bits. */
export const largestFloat8: Readonly<Record<Float8, number>> = { float8_e4m3fn: 448, float8_e5m2: 57_344 };

const nan8 = 0x7f;
const forms: Readonly<Record<Float8, { readonly fraction: number; readonly bias: number }>> = {
  float8_e4m3fn: { fraction: 3, bias: 7 },
  float8_e5m2: { fraction: 2, bias: 15 },
};

/** Bits of the nearest float of 8 bits, rounded once, ties to even; the greatest one for what is beyond. */
export function float8Bits(dtype: Float8, value: number): number {
  const { fraction, bias } = forms[dtype];
  if (Number.isNaN(value)) return nan8;
  const sign = value < 0 || Object.is(value, -0) ? 0x80 : 0;
  const size = Math.min(Math.abs(value), largestFloat8[dtype]);
  const exponent = Math.max(Math.floor(Math.log2(size)), 1 - bias);
  // A carry out of the fraction goes to the exponent, as it should.
  const steps = nearestEven(size / 2 ** (exponent - fraction));
  return sign | (size === 0 ? 0 : ((exponent + bias - 1) << fraction) + steps);
}

export function float8ToNumber(dtype: Float8, bits: number): number {
  const { fraction, bias } = forms[dtype];
  const sign = bits & 0x80 ? -1 : 1;
  const [exponent, rest] = [(bits & 0x7f) >> fraction, bits & (2 ** fraction - 1)];
  if (dtype === "float8_e5m2" && exponent === 31) return rest === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if ((bits & 0x7f) === nan8) return Number.NaN;
  if (exponent === 0) return sign * rest * 2 ** (1 - bias - fraction);
  return sign * (1 + rest / 2 ** fraction) * 2 ** (exponent - bias);
}

function nearestEven(x: number): number {
  const down = Math.floor(x);
  const rest = x - down;
  return rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? down + 1 : down;
}
