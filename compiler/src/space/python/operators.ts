/** Python's operators and functions, by the parser's names. */
import * as number from "./numbers.ts";
import {
  article,
  compared,
  type ExprValue,
  Fault,
  Float,
  isEqual,
  isInt,
  isNumber,
  isSame,
  isTrue,
  itemsOf,
  PythonSet,
  Range,
  Steps,
  Tuple,
  typeName,
} from "./values.ts";

type OfTwo = (a: ExprValue, b: ExprValue) => ExprValue;

/** Operators of one or two values without a count of steps: evaluation applies them to columns. */
const order =
  (holds: (sign: number) => boolean): OfTwo =>
  (a, b) =>
    holds(compared(a, b));

export const binary = {
  "<=": order((d) => d <= 0),
  "<": order((d) => d < 0),
  ">=": order((d) => d >= 0),
  ">": order((d) => d > 0),
  "==": isEqual,
  "!=": (a, b) => !isEqual(a, b),
  in: isIn,
  "not in": (a, b) => !isIn(a, b),
  "+": (a, b) => joined(a, b) ?? number.add(a, b),
  "-": (a, b) => ofSets(a, b, without) ?? number.subtract(a, b),
  "*": (a, b) => repeated(a, b) ?? repeated(b, a) ?? number.multiply(a, b),
  "/": number.divide,
  "//": number.floorDivide,
  "%": number.modulo,
  "**": number.power,
  // Of equal items, such as 2 and 2.0, CPython keeps those of the smaller set, and the right one's of two of one size.
  "&": (a, b) => ofSets(a, b, (x, y) => (x.size < y.size ? within(x, y) : within(y, x))) ?? number.bits("&", a, b),
  "|": (a, b) => ofSets(a, b, (x, y) => [...x.items, ...y.items]) ?? number.bits("|", a, b),
  "^": (a, b) => ofSets(a, b, (x, y) => [...without(x, y), ...without(y, x)]) ?? number.bits("^", a, b),
  "<<": (a, b) => number.bits("<<", a, b),
  ">>": (a, b) => number.bits(">>", a, b),
  item: itemAt,
} as const satisfies Record<string, OfTwo>;

export const unary = {
  not: (x) => !isTrue(x),
  neg: number.negate,
  pos: number.positive,
  "~": number.invert,
} as const satisfies Record<string, (x: ExprValue) => ExprValue>;

const has = (items: readonly ExprValue[], item: ExprValue): boolean => items.some((other) => isSame(item, other));
const within = (of: PythonSet, other: PythonSet) => of.items.filter((item) => other.has(item));
const without = (of: PythonSet, others: PythonSet) => of.items.filter((item) => !others.has(item));

function ofSets(a: ExprValue, b: ExprValue, made: (a: PythonSet, b: PythonSet) => readonly ExprValue[]): PythonSet | undefined {
  return a instanceof PythonSet && b instanceof PythonSet ? new PythonSet(made(a, b)) : undefined;
}

function isIn(a: ExprValue, b: ExprValue): boolean {
  if (typeof b === "string") {
    if (typeof a !== "string") throw new Fault(`looks for ${article(typeName(a))} in a text`);
    return b.includes(a);
  }
  if (b instanceof Range) {
    if (!isNumber(a)) return false;
    const at = (number.toNumber(a) - b.start) / b.step;
    return at >= 0 && at < b.length && isEqual(a, b.at(Math.trunc(at)));
  }
  // Python looks for a set as for a frozenset, which no set here holds.
  if (b instanceof PythonSet) return !(a instanceof PythonSet) && b.has(a);
  const items = b instanceof Tuple ? b.items : b;
  if (!Array.isArray(items)) throw new Fault(`looks for a value in ${article(typeName(b))}, which has no items`);
  return has(items, a);
}

function joined(a: ExprValue, b: ExprValue): ExprValue | undefined {
  if (typeof a === "number") return undefined;
  if (typeof a === "string" && typeof b === "string") return checked(a + b);
  if (Array.isArray(a) && Array.isArray(b)) return checked([...a, ...b]);
  return a instanceof Tuple && b instanceof Tuple ? new Tuple(checked([...a.items, ...b.items])) : undefined;
}

function checked<T extends string | readonly ExprValue[]>(made: T): T {
  new Steps().spend(made.length);
  return made;
}

function repeated(of: ExprValue, times: ExprValue): ExprValue | undefined {
  if (typeof of === "number") return undefined;
  const items = of instanceof Tuple ? of.items : of;
  if (!isInt(times) || (typeof items !== "string" && !Array.isArray(items))) return undefined;
  const count = items.length === 0 ? 0 : Math.max(0, Number(times));
  new Steps().spend(items.length * count);
  if (typeof items === "string") return items.repeat(count);
  const made = Array.from({ length: count }, () => items as readonly ExprValue[]).flat();
  return of instanceof Tuple ? new Tuple(made) : made;
}

