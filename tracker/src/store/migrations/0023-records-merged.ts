import { recordsMerged } from "@warpfarm/records";

/** Makes three indexes anew, in which time nobody writes records: 20 s or so for a million. */
export const recordMerges = { number: 23, name: "records-merged", sql: recordsMerged } as const;
