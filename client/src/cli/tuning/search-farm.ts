import type { TrackerConnection } from "@warpfarm/proto";
import { FarmRecords } from "../../search/farm-records.ts";
import type { SearchFarm } from "../../search/open-search.ts";
import { recordsHere, recordsOf } from "../../search/records-of.ts";
import type { CliContext } from "../context.ts";
import type { FarmAccess } from "../farm/farm-access.ts";
import { recordsToldTo, warnOf } from "../records/source.ts";
import { saysRecords } from "../records/standing-words.ts";

const farmRecords = (context: CliContext, records: ReturnType<typeof recordsHere>): FarmRecords =>
  new FarmRecords(records, context.clock, saysRecords(context));

/** Records of this machine, for a search that asks for them before its embedded farm is there. */
export const recordsAhead = (context: CliContext, dataDir: string): FarmRecords =>
  farmRecords(context, recordsHere(recordsToldTo(context), dataDir));

export function searchFarm(context: CliContext, farm: FarmAccess, tracker: TrackerConnection, ahead?: FarmRecords): SearchFarm {
  const warn = warnOf(context);
  return {
    tracker,
    there: () => farm,
    records: ahead ?? farmRecords(context, recordsOf(recordsToldTo(context), farm.embedded, tracker)),
    clock: context.clock,
    session: context.newId(),
    onLost: ({ message }, retryInMs) => warn(`lost the tracker (${message}); trying again in ${(retryInMs / 1000).toFixed(1)} s`),
  };
}
