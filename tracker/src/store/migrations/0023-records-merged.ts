import { recordsMerged } from "@warpfarm/records";

/** Makes three indexes anew, some seconds for a million records, in which nobody writes records. */
export const recordMerges = { number: 23, name: "records-merged", sql: recordsMerged } as const;
