import { recordsSchema } from "@warpfarm/records";

/**
 * Records of what was measured, in the table that records/src/store/schema.ts describes, and what they are made of.
 *
 * sessions.provenance   JSON of what the client told of its search; empty = nothing
 * sessions.keep         0 shared, 1 private, 2 no records
 * requests.proposal     JSON of what the client told of the config
 * requests.result       stays after the client received it, until its record is written (requests_unrecorded)
 * unrecorded            results of sessions that ended before their records were written, with what is told of the session
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
  target text not null,
  proposal text,
  result bytea not null,
  set_aside text,
  set_aside_at timestamptz,
  primary key (session_id, sequence)
);
create index unrecorded_waiting on unrecorded (session_id, sequence) where set_aside is null
`,
} as const;
