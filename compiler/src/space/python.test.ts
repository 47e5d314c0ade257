/** Expressions against CPython: random ones, evaluated there and here. Both make one value of one type, or both refuse. */
import { spawnSync } from "node:child_process";
import { type Json, Random } from "@warpfarm/common";
import { expect, it } from "vitest";
import { needs } from "../../../test-support/needs.ts";
import { constantOf, type Expression, type ExprValue, evaluate, evaluateEach, Fault, namesOf, substitute } from "./expression.ts";
import { parseExpression } from "./parse-expression.ts";
import { Float, fromJson, PythonSet, Range, Tuple } from "./python/values.ts";

type Names = Readonly<Record<string, Json>>;
type Encoded = readonly [kind: string, value: unknown];

function inPython(asked: readonly (readonly [string, Names])[]): readonly Encoded[] {
  const script = new URL("python.testing.py", import.meta.url).pathname;
  const ran = spawnSync("python3", [script], {
    input: JSON.stringify(asked),
    encoding: "utf8",
    maxBuffer: 1 << 28,
    timeout: 120_000,
  });
  expect(ran.stderr).toBe("");
  return JSON.parse(ran.stdout) as readonly Encoded[];
}

function encoded(x: ExprValue): Encoded {
  if (typeof x === "boolean") return ["bool", x];
  if (typeof x === "number" || typeof x === "bigint") return ["int", String(x)];
  if (typeof x === "string") return ["str", x];
  if (x instanceof Float) return ["float", x.value];
  if (x instanceof Tuple) return ["tuple", x.items.map(encoded)];
  if (x instanceof Range) return ["range", Array.from({ length: Math.min(x.length, 10_000) }, (_, i) => encoded(x.at(i)))];
  if (x instanceof PythonSet) return ["set", x.items.map(encoded)];
  return ["list", x.map(encoded)];
}

/** Python's words for a float, as a number; a set in one order. */
function comparable([kind, value]: Encoded): unknown {
  if (kind === "float") return ["float", typeof value === "number" ? value : Number(String(value).replace("inf", "Infinity"))];
  if (!Array.isArray(value)) return [kind, value];
  const items = value.map((item) => comparable(item as Encoded));
  return [kind, kind === "set" ? items.sort((x, y) => (JSON.stringify(x) < JSON.stringify(y) ? -1 : 1)) : items];
}

/** `near`: floats may differ in the last bit, or in several where one is raised to a power. */
function isSame(a: unknown, b: unknown, near: boolean): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, i) => isSame(one, b[i], near));
  if (!near || typeof a !== "number" || typeof b !== "number") return Object.is(a, b);
  return Object.is(a, b) || Math.abs(a - b) <= 1e-12 * Math.abs(b);
}

const names: readonly Names[] = [
  { a: 16, b: 3, c: 0, d: 0.5, s: "slow-safe", t: [1, 2, 4], f: true },
  { a: -7, b: 64, c: 4_294_967_296, d: -2.25, s: "", t: [], f: false },
  { a: 1, b: -1, c: 9_007_199_254_740_991, d: 1e300, s: "a\u{1f600}b", t: [3, 0.5, "x"], f: true },
];

type Kind = "number" | "truth" | "text" | "list" | "set";
const kinds: readonly Kind[] = ["number", "truth", "text", "list", "set"];

