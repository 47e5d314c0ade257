/** Outlines of other shapes' configs, for records of a search, and numbers of configs that this space lacks. */
import { defined, FarmError } from "@warpfarm/common";
import { configNamed, entityOf } from "@warpfarm/compiler/language";
import { createTask, isTemplateFile, isTemplateTask, type Task, type TemplateTask } from "@warpfarm/templates";
import type { ShareSource, TunerOptions } from "./tuner.ts";

/** The options of a tuner that begins with these records. None where there are none. */
export function optionsOfRecords(task: Task, sources: readonly ShareSource[]): Pick<TunerOptions, "records" | "of" | "outline"> {
  if (sources.length === 0) return {};
  if (!isTemplateTask(task)) return { records: sources };
  const of = { args: task.args, target: task.target };
  return { records: outlined(task, sources), of, ...defined({ outline: task.outline }) };
}

/** The sources as they are where the task's template is a file: what a farm remembers may be of an older version of the file. */
function outlined(task: TemplateTask, sources: readonly ShareSource[]): readonly ShareSource[] {
  if (isTemplateFile(task.word)) return sources;
  return sources.map((source) => {
    if (task.outline === undefined && source.others === undefined) return source;
    const there = source.of && taskOf(task.name, source.of);
    if (there === undefined) return source;
    const { space, outline } = there;
    const rows = source.rows.map((row) => {
      const config = configNamed(space, entityOf(task.space, row.index));
      return config.ok ? { ...row, ...defined({ outline: outline?.(config.value) }) } : row;
    });
    const others = source.others?.map((row) => {
      const index = space.indexOfValues(row.values);
      return index === undefined ? row : { ...row, features: space.features(index), ...defined({ outline: outline?.(index) }) };
    });
    return { ...source, rows, ...defined({ others }) };
  });
}

/** Undefined for arguments that this version of the template refuses. */
function taskOf(name: string, { args, target }: NonNullable<ShareSource["of"]>): TemplateTask | undefined {
  try {
    return createTask(name, args, target);
  } catch (error) {
    if (error instanceof FarmError) return undefined;
    throw error;
  }
}
