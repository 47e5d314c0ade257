/**
 * Rows of a table of text as in RFC 4180: separated by commas, semicolons or tabs, as the head shows; quoted fields hold
 * anything.
 */

const separators = [",", ";", "\t"] as const;
type Separator = (typeof separators)[number];

/** The separator that a head of names uses: the one that divides it most. */
export function separatorOf(head: string): Separator {
  const bare = head.replaceAll(/"(?:[^"]|"")*"/g, "");
  const count = (sign: string) => bare.split(sign).length;
  return separators.reduce((most, sign) => (count(sign) > count(most) ? sign : most));
}

/** The fields of a row; undefined when its last quote is not closed. */
export function cellsOf(text: string, separator: Separator): readonly string[] | undefined {
  const row: string[] = [];
  for (let at = 0; at <= text.length; at++) {
    // Spaces before a quote are not part of the field.
    const start = /^[ ]*"/.test(text.slice(at, at + 100)) ? text.indexOf('"', at) : at;
    if (text[start] !== '"') {
      const next = text.indexOf(separator, at);
      const end = next < 0 ? text.length : next;
      row.push(text.slice(at, end).replace(/\r$/, ""));
      at = end;
      continue;
    }
    let field = "";
    for (at = start + 1; ; at++) {
      const quote = text.indexOf('"', at);
      if (quote < 0) return undefined;
      field += text.slice(at, quote);
      at = quote + 1;
      if (text[at] !== '"') break;
      field += '"';
    }
    // Text after a closed quote belongs to the field.
    const next = text.indexOf(separator, at);
    const end = next < 0 ? text.length : next;
    row.push(field + text.slice(at, end).trimEnd());
    at = end;
  }
  return row;
}

interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

export class CsvRows {
  #separator: Separator | undefined;
  #open = "";
  #line = 0;
  #start = 0;

  add(line: string): CsvRow | undefined {
    this.#line++;
    if (this.#open === "") {
      const text = this.#line === 1 ? line.replace(/^\uFEFF/, "") : line;
      if (text.trim() === "") return undefined;
      // Excel names the separator in a line of its own.
      const [, named] = this.#separator === undefined ? (/^"?sep=([,;\t])"?\r?$/.exec(text) ?? []) : [];
      if (named !== undefined) this.#separator = named as Separator;
      if (named !== undefined) return undefined;
      this.#start = this.#line;
      return this.#row(text);
    }
    return this.#row(this.#open + line);
  }
  #row(text: string): CsvRow | undefined {
    const separator = this.#separator ?? separatorOf(text);
    const cells = cellsOf(text, separator);
    this.#open = cells === undefined ? `${text}\n` : "";
    if (cells === undefined) return undefined;
    this.#separator = separator;
    return { line: this.#start, cells };
  }

  /** The line whose quote was not closed until the end; undefined when all were. */
  get unclosed(): number | undefined {
    return this.#open === "" ? undefined : this.#start;
  }
}
