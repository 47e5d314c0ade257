import { intervalOf } from "../../src/api.ts";
import type { Filter } from "./filter.ts";
import type { RunData } from "./run-data.ts";
import { compareValues } from "./space.ts";

export type Kept = "all" | "valid" | "noise" | "top1" | "top5" | "top20";

/** `noise` keeps the trials whose interval overlaps that of the best. */
export function selectTrials(data: RunData, passes: Filter, kept: Kept, best: number): Int32Array {
  const { seconds, spread } = data.columns;
  const found: number[] = [];
  for (let i = 0; i < data.count; i++) if (passes(i) && (kept === "all" || seconds.at(i) > 0)) found.push(i);
  if (kept === "noise") {
    const limit = best < 0 ? 0 : intervalOf(seconds.at(best), spread.at(best))[1];
    return Int32Array.from(found.filter((i) => intervalOf(seconds.at(i), spread.at(i))[0] <= limit));
  }
  const share = kept === "top1" ? 0.01 : kept === "top5" ? 0.05 : kept === "top20" ? 0.2 : 1;
  if (share === 1) return Int32Array.from(found);
  const fastest = found.sort((a, b) => seconds.at(a) - seconds.at(b) || a - b);
  return Int32Array.from(fastest.slice(0, Math.max(1, Math.ceil(share * fastest.length)))).sort();
}

/** `key` is a column's name or `knob.NAME`; with a `-` before it the largest values come first. Failures always come last. */
export function sortTrials(data: RunData, rows: Int32Array, key: string): Int32Array {
  const isDown = key.startsWith("-");
  const value = sortValue(data, isDown ? key.slice(1) : key);
  if (!value) return rows;
  const compare = (a: number, b: number) => {
    const [x, y] = [value(a), value(b)];
    if (Number.isNaN(x) || Number.isNaN(y)) return Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a - b;
    return (isDown ? y - x : x - y) || a - b;
  };
  return rows.slice().sort(compare);
}

function sortValue(data: RunData, name: string): ((trial: number) => number) | undefined {
  const { columns } = data;
  if (name === "seconds") return (i) => (columns.seconds.at(i) > 0 ? columns.seconds.at(i) : Number.NaN);
  if (name === "sequence" || name === "spread" || name === "atMs" || name === "errorNo" || name === "node")
    return (i) => columns[name].at(i);
  const knob = name.startsWith("knob.") ? data.knobs.findIndex((each) => each.name === name.slice(5)) : -1;
  if (knob < 0) return undefined;
  const values = data.knobs[knob]?.values ?? [];
  const ranks = new Array<number>(values.length);
  for (const [rank, i] of [...values.keys()].sort((a, b) => compareValues(values[a] as string, values[b] as string)).entries())
    ranks[i] = rank;
  return (i) => ranks[data.config[knob]?.at(i) ?? -1] ?? Number.NaN;
}
