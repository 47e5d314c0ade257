/**
 * Others' records that wait for a builder. An answer does not have them, but it says how many there are, and its tracker has the
 * claims of those that would win replayed. Every principal has a turn, and only so many groups of each are looked at, so nobody
 * keeps another's claims waiting with many of his own.
 */
import { mostNoise } from "../best.ts";
import { everybody } from "../standing.ts";
import type { BestQuery, RecordFilter } from "../store.ts";
import { problemOf } from "../tuning-record.ts";
import { outcomeIs } from "./conditions.ts";
import type { Sql, SqlParam } from "./sql.ts";

export interface Offered {
  /** Names of claims, the most wanted first. */
  readonly claims: readonly string[];
  /** The number of others' records that wait, at most `mostRows`. */
  readonly rows: number;
}

const mostRows = 1_000;
const mostPrincipals = 64;
const mostGroups = 64;
const mostOfGroup = 8;

const group = ["problem", "device_key", "device_name", "computation"] as const;
const list = group.join(", ");
/** The fastest of a group in everybody's namespace, which a waiting record has to match. */
const bestShared = `(select b.seconds from records b where b.namespace = '${everybody}' and b.task = $1
  and ${group.map((column) => `b.${column} = g.${column}`).join(" and ")} and b.usable > 0 order by b.seconds limit 1)`;

/** Nothing without a task. `most`: the most claims. */
export async function offeredIn(sql: Sql, query: RecordFilter | BestQuery, me: string, most: number): Promise<Offered> {
  const { task, args, device, deviceName, origin } = query;
  if (task === undefined || origin === "imported") return { claims: [], rows: 0 };
  const params: SqlParam[] = [task, me];
  const is = (column: string, value: string | undefined) => (value === undefined ? [] : [`${column} = $${params.push(value)}`]);
  const outcome = "outcome" in query ? query.outcome : undefined;
  const ofProblem = is("problem", args && problemOf({ task, args }));
  const others = [
    ...ofProblem,
    ...is("device_key", device),
    ...is("device_name", deviceName),
    ...is("template", "template" in query ? query.template : undefined),
    ...(outcome === undefined ? [] : [outcomeIs[outcome]]),
  ];
  const waits = ["standing = 1", "task = $1"];
  const all = (...conditions: readonly string[]) => [...waits, ...conditions].join(" and ");
  const nextSpace = (behind: string) => `select namespace from records where ${all(behind)} order by namespace limit 1`;
  const nextGroup = (space: string, behind: string) =>
    `select ${list} from records where ${all(`namespace = ${space}.namespace`, ...ofProblem, behind)} order by ${list} limit 1`;
  const groups = `with recursive spaces (namespace) as (
      (${nextSpace("true")}) union all select x.namespace from spaces cross join lateral (${nextSpace("namespace > spaces.namespace")}) x),
    others as (select namespace from spaces where namespace <> $2 limit ${mostPrincipals}),
    g (namespace, ${list}, n) as (
      select others.namespace, x.*, 1 from others cross join lateral (${nextGroup("others", "true")}) x
      union all select g.namespace, x.*, g.n + 1
        from g cross join lateral (${nextGroup("g", `(${list}) > (${group.map((c) => `g.${c}`).join(", ")})`)}) x where g.n < ${mostGroups})`;
  const inGroup = all("records.namespace = g.namespace", ...group.map((c) => `records.${c} = g.${c}`), ...others);
  const wins =
    "args" in query && !("outcome" in query) ? `and seconds <= coalesce(${bestShared}, 'infinity') * ${1 + mostNoise}` : "";
  const wanted = await sql.query<{ claim: string }>(
    `${groups}, wanted as (select x.claim, g.namespace, x.seconds from g cross join lateral (
        select claim, seconds from records where ${inGroup} ${wins} order by seconds, key limit ${mostOfGroup}) x),
      claims as (select claim, namespace, min(seconds) as seconds from wanted group by claim, namespace),
      turns as (select claim, row_number() over (partition by namespace order by seconds) as turn, seconds from claims)
    select replace(claim::text, '-', '') as claim from turns group by claim order by min(turn), min(seconds) limit ${Math.floor(most)}`,
    params,
  );
  const counted = await sql.query<{ n: number }>(
    `${groups} select count(*)::int as n from (select 1 from g cross join lateral (
       select 1 from records where ${inGroup} limit ${mostRows}) x limit ${mostRows}) c`,
    params,
  );
  return { claims: wanted.map(({ claim }) => claim), rows: counted[0]?.n ?? 0 };
}
