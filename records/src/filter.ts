/** Which records pass a filter, and whether a query is valid; the same for every store. */
import { badInput, canonicalJson } from "@warpfarm/common";
import { type RecordFilter, type RecordQuery, recordOrders } from "./store.ts";
import type { TuningRecord } from "./tuning-record.ts";

const defaultPage = 100;
export const longestPage = 1_000;

export function checkFilter(filter: RecordFilter): void {
  if (filter.args !== undefined && filter.task === undefined)
    throw badInput("args are given without a task; args are those of one task");
  for (const [name, value] of Object.entries({ sinceMs: filter.sinceMs, untilMs: filter.untilMs }))
    if (value !== undefined && !Number.isSafeInteger(value))
      throw badInput(`${name} is ${value}; it is a whole number of milliseconds`);
}

/** Throws INVALID_ARGUMENT. Fields that are unset get their defaults. */
export function checkQuery(query: RecordQuery): { readonly order: "newest" | "oldest" | "fastest"; readonly limit: number } {
  checkFilter(query);
  const { order = "newest", limit = defaultPage } = query;
  if (!recordOrders.includes(order)) throw badInput(`order is ${JSON.stringify(order)}; it is one of ${recordOrders.join(", ")}`);
  if (!Number.isInteger(limit) || limit < 1 || limit > longestPage)
    throw badInput(`limit is ${limit}; it is a whole number from 1 to ${longestPage}`);
  return { order, limit };
}

/** Throws INVALID_ARGUMENT for a filter that all records pass, because that is more often a slip than meant. */
export function checkChange(filter: RecordFilter, change: "deleting" | "sharing"): void {
  checkFilter(filter);
  if (Object.values(filter).every((value) => value === undefined))
    throw badInput(`no record is named: ${change} takes a filter, such as a task, ids, a session or a time`);
}

export function passes(record: TuningRecord, f: RecordFilter): boolean {
  const is = <T>(asked: T | undefined, found: T): boolean => asked === undefined || asked === found;
  return (
    (f.ids === undefined || f.ids.includes(record.id)) &&
    is(f.task, record.task) &&
    (f.args === undefined || canonicalJson(f.args) === canonicalJson(record.args)) &&
    is(f.template, record.template ?? "") &&
    is(f.device, record.device?.key ?? "") &&
    is(f.deviceName, record.device?.name ?? "") &&
    is(f.target, record.target) &&
    is(f.program, record.program ?? "") &&
    is(f.session, record.session ?? "") &&
    is(f.by, record.origin.by) &&
    is(f.outcome, record.result.kind) &&
    is(f.origin, record.origin.kind) &&
    (f.sinceMs === undefined || record.timestampMs >= f.sinceMs) &&
    (f.untilMs === undefined || record.timestampMs < f.untilMs)
  );
}

/** The end of a page: the sort value and the key of its last record. A record's id may be another's secret. */
export interface Place {
  readonly at: number;
  readonly key: string;
}
export const encodeCursor = ({ at, key }: Place, order: string): string =>
  Buffer.from(JSON.stringify([order, at, key])).toString("base64url");

/** Throws INVALID_ARGUMENT for a cursor that no store made, or that belongs to another order. */
export function decodeCursor(cursor: string, order: string): Place {
  try {
    const [of, at, key] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown[];
    const isPlace = order === "fastest" ? Number.isFinite(at) : Number.isSafeInteger(at);
    if (of === order && typeof at === "number" && isPlace && typeof key === "string" && /^[0-9a-f]{32}$/.test(key))
      return { at, key };
  } catch {}
  throw badInput(`cursor is ${JSON.stringify(cursor)}, which no page of records ordered by ${order} ends with`);
}
