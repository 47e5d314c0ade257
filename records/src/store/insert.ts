/** Writes records into the table: few as parameters, many by COPY. */
import type { StandingNo } from "../standing.ts";
import type { Appended } from "../store.ts";
import type { TuningRecord } from "../tuning-record.ts";
import { type Cell, columns } from "./columns.ts";
import { copiedRows } from "./copied-rows.ts";
import { PackedRecord, rowOf } from "./rows.ts";
import type { SqlTransaction } from "./sql.ts";

const names = columns.map(([name]) => name).join(", ");
/**
 * Adds rows, and tells which ids exist with another content. `incoming`: (key, id, doc) of the rows. An import that once came
 * without its session is the same record.
 */
const telling = (incoming: string, insert: string): string =>
  `with other as (select i.id from ${incoming} i join records r on r.key = i.key where r.doc <> i.doc
       and not (r.imported and r.doc::jsonb - 'session' = i.doc::jsonb - 'session')),
     added as (${insert} on conflict (key) do nothing returning 1)
   select (select count(*)::int from added) as n, array(select id from other order by id) as conflicts`;
const asTable = `unnest(${columns.map(([, type], i) => `$${i + 1}::${type}[]`).join(", ")}) as g(${names})`;
const insertParams = telling(
  `(select key::uuid as key, id, doc from ${asTable})`,
  `insert into records (${names}) select ${columns.map(([name, , cast = ""]) => `${name}${cast}`).join(", ")} from ${asTable}`,
);
/** If some copied rows exist, all go through a temporary table, because COPY cannot skip conflicts. */
const makeIncoming = "create temp table if not exists records_incoming (like records) on commit delete rows";
const copyInto = (name: string): string => `copy ${name} (${names}) from stdin with (format binary)`;
const insertIncoming = telling("records_incoming", `insert into records (${names}) select ${names} from records_incoming`);
/** Fewer rows cost less as parameters. */
const worthCopying = 500;

type Stored = { readonly n: number; readonly conflicts: readonly string[] };

/**
 * Runs in the caller's transaction. Skips a record whose id exists, or came earlier in the list. `standing`: of records that are
 * not packed, in their order, where it is known already.
 */
export async function insertRecords(
  tx: SqlTransaction,
  records: readonly (TuningRecord | PackedRecord)[],
  standing: readonly (StandingNo | undefined)[] = [],
): Promise<Appended> {
  if (records.length === 0) return { added: 0, existed: 0, conflicts: [] };
  const { copy } = tx;
  if (copy === undefined || records.length < worthCopying) {
    const rows = records.map((each, i) =>
      each instanceof PackedRecord ? rowOf(each.record, each.standing) : rowOf(each, standing[i]),
    );
    return insertEach(rows, keyCell, (first) =>
      tx.query<Stored>(
        insertParams,
        columns.map((_, i) => first.map((row) => row[i] as Cell)),
      ),
    );
  }
  const packed = records.map((each, i) => (each instanceof PackedRecord ? each : PackedRecord.of(each, standing[i])));
  return insertEach(packed, keyOfPacked, (first) => copied({ ...tx, copy }, first));
}

const keyCell = (row: readonly Cell[]): string => row[0] as string;
const keyOfPacked = ({ key }: PackedRecord): string => key;

/** Inserts the first of each key, and then the later ones, whose keys exist by then. */
async function insertEach<T>(
  rows: readonly T[],
  keyOf: (row: T) => string,
  insert: (rows: readonly T[]) => Promise<readonly Stored[]>,
): Promise<Appended> {
  if (rows.length === 0) return { added: 0, existed: 0, conflicts: [] };
  const first = new Map<string, T>();
  const later: T[] = [];
  for (const row of rows) {
    if (first.has(keyOf(row))) later.push(row);
    else first.set(keyOf(row), row);
  }
  const [{ n: added, conflicts } = { n: 0, conflicts: [] }] = await insert([...first.values()]);
  const more = await insertEach(later, keyOf, insert);
  return {
    added,
    existed: first.size - added - conflicts.length + more.existed,
    conflicts: [...conflicts, ...more.conflicts],
  };
}

/** Copies straight into the table, or where one of the rows exists, by way of the temporary table. */
async function copied(tx: Required<SqlTransaction>, records: readonly PackedRecord[]): Promise<readonly Stored[]> {
  // One order everywhere: otherwise two imports of the same records may wait for each other.
  const rows = copiedRows([...records].sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1)).map(({ row }) => row));
  await tx.query("savepoint copying");
  try {
    await tx.copy(copyInto("records"), rows);
    await tx.query("release savepoint copying");
    return [{ n: records.length, conflicts: [] }];
  } catch (error) {
    if ((error as { readonly code?: string }).code !== uniqueViolation) throw error;
  }
  await tx.query("rollback to savepoint copying");
  await tx.query(makeIncoming);
  await tx.query("truncate records_incoming");
  await tx.copy(copyInto("records_incoming"), rows);
  return tx.query<Stored>(insertIncoming);
}
const uniqueViolation = "23505";
