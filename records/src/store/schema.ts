/**
 * The table of records, for PostgreSQL and PGlite alike. `doc` is the whole record, JSON; the columns are what statements select
 * and order by. A text is empty, not null, where the record does not say, and so is the uuid `computation` with its zeros.
 *
 * key          names the record (keyOf)
 * namespace    '' = everybody reads the row; else the name of its owner, who alone reads it (standing.ts)
 * standing     why: 0 own, 1 offered, 2 verified, 3 shared, 4 refuted
 * claim        names what the client says of the program (claimName); null where no builder can replay it
 * problem      names task and args (problemOf); args may be too long for an index
 * computation  names what is computed: only times of one computation are compared
 * kernel       names the program, or else the config or trace together with the problem (rowOf)
 * conditions   what is unusual about how it was measured (conditionsOf); times under other conditions are not compared
 * usable       as in rows.ts: 0 a failure, 1 measured and compared with the reference, 2 imported, 3 measured and not compared
 *
 * An index that others' reads use begins with the namespace, so that rows which only their owner reads cost nobody else anything.
 * An index whose next columns name a group answers for many groups by merging them (merged.ts): a task from its problems, a model
 * or a key of devices from their kinds, all records from imported and measured ones.
 */
const distinct = "with (deduplicate_items = off)";

const table = `
create table records (
  key uuid primary key,
  id text not null,
  at bigint not null,
  namespace text collate "C" not null,
  standing smallint not null,
  claim uuid,
  task text collate "C" not null,
  problem text collate "C" not null,
  computation uuid not null,
  template text collate "C" not null,
  kernel text collate "C" not null,
  target text collate "C" not null,
  device_key text collate "C" not null,
  device_name text collate "C" not null,
  session text collate "C" not null,
  owner text collate "C" not null,
  imported boolean not null,
  usable smallint not null,
  conditions text collate "C" not null,
  seconds double precision,
  error_no smallint not null,
  doc text not null
)`;

const kind = "device_key, device_name, computation";

/** Indexes by name, besides that of the key. */
export const recordIndexes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    records_best: `(namespace, task, problem, ${kind}, seconds, key) ${distinct} where usable > 0`,
    records_kernel: "(namespace, kernel)",
    records_at: `(namespace, imported, at, key) ${distinct}`,
    records_task: `(namespace, task, problem, at, key, error_no) ${distinct}`,
    records_device: `(namespace, device_key, device_name, at, key) ${distinct}`,
    records_template: `(namespace, template, at, key) ${distinct}`,
    records_seconds: `(namespace, seconds, key) ${distinct} where seconds is not null`,
    records_failed: `(namespace, at, key) ${distinct} where error_no > 0`,
    records_session: `(session, at, key) ${distinct} where session <> ''`,
    records_owner: `(owner, at, key) ${distinct}`,
    records_claim: "(claim) where claim is not null",
    records_offered: `(task, namespace, problem, ${kind}, seconds, key) ${distinct} where standing = 1`,
  }).map(([name, on]) => [name, `create index ${name} on records ${on}`]),
);

export const recordsSchema = [table, ...recordIndexes.values()].join(";");
