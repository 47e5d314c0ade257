/**
 * In whose name things are (principals of the token file; `local` where nobody is asked). What was opened before belongs to
 * `local`: on a tracker with tokens only an admin goes on with it. A request id and an instance id are unique for the principal
 * that chose them, so that nobody gets at what is another's by naming its id.
 *
 * farm        one row: the key that workers' secrets are made with
 * workers     proves: its calls carry its secret (protocol 3)
 */
export const principals = {
  number: 5,
  name: "principals",
  sql: `
alter table sessions add column principal text not null default 'local';
alter table sessions drop constraint sessions_request_id_key;
create unique index sessions_request on sessions (principal, request_id);
alter table cancelled_sessions add column principal text not null default 'local';

alter table workers add column principal text not null default 'local';
alter table workers add column proves boolean not null default false;
alter table workers add column registered_at timestamptz not null default now();
alter table workers drop constraint workers_instance_id_key;
create unique index workers_instance on workers (principal, instance_id);

create table farm (
  only_one boolean primary key default true check (only_one),
  key bytea not null
);
`,
} as const;
