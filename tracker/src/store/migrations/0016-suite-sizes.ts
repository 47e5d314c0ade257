/** The size of a suite in the store, for its principal's quota: its plan, the documents of its tasks, and their logs. */
export const suiteSizes = {
  number: 16,
  name: "suite-sizes",
  sql: `
alter table suites add column size bigint not null default 0;
update suites s set size = octet_length(s.plan)
  + coalesce((select sum(octet_length(t.document) + t.log_bytes) from suite_tasks t where t.suite_id = s.suite_id), 0);
`,
} as const;