function itemAt(of: ExprValue, index: ExprValue): ExprValue {
  const items = typeof of === "string" ? Array.from(of) : of instanceof Tuple ? of.items : of;
  if (!Array.isArray(items) && !(items instanceof Range))
    throw new Fault(`takes an item of ${article(typeName(of))}, which has none by position`);
  if (!isInt(index)) throw new Fault(`takes an item by ${article(typeName(index))}`);
  const at = Number(index) < 0 ? Number(index) + items.length : Number(index);
  if (!(at >= 0 && at < items.length)) throw new Fault(`takes item ${index} of ${items.length}`);
  return items.at(at) as ExprValue;
}

const best =
  (called: "min" | "max") =>
  (args: Args, steps: Steps): ExprValue => {
    const items = args.length === 1 ? itemsOf(args[0] as ExprValue, steps) : args;
    if (items.length === 0) throw new Fault(`takes ${called}() of nothing`);
    const isBetter = called === "min" ? (d: number) => d < 0 : (d: number) => d > 0;
    return items.reduce((found, item) => (isBetter(compared(item, found)) ? item : found));
  };

export function ordered(x: ExprValue, steps: Steps): readonly ExprValue[] {
  if (x instanceof PythonSet)
    throw new Fault("goes through a set in an order, which it does not have; write sorted(...), or a list");
  return itemsOf(x, steps);
}

type Args = readonly ExprValue[];
interface Callable {
  /** The least and the greatest number of arguments. */
  readonly takes: readonly [number, number];
  readonly call: (args: Args, steps: Steps) => ExprValue;
}
const of = (from: number, to: number, call: Callable["call"]): Callable => ({ takes: [from, to], call });
const ofOne = (call: (x: ExprValue, steps: Steps) => ExprValue): Callable =>
  of(1, 1, ([x], steps) => call(x as ExprValue, steps));
const collection = (make: (items: Args) => ExprValue, items = ordered): Callable =>
  of(0, 1, ([x], steps) => make(x === undefined ? [] : items(x, steps)));

export const functions: Readonly<Record<string, Callable>> = {
  min: of(1, 1000, best("min")),
  max: of(1, 1000, best("max")),
  sum: of(1, 2, ([x, start = 0], steps) => {
    if (typeof start === "string") throw new Fault("takes sum() of texts");
    return itemsOf(x as ExprValue, steps).reduce((total, item) => binary["+"](total, item), start);
  }),
  any: ofOne((x, steps) => itemsOf(x, steps).some(isTrue)),
  all: ofOne((x, steps) => itemsOf(x, steps).every(isTrue)),
  len: ofOne((x) => {
    if (isNumber(x)) throw new Fault(`takes len() of ${article(typeName(x))}`);
    return typeof x === "string"
      ? Array.from(x).length
      : x instanceof PythonSet
        ? x.size
        : x instanceof Tuple
          ? x.items.length
          : x.length;
  }),
  sorted: ofOne((x, steps) => [...itemsOf(x, steps)].sort(compared)),
  abs: ofOne(number.absolute),
  round: ofOne(number.round),
  ceil: ofOne((x) => number.whole("ceil", x, Math.ceil)),
  floor: ofOne((x) => number.whole("floor", x, Math.floor)),
  pow: of(2, 2, ([a, b]) => number.power(a as ExprValue, b as ExprValue)),
  int: of(0, 1, ([x = 0]) => number.whole("int", x, Math.trunc)),
  float: of(0, 1, ([x = 0]) => {
    if (!isNumber(x)) throw new Fault(`takes float() of ${article(typeName(x))}`);
    return new Float(number.toNumber(x));
  }),
  bool: of(0, 1, ([x = false]) => isTrue(x)),
  range: of(1, 3, (args) => {
    const [start, stop, step] = args.map((arg) => {
      if (!isInt(arg) || typeof arg === "bigint") throw new Fault(`gives range() ${article(typeName(arg))}; it takes integers`);
      return Number(arg);
    });
    return stop === undefined ? new Range(0, start as number, 1) : new Range(start as number, stop, step ?? 1);
  }),
  list: collection((items) => items),
  tuple: collection((items) => new Tuple(items)),
  set: collection((items) => new PythonSet(items), itemsOf),
};
/** Functions whose one argument may be a generator. */
export const ofItems: readonly string[] = ["list", "tuple", "set", "sum", "any", "all", "min", "max", "sorted"];

/** Literals of collections. */
export const collections = {
  list: (items: Args) => items,
  tuple: (items: Args) => new Tuple(items),
  set: (items: Args) => new PythonSet(items),
} as const;
