/** A PGlite directory as the Sql of a store. Statements run one after the other, because PGlite has one connection. */
import { readdir, rename, rm } from "node:fs/promises";
import type { PGlite } from "@electric-sql/pglite";
import { badInput, digestOf, FarmError } from "@warpfarm/common";
import { unpackStore } from "@warpfarm/common/process";
import { engineWords } from "./engine-words.ts";
import { packStore } from "./pack-store.ts";
import { recordIndexes, recordsSchema } from "./schema.ts";
import type { Sql, SqlParam } from "./sql.ts";
import { template } from "./template.ts";

export interface OpenedSql extends Sql, AsyncDisposable {
  /**
   * Drops the indexes, besides that of the key, and makes them anew. Many rows cost a fraction without them. A process that is
   * killed in between leaves a store without; its next opening makes them.
   */
  dropIndexes(): Promise<void>;
  makeIndexes(): Promise<void>;
}

/** `memory`, or a directory, which is created when it does not exist. */
export async function openPgliteSql(directory: string): Promise<OpenedSql> {
  const { PGlite } = await import("@electric-sql/pglite");
  const inMemory = directory === "memory" ? await template.read(makeTemplate) : undefined;
  if (directory !== "memory") await unpackInto(directory);
  const pglite = await PGlite.create({
    // A start touches all of PostgreSQL's 128 MB, a third of its time; a page that is not there is in the system's cache.
    startParams: [...PGlite.defaultStartParams, "-c", "shared_buffers=32MB"],
    dataDir: directory === "memory" ? "memory://" : directory,
    relaxedDurability: false,
    ...(inMemory && { loadDataDir: new Blob([inMemory]) }),
  });
  try {
    await migrate(pglite, directory);
  } catch (error) {
    await pglite.close();
    throw error;
  }
  type Runs = Pick<PGlite, "query">;
  const on = (db: Runs) => ({
    async query<Row extends object>(sql: string, params: readonly SqlParam[] = []): Promise<readonly Row[]> {
      return (await db.query<Row>(sql, params as unknown[]).catch(told)).rows;
    },
  });
  return {
    ...on(pglite),
    transaction: (work) =>
      pglite.transaction((tx) =>
        work({
          ...on(tx),
          async copy(statement, rows) {
            await tx.query(statement.replace("from stdin", "from '/dev/blob'"), [], {
              blob: new Blob([rows as Uint8Array<ArrayBuffer>]),
            });
          },
        }),
      ),
    dropIndexes: async () => void (await pglite.exec([...recordIndexes.keys()].map(dropping).join(";"))),
    makeIndexes: () => makeMissing(pglite),
    [Symbol.asyncDispose]: () => pglite.close(),
  };
}

function told(error: Error): never {
  const words = engineWords(error);
  throw words === error.message ? error : new FarmError("UNAVAILABLE", `the records' store stopped: ${words}`, { cause: error });
}

const dropping = (name: string): string => `drop index if exists ${name}`;

/** The memory for the sorts of an index of a million rows; with less they go through files. */
const sortMemory = "64MB";

async function makeMissing(pglite: PGlite): Promise<void> {
  const { rows } = await pglite.query<{ name: string }>(
    "select indexname::text as name from pg_indexes where tablename = 'records'",
  );
  const there = new Set(rows.map(({ name }) => name));
  const missing = [...recordIndexes].flatMap(([name, statement]) => (there.has(name) ? [] : [statement]));
  if (missing.length === 0) return;
  await pglite.exec(`set maintenance_work_mem = '${sortMemory}'`);
  for (const statement of missing) await pglite.exec(statement);
  await pglite.exec("reset maintenance_work_mem");
}

/** Unpacks under another name and renames, so a killed process leaves nothing that looks like a store. */
async function unpackInto(directory: string): Promise<void> {
  const found: readonly string[] = await readdir(directory).catch(() => []);
  if (found.length > 0) return;
  const packed = await template.read(makeTemplate);
  const draft = `${directory}.creating`;
  await rm(draft, { recursive: true, force: true });
  try {
    unpackStore(packed, draft);
    await rename(draft, directory);
  } catch (error) {
    await rm(draft, { recursive: true, force: true }); // on a full disk it would stand in its own way
    throw error;
  }
}

export const makeTemplate = () => packStore((engine) => migrate(engine, "the template"));

/** The table says by its comment which schema it has. */
const mark = `warpfarm records, ${digestOf(recordsSchema)}`;

/**
 * Makes the table in a new store, and the indexes that a process which was killed left out. Throws INVALID_ARGUMENT, before it
 * writes anything, when the store has another schema.
 */
export async function migrate(pglite: PGlite, directory: string): Promise<void> {
  const { rows } = await pglite.query<{ mark: string | null }>(
    "select obj_description(c.oid) as mark from pg_class c where relname = 'records' and relkind = 'r'",
  );
  const [there] = rows;
  if (there === undefined) {
    await pglite.transaction((tx) => tx.exec(`${recordsSchema}; comment on table records is '${mark}'`).then(() => {}));
    return;
  }
  if (there.mark === mark) return makeMissing(pglite);
  throw badInput(
    `the records in ${directory} have another schema than this Warpfarm reads; nothing was written there: take them out with the Warpfarm that made them (warpfarm records export), or delete the folder`,
  );
}
