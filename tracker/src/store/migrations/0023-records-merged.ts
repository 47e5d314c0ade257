import { recordsMerged } from "@warpfarm/records";

/** Makes three indexes anew, in which time nobody writes records. */
export const recordMerges = { number: 23, name: "records-merged", sql: recordsMerged } as const;
