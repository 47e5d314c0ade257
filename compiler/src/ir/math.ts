/**
 * Functions of floats, as both interpreters compute them: in float64, before the result is rounded to its type. Targets call the
 * functions of their C library, within the errors stated in docs/writing-a-template.md.
 */
import type { MathName } from "./expr.ts";

/** To the nearest whole number, halves to the even one (IEEE 754 roundToIntegralTiesToEven, C's rint). */
function round(x: number): number {
  const nearest = Math.round(x);
  const even = Math.abs(x % 1) === 0.5 && nearest % 2 !== 0 ? nearest - 1 : nearest;
  return even === 0 ? x * 0 : even;
}

/**
 * The error function, to about 1e-15 of its value. Sums have terms of one sign (Abramowitz and Stegun 7.1.6); beyond 3 the
 * complement is a continued fraction (7.1.14, evaluated from its end).
 */
function erf(x: number): number {
  const size = Math.abs(x);
  if (size > 6) return Math.sign(x);
  if (size <= 3) {
    let [term, sum] = [x, x];
    for (let n = 1; Math.abs(term) > Math.abs(sum) * 1e-17; n++) {
      term *= (2 * x * x) / (2 * n + 1);
      sum += term;
    }
    return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
  }
  let fraction = size;
  for (let n = 60; n >= 1; n--) fraction = size + n / 2 / fraction;
  return Math.sign(x) * (1 - Math.exp(-x * x) / (Math.sqrt(Math.PI) * fraction));
}

const bits32 = new Float32Array(1);
const word = new Uint32Array(bits32.buffer);

/** A float32 without its last 13 bits, to the nearest, halves away from zero. */
export function tf32(x: number): number {
  bits32[0] = x;
  if (!Number.isFinite(x)) return x;
  word[0] = ((word[0] as number) + 0x1000) & 0xffffe000;
  return bits32[0] as number;
}

/** The second argument is that of `pow`. */
export const mathValues: Readonly<Record<MathName, (x: number, y?: number) => number>> = {
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  log: Math.log,
  // JavaScript gives NaN where IEEE 754 and C give 1.
  pow: (x, y = Number.NaN) => (x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y),
  sqrt: Math.sqrt,
  tanh: Math.tanh,
  erf,
  sin: Math.sin,
  cos: Math.cos,
  floor: Math.floor,
  ceil: Math.ceil,
  round,
  abs: Math.abs,
  tf32,
};
