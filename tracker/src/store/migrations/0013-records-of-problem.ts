import { recordsOfProblem } from "@warpfarm/records";

/** Failures of one task with its arguments, and its fastest on a device named by its model, without reading all of the task. */
export const problemRecords = { number: 13, name: "records-of-problem", sql: recordsOfProblem } as const;
