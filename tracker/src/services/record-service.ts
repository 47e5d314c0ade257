/**
 * RecordService: the records of this tracker's store. A client sees its own records completely and the shared part of others'.
 * Admins see everything.
 */
import { defined, FarmError } from "@warpfarm/common";
import {
  bestQueryFromWire,
  bestToWire,
  type CallContext,
  filterFromWire,
  importFromText,
  inOneMessage,
  queryFromWire,
  type RecordHandlers,
  recordBytesAtOnce,
  recordsAtOnce,
  retentionFromWire,
} from "@warpfarm/proto";
import { encodeRecord, SqlStore } from "@warpfarm/records";
import { Imports } from "../doors/imports.ts";
import { ownerOf } from "../doors/rights.ts";
import type { TrackerContext } from "./context.ts";

/** Records in one message of an export. */
const exportedAtOnce = 100;

export function recordService({
  db,
  clock,
  audit,
  quotas,
}: Pick<TrackerContext, "db" | "clock" | "audit" | "quotas">): RecordHandlers {
  const imports = quotas && new Imports(db.lazy, quotas.limits.maxImportedBytes, clock);
  const storeFor = ({ principal }: CallContext): SqlStore => {
    const viewer = ownerOf(principal);
    return new SqlStore({ sql: db, clock, pageBytes: recordBytesAtOnce, ...defined({ viewer }) });
  };
  return {
    async Query(request, caller) {
      const { records, next = "" } = await storeFor(caller).query(queryFromWire(request));
      return { records: records.map(encodeRecord), next_cursor: next };
    },
    async Best(request, caller) {
      return { best: (await storeFor(caller).best(bestQueryFromWire(request))).map(bestToWire) };
    },
    async Append({ records }, caller) {
      if (records.length > recordsAtOnce)
        throw new FarmError("RESOURCE_EXHAUSTED", `${records.length} records in one call; at most ${recordsAtOnce}`);
      const read = records.map((text, i) => importFromText(`records[${i}]`, text, caller.principal.name));
      await imports?.take(
        caller.principal.name,
        records.reduce((n, text) => n + Buffer.byteLength(text), 0),
      );
      const added = await storeFor(caller).append(read);
      audit.did("import_records", caller, { records: records.length, added });
      return { added };
    },
    async *Export({ filter }, caller) {
      let records: string[] = [];
      const send = () => {
        const sent = inOneMessage(records);
        records = records.slice(sent.length);
        return { records: sent };
      };
      for await (const record of storeFor(caller).export(filterFromWire(filter))) {
        if (caller.signal.aborted) return;
        if (records.push(encodeRecord(record)) >= exportedAtOnce) yield send();
      }
      while (records.length > 0) yield send();
    },
    async Delete({ filter, retention }, caller) {
      const store = storeFor(caller);
      const deleted = await (retention === null
        ? store.delete(filterFromWire(filter))
        : store.prune(retentionFromWire(retention, clock.now())));
      audit.did("delete_records", caller, { deleted });
      return { deleted };
    },
  };
}
