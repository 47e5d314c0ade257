/**
 * RecordService: the records of this tracker's store. A client sees its own records completely, and of others the shared part of
 * those that were verified or shared. Lists of admins have everything.
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
import { type BestQuery, encodeAsRead, type RecordFilter, SqlStore } from "@warpfarm/records";
import { Imports } from "../doors/imports.ts";
import { viewerOf } from "../doors/rights.ts";
import { wantClaims } from "../store/sql/claims.ts";
import { withoutOthersSessions } from "../store/sql/others-sessions.ts";
import { ProgramWorks } from "../store/sql/program-works.ts";
import { withDisputes } from "../store/sql/second-looks.ts";
import type { TrackerContext } from "./context.ts";
import { receiptCalls } from "./receipt-calls.ts";

const exportedAtOnce = 100;
const mostWanted = 64;

export function recordService({
  db,
  clock,
  audit,
  quotas,
  replays,
  receipts,
}: Pick<TrackerContext, "db" | "clock" | "audit" | "quotas" | "replays" | "receipts">): RecordHandlers {
  const imports = quotas && new Imports(db.lazy, quotas.limits.maxImportedBytes, clock);
  const storeFor = ({ principal }: CallContext): SqlStore => {
    const viewer = viewerOf(principal);
    return new SqlStore({ sql: db, pageBytes: recordBytesAtOnce, ...defined({ viewer }) });
  };
  /** How many of others' records would be in the answer if they were verified. */
  const waitingFor = async (store: SqlStore, query: RecordFilter | BestQuery): Promise<number> => {
    const { claims, rows } = await store.offered(query, mostWanted);
    if (replays && (await wantClaims(db.lazy, claims)) > 0) replays.expect();
    return rows;
  };
  const works = new ProgramWorks();
  return {
    async Query(request, caller) {
      const [store, query] = [storeFor(caller), queryFromWire(request)];
      const { records, next = "" } = await store.query(query);
      const waiting = query.cursor === undefined ? await waitingFor(store, query) : 0;
      return { records: (await withDisputes(db.lazy, records)).map(encodeAsRead), next_cursor: next, waiting };
    },
    async Best(request, caller) {
      const [store, query] = [storeFor(caller), bestQueryFromWire(request)];
      return { best: (await store.best(query)).map(bestToWire), waiting: await waitingFor(store, query) };
    },
    async Append({ records }, caller) {
      if (records.length > recordsAtOnce)
        throw new FarmError("RESOURCE_EXHAUSTED", `${records.length} records in one call; at most ${recordsAtOnce}`);
      const { name } = caller.principal;
      const shares = viewerOf(caller.principal)?.seesAll === true;
      const read = records.map((text, i) => importFromText(`records[${i}]`, text, name, shares));
      await imports?.take(
        name,
        records.reduce((n, text) => n + Buffer.byteLength(text), 0),
      );
      const ours = await withoutOthersSessions(db.lazy, read, name);
      const { added, existed, conflicts } = await storeFor(caller).append(await works.bound(db.lazy, ours));
      const unnamed = ours.filter((each, i) => each !== read[i]).length;
      audit.did("import_records", caller, { records: records.length, added, without_session: unnamed });
      return { added, existed, conflicts: [...conflicts] };
    },
    async *Export({ filter }, caller) {
      const [store, asked] = [storeFor(caller), filterFromWire(filter)];
      let records: string[] = [];
      const waiting = await waitingFor(store, asked);
      if (waiting > 0) yield { waiting };
      const send = () => {
        const sent = inOneMessage(records);
        records = records.slice(sent.length);
        return { records: sent };
      };
      for await (const record of store.export(asked)) {
        if (caller.signal.aborted) return;
        if (records.push(encodeAsRead(record)) >= exportedAtOnce) yield send();
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
    async Share({ filter }, caller) {
      const shared = await storeFor(caller).share(filterFromWire(filter));
      audit.did("share_records", caller, { shared });
      return { shared };
    },
    ...receiptCalls({ receipts, audit }),
  };
}
