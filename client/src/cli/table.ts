/** Plain aligned columns for people: a header, then rows; no frame, so that it can be cut and searched. */
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
