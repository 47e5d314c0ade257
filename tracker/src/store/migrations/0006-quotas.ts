/**
 * What a principal has and used, for its quotas: whose a program is (of who sent it first) and how large, who pays for a build
 * (who wanted it first) and what came of it takes, and the time of devices and builds by the minute in which it ended. Rows of
 * `local` are counted for nobody.
 */
export const quotas = {
  number: 6,
  name: "quotas",
  sql: `
alter table programs add column principal text not null default 'local';
alter table programs add column size integer not null default 0;
create index programs_owned on programs (principal, size) where principal <> 'local';

alter table builds add column principal text not null default 'local';
alter table builds add column bytes bigint not null default 0;
create index builds_owned on builds (principal, bytes) where principal <> 'local';

create table spent (
  principal text not null,
  minute timestamptz not null,
  build_ms double precision not null default 0,
  device_ms double precision not null default 0,
  primary key (principal, minute)
);
`,
} as const;
