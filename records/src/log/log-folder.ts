/** A folder of logs, or one log, as a read-only store. */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { badInput, FarmError, unreadable } from "@warpfarm/common";
import { textOf } from "../json-text.ts";
import { finalsOf } from "../paired/finals-note.ts";
import { templateVersionsIn } from "../search-spec.ts";
import { MemoryStore } from "../store/memory.ts";
import type { RecordStore } from "../store.ts";
import { wasMeasured } from "./best-of-log.ts";
import { recordOfLog, recordsOfFinals } from "./from-log.ts";
import { isNoLog, type Log, type ReadOptions, readLog } from "./read-log.ts";

const isLog = (name: string): boolean => /\.(?:jsonl|log|json)(?:\.gz)?$/.test(name);

/**
 * Throws INVALID_ARGUMENT that names the file and its broken line. Other files of a folder are skipped with a warning. Later
 * additions are not seen.
 */
export async function openLogs(
  path: string,
  options: ReadOptions = {},
): Promise<RecordStore & { readonly warnings: readonly string[] }> {
  const { files, isFolder } = await filesOf(path);
  const store = new MemoryStore();
  const warnings: string[] = [];
  for (const file of files) {
    const log = await logIn(file, options, isFolder ? warnings : undefined);
    if (log === undefined) continue;
    warnings.push(...log.warnings);
    const versions = templateVersionsIn(log.notes);
    const records = log.records.filter(wasMeasured).map((record) => recordOfLog(record, "local", versions));
    const lastMs = records.at(-1)?.timestampMs ?? 0;
    await store.append([...records, ...finalsOf(log.notes).flatMap((finals) => recordsOfFinals(finals, lastMs, "local"))]);
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
    prune: refuse,
    share: refuse,
    async [Symbol.asyncDispose]() {},
  };
}

async function logIn(file: string, options: ReadOptions, skipped: string[] | undefined): Promise<Log | undefined> {
  try {
    return readLog(await textIn(file), file, { ...options, needsTime: skipped === undefined });
  } catch (error) {
    if (!skipped || !isNoLog(error)) throw error;
    skipped.push(`${error.message}; it is skipped`);
    return undefined;
  }
}

async function textIn(file: string): Promise<string> {
  const bytes = await readFile(file);
  try {
    return textOf(bytes);
  } catch (error) {
    throw badInput(`${file} does not unpack: ${(error as Error).message}`);
  }
}

async function filesOf(path: string): Promise<{ readonly files: readonly string[]; readonly isFolder: boolean }> {
  try {
    if (!(await stat(path)).isDirectory()) return { files: [path], isFolder: false };
    const names = (await readdir(path)).filter(isLog).sort();
    return { files: names.map((name) => join(path, name)), isFolder: true };
  } catch (error) {
    return unreadable(path)(error);
  }
}
