/**
 * The tables of a tracker.
 *
 * .state                states.ts says what the numbers mean
 * requests.avoid        workers that lost it or failed at it. Those with an empty list, nearly all, are claimed by count and
 *                       session (requests_ready); the others are placed one by one (requests_retry)
 * requests.ready_at     since when it waits for a runner, where that is not since it was accepted
 * requests.manifest     the highest version of the manifests that its run needs, from when it is READY
 * requests.others       programs measured interleaved with `program`, by digest, in order; empty in other sessions
 * requests.proposal     JSON of what the client told of the config
 * requests.result       stays after the client received it, until its record is written (requests_unrecorded)
 * sessions.paired       PairedOptions, null in other sessions
 * sessions.control      counts the changes that the owner or an admin made, so the newer of two readings is known
 * sessions.takes_trials the newest stream's client takes the message of more trials
 * sessions.trials_settled  the search has heard of all trials that it was given, and takes no more
 * sessions.builds_until  null while its stream is attached, and before its first; else builders build for it until then
 * sessions.used_ms      how long its runs held devices; with it the other times of its results (LeaseTimes of common)
 * sessions.provenance   JSON of what the client told of its search; empty = nothing
 * sessions.keep         0 shared, 1 private, 2 no records
 * builds.principal      who pays for it: who wanted it first
 * builds.said_by        principals of the builders that reported a failure since the program last was built (verdicts.ts)
 * builds.vouched        one of these builders is the tracker's own or an admin's, which workers.vouched says of each
 * leases                one row a job in somebody's hands; gone with its outcome, its worker or its time (../policy/lease.ts)
 * reuses                what one session measured another may be given: a row a measurement, `result` once it is there, `slower`
 *                       what ended early
 * workers.checks        recent times of the own kernels of its node, JSON: pairs of Unix time and ratio to the least; empty =
 *                       unknown
 * workers.last_fault    words of the job and the device: only admins see them
 * receipt_keys          public keys of receipts, in the order in which trackers first had them
 * farm                  one row: the key that workers' secrets are made with
 * spent                 the time of devices and builds by principal and by the minute in which it ended, for quotas
 * suites.size           bytes: its plan, the documents of its tasks, and their logs
 * unrecorded            results of sessions that ended before their records were written, with what is told of the session
 * unrecorded.set_aside  why no record can be written of it (flow/set-aside.ts); null = it waits
 * claims                what clients said of programs, and builders of that (sql/claims.ts); `owner` offered it, `base` names the
 *                       claim without its config and is set with the verdict
 * second_looks          of claims on kinds of devices: whether a second node measures the same (sql/second-looks.ts)
 *
 * Results and failures are bytes of warpfarm.measure.v1.MeasureResult: they may hold NaN, which JSON cannot. `principal` is a
 * name of the token file, and `local` where nobody is asked; rows of `local` are counted for nobody. A request id and an instance
 * id are unique for the principal that chose them, so nobody gets at what is another's by naming its id. Indexes cover only the
 * states that a statement asks for, and the tables of jobs have no foreign keys: the statements that delete keep what others need
 * (sql/collect.ts).
 */
import { recordsSchema } from "@warpfarm/records";
import { buildStates, claimStates, lookStates, requestStates } from "./states.ts";

const jobs = `
create table sessions (
  session_id text primary key,
  request_id text not null,
  principal text not null default 'local',
  task text not null,
  selector text not null,
  options jsonb not null,
  paired jsonb,
  priority integer not null,
  weight integer not null default 1,
  max_in_flight integer not null,
  labels jsonb not null,
  reuse boolean not null default false,
  provenance text not null default '',
  keep smallint not null default 0,
  stream bigint not null default 0,
  builds_until timestamptz,
  takes_trials boolean not null default false,
  accepted_through bigint not null default 0,
  used_ms double precision not null default 0,
  queue_ms double precision not null default 0,
  build_ms double precision not null default 0,
  transfer_ms double precision not null default 0,
  timed_ms double precision not null default 0,
  paused boolean not null default false,
  more_trials bigint not null default 0,
  control integer not null default 0,
  trials_settled boolean not null default false,
  traceparent text not null default '',
  opened_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create unique index sessions_request on sessions (principal, request_id);
create index sessions_expiry on sessions (expires_at);

create table cancelled_sessions (
  session_id text primary key,
  principal text not null default 'local',
  reason text not null,
  cancelled_at timestamptz not null default now()
);

create table programs (
  digest text primary key,
  principal text not null default 'local',
  target text not null,
  version smallint not null default 1,
  size integer not null default 0,
  bytes bytea not null,
  used_at timestamptz not null default now()
);
create index programs_owned on programs (principal, size) where principal <> 'local';

create table builds (
  program text primary key,
  principal text not null default 'local',
  target text not null,
  version smallint not null default 1,
  state smallint not null default 0,
  session_id text,
  priority integer not null,
  queued bigint generated by default as identity,
  queued_at timestamptz not null default now(),
  timeout_ms double precision not null,
  attempts integer not null default 0,
  losses integer not null default 0,
  ends integer not null default 0,
  faults integer not null default 0,
  avoid text[] not null default '{}',
  artifact text,
  code text,
  manifest smallint not null default 1,
  bytes bigint not null default 0,
  build_ms double precision not null default 0,
  failure bytea,
  error_no smallint,
  toolchain text,
  said_by text[] not null default '{}',
  vouched boolean not null default false,
  finished_at timestamptz
);
create index builds_waiting on builds (session_id, queued) where state = ${buildStates.waiting};
create index builds_code on builds (code) where state = ${buildStates.built};
create index builds_artifact on builds (artifact) where state = ${buildStates.built};
create index builds_owned on builds (principal, bytes) where principal <> 'local';

create table requests (
  session_id text not null,
  sequence bigint not null,
  program text not null,
  reference text,
  others text[] not null default '{}',
  target text not null constraint requests_target check (target <> ''),
  manifest smallint not null default 1,
  proposal text,
  state smallint not null,
  attempts integer not null default 0,
  losses integer not null default 0,
  ends integer not null default 0,
  faults integer not null default 0,
  avoid text[] not null default '{}',
  reuse text,
  result bytea,
  accepted_at timestamptz not null default now(),
  ready_at timestamptz,
  primary key (session_id, sequence)
);
create index requests_ready on requests (session_id, sequence) where state = ${requestStates.ready} and avoid = '{}';
create index requests_retry on requests (session_id, sequence) where state = ${requestStates.ready} and avoid <> '{}';
create index requests_done on requests (session_id, sequence) where state = ${requestStates.done};
create index requests_unrecorded on requests (session_id, sequence) where state = ${requestStates.received} and result is not null;
create index requests_program on requests (program) where state = ${requestStates.building};
create index requests_reference on requests (reference) where state = ${requestStates.building} and reference is not null;
create index requests_others on requests using gin (others) where state = ${requestStates.building} and others <> '{}';
create index requests_following on requests (reuse) where state = ${requestStates.following};

create table reuses (
  name text primary key,
  session_id text not null,
  sequence bigint not null,
  result bytea,
  slower bytea,
  used_at timestamptz not null default now()
);
create index reuses_owner on reuses (session_id) where result is null`;

