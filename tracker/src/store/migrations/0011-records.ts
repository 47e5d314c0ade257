import { recordsSchema } from "@warpfarm/records";

/**
 * Records of what was measured, in the table that records/src/store/schema.ts describes, and what they are made of.
 *
 * sessions.provenance   JSON of what the client told of its search; empty = nothing
 * sessions.keep         0 shared, 1 private, 2 no records
 * requests.proposal     JSON of what the client told of the config
 * requests.result       stays after the client received it, until its record is written (requests_unrecorded)
 * unrecorded            results of sessions that ended before their records were written, with what is told of the session
 * claims                what clients said of programs, and builders of that (../sql/claims.ts); `owner` offered it, `base` names
 *                       the claim without its config and is set with the verdict
 * claims.state          0 WAITING   1 LEASED   2 VERIFIED   3 REFUTED   4 UNVERIFIABLE
 * second_looks          of claims on kinds of devices: whether a second node measures the same (../sql/second-looks.ts)
 * second_looks.state    0 WANTED   1 MEASURED   2 AGREED   3 DISPUTED
 * unrecorded.set_aside  why no record can be written of it (flow/set-aside.ts); null = it waits
 */
export const records = {
  number: 11,
  name: "records",
  sql: `
${recordsSchema};
alter table sessions add column provenance text not null default '';
alter table sessions add column keep smallint not null default 0;
alter table requests add column proposal text;
create index requests_unrecorded on requests (session_id, sequence) where state = 4 and result is not null;
create table unrecorded (
  session_id text not null,
  sequence bigint not null,
  session text not null,
  program text not null,
  others text[] not null,
  reference text,
  target text not null,
  proposal text,
  result bytea not null,
  set_aside text,
  set_aside_at timestamptz,
  primary key (session_id, sequence)
);
create index unrecorded_waiting on unrecorded (session_id, sequence) where set_aside is null;
create table claims (
  claim uuid primary key,
  owner text collate "C" not null,
  base uuid,
  state smallint not null default 0,
  attempts integer not null default 0,
  losses integer not null default 0,
  faults integer not null default 0,
  avoid text[] not null default '{}',
  wanted_at timestamptz not null default now(),
  decided_at timestamptz,
  builder text not null default '',
  message text not null default ''
);
create index claims_waiting on claims (owner, wanted_at, claim) where state = 0;
create index claims_open on claims (wanted_at) where state in (0, 1);
create index claims_verified on claims (base) where state = 2;
create index claims_denied on claims (decided_at) where state in (3, 4);
create table second_looks (
  claim uuid not null,
  device_key text collate "C" not null,
  device_name text collate "C" not null,
  record uuid not null,
  node text not null,
  seconds double precision not null,
  state smallint not null default 0,
  attempts integer not null default 0,
  session_id text,
  second_node text,
  second_seconds double precision,
  message text not null default '',
  wanted_at timestamptz not null default now(),
  primary key (claim, device_key, device_name)
);
create index second_looks_open on second_looks (state, wanted_at) where state < 2;
alter table leases drop constraint leases_check;
alter table leases add column claim uuid;
alter table leases add check (num_nonnulls(program, session_id, claim) = 1 and (session_id is null) = (sequence is null));
create unique index leases_claim on leases (claim) where claim is not null
`,
} as const;
