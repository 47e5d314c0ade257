/**
 * Text to expression.ts: a recursive-descent parser of Python's expression grammar as far as constraints and value lists use it:
 * `if else`, `or and not`, chained comparisons, `in`, arithmetic, `**`, subscripts, lists and tuples, comprehensions over
 * `range`, and the calls that expression.ts has.
 */
import { err, ok, type Result } from "@warpfarm/common";
import { apply, constant, type Expression, type ExprValue, isOperator, named, namesOf, substitute } from "./expression.ts";

const token =
  /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|([A-Za-z_]\w*)|"([^"]*)"|'([^']*)'|(\/\/|\*\*|<=|>=|==|!=|&&|\|\||[-+*/%<>()[\],!]))/y;

type Token =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "word" | "text" | "sign"; readonly text: string };

/** Longest text, and deepest nesting, that is read: more is no constraint but an attack. */
const longest = 10_000;
const deepest = 100;
const mostItems = 100_000;

/** The expression, folded as far as the constants go, or one sentence saying what was found where. */
export function parseExpression(text: string, constants: Readonly<Record<string, ExprValue>> = {}): Result<Expression, string> {
  try {
    const parser = new Parser(tokens(text));
    let parsed = parser.whole();
    for (const name of namesOf(parsed))
      if (Object.hasOwn(constants, name)) parsed = substitute(parsed, name, constant(constants[name] as ExprValue));
    return ok(parsed);
  } catch (error) {
    if (error instanceof SyntaxError) return err(`${error.message} in ${JSON.stringify(text.slice(0, 200))}`);
    throw error;
  }
}

function tokens(text: string): readonly Token[] {
  if (text.length > longest) throw new SyntaxError(`an expression of ${text.length} characters; at most ${longest}`);
  const found: Token[] = [];
  for (let at = 0; at < text.length; ) {
    if (/^\s*$/.test(text.slice(at))) break;
    token.lastIndex = at;
    const match = token.exec(text);
    if (!match) throw new SyntaxError(`${JSON.stringify(text.slice(at).trim()[0])} at ${at} is not part of an expression`);
    const [, number, word, double, single, sign] = match;
    if (number !== undefined) found.push({ kind: "number", value: Number(number) });
    else if (word !== undefined) found.push({ kind: "word", text: word });
    else if (sign !== undefined) found.push({ kind: "sign", text: { "&&": "and", "||": "or", "!": "not" }[sign] ?? sign });
    else found.push({ kind: "text", text: double ?? single ?? "" });
    at = token.lastIndex;
  }
  return found;
}

