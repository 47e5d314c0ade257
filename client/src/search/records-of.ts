/** The records of a farm: its tracker's, or for an embedded farm those of this machine, which its tracker does not open. */
import { join } from "node:path";
import type { Clock } from "@warpfarm/common";
import type { TrackerConnection } from "@warpfarm/proto";
import type { openLocalRecords, RecordStore } from "@warpfarm/records";

interface HereOptions {
  /** Unset: those of a store on disk. */
  readonly openRecords?: typeof openLocalRecords;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
  readonly namedBy?: string;
}

/** The records in a directory of this machine; makes the store where there is none. */
export async function openRecordsHere({ openRecords, ...options }: HereOptions, directory: string) {
  const open = openRecords ?? (await import("@warpfarm/records")).openLocalRecords;
  return open(directory, options);
}

/** `embedded`: where its farm keeps its data. */
export const recordsOf = (
  here: HereOptions,
  embedded: { readonly dataDir: string } | undefined,
  { records }: Pick<TrackerConnection, "records">,
): Pick<RecordStore, "query" | "best"> => (embedded ? recordsHere(here, embedded.dataDir) : records);

/** Those that embedded farms leave in a directory. If there are none, nothing is opened. */
export function recordsHere(here: HereOptions, dataDir: string): Pick<RecordStore, "query" | "best"> {
  const directory = join(dataDir, "records");
  const opened = async <T>(none: T, ask: (store: RecordStore) => Promise<T>): Promise<T> => {
    const { hasLocalRecords } = await import("@warpfarm/records");
    if (!(await hasLocalRecords(directory))) return none;
    await using store = await openRecordsHere(here, directory);
    return await ask(store);
  };
  return {
    query: (asked, call) => opened({ records: [] }, (store) => store.query(asked, call)),
    best: (asked, call) => opened([], (store) => store.best(asked, call)),
  };
}
