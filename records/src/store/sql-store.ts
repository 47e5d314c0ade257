/**
 * Records in a table of PostgreSQL or PGlite (schema.ts). Every statement uses an index and reads a bounded number of rows,
 * whatever the number of records.
 */
import { type Clock, defined, shortNameOf, systemClock } from "@warpfarm/common";
import { chooseBest, counts, mostNoise } from "../best.ts";
import { failureExpiresMs, stands } from "../failure-cache.ts";
import { checkDeletion, checkFilter, checkQuery, decodeCursor, encodeCursor } from "../filter.ts";
import { encodeRecord } from "../record-json.ts";
import { overOf } from "../retention.ts";
import type {
  BestQuery,
  BestRecord,
  FailureQuery,
  RecordFilter,
  RecordPage,
  RecordQuery,
  RecordStore,
  RetentionRules,
} from "../store.ts";
import { keyOf, problemOf, sharedPart, type TuningRecord } from "../tuning-record.ts";
import { type Cell, columns } from "./columns.ts";
import { Conditions } from "./conditions.ts";
import { copiedRows } from "./copied-rows.ts";
import { selectOf } from "./merged.ts";
import { PackedRecord, recordOf, rowOf, usable } from "./rows.ts";

/** The part that a tracker's Database and a PGlite directory have in common. */
export interface Sql {
  query<Row extends object>(sql: string, params?: readonly SqlParam[]): Promise<readonly Row[]>;
  transaction<T>(work: (tx: SqlTransaction) => Promise<T>): Promise<T>;
}
export interface SqlTransaction extends Pick<Sql, "query"> {
  /** `copy TABLE (COLUMNS) from stdin with (...)`, with rows in the form that it names. */
  copy?(statement: string, rows: Uint8Array): Promise<void>;
}
export type SqlParam = Cell | readonly Cell[];

export interface SqlStoreOptions {
  readonly sql: Sql;
  /**
   * Who asks. A viewer sees others' records in their shared form, and private ones not at all. Unset = sees and may do
   * everything.
   */
  readonly viewer?: string;
  /** The most bytes of records on a page that has more than one. Unset = any number. */
  readonly pageBytes?: number;
  readonly clock?: Pick<Clock, "now">;
}

const atOnce = 500;
const copiedAtOnce = 10_000;
/** With it an index of times within origins finds records by their times, which need no order here. */
const ofAnyOrigin = "imported in (false, true)";
/** What a record is longer, in bytes, than the text that somebody imported: 1e20 is written with 21 digits. */
const mostGrowth = 6;
/** The most kernels that best() examines for one kind of device, and the most records of each. */
const mostKernels = 256;
const mostOfKernel = 64;

export class SqlStore implements RecordStore {
  readonly #sql: Sql;
  readonly #viewer: string | undefined;
  readonly #pageBytes: number;
  readonly #clock: Pick<Clock, "now">;

  constructor({ sql, viewer, pageBytes = Number.POSITIVE_INFINITY, clock = systemClock }: SqlStoreOptions) {
    this.#sql = sql;
    this.#viewer = viewer;
    this.#pageBytes = pageBytes;
    this.#clock = clock;
  }

