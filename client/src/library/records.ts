import { resolve } from "node:path";
import { defined, type Json } from "@warpfarm/common";
import { type BestRecord, openLogs, type RecordStore, type TuningRecord } from "@warpfarm/records";
import { createTask, templateNamed, usualTarget } from "@warpfarm/templates";
import { opened } from "./farm.ts";
import type { BestAsked, CallOptions, RecordSource, RecordsAsked } from "./index.ts";
import { heeding } from "./stopped.ts";

type Store = Pick<RecordStore, "query" | "best">;

async function reading<T>(source: RecordSource, options: CallOptions, ask: (store: Store, signal: AbortSignal) => Promise<T>) {
  const farm = typeof source === "string" ? undefined : opened(source);
  const signal = farm?.signalWith(options.signal) ?? options.signal ?? new AbortController().signal;
  return heeding("reading records", signal, async () =>
    ask(farm?.records(signal) ?? (await openLogs(resolve(source as string))), signal),
  );
}

export async function* records(
  source: RecordSource,
  asked: RecordsAsked,
  options: CallOptions,
): AsyncGenerator<TuningRecord, void, undefined> {
  // A log is read once. A farm's records may take many pages.
  const log = typeof source === "string" ? await reading(source, options, async (store) => store) : undefined;
  for (let cursor: string | undefined; ; ) {
    const page = await reading(source, options, (store, signal) =>
      (log ?? store).query({ ...asked, limit: 1000, ...defined({ cursor }) }, { signal }),
    );
    yield* page.records;
    if (page.next === undefined) return;
    cursor = page.next;
  }
}

export async function best(
  source: RecordSource,
  { args, ...asked }: BestAsked,
  options: CallOptions,
): Promise<readonly BestRecord[]> {
  const query = { ...asked, args: argsOf(asked.task, args) };
  const found = await reading(source, options, (store, signal) => store.best(query, { signal }));
  return [...found].sort((a, b) => a.seconds - b.seconds);
}

/** All arguments in the task's order, as records have them. */
function argsOf(name: string, args: Json | undefined): readonly Json[] {
  const template = templateNamed(name);
  if (template === undefined) return Array.isArray(args) ? args : [];
  return createTask(template, args, usualTarget(template.targets, "cpu/x86-64-v3")).args;
}
