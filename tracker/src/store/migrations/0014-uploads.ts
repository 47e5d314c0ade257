/** Clients upload too: bundles of headers. What is a client's counts as what it keeps in the store; the farm's own is nobody's. */
export const uploads = {
  number: 14,
  name: "uploads",
  sql: `
alter table blobs add column principal text not null default 'local';
create index blobs_of_clients on blobs (principal) where principal <> 'local';
`,
} as const;
