/** AutoTVM's lines have the index of a config. A record names its config by values, so the index is that of today's space. */
import { canonicalJson, FarmError, type Json } from "@warpfarm/common";
import { type ConfigSpace, configNamed } from "@warpfarm/compiler/language";
import type { TuningRecord } from "@warpfarm/records";
import { createTask } from "@warpfarm/templates";

/** A record that has an index keeps it; one whose config is in no space of a built-in template gets none. */
export async function* withIndices(records: AsyncIterable<TuningRecord>): AsyncGenerator<TuningRecord> {
  const spaces = new Map<string, ConfigSpace | undefined>();
  for await (const record of records) {
    const { config, task, args, target } = record;
    const key = canonicalJson([task, args, target]);
    if (!spaces.has(key)) spaces.set(key, spaceOf(record));
    const space = spaces.get(key);
    const found = config?.index === undefined && config && space ? configNamed(space, config.entity) : undefined;
    yield found?.ok && config ? { ...record, config: { ...config, index: found.value } } : record;
  }
}

function spaceOf({ task, args, target }: TuningRecord): ConfigSpace | undefined {
  try {
    return createTask(task, args as Json, target).space;
  } catch (error) {
    if (error instanceof FarmError) return undefined;
    throw error;
  }
}
