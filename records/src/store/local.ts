/**
 * The records of this machine: a directory with a PGlite store (`db`) and an inbox (inbox.ts). One process at a time has it open
 * (`DIR/lock`). The next one waits for a while, since a command holds it only for the length of a query.
 */
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { badInput, type Clock, FarmError, fileFault } from "@warpfarm/common";
import { type LockFile, type LockHolder, lockFile } from "@warpfarm/common/process";
import type { RecordStore } from "../store.ts";
import { engineWords } from "./engine-words.ts";
import { emptyInbox, inboxOf } from "./inbox.ts";
import { insertRecords } from "./insert.ts";
import { type OpenedSql, openPgliteSql } from "./pglite.ts";
import { SqlStore } from "./sql-store.ts";

interface OpenLocalOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** How long to wait for the process that has the store open. Unset: 20 s. */
  readonly patienceMs?: number;
  /** This many new records in one opening, and as many as existed, are stored without indexes first. Unset: 5,000. */
  readonly bulkFrom?: number;
  /** Called for each file of the inbox that is not a file of records. */
  readonly warn?: (message: string) => void;
  /** The setting that names the directory, for who cannot use it. Unset: nobody knows of one. */
  readonly namedBy?: string | undefined;
}

const lookAgainMs = 50;
const worthAnalyzing = 1_000;
/** This many in one opening, and as many as existed before, are worth making all indexes anew at its end. */
const worthIndexing = 5_000;

/** Throws FAILED_PRECONDITION that names the process with the lock, INVALID_ARGUMENT when the directory cannot be used. */
export async function openLocalRecords(directory: string, options: OpenLocalOptions): Promise<RecordStore> {
  await mkdir(directory, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw unusable(directory, options, error);
  });
  const lock = await lockPatiently(directory, options);
  try {
    const sql = await openPgliteSql(join(directory, "db")).catch((error: Error) => {
      throw new FarmError("UNAVAILABLE", `the records in ${directory} do not open: ${engineWords(error)}`, { cause: error });
    });
    try {
      const store = new SqlStore({ sql });
      await emptyInbox(
        inboxOf(directory),
        (records) => sql.transaction((tx) => insertRecords(tx, records)),
        options.warn ?? (() => {}),
      );
      return withEnd(store, sql, options.bulkFrom ?? worthIndexing, async (appended) => {
        if (appended >= worthAnalyzing) await store.analyze();
        await sql[Symbol.asyncDispose]();
        await lock[Symbol.asyncDispose]();
      });
    } catch (error) {
      await sql[Symbol.asyncDispose]();
      throw error;
    }
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

/** Whether there are records to open; a question creates no store. */
export async function hasLocalRecords(directory: string): Promise<boolean> {
  const [found, waiting] = await Promise.all([
    readdir(join(directory, "db")).catch(() => []),
    readdir(inboxOf(directory)).catch(() => []),
  ]);
  return found.length > 0 || waiting.some((name) => name.endsWith(".jsonl"));
}

function withEnd(store: SqlStore, sql: OpenedSql, bulkFrom: number, end: (appended: number) => Promise<void>): RecordStore {
  let ended: Promise<void> | undefined;
  let appended = 0;
  let before: number | undefined;
  let isIndexed = true;
  return {
    async append(records) {
      const more = appended + records.length;
      if (isIndexed && more >= bulkFrom) {
        before ??= (await rowsIn(sql)) - appended;
        isIndexed = more < before;
        if (!isIndexed) await sql.dropIndexes();
      }
      const done = await store.append(records);
      appended += done.added;
      return done;
    },
    query: (query) => store.query(query),
    best: (query) => store.best(query),
    export: (filter) => store.export(filter),
    delete: (filter) => store.delete(filter),
    prune: (rules) => store.prune(rules),
    share: (filter) => store.share(filter),
    [Symbol.asyncDispose]() {
      ended ??= (async () => {
        try {
          if (!isIndexed) await sql.makeIndexes();
        } finally {
          await end(appended);
        }
      })();
      return ended;
    },
  };
}

async function rowsIn(sql: OpenedSql): Promise<number> {
  const [row] = await sql.query<{ n: number }>("select count(*)::int as n from records");
  return row?.n ?? 0;
}

async function lockPatiently(directory: string, options: OpenLocalOptions): Promise<LockFile> {
  const { clock, signal, patienceMs = 20_000 } = options;
  const path = join(directory, "lock");
  const until = clock.monotonic() + patienceMs;
  for (;;) {
    try {
      return await lockFile(path, { held: (holder) => new Held(holder) });
    } catch (error) {
      if (!(error instanceof Held)) throw unusable(directory, options, error as NodeJS.ErrnoException);
      if (clock.monotonic() >= until)
        throw new FarmError(
          "FAILED_PRECONDITION",
          `the records in ${directory} are open in process ${error.holder.pid} (${path}); wait for its end`,
          { rule: "records.locked" },
        );
      await clock.sleep(lookAgainMs, signal === undefined ? {} : { signal });
    }
  }
}

class Held extends Error {
  readonly holder: LockHolder;
  constructor(holder: LockHolder) {
    super("held");
    this.holder = holder;
  }
}

function unusable(directory: string, { namedBy }: OpenLocalOptions, error: NodeJS.ErrnoException): FarmError {
  const remedy = namedBy === undefined ? "choose another data directory" : `${namedBy} names another data directory`;
  return badInput(`the directory of records ${directory} cannot be used: ${fileFault(error)}; ${remedy}`, { cause: error });
}
