/**
 * Text to expression.ts: a recursive-descent parser of Python's expression grammar as far as constraints and value lists use it:
 * `if else`, `or and not`, chained comparisons, `in`, arithmetic, bits, `**`, subscripts, lists, tuples, sets, comprehensions of
 * one `for`, and the functions of python/operators.ts. What Python has besides is refused by its name.
 */
import { err, type Json, ok, own, type Result } from "@warpfarm/common";
import {
  apply,
  type Comprehension,
  comprehension,
  constant,
  constantOf,
  type Expression,
  named,
  namesOf,
  type Operator,
  substitute,
} from "./expression.ts";
import { functions, ofItems } from "./python/operators.ts";
import { type ExprValue, Fault, Float, int } from "./python/values.ts";

/** The deepest nesting that is read, against stack overflow. */
const deepest = 100;

/** The expression, folded as far as the constants go, or one sentence saying what was found where. */
export function parseExpression(text: string, constants: Readonly<Record<string, Json>> = {}): Result<Expression, string> {
  try {
    const parser = new Parser(tokens(text));
    let parsed = parser.whole();
    for (const name of namesOf(parsed))
      if (Object.hasOwn(constants, name)) parsed = substitute(parsed, name, constantOf(constants[name] as Json));
    return ok(parsed);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof Fault)
      return err(`${error.message} in ${JSON.stringify(text.slice(0, 200))}`);
    throw error;
  }
}