  append(records: readonly (TuningRecord | PackedRecord)[]): Promise<number> {
    return this.#sql.transaction(async (tx) => {
      let added = 0;
      const step = tx.copy ? copiedAtOnce : atOnce;
      for (let at = 0; at < records.length; at += step) added += await insertRecords(tx, records.slice(at, at + step));
      return added;
    });
  }

  async query(query: RecordQuery): Promise<RecordPage> {
    const { order, limit } = checkQuery(query);
    const where = this.#where(query);
    const by = order === "fastest" ? "seconds" : "at";
    if (query.cursor !== undefined) {
      const { at, key } = decodeCursor(query.cursor, order);
      where.add(`(${by}, key) ${order === "newest" ? "<" : ">"} (${where.param(at)}, ${where.param(key)}::text::uuid)`);
    }
    if (order === "fastest") where.add(query.task === undefined ? "seconds is not null" : "usable > 0");
    const statement = selectOf({ ...query, order }, where, by, limit + 1);
    const rows = await this.#sql.query<{ doc: string; owner: string; place: number }>(statement, where.params);
    const records = rows.slice(0, limit).map((row) => this.#seen(row));
    const most = this.#onOnePage(rows, records);
    const last = rows[most - 1];
    return {
      records: records.slice(0, most),
      ...(last && rows.length > most ? { next: encodeCursor({ at: last.place, key: keyOf(recordOf(last)) }, order) } : {}),
    };
  }

  async best(query: BestQuery): Promise<readonly BestRecord[]> {
    const kinds = await this.#kinds(query);
    const found: BestRecord[] = [];
    for (const kind of kinds) {
      const best = await this.#bestOf(query, kind);
      if (best) found.push(best);
    }
    return found;
  }

  async *export(filter: RecordFilter): AsyncGenerator<TuningRecord> {
    checkFilter(filter);
    let cursor: string | undefined;
    do {
      const page = await this.query({ ...filter, order: "oldest", limit: atOnce, ...defined({ cursor }) });
      yield* page.records;
      cursor = page.next;
    } while (cursor !== undefined);
  }

  async delete(filter: RecordFilter): Promise<number> {
    checkDeletion(filter);
    const where = this.#where(filter);
    where.add(ofAnyOrigin);
    if (this.#viewer !== undefined) where.add(`owner = ${where.param(this.#viewer)}`);
    return this.#deleteAll(`select key from records ${where}`, where.params);
  }

  async failure(query: FailureQuery): Promise<TuningRecord | undefined> {
    const now = this.#clock.now();
    const rows = await this.#sql.query<{ doc: string; owner: string }>(
      `select doc, owner from records where kernel = $1 and error_no > 0 and at > $2 and ($3 or not hidden)
       order by at desc limit 100`,
      [shortNameOf(query.program), now - failureExpiresMs, this.#viewer === undefined],
    );
    return rows.map((row) => this.#seen(row)).find((record) => stands(record, query, now));
  }

  async prune({ nowMs, failuresMs, ageMs, most, keepBest = 10 }: RetentionRules): Promise<number> {
    const kept = (alias: string) => `exists (select 1 from (
      select b.key from records b where b.task = ${alias}.task and b.problem = ${alias}.problem and b.device_key = ${alias}.device_key
        and b.device_name = ${alias}.device_name and b.usable > 0 and b.usable = ${alias}.usable order by b.seconds, b.key limit ${Math.floor(keepBest)}) k
      where k.key = ${alias}.key)`;
    let gone = 0;
    if (failuresMs !== undefined)
      gone += await this.#deleteAll("select key from records where error_no > 0 and at <= $1", [nowMs - failuresMs]);
    if (ageMs !== undefined)
      gone += await this.#deleteAll(`select r.key from records r where r.${ofAnyOrigin} and r.at <= $1 and not ${kept("r")}`, [
        nowMs - ageMs,
      ]);
    if (most !== undefined) {
      const owners = await this.#sql.query<{ owner: string; n: number }>(
        "select owner, count(*)::int as n from records group by owner order by n desc, owner",
      );
      for (const { owner, over } of overOf(owners, most))
        gone += await this.#delete(
          `select r.key from records r where r.owner = $1 and not ${kept("r")} order by r.at, r.key limit ${over}`,
          [owner],
        );
    }
    await this.analyze();
    return gone;
  }

  /** Renews the planner's statistics of the table. A server does so by itself, PGlite does not. */
  async analyze(): Promise<void> {
    await this.#sql.query("analyze records");
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #where(filter: RecordFilter): Conditions {
    const where = new Conditions(filter);
    if (this.#viewer !== undefined) {
      const me = where.param(this.#viewer);
      where.add(`(not hidden or owner = ${me})`);
      // Only the owner may learn whose record it is, and a filter would reveal it.
      if (filter.session !== undefined || filter.by !== undefined || filter.ids !== undefined) where.add(`owner = ${me}`);
    }
    return where;
  }

  #seen({ doc, owner }: { readonly doc: string; readonly owner: string }): TuningRecord {
    const record = recordOf({ doc });
    return this.#viewer === undefined || owner === this.#viewer ? record : sharedPart(record);
  }

  /** How many of the records the bytes of a page allow. */
  #onOnePage(rows: readonly { readonly doc: string }[], records: readonly TuningRecord[]): number {
    if (rows.reduce((sum, { doc }) => sum + doc.length, 0) * mostGrowth <= this.#pageBytes) return records.length;
    let bytes = 0;
    const over = records.findIndex((record, i) => {
      bytes += Buffer.byteLength(encodeRecord(record));
      return i > 0 && bytes > this.#pageBytes;
    });
    return over < 0 ? records.length : over;
  }

  /** One row per kind of device, from the index alone: each step finds the next kind behind the last one. */
  async #kinds({ task, args, device, deviceName }: BestQuery): Promise<readonly Kind[]> {
    const kinds: Kind[] = [];
    for (let after: Kind = { key: "", name: "" }, first = true; ; first = false) {
      const [next] = await this.#sql.query<Kind>(
        `select device_key as key, device_name as name from records
         where task = $1 and problem = $2 and usable > 0 and (device_key, device_name) ${first ? ">=" : ">"} ($3, $4)
         order by device_key, device_name limit 1`,
        [task, problemOf({ task, args }), after.key, after.name],
      );
      if (!next) return kinds.filter((k) => (device ?? k.key) === k.key && (deviceName ?? k.name) === k.name);
      kinds.push(next);
      after = next;
    }
  }

  /**
   * A kernel whose median is at most `limit` has a record within it. So all kernels with a record up to a limit are read, and the
   * limit is raised until it lies above the fastest median and its noise.
   */
  async #bestOf(query: BestQuery, kind: Kind): Promise<BestRecord | undefined> {
    const counted = `usable in (${usableOf(query).join(", ")})`;
    const of = `task = $1 and problem = $2 and device_key = $3 and device_name = $4 and flushed = $5
      and (not hidden or owner = coalesce($6, owner)) and (usable > 0 and ${counted})`;
    const params = [query.task, problemOf(query), kind.key, kind.name, query.l2 === "flushed", this.#viewer ?? null] as const;
    const [first] = await this.#sql.query<{ seconds: number }>(
      `select seconds from records where ${of} order by seconds, key limit 1`,
      params,
    );
    if (!first) return undefined;
    let limit = first.seconds * (1 + mostNoise);
    for (;;) {
      const rows = await this.#sql.query<{ doc: string; owner: string }>(
        `with near as (select kernel from (select kernel, seconds from records where ${of} and seconds <= $7 order by seconds, key limit ${mostKernels * 4}) f
           group by kernel order by min(seconds) limit ${mostKernels})
         select r.doc, r.owner from near n cross join lateral (
           select doc, owner from records where kernel = n.kernel and ${of} order by key limit ${mostOfKernel}) r`,
        [...params, limit],
      );
      const records = rows.map((row) => this.#seen(row)).filter((record) => counts(record, query));
      const best = chooseBest(records);
      if (!best) return undefined;
      const fastest = Math.min(...best.tied.map(({ seconds }) => seconds));
      if (fastest * (1 + best.noise) <= limit) return best;
      limit = fastest * (1 + mostNoise);
    }
  }

  async #deleteAll(select: string, params: readonly SqlParam[]): Promise<number> {
    let gone = 0;
    for (;;) {
      const now = await this.#delete(`${select} limit 10000`, params);
      gone += now;
      if (now < 10_000) return gone;
    }
  }
  async #delete(select: string, params: readonly SqlParam[]): Promise<number> {
    const rows = await this.#sql.query<{ n: number }>(
      `with gone as (delete from records where key in (${select}) returning 1) select count(*)::int as n from gone`,
      params,
    );
    return rows[0]?.n ?? 0;
  }
}

