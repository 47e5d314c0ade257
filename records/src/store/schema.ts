/**
 * The table of records, for PostgreSQL and PGlite alike. `doc` is the whole record, JSON; the columns are what statements select
 * and order by. A column is empty, not null, where the record does not say.
 *
 * key       names the record (keyOf), since the sixth step
 * problem   names task and args (problemOf); args may be too long for an index
 * kernel    names the program, or else the config or trace together with the problem (rowOf)
 * usable    as in rows.ts: 0 a failure, 1 measured and compared with the reference, 2 imported, 3 measured and not compared
 */
export const recordsSchema = `
create table records (
  id text collate "C" primary key,
  at bigint not null,
  task text not null,
  problem text not null,
  template text not null,
  kernel text not null,
  program text not null,
  target text not null,
  device_key text collate "C" not null,
  device_name text collate "C" not null,
  session text not null,
  owner text not null,
  imported boolean not null,
  hidden boolean not null,
  usable smallint not null,
  flushed boolean not null,
  seconds double precision,
  error_no smallint not null,
  doc text not null
);
create index records_best on records (problem, device_key, device_name, seconds, kernel) where usable > 0;
create index records_kernel on records (kernel, problem);
create index records_at on records (at, id);
create index records_task on records (task, at, id);
create index records_fastest on records (task, seconds, id) where seconds is not null;
create index records_device on records (device_name, at, id);
create index records_session on records (session, at, id) where session <> '';
create index records_failed on records (at, id) where error_no > 0
`;

/** Second step: with these indexes every filter that a query may have alone finds its records. */
export const recordsIndexes = `
create index records_owner on records (owner, at, id);
create index records_template on records (template, at, id);
create index records_target on records (target, at, id);
create index records_device_key on records (device_key, at, id);
create index records_seconds on records (seconds, id) where seconds is not null;
create index records_imported on records (at, id) where imported
`;

/** Third step: an index by task and arguments. Records of one target mostly have one device key, so its index goes. */
export const recordsOfProblem = `
drop index records_target;
create index records_problem on records (problem, at, id)
`;

/**
 * Fourth step: of one task with its arguments, also its failures alone and its fastest on one kind of device, without reading the
 * rows that are left out: last columns of an index are compared there.
 */
export const recordsOfProblemAlone = `
drop index records_problem;
create index records_problem on records (problem, at, id, error_no);
create index records_problem_fastest on records (problem, seconds, id, device_name) where seconds is not null
`;

/**
 * Fifth step: an index in the order of times is written all over with each record, and three of them took half of what a record
 * costs. One remains for tasks: the fastest of a task are merged from those of its problems and kinds of device.
 */
export const recordsOfGroups = `
drop index records_best;
drop index records_fastest;
drop index records_problem_fastest;
create index records_best on records (task, problem, device_key, device_name, seconds, id) where usable > 0
`;

/** shortNameOf, in SQL. */
const named = (text: string): string => `substr(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), 1, 32)`;

/** An index that ends with a key has no equal entries. Looking for them before each split takes a server 3 % of a copied row. */
const distinct = "with (deduplicate_items = off)";

/**
 * Sixth step: what identifies a record, its problem and its kernel in an index has 16 bytes in place of up to 73, and no text is
 * compared by the rules of a language. The indexes of a million imported records shrink from 2.2 to 0.8 GB, and an import takes
 * a third less of a server.
 */
export const recordsOfKeys = `
create table records_of_keys (
  key uuid primary key,
  id text not null,
  at bigint not null,
  task text collate "C" not null,
  problem text collate "C" not null,
  template text collate "C" not null,
  kernel text collate "C" not null,
  target text collate "C" not null,
  device_key text collate "C" not null,
  device_name text collate "C" not null,
  session text collate "C" not null,
  owner text collate "C" not null,
  imported boolean not null,
  hidden boolean not null,
  usable smallint not null,
  flushed boolean not null,
  seconds double precision,
  error_no smallint not null,
  doc text not null
);
insert into records_of_keys
  select ${named("id")}::uuid, id, at, task, problem, template,
    ${named("case when program = '' then kernel || problem else program end")},
    target, device_key, device_name, session, owner, imported, hidden, usable, flushed, seconds, error_no, doc
  from records;
drop table records;
alter table records_of_keys rename to records;
alter index records_of_keys_pkey rename to records_pkey;
create index records_best on records (task, problem, device_key, device_name, seconds, key) ${distinct} where usable > 0;
create index records_kernel on records (kernel);
create index records_at on records (at, key) ${distinct};
create index records_task on records (task, at, key) ${distinct};
create index records_problem on records (problem, at, key, error_no) ${distinct};
create index records_device on records (device_name, at, key) ${distinct};
create index records_device_key on records (device_key, at, key) ${distinct};
create index records_session on records (session, at, key) ${distinct} where session <> '';
create index records_owner on records (owner, at, key) ${distinct};
create index records_template on records (template, at, key) ${distinct};
create index records_seconds on records (seconds, key) ${distinct} where seconds is not null;
create index records_failed on records (at, key) ${distinct} where error_no > 0;
create index records_imported on records (at, key) ${distinct} where imported
`;

/**
 * Seventh step: three indexes in place of six. An index whose first columns name a group answers for many groups by merging them
 * (merged.ts): a task from its problems, a model or a key of devices from their kinds, all records from imported and measured
 * ones.
 */
export const recordsMerged = `
drop index records_at;
drop index records_imported;
drop index records_task;
drop index records_problem;
drop index records_device;
drop index records_device_key;
create index records_at on records (imported, at, key) ${distinct};
create index records_task on records (task, problem, at, key, error_no) ${distinct};
create index records_device on records (device_key, device_name, at, key) ${distinct}
`;

/** The version of the schema is the number of steps applied. A released step is never edited. */
export const recordsSteps: readonly string[] = [
  recordsSchema,
  recordsIndexes,
  recordsOfProblem,
  recordsOfProblemAlone,
  recordsOfGroups,
  recordsOfKeys,
  recordsMerged,
];

/** The statements that make the table's indexes, besides that of its key, after these steps, by name. */
export function indexesAfter(steps: readonly string[]): ReadonlyMap<string, string> {
  const made = new Map<string, string>();
  for (const statement of steps.flatMap((step) => step.split(";"))) {
    if (/^\s*drop table records\b/.test(statement)) made.clear();
    const [, what, name] = /^\s*(create|drop) index (\w+)/.exec(statement) ?? [];
    if (what === "create" && name !== undefined) made.set(name, statement.trim());
    else if (name !== undefined) made.delete(name);
  }
  return made;
}
