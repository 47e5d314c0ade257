/** The words of an expression's text. Throws SyntaxError. */
import { type ExprValue, Float, int } from "./values.ts";

export type Token =
  | { readonly kind: "number"; readonly value: ExprValue; readonly text: string }
  | { readonly kind: "word" | "text" | "sign"; readonly text: string };

/** Longest text that is read. */
const longest = 10_000;

const digits = String.raw`\d(?:_?\d)*`;
const number = String.raw`0[xX](?:_?[\da-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|(?:${digits}\.(?:${digits})?|\.${digits}|${digits})(?:[eE][+-]?${digits})?`;
const word = String.raw`math\.(?:ceil|floor)\b|[A-Za-z_]\w*`;
const text = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`;
const sign = String.raw`\*\*|//|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>()[\]{},!&|^~:=.@]`;
const token = new RegExp(String.raw`\s*(?:(${number})|(${word})|(${text})|(${sign}))`, "y");

export function tokens(source: string): readonly Token[] {
  if (source.length > longest) throw new SyntaxError(`an expression of ${source.length} characters; at most ${longest}`);
  const found: Token[] = [];
  for (let at = 0; /\S/.test(source.slice(at)); ) {
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
