/**
 * A tuner's knowledge at the start of a search: results in the logs that the search starts from.
 */
import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { badInput, digestOf, type Json, unreadable } from "@warpfarm/common";
import { readLog } from "@warpfarm/records/logs";
import { templateVersionsIn } from "@warpfarm/records/search";
import { createTask, isTemplateFile, type Task } from "@warpfarm/templates";
import { createKernelTask, type KernelSource } from "../kernel/kernel-task.ts";
import { readUnzipped } from "../score/read-recorded.ts";
import { resultsIn } from "../tuner/known-records.ts";
import { optionsOfRecords } from "../tuner/outlined.ts";
import { recordsIn, type Source, sourcesOf } from "../tuner/transfer.ts";
import type { TunerOptions } from "../tuner/tuner.ts";
import { isKernel, otherVersion, type TaskSource } from "./task-source.ts";

/** `names`: as the user wrote them, relative to `cwd`. `of`: the task of the search. */
export async function readStartLogs(
  names: readonly string[],
  of: TaskSource,
  { cwd, say }: { readonly cwd: string; readonly say: (message: string) => void },
) {
  const sources: Source[] = [];
  const logs: { file: string; digest: string }[] = [];
  for (const name of names) {
    const path = resolve(cwd, name);
    const refused = unreadable(`--transfer names ${JSON.stringify(name)}, which`);
    const digest = digestOf(await readFile(path).catch(refused));
    const unpacked = await readUnzipped(path).catch(refused);
    if (!unpacked.ok) throw badInput(unpacked.error);
    const log = readLog(unpacked.value, name);
    const versions = templateVersionsIn(log.notes);
    const found = sourcesOf(log.records, name, (word, args, target) => {
      if (isKernel(of)) return kernelOfLog(of, word, args, target);
      const task = createTask(word === of.name ? of : word, args, target);
      const then = versions.get(task.name);
      // Of a user's file any edit is a version.
      if (isTemplateFile(task.word) || then === task.version) return task;
      throw badInput(`it is of ${otherVersion(task.name, then, task.version)}`);
    });
    for (const warning of [...log.warnings, ...found.warnings]) say(warning);
    sources.push(...found.sources);
    logs.push({ file: basename(path), digest });
  }
  if (names.length > 0 && sources.length === 0)
    throw badInput(`--transfer: no log of ${names.join(", ")} has results of a known task`);
  return { sources, logs };
}

/** Other tasks say nothing about the kernel, whose knobs are its own. */
function kernelOfLog(source: KernelSource, word: string, args: Json, target: string): Task {
  if (word === source.name) return createKernelTask(source, args, target);
  throw badInput(`it is of another task than ${source.word}, whose name is ${source.name}`);
}

/** What the tuner begins with: the results of the sources, as this task's space names their configs. */
export function startOptions(
  task: Task,
  sources: readonly Source[],
  say: (message: string) => void,
): Pick<TunerOptions, "records" | "of" | "outline"> {
  const records = recordsIn(task, sources);
  if (sources.length > 0 && records.length === 0)
    throw badInput(
      `--transfer: fewer than half of the configs of ${sources.map(({ name }) => name).join("; ")} have values of this task's knobs, so the logs are useless here`,
    );
  if (records.length > 0) say(`warm start: ${resultsIn(records)} results of ${records.map(({ name }) => name).join("; ")}`);
  return optionsOfRecords(task, records);
}
