/**
 * The inputs of a tuner from `tune --features` and `--transfer`: vectors of configs, made in threads, and a prior from other
 * logs. The run's log keeps their identity, because a run with other inputs would propose other configs.
 */
import { resolve } from "node:path";
import { defined, digestOf, FarmError, type Json } from "@warpfarm/common";
import { readLog } from "@warpfarm/records/logs";
import { createTask, isTemplateFile, isTemplateTask, type Task, type TemplateTask } from "@warpfarm/templates";
import type { CliContext } from "../cli/context.ts";
import { badInput } from "../cli/exit.ts";
import { isKernel, type TaskSource } from "../cli/flags/task-flags.ts";
import { createKernelTask, type KernelSource } from "../kernel/kernel-task.ts";
import { readUnzipped } from "../score/read-recorded.ts";
import { FeaturePool, type TaskSpec } from "../tuner/features/feature-pool.ts";
import { type ConfigFeatures, cachedFeatures, type FeatureKind, type NestFeatureKind } from "../tuner/features/features.ts";
import { type TunerName, usesFeatures, usesPrior, usesRecords } from "../tuner/index.ts";
import { resultsIn } from "../tuner/known-records.ts";
import { optionsOfRecords } from "../tuner/outlined.ts";
import { isSameSpace, knobPrior, nestPrior, recordsIn, type Source, sourcesOf } from "../tuner/transfer.ts";
import type { TunerOptions } from "../tuner/tuner.ts";
import type { Search } from "./tuning-log.ts";

export interface SearchFlags {
  readonly features?: FeatureKind;
  /** Logs; or `none` or `farm` alone, which are about the farm's records. Unset = the tracker's records, if any. */
  readonly transfer?: readonly string[];
}

export const usesFarm = ({ transfer = ["farm"] }: SearchFlags): boolean => transfer.length === 1 && transfer[0] === "farm";
const logsOf = ({ transfer = [] }: SearchFlags): readonly string[] =>
  transfer.length === 1 && (transfer[0] === "farm" || transfer[0] === "none") ? [] : transfer;

/** The default kind of nest vectors: on the tutorial's convolution they rank configs best (bench/diary/2026-11-22.md). */
export const defaultNest: NestFeatureKind = "itervar";

/** What the tuner's model sees: the flag's choice, otherwise nests if the tuner supports them. */
const featuresOf = ({ features }: SearchFlags, tuner: TunerName, hasNests: boolean): FeatureKind =>
  hasNests ? (features ?? (usesFeatures.includes(tuner) ? defaultNest : "knob")) : "knob";

export interface TransferLogs {
  readonly sources: readonly Source[];
  /** Of what was read, for the run's log. */
  readonly digests: readonly string[];
}

/** Refuses flags that the tuner cannot use, and reads the logs, before a farm is started. */
export async function readTransfer(
  { cwd, stderr }: Pick<CliContext, "cwd" | "stderr">,
  flags: SearchFlags,
  tuner: TunerName,
  source: TaskSource,
): Promise<TransferLogs> {
  const { features } = flags;
  const transfer = logsOf(flags);
  const word = transfer.find((each) => each === "farm" || each === "none");
  if (word !== undefined) throw badInput(`--transfer ${word} cannot be combined with logs; give one of them`);
  if (flags.transfer !== undefined && usesFarm(flags) && !usesRecords.includes(tuner))
    throw badInput(`--transfer farm is for searches by ${usesRecords.join(", ")}`);
  if (isKernel(source) && features !== undefined && features !== "knob")
    throw badInput(`--features ${features} needs loop nests, and ${source.word} is CUDA text; leave it out`);
  if (features !== undefined && features !== "knob" && !usesFeatures.includes(tuner))
    throw badInput(`--features ${features} is for ${usesFeatures.join(", ")}; ${tuner} uses the knobs alone`);
  if (transfer.length > 0 && !usesPrior.includes(tuner))
    throw badInput(`--transfer is for ${usesPrior.join(", ")}; ${tuner} cannot use other logs`);
  const sources: Source[] = [];
  const digests: string[] = [];
  for (const name of transfer) {
    const unpacked = await readUnzipped(resolve(cwd, name)).catch((error: NodeJS.ErrnoException) => {
      throw badInput(`--transfer names ${JSON.stringify(name)}, which cannot be read: ${error.code ?? "error"}`);
    });
    if (!unpacked.ok) throw badInput(unpacked.error);
    const text = unpacked.value;
    const log = readLog(text, name);
    const found = sourcesOf(log.records, name, (word, args, target) => {
      if (isKernel(source)) return kernelOfLog(source, word, args, target);
      return createTask(word === source.name ? source : word, args, target);
    });
    for (const warning of [...log.warnings, ...found.warnings]) stderr.write(`${warning}\n`);
    sources.push(...found.sources);
    digests.push(digestOf(text));
  }
  if (transfer.length > 0 && sources.length === 0)
    throw badInput(`--transfer: no log of ${transfer.join(", ")} has results of a known task`);
  return { sources, digests };
}