const fleet = `
create table workers (
  worker_id text primary key,
  instance_id text not null,
  principal text not null default 'local',
  epoch bigint not null,
  role text not null,
  node text not null,
  facts jsonb not null,
  labels jsonb not null,
  vouched boolean not null default false,
  lost boolean not null default false,
  trouble text not null default '',
  suspect_until timestamptz,
  faults integer not null default 0,
  last_fault text not null default '',
  quarantine text not null default '',
  checks text not null default '',
  registered_at timestamptz not null default now(),
  last_seen timestamptz not null default now()
);
create unique index workers_instance on workers (principal, instance_id);
create index workers_live on workers (last_seen) where not lost;
create index workers_node on workers (node);

create table leases (
  lease_id text primary key,
  worker_id text not null,
  epoch bigint not null,
  device integer not null,
  session_id text,
  sequence bigint,
  program text,
  claim uuid,
  granted_at timestamptz not null default now(),
  until timestamptz not null,
  check (num_nonnulls(program, session_id, claim) = 1 and (session_id is null) = (sequence is null))
);
create index leases_worker on leases (worker_id);
create unique index leases_build on leases (program) where program is not null;
create unique index leases_run on leases (session_id, sequence) where session_id is not null;
create unique index leases_claim on leases (claim) where claim is not null;

create table drained_nodes (
  node text primary key,
  since timestamptz not null default now()
);

create table farm (
  only_one boolean primary key default true check (only_one),
  key bytea not null
);

create table receipt_keys (
  key_id text primary key,
  number bigint generated by default as identity,
  pem text not null,
  since timestamptz not null default now()
);

create table blobs (
  digest text primary key,
  principal text not null default 'local',
  size bigint not null,
  bytes bytea not null,
  used_at timestamptz not null default now()
);
create index blobs_of_clients on blobs (principal) where principal <> 'local';

create table spent (
  principal text not null,
  minute timestamptz not null,
  build_ms double precision not null default 0,
  device_ms double precision not null default 0,
  primary key (principal, minute)
)`;

const suites = `
create table suites (
  suite_id text primary key,
  principal text not null,
  request_id text not null,
  name text not null,
  plan bytea not null,
  size bigint not null default 0,
  cancelled boolean not null default false,
  created_at timestamptz not null default now(),
  unique (principal, request_id)
);
create table suite_tasks (
  suite_id text not null references suites on delete cascade,
  task_id text not null,
  place integer not null,
  document bytea not null,
  template text not null,
  ended text not null default '',
  worker text not null default '',
  epoch bigint not null default 0,
  claimed_until timestamptz not null default '-infinity',
  log_bytes bigint not null default 0,
  primary key (suite_id, task_id)
);
create index suite_tasks_open on suite_tasks (suite_id, place) where ended = '';
create table suite_logs (
  suite_id text not null,
  task_id text not null,
  log_at bigint not null,
  bytes bytea not null,
  primary key (suite_id, task_id, log_at),
  foreign key (suite_id, task_id) references suite_tasks on delete cascade
)`;

const beliefs = `
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
create index claims_waiting on claims (owner, wanted_at, claim) where state = ${claimStates.waiting};
create index claims_open on claims (wanted_at) where state in (${claimStates.waiting}, ${claimStates.leased});
create index claims_verified on claims (base) where state = ${claimStates.verified};
create index claims_denied on claims (decided_at) where state in (${claimStates.refuted}, ${claimStates.unverifiable});

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
create index second_looks_open on second_looks (state, wanted_at) where state < ${lookStates.agreed}`;

export const schema = [jobs, fleet, suites, recordsSchema, beliefs].join(";\n");
