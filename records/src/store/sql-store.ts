/**
 * Records in a table of PostgreSQL or PGlite (schema.ts). Every statement uses an index and reads a bounded number of rows,
 * whatever the number of records.
 */
import { defined } from "@warpfarm/common";
import { checkChange, checkFilter, checkQuery, decodeCursor, encodeCursor } from "../filter.ts";
import { decodeRecord, encodeRecord } from "../record-json.ts";
import { overOf } from "../retention.ts";
import { everybody, isShared, type Standing, type StandingNo, standings, standingWords } from "../standing.ts";
import type {
  Appended,
  BestQuery,
  BestRecord,
  RecordFilter,
  RecordPage,
  RecordQuery,
  RecordStore,
  RetentionRules,
} from "../store.ts";
import { keyOf, provenPart, sharedPart, type TuningRecord } from "../tuning-record.ts";
import { bestIn } from "./best-rows.ts";
import { Conditions } from "./conditions.ts";
import { insertRecords } from "./insert.ts";
import { selectOf, timedIn } from "./merged.ts";
import { type Offered, offeredIn } from "./offered.ts";
import { type PackedRecord, usable } from "./rows.ts";
import { type RecordViewer, spacesIn, spacesOf } from "./spaces.ts";
import type { Sql, SqlParam } from "./sql.ts";

interface SqlStoreOptions {
  readonly sql: Sql;
  /**
   * Who asks. A viewer sees everybody's records in their shared form, and its own. Unset: there is one user, who sees and may do
   * everything.
   */
  readonly viewer?: RecordViewer;
  /** The most bytes of records on a page that has more than one. Unset: any number. */
  readonly pageBytes?: number;
}

const atOnce = 500;
const copiedAtOnce = 10_000;
/** With it an index of times within origins finds records by their times, which need no order here. */
const ofAnyOrigin = "imported in (false, true)";
/** The most bytes by which a record is longer than the imported text: 1e20 is written with 21 digits. */
const mostGrowth = 6;

interface Read {
  readonly doc: string;
  readonly owner: string;
  readonly standing: StandingNo;
}

export class SqlStore implements RecordStore {
  readonly #sql: Sql;
  readonly #viewer: RecordViewer | undefined;
  readonly #pageBytes: number;

  constructor({ sql, viewer, pageBytes = Number.POSITIVE_INFINITY }: SqlStoreOptions) {
    this.#sql = sql;
    this.#viewer = viewer;
    this.#pageBytes = pageBytes;
  }

