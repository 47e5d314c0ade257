/**
 * Every request has a target. One whose program came with another input of its batch had none before, so no device was ever found
 * for it: those still waiting get theirs here.
 */
export const requestTargets = {
  number: 8,
  name: "targets",
  sql: `
update requests r set target = b.target from builds b where b.program = r.program and r.target = '';
alter table requests add constraint requests_target check (target <> '');
`,
} as const;