const comparisons = ["<=", "<", ">=", ">", "==", "!=", "in"] as const;
/** How tightly binary operators bind. */
const levels: Readonly<Record<string, number>> = Object.fromEntries(
  [["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "//", "%"]].flatMap((signs, level) =>
    signs.map((sign) => [sign, level]),
  ),
);
const refused: Readonly<Record<string, string>> = {
  is: "`is` asks whether two things are the same object; write ==",
  lambda: "lambda is not part of this language",
  None: "None is not part of this language",
  await: "await is not part of this language",
  async: "async is not part of this language",
  yield: "yield is not part of this language",
  ":": "slices, dictionaries and := are not part of this language",
  "=": "arguments by name, and assignments, are not part of this language; to compare write ==",
  ".": "attributes and methods are not part of this language, except math.ceil and math.floor",
  "@": "@ is not part of this language",
};
const keywords = new Set(["and", "or", "not", "in", "if", "else", "for"]);

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
    if (next === undefined) return "end";
    const why = next.kind === "word" || next.kind === "sign" ? own(refused, next.text) : undefined;
    if (why !== undefined) throw new SyntaxError(why);
    return next.kind === "number" ? next.text : JSON.stringify(next.text);
  }

  #take<T extends string>(...texts: readonly T[]): T | undefined {
    const next = this.#tokens[this.#at];
    if (next === undefined || next.kind === "number" || next.kind === "text") return undefined;
    const found = texts.find((text) => text === next.text);
    if (found !== undefined) this.#at++;
    return found;
  }

  #expect(text: string): void {
    if (this.#take(text) === undefined) throw new SyntaxError(`${this.#shown()} where ${JSON.stringify(text)} should be`);
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > deepest) throw new SyntaxError(`nested deeper than ${deepest}`);
    const made = read();
    this.#depth--;
    return made;
  }

  /** `a if c else b` */
  #choice(): Expression {
    return this.#nested(() => {
      const made = this.#or();
      if (this.#take("if") === undefined) return made;
      const condition = this.#or();
      this.#expect("else");
      return apply("?:", [condition, made, this.#choice()]);
    });
  }

  #or(): Expression {
    const args = [this.#and()];
    while (this.#take("or")) args.push(this.#and());
    return args.length === 1 ? (args[0] as Expression) : apply("or", args);
  }

  #and(): Expression {
    const args = [this.#not()];
    while (this.#take("and")) args.push(this.#not());
    return args.length === 1 ? (args[0] as Expression) : apply("and", args);
  }

  #not(): Expression {
    return this.#take("not") ? this.#nested(() => apply("not", [this.#not()])) : this.#comparison();
  }

  #comparison(): Expression {
    let left = this.#binary(0);
    const parts: Expression[] = [];
    for (;;) {
      const word = this.#take(...comparisons, "not");
      if (word === undefined) break;
      if (word === "not") this.#expect("in");
      const right = this.#binary(0);
      parts.push(apply(word === "not" ? "not in" : word, [left, right]));
      left = right;
    }
    return parts.length === 0 ? left : parts.length === 1 ? (parts[0] as Expression) : apply("and", parts);
  }

  /** Operators that bind as tightly as `loosest`, or tighter (precedence climbing). */
  #binary(loosest: number): Expression {
    let made = this.#sign();
    for (;;) {
      const next = this.#tokens[this.#at];
      const level = next?.kind === "sign" ? own(levels, next.text) : undefined;
      if (next === undefined || level === undefined || level < loosest) return made;
      this.#at++;
      made = apply(next.text as Operator, [made, this.#binary(level + 1)]);
    }
  }

  #sign(): Expression {
    const sign = this.#take("+", "-", "~", "!");
    if (sign === undefined) return this.#power();
    const op = { "+": "pos", "-": "neg", "~": "~", "!": "not" } as const;
    return this.#nested(() => apply(op[sign], [this.#sign()]));
  }

  #power(): Expression {
    const base = this.#subscript();
    return this.#take("**") ? this.#nested(() => apply("**", [base, this.#sign()])) : base;
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
    const opened = this.#take("(", "[", "{");
    if (opened === "(") return this.#parenthesized();
    if (opened === "[") return this.#collected("list", "]");
    if (opened === "{") return this.#collected("set", "}");
    const next = this.#tokens[this.#at];
    if (
      next === undefined ||
      next.kind === "sign" ||
      (next.kind === "word" && (keywords.has(next.text) || Object.hasOwn(refused, next.text)))
    )
      throw new SyntaxError(`${this.#shown()} where a value should be`);
    this.#at++;
    if (next.kind === "number") return constant(next.value);
    if (next.kind === "text") return constant(next.text);
    if (next.text === "True" || next.text === "true") return constant(true);
    if (next.text === "False" || next.text === "false") return constant(false);
    return this.#take("(") ? this.#call(next.text) : named(next.text);
  }

  #call(text: string): Expression {
    const name = text.replace(/^math\.(?=(?:ceil|floor)$)/, "");
    const called = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (called === undefined)
      throw new SyntaxError(`there is no function ${name}; there are ${Object.keys(functions).join(", ")}`);
    const args = this.#listed(")", (first) => this.#comprehension("generator", first));
    const [from, to] = called.takes;
    if (args.length < from || args.length > to)
      throw new SyntaxError(`${name}() takes ${from === to ? from : `${from} to ${to}`} arguments, and here are ${args.length}`);
    const [only] = args;
    if (only?.kind !== "each" || only.as !== "generator") return apply(`${name}()`, args);
    if (!ofItems.includes(name) || args.length > 1)
      throw new SyntaxError(`a generator stands alone in ${ofItems.join(", ")} only`);
    // Python makes the same of both.
    return name === "list" || name === "tuple" || name === "set"
      ? comprehension({ ...only, as: name })
      : apply(`${name}()`, args);
  }

  /** `(a)` is a; `()`, `(a,)` and `(a, b)` are tuples. */
  #parenthesized(): Expression {
    if (this.#take(")")) return apply("tuple", []);
    const first = this.#choice();
    if (this.#take(")")) return first;
    if (this.#take("for")) throw new SyntaxError(`a generator stands alone in ${ofItems.join(", ")} only; write [... for ...]`);
    if (this.#take(",") === undefined) this.#expect(")");
    return apply("tuple", [first, ...this.#listed(")")]);
  }

  #collected(as: "list" | "set", end: string): Expression {
    const items = this.#listed(end, (first) => this.#comprehension(as, first));
    const [only] = items;
    if (as === "set" && items.length === 0) throw new SyntaxError(refused[":"]);
    return this.#wasComprehension ? (only as Expression) : apply(as, items);
  }

  #wasComprehension = false;

  #comprehension(as: Comprehension["as"], body: Expression): Expression {
    const variable = this.#tokens[this.#at++];
    if (variable?.kind !== "word" || keywords.has(variable.text)) throw new SyntaxError("a comprehension without a name");
    if (this.#take(",")) throw new SyntaxError("a comprehension goes over one name here, and not over several");
    this.#expect("in");
    const over = this.#or();
    const conditions: Expression[] = [];
    while (this.#take("if")) conditions.push(this.#or());
    if (this.#take("for")) throw new SyntaxError("a comprehension has one `for` here, and not several");
    return comprehension({ as, variable: variable.text, over, conditions, body });
  }

  #listed(end: string, ofComprehension?: (first: Expression) => Expression): readonly Expression[] {
    const items: Expression[] = [];
    let isComprehension = false;
    while (!this.#take(end)) {
      items.push(this.#choice());
      if (items.length === 1 && ofComprehension && this.#take("for")) {
        items[0] = ofComprehension(items[0] as Expression);
        isComprehension = true;
        this.#expect(end);
        break;
      }
      if (this.#take(",") === undefined) {
        this.#expect(end);
        break;
      }
    }
    this.#wasComprehension = isComprehension;
    return items;
  }
}

type Token =
  | { readonly kind: "number"; readonly value: ExprValue; readonly text: string }
  | { readonly kind: "word" | "text" | "sign"; readonly text: string };

const longest = 10_000;

const digits = String.raw`\d(?:_?\d)*`;
const number = String.raw`0[xX](?:_?[\da-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|(?:${digits}\.(?:${digits})?|\.${digits}|${digits})(?:[eE][+-]?${digits})?`;
const word = String.raw`[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*`;
const text = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;
const sign = String.raw`\*\*|//|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>()[\]{},!&|^~:=.@]`;
const token = new RegExp(String.raw`\s*(?:(${number})|(${word})|(${text})|(${sign}))`, "y");

/** The words of an expression's text. Throws SyntaxError. */
function tokens(source: string): readonly Token[] {
  if (source.length > longest) throw new SyntaxError(`an expression of ${source.length} characters; at most ${longest}`);
  const found: Token[] = [];
  const end = source.trimEnd().length;
  for (let at = 0; at < end; ) {
    token.lastIndex = at;
    const match = token.exec(source);
    if (!match) {
      const found = source.slice(at).search(/\S/) + at;
      throw new SyntaxError(`${JSON.stringify(source[found])} at ${found} is not part of an expression`);
    }
    const [, asNumber, asWord, asText, asSign] = match;
    at = token.lastIndex;
    const after = source[at] ?? "";
    if (asNumber !== undefined) {
      if (/[\w.]/.test(after)) throw new SyntaxError(`${asNumber}${after} is not a number`);
      found.push({ kind: "number", value: numberOf(asNumber), text: asNumber });
    } else if (asWord !== undefined) {
      if (/["']/.test(after))
        throw new SyntaxError(`texts with a letter before them, as ${asWord}${after}, are not part of this language`);
      found.push({ kind: "word", text: asWord });
    } else if (asText !== undefined) {
      if (found.at(-1)?.kind === "text")
        throw new SyntaxError("two texts beside each other are not part of this language; write +");
      found.push({ kind: "text", text: asText.slice(1, -1).replace(/\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|.)/g, unescaped) });
    } else found.push(signOf(asSign as string));
  }
  return found;
}

/** C's signs as Python's words. `!` binds as in C. */
function signOf(text: string): Token {
  if (text === "&&") return { kind: "word", text: "and" };
  return text === "||" ? { kind: "word", text: "or" } : { kind: "sign", text };
}

function numberOf(text: string): ExprValue {
  const plain = text.replaceAll("_", "");
  if (/^0[xXbBoO]/.test(plain)) return int(BigInt(plain));
  if (/[.eE]/.test(plain)) return new Float(Number(plain));
  if (/^0+[1-9]/.test(plain))
    throw new SyntaxError(`${text} begins with 0, which no integer does; an octal number begins with 0o`);
  return int(BigInt(plain));
}

const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\", "'": "'", '"': '"' };

function unescaped(_: string, after: string): string {
  if (after.length > 1) return String.fromCharCode(Number.parseInt(after.slice(1), 16));
  const letter = escapes[after];
  if (letter === undefined) throw new SyntaxError(`\\${after} in a text is not part of this language`);
  return letter;
}
