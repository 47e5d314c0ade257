/**
 * Sessions that measure programs interleaved. requests.others: programs measured interleaved with `program`, by digest, in order;
 * empty in other sessions. sessions.paired: PairedOptions, null in other sessions.
 */
export const paired = {
  number: 9,
  name: "paired",
  sql: `
alter table sessions add column paired jsonb;
alter table requests add column others text[] not null default '{}';
create index requests_others on requests using gin (others) where state = 0 and others <> '{}';
`,
} as const;
