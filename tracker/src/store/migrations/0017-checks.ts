/** What the own kernels of a runner's node took of late, as JSON: pairs of Unix time and ratio to the least; empty = not told. */
export const checks = {
  number: 17,
  name: "checks",
  sql: "alter table workers add column checks text not null default '';",
} as const;
