/**
 * requests.ready_at: since when it waits for a runner, where that is not since it was accepted.
 * What one session measured another may be given (reuses: one row a measurement, `result` once it is there); a session that was
 * cancelled is remembered, so that its client hears why.
 *
 * sessions.builds_until  null while its stream is attached, and before its first; then builders build for it until then
 *
 * requests.state  -1 FOLLOWING  it waits for the result of the request that its row of reuses names
 */
export const retention = {
  number: 4,
  name: "retention",
  sql: `
alter table sessions add column builds_until timestamptz;
alter table sessions add column reuse boolean not null default false;
create table cancelled_sessions (
  session_id text primary key,
  reason text not null,
  cancelled_at timestamptz not null default now()
);

create table reuses (
  name text primary key,
  session_id text not null,
  sequence bigint not null,
  result bytea,
  used_at timestamptz not null default now()
);
create index reuses_owner on reuses (session_id) where result is null;
alter table requests add column reuse text;
alter table requests add column ready_at timestamptz;
create index requests_following on requests (reuse) where state = -1;
`,
} as const;
