/** sessions.trials_settled   the search of the session ends: it has heard of all trials that it was given, and takes no more */
export const settled = {
  number: 19,
  name: "settled",
  sql: "alter table sessions add column trials_settled boolean not null default false",
} as const;