interface Kind {
  readonly key: string;
  readonly name: string;
}

/** Values of the column `usable` that count for the query. */
function usableOf({ origin = "measured", unchecked = false }: BestQuery): readonly number[] {
  const measured = unchecked ? [usable.compared, usable.unchecked] : [usable.compared];
  return origin === "imported" ? [usable.imported] : origin === "any" ? [...measured, usable.imported] : measured;
}

const names = columns.map(([name]) => name).join(", ");
const counted = (insert: string): string =>
  `with added as (${insert} on conflict (key) do nothing returning 1) select count(*)::int as n from added`;
const insertParams = counted(`insert into records (${names})
  select ${columns.map(([name, , cast = ""]) => `${name}${cast}`).join(", ")}
  from unnest(${columns.map(([, type], i) => `$${i + 1}::${type}[]`).join(", ")}) as g(${names})`);
/** Copied rows of which some exist go through a temporary table of the connection, because COPY cannot skip conflicts. */
const makeIncoming = "create temp table if not exists records_incoming (like records) on commit delete rows";
const copyInto = (name: string): string => `copy ${name} (${names}) from stdin with (format binary)`;
const insertIncoming = counted(`insert into records (${names}) select ${names} from records_incoming`);
/** Fewer rows cost less as parameters. */
const worthCopying = 500;

/** Runs in the caller's transaction. Skips a record whose id exists, or came earlier in the list. */
export async function insertRecords(tx: SqlTransaction, records: readonly (TuningRecord | PackedRecord)[]): Promise<number> {
  if (records.length === 0) return 0;
  if (tx.copy && records.length >= worthCopying) {
    // In one order everywhere: otherwise two that bring the same records at once may wait for each other. In the order of their
    // times most indexes grow at one end, which takes a fifth less of a server.
    const packed = firstOfEach(records.map(PackedRecord.of)).sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
    return copied({ ...tx, copy: tx.copy }, copiedRows(packed.map(({ row }) => row)), packed.length);
  }
  const rows = records.map((record) => rowOf(record instanceof PackedRecord ? record.record : record));
  return addedBy(
    await tx.query(
      insertParams,
      columns.map((_, i) => rows.map((row) => row[i] as Cell)),
    ),
  );
}

function firstOfEach(records: readonly PackedRecord[]): PackedRecord[] {
  const seen = new Set<string>();
  return records.filter(({ key }) => seen.size < seen.add(key).size);
}

/** Straight into the table, which is quickest; where one of them exists, by way of the temporary table. */
async function copied(tx: Required<SqlTransaction>, rows: Uint8Array, count: number): Promise<number> {
  await tx.query("savepoint copying");
  try {
    await tx.copy(copyInto("records"), rows);
    await tx.query("release savepoint copying");
    return count;
  } catch (error) {
    if ((error as { readonly code?: string }).code !== uniqueViolation) throw error;
  }
  await tx.query("rollback to savepoint copying");
  await tx.query(makeIncoming);
  await tx.query("truncate records_incoming");
  await tx.copy(copyInto("records_incoming"), rows);
  return addedBy(await tx.query(insertIncoming));
}
/** SQLSTATE. */
const uniqueViolation = "23505";

const addedBy = ([row]: readonly object[]): number => (row as { readonly n: number }).n;
