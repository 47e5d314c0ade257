/** Suites that the farm keeps: plans, tasks with their claims, and the pieces of the tasks' logs. */
export const suites = {
  number: 10,
  name: "suites",
  sql: `
create table suites (
  suite_id text primary key,
  principal text not null,
  request_id text not null,
  name text not null,
  plan bytea not null,
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
);
`,
} as const;
