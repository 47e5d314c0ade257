/** Records in memory, for folders of logs. The SQL stores are tested against it. */
import { defined } from "@warpfarm/common";
import { chooseBest, counts, kindOf } from "../best.ts";
import { checkChange, checkFilter, checkQuery, decodeCursor, encodeCursor, type Place, passes } from "../filter.ts";
import { groupBy } from "../group-by.ts";
import { encodeRecord } from "../record-json.ts";
import { overOf } from "../retention.ts";
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
import { keyOf, problemOf, secondsOfRecord, type TuningRecord } from "../tuning-record.ts";
import { PackedRecord, useOf } from "./rows.ts";

const byAge = (a: TuningRecord, b: TuningRecord): number => a.timestampMs - b.timestampMs || (keyOf(a) < keyOf(b) ? -1 : 1);

export class MemoryStore implements RecordStore {
  readonly #records = new Map<string, TuningRecord>();

  async append(records: readonly (TuningRecord | PackedRecord)[]): Promise<Appended> {
    let [added, existed] = [0, 0];
    const conflicts: string[] = [];
    for (const each of records) {
      const record = each instanceof PackedRecord ? each.record : each;
      const known = this.#records.get(record.id);
      if (known === undefined) {
        this.#records.set(record.id, record);
        added++;
      } else if (encodeRecord(known) === encodeRecord(record)) existed++;
      else conflicts.push(record.id);
    }
    return { added, existed, conflicts };
  }

  async query(query: RecordQuery): Promise<RecordPage> {
    const { order, limit } = checkQuery(query);
    const sign = order === "newest" ? -1 : 1;
    const sortOf = (r: TuningRecord) => (order === "fastest" ? (secondsOfRecord(r) as number) : r.timestampMs);
    const compare = (a: Place, b: Place) => sign * (a.at - b.at || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    const after = query.cursor === undefined ? undefined : decodeCursor(query.cursor, order);
    const found = [...this.#records.values()]
      .filter((r) => passes(r, query) && (order !== "fastest" || r.result.kind === "timed"))
      .map((record) => ({ record, key: keyOf(record), at: sortOf(record) }))
      .filter((each) => after === undefined || compare(each, after) > 0)
      .sort(compare);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      records: page.map(({ record }) => record),
      ...(last && found.length > limit ? { next: encodeCursor(last, order) } : {}),
    };
  }

  async best(query: BestQuery): Promise<readonly BestRecord[]> {
    const { task, args, device, deviceName } = query;
    const filter: RecordFilter = {
      task,
      args,
      ...defined({ device, deviceName }),
    };
    const of = [...this.#records.values()].filter((r) => passes(r, filter) && counts(r, query));
    const kinds = [...groupBy(of, kindOf)].sort(([a], [b]) => (a < b ? -1 : 1));
    return kinds.flatMap(([, records]) => chooseBest(records) ?? []);
  }

  async *export(filter: RecordFilter): AsyncGenerator<TuningRecord> {
    checkFilter(filter);
    const found = [...this.#records.values()].filter((r) => passes(r, filter));
    yield* found.sort(byAge);
  }

  async delete(filter: RecordFilter): Promise<number> {
    checkChange(filter, "deleting");
    return this.#remove((r) => passes(r, filter));
  }

  async prune({ nowMs, failuresMs, ageMs, most, keepBest = 10 }: RetentionRules): Promise<number> {
    const groups = groupBy(
      [...this.#records.values()].filter((r) => r.result.kind === "timed"),
      (r) => problemOf(r) + kindOf(r) + useOf(r),
    );
    const kept = new Set<TuningRecord>();
    for (const group of groups.values())
      for (const r of group
        .sort((a, b) => Number(secondsOfRecord(a)) - Number(secondsOfRecord(b)) || (keyOf(a) < keyOf(b) ? -1 : 1))
        .slice(0, keepBest))
        kept.add(r);
    const old = (r: TuningRecord, ms: number | undefined) => ms !== undefined && nowMs - r.timestampMs >= ms;
    let gone = this.#remove((r) => !kept.has(r) && (old(r, ageMs) || (r.result.kind === "failed" && old(r, failuresMs))));
    if (most === undefined) return gone;
    const owned = groupBy([...this.#records.values()], (r) => r.origin.by);
    const owners = [...owned].map(([owner, all]) => ({ owner, n: all.length }));
    const goes = new Set<TuningRecord>();
    for (const { owner, over } of overOf(owners, most)) {
      const oldest = (owned.get(owner) ?? []).filter((r) => !kept.has(r)).sort(byAge);
      for (const r of oldest.slice(0, over)) goes.add(r);
    }
    gone += this.#remove((r) => goes.has(r));
    return gone;
  }

  async share(filter: RecordFilter): Promise<number> {
    checkChange(filter, "sharing");
    return 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #remove(goes: (r: TuningRecord) => boolean): number {
    const gone = [...this.#records.values()].filter(goes);
    for (const { id } of gone) this.#records.delete(id);
    return gone.length;
  }
}
