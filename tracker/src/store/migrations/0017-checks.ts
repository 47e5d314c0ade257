/** Recent times of the own kernels of a runner's node, as JSON: pairs of Unix time and ratio to the least; empty = unknown. */
export const checks = {
  number: 17,
  name: "checks",
  sql: "alter table workers add column checks text not null default '';",
} as const;
