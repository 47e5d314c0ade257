/** Records as files, for the tests of forms: a file goes when its test has ended. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { TuningRecord } from "../tuning-record.ts";
import { readRecords, type Told, writeRecords } from "./files.ts";

export async function read(path: string, told: Told = {}): Promise<TuningRecord[]> {
  const all: TuningRecord[] = [];
  for await (const group of readRecords(path, "ada", { told })) all.push(...group.map(({ record }) => record));
  return all;
}
export async function* each<T>(all: readonly T[]) {
  yield* all;
}
export async function written(form: string, records: readonly TuningRecord[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const piece of writeRecords(form, each(records))) parts.push(Buffer.from(piece as Uint8Array));
  return Buffer.concat(parts);
}
export const write = async (form: string, records: readonly TuningRecord[]): Promise<string> =>
  (await written(form, records)).toString();
export function file(text: string | Buffer, name = "file"): string {
  const folder = mkdtempSync(join(tmpdir(), "warpfarm-forms-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}
