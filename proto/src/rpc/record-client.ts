import { defined } from "@warpfarm/common";
import { encodeRecord, PackedRecord, type RecordStore, type StoreCall } from "@warpfarm/records";
import {
  bestFromWire,
  bestQueryToWire,
  filterToWire,
  inOneMessage,
  queryToWire,
  recordFromText,
  retentionToWire,
} from "../convert/record.ts";
import type { Channel } from "./channel.ts";
import { loadServices } from "./load.ts";

/** `append` is an import. */
export function recordClient(channel: Channel): RecordStore {
  const { record } = loadServices();
  return {
    async append(records) {
      let [added, existed]: [number, number] = [0, 0];
      const conflicts: string[] = [];
      for (let left = records.map((each) => (each instanceof PackedRecord ? each.doc : encodeRecord(each))); left.length > 0; ) {
        const batch = inOneMessage(left);
        const done = await channel.unary(record.Append, { records: batch }, { timeoutMs: 120_000 });
        added += done.added;
        existed += done.existed;
        conflicts.push(...done.conflicts);
        left = left.slice(batch.length);
      }
      return { added, existed, conflicts };
    },
    async query(query, o) {
      const answer = await channel.unary(record.Query, queryToWire(query), { timeoutMs: 60_000, ...signalOf(o) });
      const { records, next_cursor, waiting } = answer;
      tell(o, waiting);
      return {
        records: records.map((text) => recordFromText("record", text)),
        ...(next_cursor === "" ? {} : { next: next_cursor }),
      };
    },
    async best(query, o) {
      const { best, waiting } = await channel.unary(record.Best, bestQueryToWire(query), { timeoutMs: 60_000, ...signalOf(o) });
      tell(o, waiting);
      return best.map(bestFromWire);
    },
    async *export(filter, o) {
      for await (const { records, waiting } of channel.serverStream(
        record.Export,
        { filter: filterToWire(filter) },
        { timeoutMs: 3_600_000, ...signalOf(o) },
      )) {
        tell(o, waiting);
        for (const text of records) yield recordFromText("record", text);
      }
    },
    async delete(filter) {
      return (await channel.unary(record.Delete, { filter: filterToWire(filter) }, { timeoutMs: 600_000 })).deleted;
    },
    async prune(rules) {
      return (await channel.unary(record.Delete, { retention: retentionToWire(rules) }, { timeoutMs: 600_000 })).deleted;
    },
    async share(filter) {
      return (await channel.unary(record.Share, { filter: filterToWire(filter) }, { timeoutMs: 600_000 })).shared;
    },
    async [Symbol.asyncDispose]() {},
  };
}

const signalOf = (o: StoreCall = {}) => defined({ signal: o.signal });
const tell = (o: StoreCall | undefined, waiting: number): void => {
  if (waiting > 0) o?.waiting?.(waiting);
};
