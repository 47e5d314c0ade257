/** A folder of logs, or one log, as a read-only store. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { FarmError } from "@warpfarm/common";
import { MemoryStore } from "../store/memory.ts";
import type { RecordStore } from "../store.ts";
import { recordOfLog } from "./from-log.ts";
import { readLog } from "./read-log.ts";
import type { LogRecord } from "./record.ts";

/** Files of a folder that are logs by their names. */
const isLog = (name: string): boolean => /\.(jsonl|log|json|log\.json)$/.test(name);

/** Throws INVALID_ARGUMENT naming the file and line that is no log's. What is appended later is not seen. */
export async function openLogs(path: string): Promise<RecordStore & { readonly warnings: readonly string[] }> {
  const files = await filesOf(path);
  const store = new MemoryStore();
  const warnings: string[] = [];
  for (const file of files) {
    const log = readLog(await readFile(file, "utf8"), file);
    warnings.push(...log.warnings);
    await store.append(log.records.filter(wasMeasured).map((record) => recordOfLog(record, "local")));
  }
  const refuse = async () => {
    throw new FarmError("FAILED_PRECONDITION", `${path} is a folder of logs, which are read alone; import them into a store`);
  };
  return {
    warnings,
    append: refuse,
    query: (query) => store.query(query),
    best: (query) => store.best(query),
    export: (filter) => store.export(filter),
    delete: refuse,
    failure: (query) => store.failure(query),
    prune: refuse,
    share: refuse,
    async [Symbol.asyncDispose]() {},
  };
}

/** Not so a failure that was known before. */
const wasMeasured = (record: LogRecord): boolean => record.kind === "autotvm" || record.trial.result.attempt > 0;

async function filesOf(path: string): Promise<readonly string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    return (await readdir(path))
      .filter(isLog)
      .sort()
      .map((name) => join(path, name));
  } catch (error) {
    throw new FarmError("INVALID_ARGUMENT", `${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? "error"}`);
  }
}
