/**
 * Programs that sessions want built before anything is measured, when builders have nothing else to do. `builds_ahead`: requests
 * that no builder has, the least rank first; a builder removes the row. `builds.ahead`: the build began for such a request.
 * Nobody waits for it unless an open request names it.
 */
export const ahead = {
  number: 18,
  name: "ahead",
  sql: `
create table builds_ahead (
  session_id text not null,
  program text not null,
  rank integer not null,
  primary key (session_id, program)
);
alter table builds add column ahead boolean not null default false;
create index builds_begun_ahead on builds (program) where ahead and state = 1;
`,
} as const;
