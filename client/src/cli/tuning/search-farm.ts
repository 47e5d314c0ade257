import type { TrackerConnection } from "@warpfarm/proto";
import { FarmRecords } from "../../search/farm-records.ts";
import type { SearchFarm } from "../../search/open-search.ts";
import { recordsHere, recordsOf } from "../../search/records-of.ts";
import type { CliContext } from "../context.ts";
import type { FarmAccess } from "../farm/farm-access.ts";
import { dataDirName } from "../flags/settings.ts";
import { saysRecords } from "../records/standing-words.ts";

const warnOf =
  ({ stderr }: CliContext) =>
  (message: string): void =>
    void stderr.write(`${message}\n`);
const tellingOf = (context: CliContext) => ({ ...context, warn: warnOf(context), namedBy: dataDirName });
const farmRecords = (context: CliContext, records: ReturnType<typeof recordsHere>): FarmRecords =>
  new FarmRecords(records, context.clock, saysRecords(context));

/** Records of this machine, for a search that asks for them before its embedded farm is there. */
export const recordsAhead = (context: CliContext, dataDir: string): FarmRecords =>
  farmRecords(context, recordsHere(tellingOf(context), dataDir));

export function searchFarm(context: CliContext, farm: FarmAccess, tracker: TrackerConnection, ahead?: FarmRecords): SearchFarm {
  const warn = warnOf(context);
  return {
    tracker,
    there: () => farm,
    records: ahead ?? farmRecords(context, recordsOf(tellingOf(context), farm.embedded, tracker)),
    clock: context.clock,
    session: context.newId(),
    onLost: ({ message }, retryInMs) => warn(`lost the tracker (${message}); trying again in ${(retryInMs / 1000).toFixed(1)} s`),
  };
}
