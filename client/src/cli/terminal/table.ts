/**
 * Plain aligned columns for people: a header, then rows, without a frame, so that the output can be cut and searched.
 */
import { createRequire } from "node:module";
import { printable } from "@warpfarm/common";
import type { NodeView } from "@warpfarm/proto";
import { hanging, wrap } from "./screen.ts";

/** The part of cli-table3 that we use; it is CommonJS with a default export of its own. */
type TableClass = new (options: object) => { push(row: readonly string[]): unknown; toString(): string };

const edges = ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"];
const inner = ["left", "left-mid", "mid", "mid-mid", "right", "right-mid"];
const chars = { ...Object.fromEntries([...edges, ...inner].map((name) => [name, ""])), middle: "  " };

interface TableOptions {
  readonly width?: number;
  /** How many of the last columns go on their own line under their row when the width does not hold all. */
  readonly fold?: number;
  readonly paint?: (column: string, text: string) => string;
}

const gap = 2;
const leastColumn = 4;

/** Long text continues in further lines of its cell; nothing is cut. Cells may hold names that others chose. */
export function table(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  { width = Number.POSITIVE_INFINITY, fold = 0, paint = (_, text) => text }: TableOptions = {},
): string {
  const all = [names, ...rows].map((row) => row.map((cell) => printable(cell.replace(/\s+/g, " "))));
  const [head = []] = all;
  const needed = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
  const isFolded = fold > 0 && spanOf(needed) > width;
  const columns = isFolded ? head.slice(0, -fold) : head;
  const longest = head.map((_, i) => Math.max(...all.flatMap((row) => (row[i] ?? "").split(" ").map((word) => word.length))));
  const widths = fitting(needed.slice(0, columns.length), longest, width);
  const draw = draftsman(widths);
  const painted = (row: readonly string[]) =>
    columns.map((column, i) =>
      wrap(row[i] ?? "", widths[i] ?? 0)
        .map((line) => (row === head ? line : paint(column, line)))
        .join("\n"),
    );
  if (!isFolded) return draw(all.map(painted));
  const rest = (row: readonly string[]) => {
    const cells = head.slice(columns.length).map((column, i) => [column, row[columns.length + i] ?? ""] as const);
    const told = cells.flatMap(([column, text]) => (text === "" ? [] : [`${column} ${text}`]));
    return row === head || told.length === 0 ? "" : hanging("  ", told.join("; "), width, 4);
  };
  return all.map((row) => `${draw([painted(row)])}${rest(row)}`).join("");
}

const spanOf = (widths: readonly number[]): number => widths.reduce((sum, w) => sum + w, gap * (widths.length - 1));

/** The widest columns shrink, first those that are wider than their longest word. */
function fitting(needed: readonly number[], longest: readonly number[], width: number): number[] {
  const widths = [...needed];
  for (const least of [longest, longest.map((word) => Math.min(word, leastColumn))])
    while (spanOf(widths) > width) {
      const room = widths.map((w, i) => (w > (least[i] ?? 0) ? w : 0));
      const widest = room.indexOf(Math.max(...room));
      if (room[widest] === 0) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  return widths;
}

function draftsman(widths: readonly number[]): (rows: readonly (readonly string[])[]) => string {
  const Table = createRequire(import.meta.url)("cli-table3") as TableClass;
  return (rows) => {
    // A column without a character takes one.
    const colWidths = widths.map((w) => Math.max(1, w));
    const drawn = new Table({ chars, colWidths, style: { border: [], "padding-left": 0, "padding-right": 0 } });
    for (const row of rows) drawn.push(row);
    return `${drawn.toString().replace(/[ \t]+$/gm, "")}\n`;
  };
}

export const reasonWords = ({ reason }: Pick<NodeView, "reason">): string =>
  [reason?.what, reason?.detail].filter((text) => text !== undefined).join("; ");

/**
 * Build targets, with many of one family as from..to: `cuda/sm_75..sm_120, cuda/sm_90a..sm_120a, cpu/x86-64-v1..v4`. Capabilities
 * of CUDA have gaps, so the range covers those that exist. The levels of x86-64 have none, so a missing one breaks the range.
 */
export function targetWords(targets: readonly string[]): string {
  const families = new Map<string, number[]>();
  for (const target of targets) {
    const [level] = /(?<=[_v])\d+(?=a?$)/.exec(target) ?? [];
    const family = level === undefined ? target : target.replace(/\d+(?=a?$)/, "*");
    families.set(family, [...(families.get(family) ?? []), Number(level)]);
  }
  return [...families].map(([family, levels]) => familyWords(family, levels)).join(", ");
}

function familyWords(family: string, unsorted: readonly number[]): string {
  const levels = unsorted.toSorted((a, b) => a - b);
  const [first = 0, last = 0] = [levels[0], levels.at(-1)];
  const written = (name: string, level: number) => name.replace("*", String(level));
  const hasGap = family.startsWith("cpu/") && last - first >= levels.length;
  if (levels.length < 3 || hasGap) return levels.map((level) => written(family, level)).join(", ");
  const [short = family] = /[^/-]*$/.exec(family) ?? [];
  return `${written(family, first)}..${written(short, last)}`;
}