/** Random expressions, mostly of types that fit, often without parentheses. */
class Writer {
  readonly #random: Random;
  constructor(random: Random) {
    this.#random = random;
  }
  #of<T>(...all: readonly T[]): T {
    return all[this.#random.below(all.length)] as T;
  }
  expression(depth: number, wanted?: Kind): string {
    const kind = wanted === undefined || this.#random.below(16) === 0 ? this.#of(...kinds) : wanted;
    const made = depth <= 0 ? this.#leaf(kind) : this.#branch(kind, depth - 1);
    return this.#random.below(3) === 0 ? `(${made})` : made;
  }
  #leaf(kind: Kind): string {
    switch (kind) {
      case "number":
        return this.#of(
          "a",
          "b",
          "c",
          "d",
          "0",
          "1",
          "2",
          "3",
          "7",
          "0x1F",
          "0b101",
          "1_000",
          "2.5",
          "1e3",
          ".25",
          "64",
          "9223372036854775807",
        );
      case "truth":
        return this.#of("f", "True", "False", "a > b", "c == 0", "s != 'x'");
      case "text":
        return this.#of("s", "'slow'", '"a"', "''", "'3'", "' -12 '", "'2.5'");
      case "list":
        return this.#of(
          "t",
          "[1, 2]",
          "(a, b)",
          "()",
          "[]",
          "(3,)",
          "[a, 'x', d]",
          "range(4)",
          "range(b, -2, -2)",
          "list(range(3))",
        );
      case "set":
        return this.#of("{1, 2}", "{a, d, 2.0}", "set(t)", "{'x', True}", "set()");
    }
  }
  #branch(kind: Kind, depth: number): string {
    const of = (wanted: Kind) => this.expression(depth, wanted);
    const any = () => this.expression(depth);
    const [n, m, l] = [of("number"), of("number"), of("list")];
    switch (kind) {
      case "number":
        return this.#of<() => string>(
          () => `${n} ${this.#of("+", "-", "*", "/", "//", "%", "&", "|", "^", "<<", ">>", "+", "*", "//", "%")} ${m}`,
          () => `${this.#of("-", "+", "~", "- -")}${n}`,
          () => `${n} ** ${this.#of("2", "3", "-1", "-2", "0", "0.5", m)}`,
          () => `${this.#of("min", "max")}(${this.#of(`${n}, ${m}`, l, `${n}, ${m}, 3`)})`,
          () => `${this.#of("abs", "int", "float", "ceil", "floor", "math.ceil", "math.floor", "round")}(${n})`,
          () => `${this.#of("len", "sum")}(${this.#of(l, of("set"), of("text"))})`,
          () => `pow(${n}, ${m})`,
          () => `sum(${this.#of("x", "x * 2", "x ** 2")} for x in ${l} ${this.#of("", "if x", "if x > 1")})`,
          () => `${l}[${this.#of("0", "-1", n)}]`,
          () => `${n} if ${of("truth")} else ${m}`,
          () => `(${n} ${this.#of("or", "and")} ${m})`,
        )();
      case "truth":
        return this.#of<() => string>(
          () => `${n} ${this.#of("<", "<=", "==", "!=", ">", ">=")} ${m}`,
          () => `${n} ${this.#of("<", "<=", "==")} ${m} ${this.#of("<", "!=", ">=")} ${of("number")}`,
          () => `${any()} ${this.#of("==", "!=")} ${any()}`,
          () => `${l} ${this.#of("<", "==", ">=")} ${of("list")}`,
          () => `${of("set")} ${this.#of("<", "<=", "==", ">")} ${of("set")}`,
          () => `${of("text")} ${this.#of("<", "in", "not in", "==")} ${of("text")}`,
          () => `${any()} ${this.#of("in", "not in")} ${this.#of(l, of("set"))}`,
          () => `(${n}, ${m}) ${this.#of("in", "not in")} [(${n}, ${m}), (1, 2)]`,
          () => `${any()} ${this.#of("and", "or")} ${any()}`,
          () => `not ${any()}`,
          () => `${this.#of("any", "all", "bool")}(${l})`,
          () => `${this.#of("any", "all")}(${this.#of("x", "x > 1", "4 // x > 1")} for x in ${l})`,
          // Which item of a set is asked first is not said.
          () => `${this.#of("any", "all")}(${this.#of("x", "x == 1", "x in (a, 2)")} for x in ${of("set")})`,
        )();
      case "text":
        return this.#of<() => string>(
          () => `${of("text")} + ${of("text")}`,
          () => `${of("text")} * ${this.#of("2", n)}`,
          () => `${of("text")}[${this.#of("0", "-1", n)}]`,
          () => `${this.#of("min", "max")}(${of("text")}, ${of("text")})`,
        )();
      case "list":
        return this.#of<() => string>(
          () => `[${n}, ${any()}]`,
          () => `(${n}, ${any()})`,
          () => `${l} + ${of("list")}`,
          () => `${l} * ${this.#of("2", n)}`,
          () => `[${this.#of("x", "x * 2", "(x, a)")} for x in ${l}${this.#of("", " if x", " if x != 2 if x")}]`,
          () => `${this.#of("list", "tuple", "sorted")}(${this.#of(l, of("text"), of("set"), `x for x in ${l}`)})`,
          () => `range(${n}, ${this.#of("8", m)}, ${this.#of("1", "2", "-3")})`,
        )();
      case "set":
        return this.#of<() => string>(
          () => `{${any()}, ${n}, ${m}}`,
          () => `${of("set")} ${this.#of("&", "|", "^", "-")} ${of("set")}`,
          () => `set(${l})`,
          () => `{${this.#of("x", "x % 2")} for x in ${l}}`,
        )();
    }
  }
}

/** Where this language ends and Python goes on, besides 64 bits and steps. Each is documented in own-kernels.md. */
const ends = [
  /goes through a set in an order/,
  /formats a text with %/,
  /which is no real number/,
  /takes (int|float)\(\) of a str/,
  /gives range\(\) an int/,
];

