/**
 * For operators: since when things wait, nodes that get no work because an admin said so, and workers that get none because they
 * failed again and again.
 */
export const care = {
  number: 3,
  name: "care",
  sql: `
alter table requests add column accepted_at timestamptz not null default now();
alter table builds add column queued_at timestamptz not null default now();

alter table workers add column faults integer not null default 0;
alter table workers add column quarantine text not null default '';

create table drained_nodes (
  node text primary key,
  since timestamptz not null default now()
);
`,
} as const;
