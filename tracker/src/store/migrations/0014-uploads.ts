/** Clients upload bundles of headers too. They count for the client's quota; other blobs belong to nobody. */
export const uploads = {
  number: 14,
  name: "uploads",
  sql: `
alter table blobs add column principal text not null default 'local';
create index blobs_of_clients on blobs (principal) where principal <> 'local';
`,
} as const;
