/**
 * Queries that are merged from groups. A group has equal values in the first columns of an index, so its records are in order
 * there. Such an index answers for each group alone, for each value of its first column, and for all records, where one index for
 * each of these questions would be written with each record.
 */
import type { RecordQuery } from "../store.ts";
import type { Conditions } from "./conditions.ts";

/** The first columns of the indexes (schema.ts): of times of measurement, and of the fastest. */
const byTime = { task: ["task", "problem"], kind: ["device_key", "device_name"], any: ["imported"] } as const;
const byTask = ["task", "problem", "device_key", "device_name"] as const;

/** The columns whose groups are merged, of which the filter says some. Undefined where an index has all answers in order. */
function groupsOf(query: RecordQuery): readonly string[] | undefined {
  const { task, args, device, deviceName, template, session, by, program, ids, outcome, origin } = query;
  if (query.order === "fastest") return task === undefined ? undefined : byTask;
  if ([args, session, program, ids].some((each) => each !== undefined)) return undefined;
  if (task !== undefined) return byTime.task;
  if (template !== undefined || by !== undefined || outcome === "failed") return undefined;
  if (device !== undefined || deviceName !== undefined) return byTime.kind;
  return origin === undefined ? byTime.any : undefined;
}

/** The select statement for `most` rows of a query, in order: doc, owner, and place, which is the column `by`. */
export function selectOf(query: RecordQuery, where: Conditions, by: "seconds" | "at", most: number): string {
  const direction = query.order === "newest" ? "desc" : "asc";
  const inOrder = `order by ${by} ${direction}, key ${direction}`;
  const columns = groupsOf(query) ?? [];
  const known = columns.map((column) => where.conditionOf(column));
  // A later column may be known where an earlier one is not; then all its groups are found, and the filter empties the others.
  const first = known.indexOf(undefined);
  if (first < 0) return `select doc, owner, ${by} as place from records ${where} ${inOrder} limit ${most}`;
  const free = columns.slice(first);
  const group = free.join(", ");
  const of = [by === "seconds" ? "usable > 0" : "true", ...known.slice(0, first)].join(" and ");
  const next = (behind: string) => `select ${group} from records where ${of} ${behind} order by ${group} limit 1`;
  const behind = `and (${group}) > (${free.map((column) => `g.${column}`).join(", ")})`;
  const inGroup = `${where.and(free.map((column) => `records.${column} = g.${column}`).join(" and "))} ${inOrder}`;
  // Each group is found behind the last one, without reading its records. Only the groups with the first records matter.
  return `with recursive g (${group}) as (
    (${next("")}) union all select x.* from g cross join lateral (${next(behind)}) x),
  near as (select g.* from g cross join lateral (select ${by} as place, key from records ${inGroup} limit 1) l
    order by l.place ${direction}, l.key ${direction} limit ${most})
  select f.* from near g cross join lateral (select doc, key, owner, ${by} as place from records ${inGroup} limit ${most}) f
  order by f.place ${direction}, f.key ${direction} limit ${most}`;
}
