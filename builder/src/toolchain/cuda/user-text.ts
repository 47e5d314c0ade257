/**
 * Guards around CUDA text that a client brought. The compilers read any file an #include names, absolute ones too, and quote it in their
 * errors: so every include must name, in plain letters, one of the program's own files or a header of the toolkit. The reading here is
 * cruder than a preprocessor's on purpose: it looks for the word after a `#` anywhere, also in comments and strings, and refuses what it
 * does not understand. Second line: a log that speaks of any other file is withheld.
 */
import { err, ok, type Result } from "@warpfarm/common";

export interface Refusal {
  readonly rule: string;
  readonly message: string;
}

const LOG_LIMIT = 64 * 1024;

/** `#` in its two spellings, then blanks or comments, then a directive that reads a file. */
const reads = /(?:#|%:)(?:\s|\/\*.*?\*\/|\/\/[^\n]*\n)*(include_next|include|import|embed)\b/gs;
const asks = /\b(?:__has_include(?:_next)?|__has_embed|include_alias)\b/;
const trigraph = /\?\?[=/'()!<>-]/;
const plainName = /^(?:\s|\/\*.*?\*\/)*(?:"([\w.+/-]+)"|<([\w.+/-]+)>)/s;

/** A place in an absolute path: `/etc/passwd(1):`, `from /etc/passwd:1`. */
const stranger = /(?:^|\s|")\/[^\s()":]+(?:\(\d+\)|:\d+)/m;

/** Are all files this text reads its own or the toolkit's? `own`: names of the program's files. */
export function checkIncludes(name: string, text: string, own: ReadonlySet<string>): Result<void, Refusal> {
  // Translation phase 2; compilers forgive blanks behind the backslash.
  const spliced = text.replace(/\\[ \t\v\f\r]*\n/g, "");
  const refuse = (why: string): Result<never, Refusal> =>
    err({ rule: "source.include", message: `${name}: ${why} [source.include]` });
  const asked = asks.exec(spliced)?.[0];
  if (asked !== undefined) return refuse(`${asked} asks about files of the builder; it is not allowed`);
  if (trigraph.test(spliced)) return refuse("trigraphs are not allowed");
  for (const match of spliced.matchAll(reads)) {
    const [whole, directive] = match;
    if (directive !== "include") return refuse(`#${directive} is not allowed`);
    const after = plainName.exec(spliced.slice(match.index + whole.length));
    const file = after?.[1] ?? after?.[2];
    if (file === undefined) return refuse("#include must name a file of the program or of the CUDA toolkit, spelled out");
    if (own.has(file)) continue;
    if (file.startsWith("/") || file.split("/").includes(".."))
      return refuse(
        `#include ${JSON.stringify(file)}: only files of the program (${[...own].join(", ")}) and headers of the CUDA toolkit`,
      );
  }
  return ok(undefined);
}

/**
 * A compiler's words as a client may see them: known folders shortened, at most 64 KiB. Withheld when they speak of a file that is neither
 * the program's nor the toolkit's.
 */
export function cleanLog(log: string, folders: Readonly<Record<string, string>>): string {
  let text = log;
  for (const [folder, short] of Object.entries(folders)) text = text.replaceAll(`${folder.replace(/\/+$/, "")}/`, short);
  if (stranger.test(text))
    return "The compiler's words are withheld: they speak of a file outside of the program and the toolkit.";
  return text.length <= LOG_LIMIT ? text : `${text.slice(0, LOG_LIMIT - 100)}\n[cut: ${text.length} characters in all]`;
}
