import { recordsOfKeys } from "@warpfarm/records";

/** Copies all records, a minute or two for a million. Trackers of an older version can then no longer write records. */
export const recordKeys = { number: 22, name: "records-of-keys", sql: recordsOfKeys } as const;
