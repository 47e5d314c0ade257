/**
 * The best of a task from the table. Times are compared within one kind of device, one computation and one set of conditions. A
 * kernel whose median is at most `limit` has a record within it. So all kernels with a record up to a limit are read, and the
 * limit is raised until it lies above the fastest median and its noise.
 */
import { shortNameOf } from "@warpfarm/common";
import { chooseBest, conditionsAsked, counts, mostNoise, timedOf } from "../best.ts";
import { decodeRecord } from "../record-json.ts";
import type { StandingNo } from "../standing.ts";
import type { BestQuery, BestRecord } from "../store.ts";
import { keyOf, problemOf, type TuningRecord } from "../tuning-record.ts";
import { groupsIn } from "./merged.ts";
import { usable } from "./rows.ts";
import { spacesIn } from "./spaces.ts";
import type { Sql, SqlParam } from "./sql.ts";

/** The most kernels that are examined for one kind of device, and the most records of each. */
const mostKernels = 256;
const mostOfKernel = 64;

interface Kind {
  readonly key: string;
  readonly name: string;
  readonly computation: string;
  readonly spaces: readonly string[];
}
type Row = { readonly doc: string; readonly owner: string; readonly standing: StandingNo };

/** By kind of device, computation and conditions. `spaces`: the namespaces that count; undefined: all. */
export async function bestIn<R extends Row>(
  sql: Sql,
  query: BestQuery,
  spaces: readonly string[] | undefined,
  seen: (row: R) => TuningRecord,
): Promise<readonly BestRecord[]> {
  const found: BestRecord[] = [];
  for (const kind of await kindsIn(sql, query, spaces))
    for (const conditions of conditionsAsked(query)) {
      const best = await bestOf(sql, query, { ...kind, conditions }, seen);
      if (best) found.push(best);
    }
  return found;
}

async function kindsIn(sql: Sql, query: BestQuery, spaces: readonly string[] | undefined): Promise<readonly Kind[]> {
  const params: SqlParam[] = [query.task, problemOf(query)];
  const of = "usable > 0 and task = $1 and problem = $2";
  const kinds = await sql.query<Kind>(
    `with recursive spaces (namespace) as (${spacesIn(spaces, (value) => `$${params.push(value)}`)}),
       ${groupsIn(["device_key", "device_name", "computation"], of)}
     select device_key as key, device_name as name, computation::text as computation, array_agg(namespace) as spaces
     from g group by 1, 2, 3 order by device_key, device_name, computation`,
    params,
  );
  const { device, deviceName } = query;
  return kinds.filter(({ key, name }) => (device ?? key) === key && (deviceName ?? name) === name);
}

async function bestOf<R extends Row>(
  sql: Sql,
  query: BestQuery,
  { key, name, computation, spaces, conditions }: Kind & { readonly conditions: string },
  seen: (row: R) => TuningRecord,
): Promise<BestRecord | undefined> {
  const of = `task = $2 and problem = $3 and device_key = $4 and device_name = $5 and computation = $6::text::uuid
    and conditions = $7 and usable > 0 and usable in (${usableOf(query).join(", ")})`;
  const params = [spaces, query.task, problemOf(query), key, name, computation, conditions] as const;
  const inEach = (select: string) => `(select x.* from unnest($1::text[]) as s (namespace) cross join lateral (${select}) x)`;
  const [first] = await sql.query<{ seconds: number | null }>(
    `select min(seconds) as seconds from ${inEach(
      `select seconds from records where namespace = s.namespace and ${of} order by seconds, key limit 1`,
    )} f`,
    params,
  );
  if (first?.seconds == null) return undefined;
  const within = `select kernel, seconds from records where namespace = s.namespace and ${of} and seconds <= $8
    order by seconds, key limit ${mostKernels * 4}`;
  const ofKernels = (near: string, last: SqlParam): Promise<readonly R[]> =>
    sql.query<R>(
      `with near as (${near}) select r.doc, r.owner, r.standing from near n cross join lateral (
         select doc, owner, standing from records where namespace = any($1::text[]) and kernel = n.kernel and ${of}
         order by key limit ${mostOfKernel}) r`,
      [...params, last],
    );
  let limit = first.seconds * (1 + mostNoise);
  for (;;) {
    const near = await ofKernels(
      `select kernel from ${inEach(within)} f group by kernel order by min(seconds) limit ${mostKernels}`,
      limit,
    );
    const others = await ofOthers(sql, near, spaces);
    const more = others.length === 0 ? [] : await ofKernels("select unnest($8::text[]) as kernel", others);
    const best = chooseBest([...near, ...more].map(seen).filter((record) => counts(record, query)));
    if (limit === Number.POSITIVE_INFINITY) return best;
    // If none of these counts, or none has a config, slower ones may.
    const hasConfig = best !== undefined && timedOf(best.record)?.values !== undefined;
    if (hasConfig && best.fastest * (1 + best.noise) <= limit) return best;
    limit = hasConfig ? best.fastest * (1 + mostNoise) : Number.POSITIVE_INFINITY;
  }
}

/** Kernels that were measured interleaved with these and are not among them. */
async function ofOthers(sql: Sql, rows: readonly Row[], spaces: readonly string[]): Promise<readonly string[]> {
  const there = new Set<string>();
  const runs = new Map<string, number>();
  for (const { doc } of rows) {
    const { program, interleaved } = doc.includes(interleavedField) ? decodeRecord(doc) : {};
    if (program !== undefined) there.add(shortNameOf(program));
    if (interleaved !== undefined) runs.set(interleaved.run, interleaved.of);
  }
  const ids = [...runs].slice(-mostRuns).flatMap(([run, of]) => Array.from({ length: of }, (_, i) => `${run}/${i + 1}`));
  if (ids.length === 0) return [];
  const members = await sql.query<{ kernel: string }>(
    "select kernel from records where namespace = any($1::text[]) and key = any($2::text[]::uuid[])",
    [spaces, ids.map((id) => keyOf({ id }))],
  );
  return [...new Set(members.map(({ kernel }) => kernel))].filter((kernel) => !there.has(kernel));
}
const interleavedField = '"interleaved":';
const mostRuns = 64;

/** Values of the column `usable` that count for the query. */
function usableOf({ origin = "measured", unchecked = false }: BestQuery): readonly number[] {
  const measured = unchecked ? [usable.compared, usable.unchecked] : [usable.compared];
  return origin === "imported" ? [usable.imported] : origin === "any" ? [...measured, usable.imported] : measured;
}
