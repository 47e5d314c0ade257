/** Clients upload bundles of headers too: what a client sent counts as what it keeps in the store; the rest is nobody's. */
export const uploads = {
  number: 14,
  name: "uploads",
  sql: `
alter table blobs add column principal text not null default 'local';
create index blobs_of_clients on blobs (principal) where principal <> 'local';
`,
} as const;
