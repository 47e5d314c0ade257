/**
 * Python's arithmetic: ints exact, floats as CPython rounds them. Powers beyond 2^53 or of fractions, and quotients of integers
 * beyond 2^53, may differ in their last bit. Throws Fault where Python raises.
 */
import { type ExprValue, Fault, Float, int, isInt, isNumber, plainNumber, typeName } from "./values.ts";

type Int = number | bigint | boolean;

const big = (x: Int): bigint => BigInt(x);
/** Beyond 2^53 rounded to the nearest, as Python converts. */
export const toNumber = (x: Int | Float): number => Number(x instanceof Float ? x.value : x);

type OfInts = (a: bigint, b: bigint) => bigint;
type OfNumbers = (a: number, b: number) => number;

/** `small` is exact where its result is below 2^53, so it is tried first. */
function arithmetic(sign: string, small: OfNumbers, whole: OfInts) {
  return (a: ExprValue, b: ExprValue): ExprValue => {
    if (typeof a === "number" && typeof b === "number") {
      const made = small(a, b) + 0;
      return Number.isSafeInteger(made) ? made : int(whole(BigInt(a), BigInt(b)));
    }
    if (isInt(a) && isInt(b)) return int(whole(big(a), big(b)));
    if (isNumber(a) && isNumber(b)) return new Float(small(toNumber(a), toNumber(b)));
    throw new Fault(`computes ${typeName(a)} ${sign} ${typeName(b)}, which Python cannot`);
  };
}

export const add = arithmetic(
  "+",
  (a, b) => a + b,
  (a, b) => a + b,
);
export const subtract = arithmetic(
  "-",
  (a, b) => a - b,
  (a, b) => a - b,
);
export const multiply = arithmetic(
  "*",
  (a, b) => a * b,
  (a, b) => a * b,
);

const byZero = (sign: string): Fault => new Fault(sign === "%" ? "takes a rest of a division by zero" : "divides by zero");

function divided(sign: string, a: ExprValue, b: ExprValue): asserts a is Int | Float {
  if (!isNumber(a) || !isNumber(b)) throw new Fault(`computes ${typeName(a)} ${sign} ${typeName(b)}, which Python cannot`);
  if (Number(plainNumber(b)) === 0) throw byZero(sign);
}

export function divide(a: ExprValue, b: ExprValue): ExprValue {
  divided("/", a, b);
  return new Float(toNumber(a) / toNumber(b as Int | Float));
}

export function floorDivide(a: ExprValue, b: ExprValue): ExprValue {
  divided("//", a, b);
  if (typeof a === "number" && typeof b === "number") {
    const rest = a % b;
    return (a - rest) / b - (rest !== 0 && rest < 0 !== b < 0 ? 1 : 0) + 0;
  }
  if (isInt(a) && isInt(b)) {
    const [x, y] = [big(a), big(b)];
    const rest = x % y;
    return int(x / y - (rest !== 0n && rest < 0n !== y < 0n ? 1n : 0n));
  }
  const [x, y] = [toNumber(a), toNumber(b as Int | Float)];
  // The algorithm of CPython's float_divmod.
  let rest = x % y;
  let quotient = (x - rest) / y;
  if (rest !== 0 && rest < 0 !== y < 0) {
    rest += y;
    quotient -= 1;
  }
  if (quotient === 0) return new Float(0 * Math.sign(x / y));
  const floor = Math.floor(quotient);
  return new Float(quotient - floor > 0.5 ? floor + 1 : floor);
}

export function modulo(a: ExprValue, b: ExprValue): ExprValue {
  if (typeof a === "string") throw new Fault("formats a text with %, which this language leaves out");
  divided("%", a, b);
  if (typeof a === "number" && typeof b === "number") {
    const rest = a % b;
    return (rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest) + 0;
  }
  if (isInt(a) && isInt(b)) {
    const [x, y] = [big(a), big(b)];
    const rest = x % y;
    return int(rest !== 0n && rest < 0n !== y < 0n ? rest + y : rest);
  }
  const [x, y] = [toNumber(a), toNumber(b as Int | Float)];
  const rest = x % y;
  if (rest === 0) return new Float(y < 0 ? -0 : 0);
  return new Float(rest < 0 !== y < 0 ? rest + y : rest);
}

