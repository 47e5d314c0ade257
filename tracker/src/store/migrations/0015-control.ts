/**
 * What the owner of a session, or an admin, made of it: held, or with more trials. `control` counts the changes, so that of two
 * readings the newer is known. What its client takes is told by its newest stream.
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
