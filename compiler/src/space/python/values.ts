/**
 * The values of expressions, which are Python's: a JavaScript number is an int up to 2^53, a bigint an int beyond, Float a float
 * (2.0 is another thing than 2), an array a list. What Python raises, and what goes beyond the limits below, is a Fault.
 *
 *   integers   -2^63 to 2^64 - 1: what a signed or an unsigned number of 64 bits holds
 *   steps      10,000 an expression: operations, and items of what it goes through or makes
 */
import type { Json } from "@warpfarm/common";

export type ExprValue = number | bigint | Float | string | boolean | readonly ExprValue[] | Tuple | PythonSet | Range;

export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

export class Tuple {
  readonly items: readonly ExprValue[];
  constructor(items: readonly ExprValue[]) {
    this.items = items;
  }
}

/** Its items are in the order in which they were added, which is not Python's: nothing may depend on it. Throws Fault. */
export class PythonSet {
  readonly #items: ReadonlyMap<string, ExprValue>;
  constructor(items: readonly ExprValue[]) {
    const made = new Map<string, ExprValue>();
    for (const item of items) {
      const key = hashOf(item);
      if (!made.has(key)) made.set(key, item);
    }
    this.#items = made;
  }
  get items(): readonly ExprValue[] {
    return [...this.#items.values()];
  }
  get size(): number {
    return this.#items.size;
  }
  has(item: ExprValue): boolean {
    return this.#items.has(hashOf(item));
  }
  isWithin(other: PythonSet): boolean {
    return [...this.#items.keys()].every((key) => other.#items.has(key));
  }
}

/** Equal values have equal texts. A set holds no list and no set. */
function hashOf(x: ExprValue): string {
  if (typeof x === "string") return JSON.stringify(x);
  if (isNumber(x)) {
    const value = plainNumber(x);
    return Number.isInteger(value) ? BigInt(value).toString() : String(value);
  }
  if (x instanceof Tuple) return `(${x.items.map(hashOf).join()})`;
  if (x instanceof Range) return `range ${x.length} ${x.length > 0 ? x.start : ""} ${x.length > 1 ? x.step : ""}`;
  throw new Fault(`asks a set for ${article(typeName(x))}, which no set holds`);
}

export class Range {
  readonly start: number;
  readonly step: number;
  readonly length: number;
  constructor(start: number, stop: number, step: number) {
    if (step === 0) throw new Fault("range() with a step of 0");
    this.start = start;
    this.step = step;
    this.length = Math.max(0, Math.ceil((stop - start) / step));
  }
  at(i: number): number {
    return this.start + i * this.step + 0;
  }
}

/** Python raises here, or a limit is exceeded. The message follows "the expression". */
export class Fault extends Error {}

export const mostSteps = 10_000;

export class Steps {
  spent = 0;
  spend(steps: number): void {
    this.spent += steps;
    if (!(this.spent <= mostSteps)) throw new Fault(`takes more than ${mostSteps} steps, the most that an expression takes`);
  }
}

const [least, most] = [-(2n ** 63n), 2n ** 64n - 1n];

export function int(value: bigint): number | bigint {
  if (value < least || value > most) throw new Fault("makes an integer of more than 64 bits; integers go from -2^63 to 2^64 - 1");
  const small = Number(value);
  return Number.isSafeInteger(small) ? small : value;
}

export const isInt = (x: ExprValue | undefined): x is number | bigint | boolean =>
  typeof x === "number" || typeof x === "boolean" || typeof x === "bigint";
export const isNumber = (x: ExprValue | undefined): x is number | bigint | boolean | Float => isInt(x) || x instanceof Float;

/** For JavaScript's comparisons, which are exact between numbers and bigints. */
export const plainNumber = (x: number | bigint | boolean | Float): number | bigint =>
  typeof x === "boolean" ? Number(x) : x instanceof Float ? x.value : x;

export function typeName(x: ExprValue): string {
  if (typeof x === "boolean") return "bool";
  if (isInt(x)) return "int";
  if (typeof x === "string") return "str";
  if (x instanceof Float) return "float";
  if (x instanceof Tuple) return "tuple";
  return x instanceof PythonSet ? "set" : x instanceof Range ? "range" : "list";
}

export function isTrue(x: ExprValue): boolean {
  if (typeof x === "boolean") return x;
  if (typeof x === "number") return x !== 0;
  if (typeof x === "bigint") return true;
  if (x instanceof Float) return x.value !== 0;
  return x instanceof PythonSet ? x.size > 0 : x instanceof Tuple ? x.items.length > 0 : x.length > 0;
}

const sequence = (x: ExprValue): readonly ExprValue[] | undefined =>
  Array.isArray(x) ? x : x instanceof Tuple ? x.items : undefined;

export function isEqual(a: ExprValue, b: ExprValue): boolean {
  if (a === b) return !(a instanceof Float) || !Number.isNaN(a.value);
  if (isNumber(a)) return isNumber(b) && compared(a, b) === 0;
  if (typeof a !== "object" || typeof b !== "object") return false;
  if (a instanceof PythonSet) return b instanceof PythonSet && a.size === b.size && a.isWithin(b);
  if (a instanceof Range)
    return (
      b instanceof Range &&
      a.length === b.length &&
      (a.length === 0 || (a.start === b.start && (a.length === 1 || a.step === b.step)))
    );
  const [mine, theirs] = [sequence(a), sequence(b)];
  if (mine === undefined || theirs === undefined || a instanceof Tuple !== b instanceof Tuple) return false;
  return mine.length === theirs.length && mine.every((item, i) => isSame(item, theirs[i] as ExprValue));
}

/** Compares items of a collection: Python asks for the same object first. */
export const isSame = (a: ExprValue, b: ExprValue): boolean => a === b || isEqual(a, b);

/** The sign of a - b; NaN where neither is first. Throws Fault for types that Python does not order. */
export function compared(a: ExprValue, b: ExprValue): number {
  if (isNumber(a) && isNumber(b)) {
    const [x, y] = [plainNumber(a), plainNumber(b)];
    return x < y ? -1 : x > y ? 1 : x >= y ? 0 : Number.NaN;
  }
  if (typeof a === "string" && typeof b === "string") return textOrder(a, b);
  if (a instanceof PythonSet && b instanceof PythonSet) {
    const [below, above] = [a.isWithin(b), b.isWithin(a)];
    return below && above ? 0 : below ? -1 : above ? 1 : Number.NaN;
  }
  const [mine, theirs] = [sequence(a), sequence(b)];
  if (mine === undefined || theirs === undefined || a instanceof Tuple !== b instanceof Tuple)
    throw new Fault(`compares the order of ${typeName(a)} and ${typeName(b)}`);
  const at = mine.findIndex((item, i) => i >= theirs.length || !isSame(item, theirs[i] as ExprValue));
  if (at < 0) return mine.length - theirs.length;
  return at >= theirs.length ? 1 : compared(mine[at] as ExprValue, theirs[at] as ExprValue);
}

/** Orders by code points, where JavaScript orders by UTF-16 units. */
function textOrder(a: string, b: string): number {
  if (a === b) return 0;
  const [mine, theirs] = [Array.from(a), Array.from(b)];
  const at = mine.findIndex((letter, i) => letter !== theirs[i]);
  if (at < 0) return -1;
  return at >= theirs.length || (mine[at]?.codePointAt(0) as number) > (theirs[at]?.codePointAt(0) as number) ? 1 : -1;
}

export const isOrdered = (x: ExprValue): boolean => x instanceof Range || sequence(x) !== undefined;

/** The items, each of which is a step. Throws Fault for values that Python cannot iterate. */
export function itemsOf(x: ExprValue, steps: Steps): readonly ExprValue[] {
  if (typeof x === "string") {
    steps.spend(x.length);
    return Array.from(x);
  }
  if (x instanceof Range) {
    steps.spend(x.length);
    return Array.from({ length: x.length }, (_, i) => x.at(i));
  }
  const items = x instanceof PythonSet ? x.items : sequence(x);
  if (items === undefined) throw new Fault(`goes through the items of ${article(typeName(x))}, which has none`);
  steps.spend(items.length);
  return items;
}
export const article = (type: string): string => `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;

/** A knob's value or a problem's size. A whole number is an int. */
export function fromJson(json: Json): ExprValue {
  if (typeof json === "number") {
    if (Number.isSafeInteger(json)) return json + 0;
    if (Number.isInteger(json) && Math.abs(json) <= 2 ** 64)
      throw new Fault(
        `uses the number ${json}, whose last digits a file's numbers lose; write whole numbers above 2^53 in expressions`,
      );
    return new Float(json);
  }
  if (typeof json === "string" || typeof json === "boolean") return json;
  if (Array.isArray(json)) return json.map(fromJson);
  throw new Fault(`uses ${json === null ? "null" : "an object"}; values are numbers, texts, truth values and lists`);
}

