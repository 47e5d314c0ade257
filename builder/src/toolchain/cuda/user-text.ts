/**
 * Guards around CUDA text that a client brought, for a builder without a sandbox. The compilers read any file that a directive
 * names, and quote it in their errors. So a directive must be of a list of those that read nothing but the program's own files
 * and headers of the toolkit, and an #include must name one of them in plain letters. Directives are found after splices are
 * joined and comments are blanks. What could form a directive or a question about files behind our back (_Pragma, pasted tokens,
 * trigraphs) is refused. Second line: a log that speaks of another file is withheld.
 */
import { err, ok, type Refusal, type Result } from "@warpfarm/common";

const logLimit = 64 * 1024;

/** The allowed directives. #error quotes only the program's own line. */
const plain = new Set(["include", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "pragma"]);
const plainPragma = /^(?:once|unroll|nounroll)\b/;
/** Words behind a `#` that are refused everywhere, also in what looks like a comment or a string. */
const foul = /^(?:include_next|import|embed|line|warning|ident|sccs|assert|unassert|\d.*)$/;
const anywhere = /(?:#|%:)(?:[ \t\v\f]|\/\*[\s\S]*?\*\/)*(\w+)([^\n]*)/g;
const atLineStart = /^[ \t\v\f]*(?:#|%:)[ \t\v\f]*(\w*)/;
const asks = /\b(?:__has_include(?:_next)?|__has_embed|include_alias|_Pragma|__pragma)\b/;
const trigraph = /\?\?[=/'()!<>-]/;
const paste = /##|%:%:/;
const plainName = /^(?:[ \t\v\f]|\/\*[\s\S]*?\*\/)*(?:"([\w.+/-]+)"|<([\w.+/-]+)>)/;
const reads = /\.\s*(?:incbin|include)\b/;
const isAssembly = /\b(?:asm|__asm|__asm__)\b/;
const escapedLetter = /\\(?:[xuUN]|[0-7])/;

/** A place in a file with an absolute path: `/etc/passwd(1):`, `from /etc/passwd:1`. */
const foreign = /(?:^|\s|")\/[^\s()":]+(?:\(\d+\)|:\d+)/m;

/**
 * Whether all directives of this text read only the program's own files or the toolkit's. `own`: names of the program's files.
 */
export function checkText(name: string, text: string, own: ReadonlySet<string>): Result<void, Refusal> {
  const refuse = (rule: "include" | "directive", why: string): Result<never, Refusal> =>
    err({ rule: `source.${rule}`, message: `${name}: ${why}; this builder has no sandbox [source.${rule}]` });
  // Translation phases 1 and 2. Compilers allow blanks behind the backslash.
  const spliced = text.replace(/\r\n?/g, "\n").replace(/\\[ \t\v\f]*\n/g, "");
  if (trigraph.test(spliced)) return refuse("include", "trigraphs are not allowed");
  const asked = asks.exec(spliced)?.[0];
  if (asked !== undefined) return refuse("include", `${asked} may ask about files of the builder and is not allowed`);
  if (paste.test(spliced)) return refuse("directive", "pasting of tokens (##) is not allowed");
  if (reads.test(spliced) || (isAssembly.test(spliced) && escapedLetter.test(spliced)))
    return refuse("include", "assembly that may read files (.incbin, or letters spelled as escapes) is not allowed");
  // Where a preprocessor sees directives, they must be on the list ...
  for (const line of withoutCommentsAndStrings(spliced).split("\n")) {
    const [, word = ""] = atLineStart.exec(line) ?? [];
    if (word !== "" && !plain.has(word)) return refuse(ruleOf(word), `#${word} is not allowed`);
  }
  // ... and, in case the two disagree on what a comment is, everywhere a directive may be.
  for (const [, word = "", rest = ""] of spliced.matchAll(anywhere)) {
    if (foul.test(word)) return refuse(ruleOf(word), `#${word} is not allowed`);
    if (word === "pragma" && !plainPragma.test(rest.trim()))
      return refuse("directive", "of #pragma only once, unroll and nounroll are allowed");
    if (word !== "include") continue;
    const after = plainName.exec(rest);
    const file = after?.[1] ?? after?.[2];
    if (file === undefined)
      return refuse("include", "#include must name a file of the program or of the CUDA toolkit, spelled out");
    if (!own.has(file) && (file.startsWith("/") || file.split("/").includes("..")))
      return refuse(
        "include",
        `#include ${JSON.stringify(file)}: only files of the program (${[...own].join(", ")}) and headers of the CUDA toolkit`,
      );
  }
  return ok(undefined);
}

const ruleOf = (word: string): "include" | "directive" =>
  /^(?:include_next|import|embed)$/.test(word) ? "include" : "directive";

/**
 * Translation phase 3, as far as directives need it: a comment becomes one blank, so text behind a comment of several lines is on
 * the comment's first line.
 */
function withoutCommentsAndStrings(spliced: string): string {
  const token =
    /\b(?:u8|[uUL])?R"([^\s()\\]{0,16})\([\s\S]*?\)\1"|\b\d(?:'?[\w.])*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*/g;
  return spliced.replace(token, (whole) =>
    whole.startsWith("/") ? " " : /^\d/.test(whole) ? whole : `""${whole.replace(/[^\n]/g, "")}`,
  );
}

/**
 * A compiler's messages as a client may see them: known folders shortened, at most 64 KiB. `guarded`: withheld when they name a
 * file that is neither the program's nor the toolkit's.
 */
export function cleanLog(log: string, folders: Readonly<Record<string, string>>, guarded: boolean): string {
  let text = log;
  for (const [folder, short] of Object.entries(folders)) text = text.replaceAll(`${folder.replace(/\/+$/, "")}/`, short);
  if (guarded && foreign.test(text))
    return "The compiler's message is withheld: it names a file outside of the program and the toolkit.";
  return text.length <= logLimit ? text : `${text.slice(0, logLimit - 100)}\n[cut: ${text.length} characters in all]`;
}
