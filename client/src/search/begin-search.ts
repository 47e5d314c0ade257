/** A search that begins, from what is asked of a template or a kernel: the command's and the library's are this. */
import type { Json } from "@warpfarm/common";
import type { OpenSearchOptions } from "./open-search.ts";
import { readStartLogs } from "./search-inputs.ts";
import { checkTuner, readSearchSpec, type SearchSpec, type WholeSpec, wholeSpec } from "./search-spec.ts";
import { taskOfSource } from "./task-of-source.ts";
import { pathsOf, type SourceWords, type TaskSource, taskNamed } from "./task-source.ts";

interface BeginOptions {
  readonly asked: Omit<SearchSpec, "version" | "task">;
  /** Logs that it starts from, in place of `asked.start`. */
  readonly logs: readonly string[];
  /** What was said of a kernel. */
  readonly words: SourceWords;
  readonly cwd: string;
  readonly say: (message: string) => void;
}

type Begun = Required<Pick<OpenSearchOptions, "task" | "paths" | "sources">> & {
  readonly spec: WholeSpec;
  readonly resume: false;
};

/** Refuses what it can without a farm. The search follows from the key of its devices and its target. Throws FarmError. */
export async function beginSearch(
  source: TaskSource,
  { asked, logs: names, words, cwd, say }: BeginOptions,
): Promise<(key: string, target: string) => Begun> {
  const startsFromLogs = names.length > 0 ? { start: { logs: [] } } : {};
  checkTuner({ ...asked, ...startsFromLogs });
  const { sources, logs } = await readStartLogs(names, source, { cwd, say });
  const start = logs.length > 0 ? { start: { logs: [...logs] } } : {};
  return (key, target) => {
    const task = taskOfSource(source, asked.args as Json | undefined, target);
    const spec = readSearchSpec({ version: 1, task: taskNamed(task), ...asked, ...start });
    return { spec: wholeSpec(spec, task, key), task, sources, paths: pathsOf(source, words, names, cwd), resume: false };
  };
}
