/** Results of logs of other shapes, targets and tools, as records of this task. Each task of each log is a source. */
import { badInput, defined, FarmError, type Json } from "@warpfarm/common";
import { type ConfigIndex, type ConfigSpace, configNamed, entityOf, knobValues } from "@warpfarm/compiler";
import { type LogRecord, secondsOf, targetOfAutotvm, taskOf } from "@warpfarm/records/logs";
import { createTask, isTemplateTask, type Task } from "@warpfarm/templates";
import { better, isTime, type Known, type OtherRow, type ShareRow, type ShareSource } from "./tuner.ts";

interface SourceRow extends Known {
  readonly index: ConfigIndex;
}
export interface Source {
  readonly name: string;
  readonly task: Task;
  readonly rows: readonly SourceRow[];
}

/** The sources of a log's records, with a warning for each kind that is of no use. `findTask` as createTask. */
export function sourcesOf(
  records: readonly LogRecord[],
  name: string,
  findTask: (word: string, args: Json, target: string) => Task = createTask,
): { readonly sources: readonly Source[]; readonly warnings: readonly string[] } {
  const groups = new Map<string, { target: string | undefined; records: LogRecord[] }>();
  for (const record of records) {
    const target = record.kind === "warpfarm" ? record.trial.run.target : targetOfAutotvm(record.trial.targetText);
    const { task, args } = taskOf(record);
    const key = JSON.stringify([task, args, target]);
    const group = groups.get(key);
    if (group) group.records.push(record);
    else groups.set(key, { target, records: [record] });
  }
  const sources: Source[] = [];
  const warnings: string[] = [];
  for (const { target, records: mine } of groups.values()) {
    const { task: word, args } = taskOf(mine[0] as LogRecord);
    const title = `${name}: ${word} ${JSON.stringify(args)}`;
    try {
      if (target === undefined) throw badInput("its target is not known");
      const task = findTask(word, [...args], target);
      const rows = distinctRows(mine, task.space);
      if (rows.some(isTime)) sources.push({ name: `${title} for ${target}`, task, rows });
      const strange = mine.length - mine.filter((r) => configNamed(task.space, r.trial.config.entity).ok).length;
      if (strange > 0) warnings.push(`${title}: ${strange} of ${mine.length} configs are not in today's space and are left out`);
      if (rows.length > 0 && !rows.some(isTime)) warnings.push(`${title}: nothing in it was timed`);
    } catch (error) {
      if (!(error instanceof FarmError)) throw error;
      warnings.push(`${title}: left out, ${error.message}`);
    }
  }
  return { sources, warnings };
}

/** The fastest time of each config; failures of the farm itself (errorNo 8) are left out. */
function distinctRows(records: readonly LogRecord[], space: ConfigSpace): SourceRow[] {
  const found = new Map<ConfigIndex, Known>();
  for (const record of records) {
    const config = configNamed(space, record.trial.config.entity);
    if (!config.ok || isFarmFailure(record)) continue;
    found.set(config.value, better(found.get(config.value), knownOf(record)));
  }
  return Array.from(found, ([index, known]) => ({ index, ...known })).sort((a, b) => a.index - b.index);
}
const knownOf = (record: LogRecord): Known =>
  record.kind === "warpfarm" && record.trial.result.kind === "slower"
    ? { seconds: record.trial.result.atLeast, isBound: true }
    : { seconds: secondsOf(record) };
const isFarmFailure = (record: LogRecord): boolean =>
  record.kind === "autotvm"
    ? record.trial.errorNo === 8
    : record.trial.result.kind === "failed" && record.trial.result.errorNo === 8;

/**
 * Sources whose configs this task's space has, as records of it: its knobs with its values. At another shape a knob may have more
 * or fewer of them. Of a source of the same template the rest are its others; any other source of which fewer than half of the
 * configs are here belongs to another space.
 */
export function recordsIn(here: Pick<Task, "name" | "space">, sources: readonly Source[]): readonly ShareSource[] {
  return sources.flatMap(({ name, task, rows }) => {
    const of = isTemplateTask(task) ? { args: task.args, target: task.target } : undefined;
    const found: ShareRow[] = [];
    const others: OtherRow[] = [];
    for (const { index, ...known } of rows) {
      const values = knobValues(here.space, entityOf(task.space, index));
      const own = values.ok ? here.space.indexOfValues(values.value) : undefined;
      const outline = isTemplateTask(task) ? task.outline?.(index) : undefined;
      if (own !== undefined) found.push({ index: own, ...known, ...defined({ outline }) });
      else if (values.ok && of && task.name === here.name)
        others.push({ values: values.value, ...known, features: task.space.features(index), ...defined({ outline }) });
    }
    const all = [...found, ...others];
    if (2 * all.length < rows.length || !all.some(isTime)) return [];
    return [{ name, ...defined({ of }), rows: found.sort((a, b) => a.index - b.index), ...(others.length > 0 && { others }) }];
  });
}