/** Other tasks say nothing about the kernel, whose knobs are its own. */
function kernelOfLog(source: KernelSource, word: string, args: Json, target: string): Task {
  if (word === source.name) return createKernelTask(source, args, target);
  throw new FarmError("INVALID_ARGUMENT", `it is of another task than ${source.word}, whose name is ${source.name}`);
}

/** What the log must keep; undefined for the default: knobs alone, no logs. */
export function searchIdentity(
  flags: SearchFlags,
  { digests }: TransferLogs,
  tuner: TunerName,
  hasNests: boolean,
): Search | undefined {
  const features = featuresOf(flags, tuner, hasNests);
  const remembered = {
    ...(features === "knob" ? {} : { features }),
    ...(digests.length > 0 ? { transfer: [...digests] } : {}),
  };
  return Object.keys(remembered).length > 0 ? remembered : undefined;
}

export interface SearchInputs extends AsyncDisposable {
  readonly options: Pick<TunerOptions, "features" | "prior" | "records" | "outline">;
}

export async function openSearchInputs(
  { cwd, stderr }: Pick<CliContext, "cwd" | "stderr">,
  task: Task,
  flags: SearchFlags,
  { sources }: TransferLogs,
  tuner: TunerName,
): Promise<SearchInputs> {
  const pool = new FeaturePool();
  const vectorsOf = (of: TemplateTask, kind: NestFeatureKind): ConfigFeatures =>
    cachedFeatures(of, kind, { elsewhere: (configs) => pool.extract(specOf(of, cwd), kind, configs) });
  try {
    const kind = featuresOf(flags, tuner, isTemplateTask(task));
    const features = kind === "knob" || !isTemplateTask(task) ? undefined : vectorsOf(task, kind);
    const nests = kind === "knob" ? defaultNest : kind;
    const same = sources.filter((source) => isSameSpace(source.task.space, task.space));
    const here = usesRecords.includes(tuner) ? recordsIn(task, sources) : [];
    const records = here.length > 0 ? here : undefined;
    const prior =
      (records ? undefined : knobPrior(task.space, same)) ??
      (records === undefined && sources.length > 0 && isTemplateTask(task)
        ? await nestPrior(
            task.space,
            features ?? vectorsOf(task, nests),
            sources.flatMap((source) =>
              isTemplateTask(source.task) ? [{ ...source, features: vectorsOf(source.task, nests) }] : [],
            ),
          )
        : undefined);
    if (sources.length > 0 && !prior && !records)
      throw badInput(
        isTemplateTask(task)
          ? "--transfer: the loop nests of those logs have another form than this task's, so the logs are useless here"
          : "--transfer: the tunables of those logs have other values than this kernel's, so the logs are useless here",
      );
    if (prior || records) {
      const used = records ?? (prior?.isCheap ? same : sources);
      stderr.write(`warm start: ${resultsIn(used)} results of ${used.map(({ name }) => name).join("; ")}\n`);
    }
    return {
      options: { ...defined({ features, prior }), ...optionsOfRecords(task, here) },
      [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
    };
  } catch (error) {
    await pool[Symbol.asyncDispose]();
    throw error;
  }
}

const specOf = ({ word, args, target }: Task, cwd: string): TaskSpec => ({
  word,
  ...(isTemplateFile(word) ? { file: resolve(cwd, word) } : {}),
  args,
  target,
});
