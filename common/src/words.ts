/** Times, spans, counts, configs and shell words as text, for the command line and the page. */

const scales = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "us"],
  [1e-9, "ns"],
] as const;

/** The time of a kernel with this many digits: 0.0000123 -> "12.30 us"; a dash without a time. */
export function timeWords(seconds: number | undefined, digits = 4): string {
  if (seconds === undefined || !(seconds > 0)) return "–";
  const [scale, unit] = scales.find(([least]) => seconds >= least) ?? scales[3];
  return `${(seconds / scale).toPrecision(digits)} ${unit}`;
}

/** A span: `800 ms`, `12 s`, `34 min`, `5.2 h`, `3.1 d`. */
export function spanWords(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 100_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 6_000_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${(ms / 3_600_000).toFixed(1)} h`;
  return `${(ms / 86_400_000).toFixed(1)} d`;
}

/** The knobs of a config with their values: `tile [1,4], unroll 2`. */
export const configWords = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(", ");

/** Quotes a text as one word of a shell. */
export const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/**
 * Words that are not ours, such as a parser's of a user's text, without control characters, which a terminal would obey, ends of
 * lines and paragraphs (U+2028, U+2029), and marks that turn the direction of text.
 */
export const printable = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "?");

/** Of such words the first line, with at most so many characters. */
export const firstLine = (text: string, most = 1024): string => printable(text.trim().split("\n", 1)[0] ?? "").slice(0, most);

/** `1 worker`, `2,000 workers`, `0 workers`. */
export const countWords = (count: number, one: string): string => `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
