/** Plain aligned columns for people: a header, then rows; no frame, so that it can be cut and searched. And what stands in them. */
import { createRequire } from "node:module";

/** The part of cli-table3 that we use; it is CommonJS with a default export of its own. */
type TableClass = new (options: object) => { push(row: readonly string[]): unknown; toString(): string };

const edges = ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"];
const inner = ["left", "left-mid", "mid", "mid-mid", "right", "right-mid"];
const chars = { ...Object.fromEntries([...edges, ...inner].map((name) => [name, ""])), middle: "  " };

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const Table = createRequire(import.meta.url)("cli-table3") as TableClass;
  const drawn = new Table({ head, chars, style: { head: [], border: [], "padding-left": 0, "padding-right": 0 } });
  for (const row of rows) drawn.push(row);
  return `${drawn.toString().replace(/[ \t]+$/gm, "")}\n`;
}

/** How long: `800 ms`, `12 s`, `34 min`, `5.2 h`, `3.1 d`. */
export function spanWords(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 100_000) return `${Math.round(ms / 1_000)} s`;
  if (ms < 6_000_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${(ms / 3_600_000).toFixed(1)} h`;
  return `${(ms / 86_400_000).toFixed(1)} d`;
}
