/** Records of other shapes with the outlines that their configs have there. */
import { defined, FarmError } from "@warpfarm/common";
import { configToJson } from "@warpfarm/compiler/language";
import { createTask, isTemplateFile, isTemplateTask, type Task, type TemplateTask } from "../task/task.ts";
import { indexIn } from "./index-in.ts";
import type { ShareSource, TunerOptions } from "./tuner.ts";

/** The options of a tuner that begins with these records. None where there are none. */
export const optionsOfRecords = (task: Task, sources: readonly ShareSource[]): Pick<TunerOptions, "records" | "outline"> =>
  sources.length === 0
    ? {}
    : { records: outlined(task, sources), ...defined({ outline: isTemplateTask(task) ? task.outline : undefined }) };

/**
 * The sources as they are where the task's template tells no outlines, or is a file: what a farm remembers may be of an older
 * version of the file.
 */
function outlined(task: Task, sources: readonly ShareSource[]): readonly ShareSource[] {
  if (!isTemplateTask(task) || task.outline === undefined || isTemplateFile(task.word)) return sources;
  return sources.map((source) => {
    const there = source.of && taskOf(task.name, source.of);
    if (there?.outline === undefined) return source;
    const { space, outline } = there;
    const rows = source.rows.map((row) => {
      const index = indexIn(space, configToJson(task.space, task.space.get(row.index)).entity);
      return index === undefined ? row : { ...row, outline: outline(index) };
    });
    return { ...source, rows };
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