  append(records: readonly (TuningRecord | PackedRecord)[]): Promise<Appended> {
    return this.#sql.transaction(async (tx) => {
      const step = tx.copy ? copiedAtOnce : atOnce;
      let [added, existed, conflicts]: [number, number, readonly string[]] = [0, 0, []];
      for (let at = 0; at < records.length; at += step) {
        const part = await insertRecords(tx, records.slice(at, at + step));
        [added, existed, conflicts] = [added + part.added, existed + part.existed, [...conflicts, ...part.conflicts]];
      }
      return { added, existed, conflicts };
    });
  }

  async query(query: RecordQuery): Promise<RecordPage> {
    const { order, limit } = checkQuery(query);
    if (this.#isOfAnother(query)) return { records: [] };
    const where = this.#where(query);
    const by = order === "fastest" ? "seconds" : "at";
    if (query.cursor !== undefined) {
      const { at, key } = decodeCursor(query.cursor, order);
      where.add(`(${by}, key) ${order === "newest" ? "<" : ">"} (${where.param(at)}, ${where.param(key)}::text::uuid)`);
    }
    if (order === "fastest") where.add(timedIn(query));
    if (query.believed) where.add(`standing <> ${standings.refuted}`);
    const statement = selectOf({ ...query, order }, this.#listed(query), where, by, limit + 1);
    const rows = await this.#sql.query<Read & { readonly place: number }>(statement, where.params);
    const records = rows.slice(0, limit).map((row) => this.#seen(row));
    const most = this.#onOnePage(rows, records);
    const last = rows[most - 1];
    return {
      records: records.slice(0, most),
      ...(last && rows.length > most
        ? { next: encodeCursor({ at: last.place, key: keyOf(decodeRecord(last.doc)) }, order) }
        : {}),
    };
  }

  best(query: BestQuery): Promise<readonly BestRecord[]> {
    return bestIn(this.#sql, query, this.#counted(), (row) => this.#seen(row));
  }

  /** Others' records that wait for a builder and that an answer to the query would have (offered.ts). */
  async offered(query: RecordFilter | BestQuery, most: number): Promise<Offered> {
    const viewer = this.#viewer;
    return viewer === undefined ? { claims: [], rows: 0 } : offeredIn(this.#sql, query, viewer.name, most);
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
    checkChange(filter, "deleting");
    const where = this.#where(filter);
    where.add(ofAnyOrigin);
    where.add(`namespace = any(${where.param(await this.#spaces())}::text[])`);
    if (this.#viewer?.seesAll === false) where.add(`owner = ${where.param(this.#viewer.name)}`);
    return this.#deleteAll(`select key from records ${where}`, where.params);
  }

  /**
   * Gives records that pass to everybody, besides private ones and those whose claim is false. For admins. Resolves with the
   * number of those that were not.
   */
  async share(filter: RecordFilter): Promise<number> {
    checkChange(filter, "sharing");
    const where = this.#where(filter);
    where.add(`namespace = any(${where.param((await this.#spaces()).filter((each) => each !== everybody))}::text[])`);
    where.add("(doc::json ->> 'private') is distinct from 'true'");
    where.add(`standing <> ${standings.refuted}`);
    where.add(`(usable > ${usable.failed} or error_no <> 0)`); // no time that cannot be true
    const rows = await this.#sql.query<{ n: number }>(
      `with given as (update records set namespace = '${everybody}', standing = ${standings.shared} ${where} returning 1)
       select count(*)::int as n from given`,
      where.params,
    );
    return rows[0]?.n ?? 0;
  }

  async prune({ nowMs, failuresMs, ageMs, most, keepBest = 10 }: RetentionRules): Promise<number> {
    const kept = (alias: string) => `exists (select 1 from (
      select b.key from records b where b.namespace = ${alias}.namespace and b.task = ${alias}.task and b.problem = ${alias}.problem
        and b.device_key = ${alias}.device_key and b.device_name = ${alias}.device_name and b.computation = ${alias}.computation
        and b.conditions = ${alias}.conditions and b.usable > 0 and b.usable = ${alias}.usable order by b.seconds, b.key limit ${Math.floor(keepBest)}) k
      where k.key = ${alias}.key)`;
    const spaces = await this.#spaces();
    const old = "namespace = any($1::text[]) and at <= $2";
    let gone = 0;
    if (failuresMs !== undefined)
      gone += await this.#deleteAll(`select key from records where ${old} and error_no > 0`, [spaces, nowMs - failuresMs]);
    if (ageMs !== undefined)
      gone += await this.#deleteAll(`select r.key from records r where ${old} and r.${ofAnyOrigin} and not ${kept("r")}`, [
        spaces,
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

  /** The namespaces of lists, and of counted answers; undefined: all. */
  #listed({ believed = false }: RecordQuery = {}): readonly string[] | undefined {
    return this.#viewer?.seesAll && !believed ? undefined : this.#counted();
  }
  #counted(): readonly string[] | undefined {
    return this.#viewer && spacesOf(this.#viewer);
  }
  async #spaces(): Promise<readonly string[]> {
    const listed = this.#listed();
    if (listed) return listed;
    const rows = await this.#sql.query<{ namespace: string }>(
      `with recursive spaces (namespace) as (${spacesIn(undefined, String)}) select namespace from spaces`,
    );
    return rows.map(({ namespace }) => namespace);
  }

  /** Only the owner may learn whose record it is, and a filter would reveal it. */
  #isOfAnother({ by }: RecordFilter): boolean {
    return this.#viewer?.seesAll === false && by !== undefined && by !== this.#viewer.name;
  }
  #where(filter: RecordFilter): Conditions {
    const where = new Conditions(filter);
    const { session, by, ids } = filter;
    if (this.#viewer?.seesAll === false && (session ?? by ?? ids) !== undefined)
      where.add(`owner = ${where.param(this.#viewer.name)}`);
    return where;
  }

  #seen({ doc, owner, standing }: Read): TuningRecord {
    const record = decodeRecord(doc);
    if (this.#viewer === undefined) return record;
    const marked = { ...record, standing: standingWords[standing] as Standing };
    if (owner === this.#viewer.name) return marked;
    // An admin answers for everything that it shared.
    const seen = isShared(standing) && standing !== standings.shared ? provenPart(marked) : marked;
    return this.#viewer.seesAll ? seen : sharedPart(seen);
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
