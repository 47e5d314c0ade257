/**
 * `inbox/` next to a local store: batches of records as files of JSON lines, from processes that cannot open the store, because
 * one process at a time can. A batch is written under another name and renamed, so a file is complete or absent. The next process
 * that opens the store takes the batches in. Taking a file in twice does no harm, because the records' ids exist then.
 */
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { FarmError, type NewId } from "@warpfarm/common";
import { replaceFile } from "@warpfarm/common/process";
import { encodeRecord, recordFromJson } from "../record-json.ts";
import type { TuningRecord } from "../tuning-record.ts";

export const inboxOf = (directory: string): string => join(directory, "inbox");

/** Durable when it resolves. */
export async function dropInInbox(inbox: string, records: readonly TuningRecord[], o: { readonly newId: NewId }): Promise<void> {
  if (records.length === 0) return;
  await mkdir(inbox, { recursive: true });
  await replaceFile(join(inbox, `${o.newId()}.jsonl`), records.map((record) => `${encodeRecord(record)}\n`).join(""));
}

/** Takes in the files of the inbox. A file with anything else stays and is reported. */
export async function emptyInbox(
  inbox: string,
  take: (records: readonly TuningRecord[]) => Promise<unknown>,
  warn: (message: string) => void,
): Promise<void> {
  const names = await readdir(inbox).catch(() => []);
  for (const name of names.filter((n) => n.endsWith(".jsonl")).sort()) {
    const path = join(inbox, name);
    let records: readonly TuningRecord[];
    try {
      const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line.trim() !== "");
      records = lines.map((line) => recordFromJson(JSON.parse(line)));
    } catch (error) {
      if (!(error instanceof FarmError || error instanceof SyntaxError)) throw error;
      warn(`${path} is not a file of records and stays where it is: ${error.message}`);
      continue;
    }
    await take(records);
    await rm(path, { force: true });
  }
}