function outcome(make: () => ExprValue | Fault): ExprValue | Fault {
  try {
    return make();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** As Python evaluates; as knobs get their values one by one; and for all values of one of them. */
function ways(e: Expression, given: Names, random: Random): readonly (ExprValue | Fault)[] {
  const open = random.shuffle([...namesOf(e)]);
  const at = new Map(Object.entries(given).map(([name, json]) => [name, fromJson(json)]));
  let left = e;
  for (const name of open) left = substitute(left, name, constantOf(given[name] as Json));
  const [name = "a"] = open;
  const values = [given[name] as Json, 5, given[name] as Json];
  const [first, , third] = evaluateEach(e, name, values, given);
  const folded = left.kind === "value" ? left.value : left.kind === "fault" ? left.fault : new Fault("open");
  return [outcome(() => evaluate(e, at)), folded, first as ExprValue | Fault, third as ExprValue | Fault];
}

it("expressions mean what they mean in Python, in every way in which they are evaluated", (ctx) => {
  needs(ctx, "python3");
  const random = new Random(Number(process.env.WARPFARM_SEED ?? "8"));
  const writer = new Writer(random);
  const asked = Array.from({ length: 1500 }, (_, i) => {
    const text = writer.expression(1 + (i % 3));
    return [text, names[i % names.length] as Names] as const;
  });
  const theirs = inPython(asked);
  const counts = { equal: 0, raised: 0, "64 bits or steps": 0, left: 0 };
  const wrong: string[] = [];
  for (const [i, [text, given]] of asked.entries()) {
    const [kind] = theirs[i] as Encoded;
    const parsed = parseExpression(text);
    const all = parsed.ok ? ways(parsed.value, given, random) : [new Fault(parsed.error)];
    for (const [way, mine] of all.entries()) {
      const where = `${text}   with ${JSON.stringify(given)}, way ${way}: Python ${JSON.stringify(theirs[i])}`;
      if (mine instanceof Fault) {
        const isLimit = /more than 64 bits|more than 10000 steps/.test(mine.message);
        if (kind === "raised" || kind === "syntax") counts.raised++;
        else if (kind === "beyond")
          counts["64 bits or steps"] += Number(isLimit); // either fault may be met first
        else if (ends.some((end) => end.test(mine.message))) counts.left++;
        // A sum may pass 64 bits on its way, and what is long may be long in parts.
        else if (!(isLimit && /sum\(|1_000|1e3|range/.test(text))) wrong.push(`${where}, here ${mine.message}`);
        continue;
      }
      // The operands of a quotient are floats here; Python divides integers beyond 2^53 exactly.
      const near = /\*\*|pow|sum/.test(text) || (/[^/]\/[^/]/.test(text) && /\bc\b|\d{19}/.test(text));
      if (isSame(comparable(encoded(mine)), comparable(theirs[i] as Encoded), near)) counts.equal++;
      // A range itself takes no steps here, whatever its length.
      else if (kind === "beyond" && text.includes("range(")) counts.left++;
      else wrong.push(`${where}, here ${JSON.stringify(encoded(mine))}`);
    }
  }
  expect(wrong.slice(0, 20)).toEqual([]);
  expect(counts.equal).toBeGreaterThan(2000);
  expect(counts["64 bits or steps"]).toBeGreaterThan(20);
  expect(counts.raised).toBeGreaterThan(500);
  expect(counts.left).toBeLessThan(counts.equal / 5);
});

it("inverses of whole powers below 2^53 are Python's to the last bit, and -1 has its sign", (ctx) => {
  needs(ctx, "python3");
  const asked = [2, 3, 5, 6, 7, 9, 10, 12].flatMap((base) =>
    Array.from({ length: Math.floor(53 / Math.log2(base)) }, (_, n): [string, Names] => [
      `(${base} ** -${n + 1}, -${base}.0 ** -${n + 1})`,
      {},
    ]),
  );
  asked.push(["pow(-1, 9223372036854775807)", {}]);
  const mine = asked.map(([text]) => {
    const parsed = parseExpression(text);
    if (!parsed.ok) throw new Error(parsed.error);
    return comparable(encoded(evaluate(parsed.value, new Map())));
  });
  expect(mine).toEqual(inPython(asked).map((theirs) => comparable(theirs)));
});

it("of items that are equal, as 1 and True, an intersection keeps the ones that CPython keeps", (ctx) => {
  needs(ctx, "python3");
  const sets = ["{1, 2}", "{'x', True}", "{True}", "{1.0, 2}", "{1, 2.0, 3}", "set()"];
  const asked = sets.flatMap((a) => sets.map((b): [string, Names] => [`sorted(${a} & ${b})`, {}]));
  const mine = asked.map(([text]) => {
    const parsed = parseExpression(text);
    if (!parsed.ok) throw new Error(parsed.error);
    const value = outcome(() => evaluate(parsed.value, new Map()));
    return value instanceof Fault ? ["raised", "TypeError"] : comparable(encoded(value));
  });
  expect(mine).toEqual(inPython(asked).map((theirs) => comparable(theirs)));
});
