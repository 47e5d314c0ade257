/**
 * PGlite (PostgreSQL in WebAssembly) as the embedded engine: one connection inside this process. It survives kill -9; it calls no fsync,
 * so it promises nothing about power loss. A directory is locked by our own file (data-lock.ts) for as long as it is open.
 */
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { PGlite, types } from "@electric-sql/pglite";
import { AsyncStack, FarmError } from "@warpfarm/common";
import { lockDataDirectory } from "./data-lock.ts";
import type { Database, Param, Queryable } from "./database.ts";
import { migrate } from "./migrate.ts";
import { readTemplate } from "./template.ts";

/** `memory`, or a directory that is created when it is missing. Migrated and ready. */
export async function openPglite(data: string): Promise<Database> {
  const stack = new AsyncStack();
  try {
    if (data !== "memory") {
      stack.use(await lockDataDirectory(data));
      await createDirectory(data);
    }
    const engine = data === "memory" ? await createEngine("memory://", await readTemplate()) : await createEngine(data);
    stack.defer(() => engine.close());
    const db = adaptPglite(engine, stack);
    await migrate(db);
    return db;
  } catch (error) {
    await stack[Symbol.asyncDispose]();
    throw error;
  }
}

function createEngine(dataDir: string, template?: Blob): Promise<PGlite> {
  return PGlite.create({ dataDir, parsers: { [types.INT8]: Number }, ...(template ? { loadDataDir: template } : {}) });
}

/** Made aside and renamed: a process killed half-way leaves nothing that looks like a store. */
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
  const engine = await createEngine(draft, await readTemplate());
  await engine.close();
  await rename(draft, data);
}

interface Engine {
  query(sql: string, params?: unknown[]): Promise<{ rows: unknown[] }>;
}

const queryable = (engine: Engine): Queryable => ({
  async query<Row extends object>(sql: string, params: readonly Param[] = []) {
    return (await engine.query(sql, [...params])).rows as readonly Row[];
  },
});

/** The adapter alone, for the script that packs the template. */
export function adaptPglite(engine: PGlite, stack = new AsyncStack()): Database {
  return {
    ...queryable(engine),
    transaction: (work) => engine.transaction((tx) => work(queryable(tx))),
    async script(sql) {
      await engine.exec(sql);
    },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}
