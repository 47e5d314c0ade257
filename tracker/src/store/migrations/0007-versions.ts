/**
 * Of which versions documents are, so that who works on them reads them: a program's is known when it comes, a manifest's when it
 * is built. A request has the highest of the manifests that its run needs, from when it is READY.
 */
export const versions = {
  number: 7,
  name: "versions",
  sql: `
alter table programs add column version smallint not null default 1;
alter table builds add column version smallint not null default 1;
alter table builds add column manifest smallint not null default 1;
alter table requests add column manifest smallint not null default 1;
`,
} as const;
