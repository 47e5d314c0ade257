/** The records of a command: a tracker's, a log's or those of a folder of logs, otherwise this machine's. */
import { join, resolve } from "node:path";
import type { RecordStore } from "@warpfarm/records";
import { openRecordsHere } from "../../search/records-of.ts";
import type { CliContext } from "../context.ts";
import { channelOf, type FarmFlags } from "../farm/farm-flags.ts";
import { dataDirName, readSettings } from "../flags/settings.ts";
import { connection } from "../flags/shared-flags.ts";
import { type SkipFlags, skipping } from "../flags/skip-flag.ts";

export interface SourceFlags extends FarmFlags, SkipFlags {
  readonly logs?: string;
}

export const recordSource = [...connection, "logs", "skipBroken"] as const;

export const warnOf =
  ({ stderr }: CliContext) =>
  (message: string): void =>
    void stderr.write(`${message}\n`);
/** For records of this machine, whose trouble is told to the user. */
export const recordsToldTo = (context: CliContext) => ({ ...context, warn: warnOf(context), namedBy: dataDirName });

export async function withRecords<T>(
  context: CliContext,
  flags: SourceFlags,
  work: (store: RecordStore) => Promise<T>,
): Promise<T> {
  if (flags.logs !== undefined) {
    const { openLogs } = await import("@warpfarm/records");
    const logs = await openLogs(resolve(context.cwd, flags.logs), skipping(flags));
    for (const warning of logs.warnings) context.stderr.write(`${warning}\n`);
    return work(logs);
  }
  const settings = await readSettings(context);
  const channel = channelOf(flags, settings, context);
  if (channel) {
    const { connect } = await import("@warpfarm/proto");
    await using tracker = connect(channel);
    return await work(tracker.records);
  }
  await using store = await openRecordsHere(recordsToldTo(context), join(settings.dataDir, "records"));
  return await work(store);
}
