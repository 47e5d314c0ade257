import type { TrackerConnection } from "@warpfarm/proto";
import { FarmRecords } from "../../search/farm-records.ts";
import type { SearchFarm } from "../../search/open-search.ts";
import { recordsOf } from "../../search/records-of.ts";
import type { CliContext } from "../context.ts";
import type { FarmAccess } from "../farm/farm-access.ts";
import { saysRecords } from "../records/standing-words.ts";

export function searchFarm(context: CliContext, farm: FarmAccess, tracker: TrackerConnection): SearchFarm {
  const warn = (message: string): void => void context.stderr.write(`${message}\n`);
  return {
    tracker,
    there: () => farm,
    records: new FarmRecords(recordsOf({ ...context, warn }, farm.embedded, tracker), context.clock, saysRecords(context)),
    clock: context.clock,
    session: context.newId(),
    onLost: ({ message }, retryInMs) => warn(`lost the tracker (${message}); trying again in ${(retryInMs / 1000).toFixed(1)} s`),
  };
}
