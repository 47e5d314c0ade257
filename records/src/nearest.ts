/**
 * The nearest shape that there are records of, for a suggestion: its best may be slow or not fit at all. Shapes are near when
 * their numbers are, as ratios; what is no number (a type, a layout) must be the same.
 */
import { canonicalJson, defined, type Json } from "@warpfarm/common";
import type { BestQuery, BestRecord, RecordStore, StoreCall } from "./store.ts";

/** Sum of |ln(a / b)| over the numbers; undefined when the shapes cannot be compared. */
export function shapeDistance(a: readonly Json[], b: readonly Json[]): number | undefined {
  const distance = distanceOf(a as Json, b as Json);
  return Number.isFinite(distance) ? distance : undefined;
}

function distanceOf(a: Json, b: Json): number {
  if (typeof a === "number" && typeof b === "number") {
    if (a === b) return 0;
    // A number that is no size, such as a padding of 0, is near when it is near.
    return a > 0 && b > 0 ? Math.abs(Math.log(a / b)) : Math.abs(a - b);
  }
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length
      ? a.reduce((sum: number, each, i) => sum + distanceOf(each as Json, b[i] as Json), 0)
      : Number.POSITIVE_INFINITY;
  return canonicalJson(a) === canonicalJson(b) ? 0 : Number.POSITIVE_INFINITY;
}

export interface Suggestion {
  readonly args: readonly Json[];
  readonly distance: number;
  /** By kind of device, as of `best`. */
  readonly best: readonly BestRecord[];
}

const page = 1_000;
const mostPages = 5;
const mostTried = 5;

/** Of the newest 5,000 timed records of the task the nearest shape that has a best for the query; undefined when none has. */
export async function nearestBest(
  store: Pick<RecordStore, "query" | "best">,
  query: BestQuery,
  o: StoreCall = {},
): Promise<Suggestion | undefined> {
  const { task, args: wanted, device, deviceName } = query;
  const shapes = new Map<string, { readonly args: readonly Json[]; readonly distance: number }>();
  const of = {
    task,
    outcome: "timed" as const,
    limit: page,
    ...defined({ device, deviceName }),
  };
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const { records, next } = await store.query({ ...of, ...defined({ cursor }) }, o);
    for (const { args } of records) {
      const distance = shapeDistance(wanted, args);
      if (distance !== undefined && distance > 0) shapes.set(canonicalJson(args), { args, distance });
    }
    if (next === undefined) break;
    cursor = next;
  }
  const near = [...shapes].sort(([a, x], [b, y]) => x.distance - y.distance || (a < b ? -1 : 1)).slice(0, mostTried);
  for (const [, { args, distance }] of near) {
    const best = await store.best({ ...query, args }, o);
    if (best.length > 0) return { args, distance, best };
  }
  return undefined;
}
