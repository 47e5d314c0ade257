/** The farm of a command as its searches need it. */
import { join } from "node:path";
import type { TrackerConnection } from "@warpfarm/proto";
import type { RecordStore } from "@warpfarm/records";
import { FarmRecords } from "../../search/farm-records.ts";
import type { SearchFarm } from "../../search/open-search.ts";
import type { CliContext } from "../context.ts";
import type { FarmAccess } from "../farm/farm-access.ts";
import { recordsHere } from "../records/source.ts";
import { saysRecords } from "../records/standing-words.ts";

export const searchFarm = (context: CliContext, farm: FarmAccess, tracker: TrackerConnection): SearchFarm => ({
  tracker,
  there: () => farm,
  records: new FarmRecords(recordsOf(context, farm, tracker), context.clock, saysRecords(context)),
  clock: context.clock,
  session: context.newId(),
  onLost: ({ message }, retryInMs) =>
    void context.stderr.write(`lost the tracker (${message}); trying again in ${(retryInMs / 1000).toFixed(1)} s\n`),
});

/** An embedded farm uses this machine's records, which its tracker does not open. If there are none, nothing is opened. */
function recordsOf(
  context: CliContext,
  { embedded }: FarmAccess,
  { records }: Pick<TrackerConnection, "records">,
): Pick<RecordStore, "query"> {
  if (!embedded) return records;
  const directory = join(embedded.dataDir, "records");
  return {
    query: async (asked, call) => {
      const { hasLocalRecords } = await import("@warpfarm/records");
      if (!(await hasLocalRecords(directory))) return { records: [] };
      await using store = await recordsHere(context, directory);
      return await store.query(asked, call);
    },
  };
}