export function power(a: ExprValue, b: ExprValue): ExprValue {
  if (!isNumber(a) || !isNumber(b)) throw new Fault(`computes ${typeName(a)} ** ${typeName(b)}, which Python cannot`);
  const exponent = toNumber(b);
  if (isInt(a) && isInt(b) && exponent >= 0) return int(intPower(big(a), big(b)));
  const base = toNumber(a);
  if (base === 0 && exponent < 0) throw new Fault("divides by zero: 0 to a negative power");
  if (base === 1) return new Float(1);
  // V8 makes 10 ** -5 one bit less than 1e-5. A whole power below 2^53 is exact, so that its inverse is rounded only once.
  const inverse = base ** -exponent;
  const made = exponent < 0 && Number.isSafeInteger(inverse) ? 1 / inverse : base ** exponent;
  if (Number.isNaN(made) && base < 0) throw new Fault(`takes a power of ${base} by ${exponent}, which is no real number`);
  if (!Number.isFinite(made) && Number.isFinite(base)) throw new Fault("makes a float that is too large");
  return new Float(made);
}

/** Ends early when the result exceeds 64 bits. */
function intPower(base: bigint, exponent: bigint): bigint {
  if (base === 0n || base === 1n) return exponent === 0n ? 1n : base;
  if (base === -1n) return exponent % 2n === 0n ? 1n : -1n;
  return base ** (exponent > 65n ? 65n : exponent);
}

export function bits(sign: "&" | "|" | "^" | "<<" | ">>", a: ExprValue, b: ExprValue): ExprValue {
  if (!isInt(a) || !isInt(b)) throw new Fault(`computes ${typeName(a)} ${sign} ${typeName(b)}, which Python cannot`);
  const [x, y] = [big(a), big(b)];
  if (sign === "<<" || sign === ">>") {
    if (y < 0n) throw new Fault(`shifts by ${y} bits, which is negative`);
    const by = y > 128n ? 128n : y;
    return int(sign === "<<" ? x << by : x >> by);
  }
  const made = sign === "&" ? x & y : sign === "|" ? x | y : x ^ y;
  return typeof a === "boolean" && typeof b === "boolean" ? made === 1n : int(made);
}

export function negate(x: ExprValue): ExprValue {
  if (x instanceof Float) return new Float(-x.value);
  return isInt(x) ? subtract(0, x) : noNumber("-", x);
}
export const positive = (x: ExprValue): ExprValue => (x instanceof Float ? x : isInt(x) ? int(big(x)) : noNumber("+", x));
export const invert = (x: ExprValue): ExprValue => (isInt(x) ? int(~big(x)) : noNumber("~", x));
const noNumber = (sign: string, x: ExprValue): never => {
  throw new Fault(`computes ${sign} of a ${typeName(x)}, which Python cannot`);
};

export function absolute(x: ExprValue): ExprValue {
  if (x instanceof Float) return new Float(Math.abs(x.value));
  if (!isInt(x)) throw new Fault(`takes abs() of a ${typeName(x)}`);
  const whole = big(x);
  return int(whole < 0n ? -whole : whole);
}

export function whole(called: string, x: ExprValue, by: (value: number) => number): ExprValue {
  if (isInt(x)) return int(big(x));
  if (!(x instanceof Float)) throw new Fault(`takes ${called}() of a ${typeName(x)}`);
  const made = by(x.value);
  if (!Number.isFinite(made)) throw new Fault(`takes ${called}() of ${x.value}, which is no number`);
  return int(BigInt(made));
}

/** To the nearest integer, halves to the even one. */
const evenly = (x: number): number => {
  const floor = Math.floor(x);
  const rest = x - floor;
  return rest < 0.5 || (rest === 0.5 && floor % 2 === 0) ? floor : floor + 1;
};

export const round = (x: ExprValue): ExprValue => whole("round", x, evenly);
