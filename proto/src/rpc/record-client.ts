/** A tracker's records as a store. */
import { FarmError } from "@warpfarm/common";
import { encodeRecord, PackedRecord, type RecordStore } from "@warpfarm/records";
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

/** `append` is an import. Only trackers use `failure`. */
export function recordClient(channel: Channel): RecordStore {
  const { record } = loadServices();
  return {
    async append(records) {
      let sum = 0;
      for (let left = records.map((each) => (each instanceof PackedRecord ? each.doc : encodeRecord(each))); left.length > 0; ) {
        const batch = inOneMessage(left);
        const { added } = await channel.unary(record.Append, { records: batch }, { timeoutMs: 120_000 });
        sum += added;
        left = left.slice(batch.length);
      }
      return sum;
    },
    async query(query, o) {
      const { records, next_cursor } = await channel.unary(record.Query, queryToWire(query), { timeoutMs: 60_000, ...o });
      return {
        records: records.map((text) => recordFromText("record", text)),
        ...(next_cursor === "" ? {} : { next: next_cursor }),
      };
    },
    async best(query, o) {
      const { best } = await channel.unary(record.Best, bestQueryToWire(query), { timeoutMs: 60_000, ...o });
      return best.map(bestFromWire);
    },
    async *export(filter, o) {
      for await (const { records } of channel.serverStream(
        record.Export,
        { filter: filterToWire(filter) },
        { timeoutMs: 3_600_000, ...o },
      ))
        for (const text of records) yield recordFromText("record", text);
    },
    async delete(filter) {
      return (await channel.unary(record.Delete, { filter: filterToWire(filter) }, { timeoutMs: 600_000 })).deleted;
    },
    async prune(rules) {
      return (await channel.unary(record.Delete, { retention: retentionToWire(rules) }, { timeoutMs: 600_000 })).deleted;
    },
    async failure() {
      throw new FarmError("FAILED_PRECONDITION", "a tracker looks failures up by itself, when it is asked to measure");
    },
    async [Symbol.asyncDispose]() {},
  };
}