/** A float is its number, a tuple or a set a list. An int beyond 2^53 stays a bigint. */
export type PlainValue = number | bigint | string | boolean | readonly PlainValue[];
export function plain(x: ExprValue): PlainValue {
  if (x instanceof Float) return x.value;
  if (typeof x !== "object") return x;
  if (x instanceof Range) return itemsOf(x, new Steps()).map(plain);
  return (x instanceof PythonSet ? x.items : (sequence(x) as readonly ExprValue[])).map(plain);
}

/** Equal for equal values of equal type, as Python writes them but for signs of texts. */
export function keyOfValue(x: ExprValue): string {
  if (typeof x === "number" || typeof x === "bigint") return String(x);
  if (typeof x === "boolean") return x ? "True" : "False";
  if (typeof x === "string") return JSON.stringify(x);
  if (x instanceof Float) return Object.is(x.value, -0) ? "-0.0" : `${x.value}${Number.isInteger(x.value) ? ".0" : ""}`;
  if (x instanceof Range) return `range(${x.start},${x.start + x.length * x.step},${x.step})`;
  if (x instanceof PythonSet) return `{${x.items.map(keyOfValue).sort().join()}}`;
  return x instanceof Tuple ? `(${x.items.map(keyOfValue).join()},)` : `[${x.map(keyOfValue).join()}]`;
}
