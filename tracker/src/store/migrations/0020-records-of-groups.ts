import { recordsOfGroups } from "@warpfarm/records";

/** A record is written into three indexes less, which are those that cost most. */
export const recordGroups = { number: 20, name: "records-of-groups", sql: recordsOfGroups } as const;
