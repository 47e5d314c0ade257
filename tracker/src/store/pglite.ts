/**
 * PGlite (PostgreSQL in WebAssembly) as the embedded engine: one connection in this process, on a thread of its own when it has a
 * directory. It survives kill -9. It calls no fsync, so it promises nothing about power loss. Our own file (data-lock.ts) locks a
 * directory for as long as it is open.
 */
import { mkdir, readdir, rename, rm, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { AsyncStack, badInput, type Clock, FarmError, fileFault, systemClock } from "@warpfarm/common";
import { unpackStore } from "@warpfarm/common/process";
import { engineWords, forgetStatistics, packStore } from "@warpfarm/records";
import { lockDataDirectory } from "./data-lock.ts";
import type { Database } from "./database.ts";
import { type Engine, hasEngineThread, startEngineThread } from "./engine-thread.ts";
import { migrate } from "./migrate.ts";
import { PgliteSession } from "./pglite-session.ts";
import { template } from "./template.ts";

/**
 * `memory`, or a directory, which is created when it is missing. Returns it migrated and ready. `clock`: for the limit of its
 * end.
 */
export async function openPglite(data: string, clock: Clock = systemClock): Promise<Database> {
  const stack = new AsyncStack();
  try {
    if (data !== "memory") {
      stack.use(await lockDataDirectory(data));
      await createDirectory(data);
    }
    const engine = stack.use(await startEngine(data, clock));
    const db = adaptPglite(engine, stack);
    await migrate(db, data === "memory" ? "the store in memory" : `the data directory ${data}`);
    await db.script(plannerSettings);
    return db;
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error instanceof FarmError || data === "memory" ? error : await doesNotOpen(data, error as Error);
  }
}

/** The engine only says that it cannot write, so the message also has the free space. */
async function doesNotOpen(data: string, error: Error): Promise<FarmError> {
  const room = await statfs(data)
    .catch(() => statfs(dirname(data)))
    .then(
      ({ bavail, bsize }) => `; ${Math.floor((bavail * bsize) / 2 ** 20)} MiB are free on its disk`,
      () => "",
    );
  return new FarmError("UNAVAILABLE", `the store in ${data} does not open: ${engineWords(error)}${room}`, { cause: error });
}

/** A store in memory is small and short-lived and needs no thread. */
async function startEngine(data: string, clock: Clock): Promise<Engine> {
  if (data !== "memory" && hasEngineThread()) return startEngineThread(data, clock);
  const { openEngine } = await import("./engine.ts");
  return openEngine(data, data === "memory" ? await template.read(makeTemplate) : undefined);
}

/**
 * Each statement is planned once, mostly while the tables are empty. The cheapest plan for an empty table, reading all of it,
 * would be kept, and would cost a hundred times more when there are a minute's dead rows. So every statement of the tracker must
 * use an index. A table without statistics counts as one of ten pages or more; with those of a vacuum it may count as empty.
 */
const forgetStatisticsOf = (table: string) =>
  `${forgetStatistics} and oid in (select '${table}'::regclass union all select indexrelid from pg_index where indrelid = '${table}'::regclass)`;
const plannerSettings = `set plan_cache_mode = force_generic_plan; set jit = off;
  set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off; set enable_mergejoin = off; ${forgetStatistics}`;

/** Creates under another name and renames, so a killed process leaves nothing that looks like a store. */
async function createDirectory(data: string): Promise<void> {
  await mkdir(dirname(data), { recursive: true });
  const found: readonly string[] = await readdir(data).catch(() => []);
  if (found.includes("PG_VERSION")) return;
  if (found.length > 0)
    throw new FarmError(
      "FAILED_PRECONDITION",
      `the data directory ${data} is not empty and holds no store; name another or an empty one`,
    );
  const draft = `${data.replace(/\/+$/, "")}.creating`;
  await rm(draft, { recursive: true, force: true });
  try {
    unpackStore(await template.read(makeTemplate), draft);
  } catch (error) {
    await rm(draft, { recursive: true, force: true }); // on a full disk it would stand in its own way
    throw error;
  }
  await rename(draft, data).catch(async (error: NodeJS.ErrnoException) => {
    await rm(draft, { recursive: true, force: true });
    const why =
      error.code === "EBUSY" || error.code === "EXDEV"
        ? "a file system is mounted there; name a directory in it"
        : fileFault(error);
    throw badInput(`the data directory ${data} cannot be made: ${why}`, { cause: error });
  });
}

export const makeTemplate = () =>
  packStore(async (engine) => migrate(adaptPglite((await import("./engine.ts")).engineOf(engine)), "the template"));

function adaptPglite(engine: Engine, stack = new AsyncStack()): Database {
  const session = new PgliteSession(engine);
  const query: Database["query"] = (sql, params) => session.query(sql, params);
  // One table a time: everybody waits meanwhile.
  const sweep = async (table: string) => {
    await session.command(`vacuum (truncate off) ${table}`);
    await session.command(forgetStatisticsOf(table));
  };
  const tables = async () => {
    const rows = await query<{ name: string }>("select tablename::text as name from pg_tables where schemaname = 'public'");
    return [...rows.map(({ name }) => name), "pg_class"]; // to forget leaves dead rows too
  };
  let due: readonly string[] = [];
  return {
    query,
    lazy: { query },
    transaction: (work) => session.transaction(work),
    script: (sql) => session.command(sql),
    async maintain() {
      const [table, ...rest] = due;
      if (table !== undefined) {
        await sweep(table);
        due = rest;
        return false;
      }
      await session.command("checkpoint");
      due = await tables();
      return true;
    },
    sweep,
    gone: engine.gone,
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}