const comparisons = ["<=", "<", ">=", ">", "==", "!=", "in"] as const;

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(found: readonly Token[]) {
    this.#tokens = found;
  }

  whole(): Expression {
    const made = this.#choice();
    if (this.#at < this.#tokens.length) throw new SyntaxError(`unexpected ${this.#shown()}`);
    return made;
  }

  #shown(): string {
    const next = this.#tokens[this.#at];
    return next === undefined ? "end" : JSON.stringify(next.kind === "number" ? next.value : next.text);
  }

  /** The next token if it is this sign or keyword. */
  #take(...texts: readonly string[]): string | undefined {
    const next = this.#tokens[this.#at];
    if (next === undefined || next.kind === "number" || next.kind === "text" || !texts.includes(next.text)) return undefined;
    this.#at++;
    return next.text;
  }

  #expect(text: string): void {
    if (this.#take(text) === undefined) throw new SyntaxError(`${this.#shown()} where ${JSON.stringify(text)} should be`);
  }

  /** `a if c else b` */
  #choice(): Expression {
    const made = this.#or();
    if (this.#take("if") === undefined) return made;
    if (++this.#depth > deepest) throw new SyntaxError(`nested deeper than ${deepest}`);
    const condition = this.#or();
    this.#expect("else");
    const otherwise = this.#choice();
    this.#depth--;
    return apply("?:", [condition, made, otherwise]);
  }

  #or(): Expression {
    if (++this.#depth > deepest) throw new SyntaxError(`nested deeper than ${deepest}`);
    const args = [this.#and()];
    while (this.#take("or")) args.push(this.#and());
    this.#depth--;
    return args.length === 1 ? (args[0] as Expression) : apply("or", args);
  }

  #and(): Expression {
    const args = [this.#not()];
    while (this.#take("and")) args.push(this.#not());
    return args.length === 1 ? (args[0] as Expression) : apply("and", args);
  }

  #not(): Expression {
    let negations = 0;
    while (this.#take("not")) negations++;
    if (negations > deepest) throw new SyntaxError(`nested deeper than ${deepest}`);
    const made = this.#comparison();
    return negations === 0 ? made : negations % 2 === 1 ? apply("not", [made]) : apply("not", [apply("not", [made])]);
  }

  #comparison(): Expression {
    let left = this.#sum();
    const parts: Expression[] = [];
    for (;;) {
      const word = this.#take(...comparisons, "not", "is");
      if (word === undefined) break;
      if (word === "not") this.#expect("in");
      const negated = word === "not" || (word === "is" && this.#take("not") !== undefined);
      const right = this.#sum();
      const op = word === "is" ? "==" : word === "not" ? "in" : (word as (typeof comparisons)[number]);
      const compared = apply(op, [left, right]);
      parts.push(negated ? apply("not", [compared]) : compared);
      left = right;
    }
    return parts.length === 0 ? left : parts.length === 1 ? (parts[0] as Expression) : apply("and", parts);
  }

  #sum(): Expression {
    let made = this.#product();
    for (let op = this.#take("+", "-"); op !== undefined; op = this.#take("+", "-"))
      made = apply(op as "+" | "-", [made, this.#product()]);
    return made;
  }

  #product(): Expression {
    let made = this.#sign();
    for (let op = this.#take("*", "/", "//", "%"); op !== undefined; op = this.#take("*", "/", "//", "%"))
      made = apply(op as "*" | "/" | "//" | "%", [made, this.#sign()]);
    return made;
  }

  #sign(): Expression {
    let minus = false;
    for (let op = this.#take("+", "-"); op !== undefined; op = this.#take("+", "-")) minus = minus !== (op === "-");
    const made = this.#power();
    return minus ? apply("-", [constant(0), made]) : made;
  }

  #power(): Expression {
    const base = this.#subscript();
    return this.#take("**") ? apply("**", [base, this.#sign()]) : base;
  }

  #subscript(): Expression {
    let made = this.#atom();
    while (this.#take("[")) {
      made = apply("item", [made, this.#choice()]);
      this.#expect("]");
    }
    return made;
  }

  #atom(): Expression {
    if (this.#take("(")) return this.#items(")");
    if (this.#take("[")) return this.#items("]");
    const next = this.#tokens[this.#at];
    if (next === undefined || next.kind === "sign") throw new SyntaxError(`${this.#shown()} where a value should be`);
    this.#at++;
    if (next.kind === "number") return constant(next.value);
    if (next.kind === "text") return constant(next.text);
    if (next.text === "True" || next.text === "true") return constant(true);
    if (next.text === "False" || next.text === "false") return constant(false);
    if (!this.#take("(")) return named(next.text);
    const args = this.#listed(")");
    if (next.text === "range") return range(args);
    if (next.text === "list" && args.length === 1) return args[0] as Expression;
    if (!/^[a-z]+$/.test(next.text) || !isOperator(next.text)) throw new SyntaxError(`there is no function ${next.text}`);
    return apply(next.text, args);
  }

  /** `(a)` is a; `(a, b)`, `[a]` and `[a for x in list]` are lists. */
  #items(end: ")" | "]"): Expression {
    const start = this.#at;
    if (this.#take(end)) return apply("list", []);
    const first = this.#choice();
    if (this.#take("for")) return this.#comprehension(first, end);
    if (end === ")" && this.#take(end)) return first;
    this.#at = start;
    return apply("list", this.#listed(end));
  }

  #comprehension(body: Expression, end: string): Expression {
    const variable = this.#tokens[this.#at++];
    if (variable?.kind !== "word") throw new SyntaxError("a comprehension without a name");
    this.#expect("in");
    const over = this.#or();
    const condition = this.#take("if") ? this.#or() : constant(true);
    this.#expect(end);
    if (over.kind !== "value" || typeof over.value !== "object") throw new SyntaxError("a comprehension over no list");
    const kept = over.value.map(constant).filter((item) => {
      const holds = substitute(condition, variable.text, item);
      return holds.kind === "value" && holds.value === true;
    });
    return apply(
      "list",
      kept.map((item) => substitute(body, variable.text, item)),
    );
  }

  #listed(end: string): Expression[] {
    const items: Expression[] = [];
    while (!this.#take(end)) {
      items.push(this.#choice());
      if (this.#take(",") === undefined) {
        this.#expect(end);
        break;
      }
    }
    return items;
  }
}

function range(args: readonly Expression[]): Expression {
  const numbers = args.map((arg) => (arg.kind === "value" ? Number(arg.value) : Number.NaN));
  const [start = 0, stop = 0, step = 1] = numbers.length === 1 ? [0, ...numbers] : numbers;
  const count = Math.max(0, Math.ceil((stop - start) / step));
  if (!(count <= mostItems)) throw new SyntaxError("a range without numbers, or too long");
  return constant(Array.from({ length: count }, (_, i) => start + i * step));
}
