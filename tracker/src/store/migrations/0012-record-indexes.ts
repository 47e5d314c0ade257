import { recordsIndexes } from "@warpfarm/records";

/** A filter of records by one field reads what passes it, however few of all records that is. */
export const recordIndexes = { number: 12, name: "record-indexes", sql: recordsIndexes } as const;
