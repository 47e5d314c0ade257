/**
 * For a thousand jobs a second: indexes only over the states that a statement asks for, and no foreign keys (the statements that
 * delete keep what others need, see ../sql/collect.ts). For fair shares: since when a lease is held, and what a session has used
 * of the devices.
 *
 * requests with an empty `avoid`, which is nearly all of them, are claimed by count and session (requests_ready); those that were
 * lost or failed at a worker are placed one by one (requests_retry).
 */
export const throughput = {
  number: 2,
  name: "throughput",
  sql: `
alter table builds drop constraint builds_program_fkey;
alter table requests drop constraint requests_session_id_fkey;

drop index requests_ready;
drop index requests_program;
drop index requests_reference;
create index requests_ready on requests (session_id, sequence) where state = 1 and avoid = '{}';
create index requests_retry on requests (session_id, sequence) where state = 1 and avoid <> '{}';
create index requests_program on requests (program) where state = 0;
create index requests_reference on requests (reference) where state = 0 and reference is not null;

alter table leases drop constraint leases_program_key;
alter table leases drop constraint leases_session_id_sequence_key;
drop index leases_until;
create unique index leases_build on leases (program) where program is not null;
create unique index leases_run on leases (session_id, sequence) where session_id is not null;
alter table leases add column granted_at timestamptz not null default now();

alter table sessions add column weight integer not null default 1;
alter table sessions add column used_ms double precision not null default 0;
`,
} as const;
