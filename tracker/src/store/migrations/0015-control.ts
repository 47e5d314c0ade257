/**
 * Changes that the owner of a session, or an admin, made: a pause, or more trials. `control` counts the changes, so the newer of
 * two readings is known. The newest stream says which messages its client takes.
 */
export const control = {
  number: 15,
  name: "control",
  sql: `
alter table sessions add column paused boolean not null default false;
alter table sessions add column more_trials bigint not null default 0;
alter table sessions add column control integer not null default 0;
alter table sessions add column takes_trials boolean not null default false;
`,
} as const;
