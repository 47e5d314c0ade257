import { recordsOfProblemAlone } from "@warpfarm/records";

/**
 * sessions.trials_settled   the search of the session ends: it has heard of all trials that it was given, and takes no more
 *
 * And of one task with its arguments the failures, and the fastest on one kind of device, without reading its other records.
 */
export const settled = {
  number: 19,
  name: "settled",
  sql: `
alter table sessions add column trials_settled boolean not null default false;
${recordsOfProblemAlone}
`,
} as const;
