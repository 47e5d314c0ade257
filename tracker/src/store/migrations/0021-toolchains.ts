/**
 * A failed build says which toolchain refused the program, and who says so (verdicts.ts): `said_by` has the principals of the
 * builders that reported a failure since the program last was built, `vouched` whether one of the builders is the tracker's own
 * or an admin's, which workers.vouched says of each.
 */
export const toolchains = {
  number: 21,
  name: "toolchains",
  sql: `
alter table builds add column toolchain text;
alter table builds add column said_by text[] not null default '{}';
alter table builds add column vouched boolean not null default false;
alter table workers add column vouched boolean not null default false;
create index workers_node on workers (node);
`,
} as const;
