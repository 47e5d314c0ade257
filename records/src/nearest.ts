/** Finds the nearest shape with records, as a suggestion: its best may be slow or not fit. */
import { canonicalJson, defined, type Json } from "@warpfarm/common";
import { chooseBest, counts, kindOf, mostNoise } from "./best.ts";
import { groupBy } from "./group-by.ts";
import type { BestQuery, BestRecord, RecordStore, StoreCall } from "./store.ts";
import { kernelOf, secondsOfRecord, type TuningRecord } from "./tuning-record.ts";

/** Sum of |ln(a / b)| over the numbers; undefined when the shapes cannot be compared. */
export function shapeDistance(a: readonly Json[], b: readonly Json[]): number | undefined {
  const distance = distanceOf(a as Json, b as Json);
  return Number.isFinite(distance) ? distance : undefined;
}

function distanceOf(a: Json, b: Json): number {
  if (typeof a === "number" && typeof b === "number") {
    if (a === b) return 0;
    // A number that is no size, such as a padding of 0, is compared by difference.
    return a > 0 && b > 0 ? Math.abs(Math.log(a / b)) : Math.abs(a - b);
  }
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length
      ? a.reduce((sum: number, each, i) => sum + distanceOf(each as Json, b[i] as Json), 0)
      : Number.POSITIVE_INFINITY;
  return canonicalJson(a) === canonicalJson(b) ? 0 : Number.POSITIVE_INFINITY;
}

const page = 1_000;
const mostPages = 5;
const mostTried = 16;

interface NearestCall extends StoreCall {
  /** Whether a record's kernel can serve the shape of the query. Unset: every kernel counts. */
  readonly fits?: (record: TuningRecord) => boolean;
}

/**
 * Takes the 16 nearest shapes of the newest 5,000 timed records of the task, and gives the nearest one that has a best for the
 * query; undefined when none has. With `fits` the best is chosen from the kernels that fit.
 */
export async function nearestBest(
  store: Pick<RecordStore, "query" | "best">,
  query: BestQuery,
  { fits, ...o }: NearestCall = {},
) {
  const { task, args: wanted, device, deviceName } = query;
  const shapes = new Map<string, { readonly args: readonly Json[]; readonly distance: number }>();
  const of = {
    task,
    outcome: "timed" as const,
    believed: true,
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
    const near = { ...query, args };
    const best = await (fits ? bestThatFits(store, near, fits, o) : store.best(near, o));
    if (best.length > 0) return { args, distance, best };
  }
  return undefined;
}

/** By kind of device, from the 1,000 fastest records of the shape. */
async function bestThatFits(
  store: Pick<RecordStore, "query">,
  query: BestQuery,
  fits: (record: TuningRecord) => boolean,
  o: StoreCall,
): Promise<readonly BestRecord[]> {
  const { task, args, device, deviceName } = query;
  const asked = { task, args, order: "fastest" as const, believed: true, limit: page, ...defined({ device, deviceName }) };
  const { records } = await store.query(asked, o);
  const kinds = groupBy(
    records.filter((record) => counts(record, query)),
    kindOf,
  );
  return [...kinds].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, all]) => chooseBest(fitting(all, fits)) ?? []);
}

/** Expects records of one kind of device, the fastest first. */
function fitting(records: readonly TuningRecord[], fits: (record: TuningRecord) => boolean): readonly TuningRecord[] {
  const kept: TuningRecord[] = [];
  let limit = Number.POSITIVE_INFINITY;
  for (const [, all] of groupBy(records, kernelOf)) {
    const [fastest] = all as [TuningRecord, ...TuningRecord[]];
    // No later kernel can be tied with the best of those that were kept.
    if ((secondsOfRecord(fastest) as number) > limit) break;
    if (!fits(fastest)) continue;
    kept.push(...all);
    limit = Math.min(limit, (chooseBest(all)?.seconds ?? limit) * (1 + mostNoise));
  }
  return kept;
}
