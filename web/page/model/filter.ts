/**
 * Filter expressions over trials: `tile_x >= 8 && ok && time < 1.1 * best`, `rule == "shared.bytes" || node ~ "gpu1"`.
 *
 *   or      a || b         and   a && b        not   !a
 *   compare == != < <= > >=, `~` contains       sum + -   product * /   unary -   ( )
 *   names   knobs, and time (seconds), us, ok, failed, error (number), rule, node, trial, at (seconds), best
 *   values  numbers (with unit us, ms, s), "texts"
 *
 * Compiled to closures; nothing of the text is ever run as code.
 */
import type { RunData } from "./run-data.ts";

type Value = number | string | boolean;
type Code = (trial: number) => Value;
export type Filter = (trial: number) => boolean;

/** A fault of the expression, and its position, counted from 0. */
export class FilterError extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

interface Token {
  readonly kind: "number" | "text" | "name" | "sign" | "end";
  readonly text: string;
  readonly at: number;
}

const pattern =
  /\s*(?:(\d+(?:\.\d+)?(?:e[+-]?\d+)?)(us|ms|ns|s)?\b|"([^"]*)"|'([^']*)'|([A-Za-z_][\w.]*)|(\|\||&&|[=!<>]=|[<>!~+\-*/()])|(\S))/gy;
const unitScale: Readonly<Record<string, number>> = { s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 };

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [all, number, unit, quoted, single, name, sign, other] = match;
    const at = match.index + all.length - all.trimStart().length;
    if (other !== undefined) throw new FilterError(`${JSON.stringify(other)} is not part of an expression`, at);
    if (number !== undefined)
      tokens.push({ kind: "number", text: String(Number(number) * (unit ? (unitScale[unit] as number) : 1)), at });
    else if (name !== undefined) tokens.push({ kind: "name", text: name, at });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign, at });
    else tokens.push({ kind: "text", text: quoted ?? single ?? "", at });
  }
  return [...tokens, { kind: "end", text: "", at: text.length }];
}

/** Throws FilterError. An empty text lets everything pass. */
export function compileFilter(text: string, data: RunData, best: number): Filter {
  if (text.trim() === "") return () => true;
  const parser = new Parser(tokensOf(text), namesOf(data, best));
  const code = parser.whole();
  return (trial) => isTrue(code(trial));
}

const isTrue = (value: Value): boolean =>
  value === true || (typeof value === "number" && value !== 0) || (typeof value === "string" && value !== "");

/** A knob's value as the expression sees it: its number, its text, or its JSON. */
function plain(json: string | undefined): Value {
  if (json === undefined) return Number.NaN;
  const value: unknown = JSON.parse(json);
  return typeof value === "number" || typeof value === "string" || typeof value === "boolean" ? value : json;
}

function namesOf(data: RunData, best: number): ReadonlyMap<string, Code> {
  const { seconds, errorNo, rule, node, sequence, atMs } = data.columns;
  const names = new Map<string, Code>();
  for (const [k, { name, values }] of data.knobs.entries()) {
    const plains = values.map(plain);
    const column = data.config[k];
    names.set(name, (i) => plains[column?.at(i) ?? -1] ?? Number.NaN);
  }
  const time: Code = (i) => (seconds.at(i) > 0 ? seconds.at(i) : Number.NaN);
  const builtin: Readonly<Record<string, Code>> = {
    time,
    us: (i) => (time(i) as number) * 1e6,
    ok: (i) => errorNo.at(i) === 0,
    failed: (i) => errorNo.at(i) > 0,
    slower: (i) => errorNo.at(i) < 0,
    error: (i) => errorNo.at(i),
    rule: (i) => data.rules[rule.at(i)] ?? "",
    node: (i) => data.nodes[node.at(i)] ?? "",
    trial: (i) => sequence.at(i),
    at: (i) => atMs.at(i) / 1000,
    best: () => best,
    true: () => true,
    false: () => false,
  };
  for (const [name, code] of Object.entries(builtin)) names.set(name, code);
  return names;
}

class Parser {
  #next = 0;
  readonly #tokens: readonly Token[];
  readonly #names: ReadonlyMap<string, Code>;
  #depth = 0;

  constructor(tokens: readonly Token[], names: ReadonlyMap<string, Code>) {
    this.#tokens = tokens;
    this.#names = names;
  }

  whole(): Code {
    const code = this.#or();
    const rest = this.#token;
    if (rest.kind !== "end") throw new FilterError(`${JSON.stringify(rest.text)} is not expected here`, rest.at);
    return code;
  }

  get #token(): Token {
    return this.#tokens[this.#next] as Token;
  }
  #take(...signs: readonly string[]): string | undefined {
    const { kind, text } = this.#token;
    if (kind !== "sign" || !signs.includes(text)) return undefined;
    this.#next++;
    return text;
  }

  #or(): Code {
    let left = this.#and();
    while (this.#take("||")) {
      const [a, b] = [left, this.#and()];
      left = (i) => isTrue(a(i)) || isTrue(b(i));
    }
    return left;
  }
  #and(): Code {
    let left = this.#compare();
    while (this.#take("&&")) {
      const [a, b] = [left, this.#compare()];
      left = (i) => isTrue(a(i)) && isTrue(b(i));
    }
    return left;
  }
  #compare(): Code {
    const a = this.#sum();
    const sign = this.#take("==", "!=", "<", "<=", ">", ">=", "~");
    if (!sign) return a;
    const b = this.#sum();
    const compare = comparisons[sign] as (x: Value, y: Value) => boolean;
    return (i) => compare(a(i), b(i));
  }
  #sum(): Code {
    let left = this.#product();
    for (let sign = this.#take("+", "-"); sign; sign = this.#take("+", "-")) {
      const [a, b, isSum] = [left, this.#product(), sign === "+"];
      left = (i) => Number(a(i)) + (isSum ? Number(b(i)) : -Number(b(i)));
    }
    return left;
  }
  #product(): Code {
    let left = this.#unary();
    for (let sign = this.#take("*", "/"); sign; sign = this.#take("*", "/")) {
      const [a, b, isProduct] = [left, this.#unary(), sign === "*"];
      left = (i) => (isProduct ? Number(a(i)) * Number(b(i)) : Number(a(i)) / Number(b(i)));
    }
    return left;
  }
  #unary(): Code {
    if (++this.#depth > 100) throw new FilterError("the expression is nested too deep", this.#token.at);
    try {
      const sign = this.#take("!", "-", "+");
      if (!sign) return this.#atom();
      const a = this.#unary();
      return sign === "!" ? (i) => !isTrue(a(i)) : sign === "-" ? (i) => -Number(a(i)) : (i) => Number(a(i));
    } finally {
      this.#depth--;
    }
  }
  #atom(): Code {
    const token = this.#token;
    this.#next++;
    if (token.kind === "number") {
      const value = Number(token.text);
      return () => value;
    }
    if (token.kind === "text") return () => token.text;
    if (token.kind === "name") {
      const code = this.#names.get(token.text);
      if (code) return code;
      throw new FilterError(`there is no ${token.text}; there are ${[...this.#names.keys()].join(", ")}`, token.at);
    }
    if (token.text === "(") {
      const code = this.#or();
      if (!this.#take(")")) throw new FilterError("a ) is missing", this.#token.at);
      return code;
    }
    throw new FilterError(
      token.kind === "end" ? "the expression ends too early" : `${token.text} is not expected here`,
      token.at,
    );
  }
}

const comparisons: Readonly<Record<string, (a: Value, b: Value) => boolean>> = {
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "~": (a, b) => String(a).includes(String(b)),
};
