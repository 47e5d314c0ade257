/**
 * Queries that are merged from groups. A group has equal values in the first columns of an index, so its records are in order
 * there. The first of them is the namespace. Such an index answers for each group alone, for each value of its first columns, and
 * for all records, where one index for each of these questions would be written with each record.
 */
import type { RecordQuery } from "../store.ts";
import type { Conditions } from "./conditions.ts";
import { inSpaces, spacesIn } from "./spaces.ts";

/** The columns after the namespace in the indexes (schema.ts): of times of measurement, and of the fastest. */
const byTime = { task: ["task", "problem"], kind: ["device_key", "device_name"], any: ["imported"] } as const;
const byTask = ["task", "problem", "device_key", "device_name", "computation"] as const;

/** The columns whose groups are merged; the filter gives values of some. Undefined where a query reads few records. */
function groupsOf(query: RecordQuery): readonly string[] | undefined {
  const { task, device, deviceName, template, session, by, program, ids, outcome } = query;
  const isFastest = query.order === "fastest";
  if (isFastest && task !== undefined) return byTask;
  if ([session, program, ids].some((each) => each !== undefined)) return undefined;
  if (!isFastest && task !== undefined) return byTime.task;
  if (by !== undefined) return undefined;
  if (isFastest || template !== undefined || outcome === "failed") return [];
  return device !== undefined || deviceName !== undefined ? byTime.kind : byTime.any;
}

/**
 * The select statement for `most` rows of a query, in order: doc, owner, standing, and place, which is the column `by`. `spaces`:
 * the namespaces that are read; undefined: all.
 */
export function selectOf(
  query: RecordQuery,
  spaces: readonly string[] | undefined,
  where: Conditions,
  by: "seconds" | "at",
  most: number,
): string {
  const direction = query.order === "newest" ? "desc" : "asc";
  const inOrder = `order by ${by} ${direction}, key ${direction}`;
  const columns = groupsOf(query);
  if (columns === undefined) {
    // The other indexes for these queries do not begin with the namespace.
    if (spaces !== undefined || query.program !== undefined) where.add(inSpaces(spaces, (value) => where.param(value)));
    return `select doc, owner, standing, ${by} as place from records ${where} ${inOrder} limit ${most}`;
  }
  const known = columns.map((column) => where.conditionOf(column));
  // A later column may be known where an earlier one is not; then all its groups are found, and the filter empties the others.
  const first = known.includes(undefined) ? known.indexOf(undefined) : columns.length;
  const free = columns.slice(first);
  const groups = groupsIn(free, [...(by === "seconds" ? [timedIn(query)] : []), ...known.slice(0, first)].join(" and "));
  const inGroup = `${where.and(["namespace", ...free].map((column) => `records.${column} = g.${column}`).join(" and "))} ${inOrder}`;
  // Only the groups with the first records matter.
  return `with recursive spaces (namespace) as (${spacesIn(spaces, (value) => where.param(value))}), ${groups},
  near as (select g.* from g cross join lateral (select ${by} as place, key from records ${inGroup} limit 1) l
    order by l.place ${direction}, l.key ${direction} limit ${most})
  select f.* from near g cross join lateral (
    select doc, key, owner, standing, ${by} as place from records ${inGroup} limit ${most}) f
  order by f.place ${direction}, f.key ${direction} limit ${most}`;
}

/** The condition of the index that has times in order. */
export const timedIn = ({ task }: Pick<RecordQuery, "task">): string =>
  task === undefined ? "seconds is not null" : "usable > 0";

/**
 * The definition of `g`, groups of `spaces` by the columns: each is found behind the last one, without reading its records. `of`:
 * conditions on the columns of the index before them, or empty.
 */
export function groupsIn(columns: readonly string[], of: string): string {
  if (columns.length === 0) return "g as (select namespace from spaces)";
  const group = columns.join(", ");
  const next = (space: string, behind: string) =>
    `select ${group} from records where namespace = ${space}.namespace ${of === "" ? "" : `and ${of}`} ${behind} order by ${group} limit 1`;
  const behind = `and (${group}) > (${columns.map((column) => `g.${column}`).join(", ")})`;
  return `g (namespace, ${group}) as (
    select spaces.namespace, x.* from spaces cross join lateral (${next("spaces", "")}) x
    union all select g.namespace, x.* from g cross join lateral (${next("g", behind)}) x)`;
}
