/** Sources of a suite's tasks: templates by name, files of templates and kernels by path, relative to the suite. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { backends, badInput, type Digest, defined, FarmError, type Json, toDigest, unreadable } from "@warpfarm/common";
import type { ArtifactClient } from "@warpfarm/proto";
import { textOf } from "@warpfarm/records/logs";
import { nameOfTask } from "@warpfarm/records/search";
import {
  type FittingTemplates,
  findOperator,
  fittingTarget,
  isTemplateFile,
  type Operator,
  readTaskArgs,
  type Task,
  usualTarget,
} from "@warpfarm/templates";
import { sendUploads } from "../../kernel/bundles.ts";
import { decodeKernel, encodeKernel } from "../../kernel/kernel-document.ts";
import { reached } from "../../kernel/reach.ts";
import { taskOfSource } from "../../search/task-of-source.ts";
import { isKernel, isKernelFile, sourceOf, type TaskSource, taskNamed } from "../../search/task-source.ts";
import type { PlannedTask, PlanSource, SuitePlan } from "../../suite/plan.ts";

type Artifacts = Pick<ArtifactClient, "download" | "upload">;

interface Named {
  readonly task: string;
  readonly spec?: string | undefined;
}

interface SourcesOptions {
  readonly artifacts?: Artifacts;
  /** Folders whose files the suite and its specs may name, besides their own: as allowedFolders gives them. */
  readonly allowed?: readonly string[];
  /** The only files that are read, where the suite is another user's. Absent: those within reach. */
  readonly only?: ReadonlySet<string>;
  readonly onLoaded?: (source: TaskSource) => void;
}

export class Sources {
  readonly #folder: string;
  readonly #loaded = new Map<string, Promise<TaskSource>>();
  readonly #options: SourcesOptions;
  constructor(folder: string, options: SourcesOptions = {}) {
    this.#folder = folder;
    this.#options = options;
  }
  get #artifacts(): Artifacts | undefined {
    return this.#options.artifacts;
  }

  /** What could not be loaded is loaded again for whoever asks next. */
  #once(key: string, load: () => Promise<TaskSource>): Promise<TaskSource> {
    const known = this.#loaded.get(key);
    if (known) return known;
    const found = load();
    this.#loaded.set(key, found);
    found.catch(() => this.#loaded.delete(key));
    return found;
  }
  #source(named: Named): Promise<TaskSource> {
    return this.#once(JSON.stringify([named.task, named.spec ?? null]), () => this.#load(named));
  }
  async #load({ task, spec }: Named): Promise<TaskSource> {
    const { allowed = [], onLoaded } = this.#options;
    for (const [field, word] of Object.entries({ ...(isFile(task) ? { task } : {}), ...defined({ spec }) }))
      await this.#reach(field, word);
    const flags = { ...defined({ spec }), allowInclude: allowed };
    const source = await sourceOf(task, flags, { cwd: this.#folder });
    onLoaded?.(source);
    return source;
  }
  /** The path of a file that the suite names. Throws FarmError when the suite may not name it. */
  async #reach(field: string, word: string): Promise<string> {
    const { allowed = [], only } = this.#options;
    const path = resolve(this.#folder, word);
    if (field === "task" && only !== undefined) {
      if (only.has(path)) return path;
      throw new FarmError("FAILED_PRECONDITION", `needs ${word}, a file of the suite's author; --template names your copy`);
    }
    const refuse = (why: string) => badInput(`${field}: ${why}`);
    return reached({ folder: this.#folder, allowed, of: "the suite" }, word, refuse);
  }
  async read(name: string): Promise<string> {
    return textOf(
      await readFile(await this.#reach("shapes", name)).catch(unreadable(`shapes names ${JSON.stringify(name)}, which`)),
    );
  }
  async forPlan(named: Named): Promise<PlanSource> {
    const operator = findOperator(named.task);
    if (operator) return operatorForPlan(operator);
    const source = await this.#source(named);
    return {
      name: source.name,
      names: isKernel(source) ? [] : Object.keys(source.args),
      targets: source.targets,
      on: (args, key) => {
        const task = taskOfSource(source, args, fittingTarget(source.targets, key));
        return { task: taskNamed(task), args: [...task.args], target: task.target };
      },
      check: (args: Json) =>
        void (isKernel(source) ? taskOfSource(source, args, usualOf(source)) : readTaskArgs(source.name, source.args, args)),
      ...(isFile(named.task) ? { file: named.task } : {}),
    };
  }

  /** The plan with its kernels as documents at the farm, so workers need none of their files. */
  async sent(plan: SuitePlan, signal: AbortSignal): Promise<SuitePlan> {
    const tasks: PlannedTask[] = [];
    for (const planned of plan.tasks) {
      const source = "kernel" in planned.search.task ? await this.#source(namedBy(planned)) : undefined;
      if (!source || !isKernel(source)) {
        tasks.push(planned);
        continue;
      }
      if (!this.#artifacts) throw new Error("a suite is handed to a farm, and there is none");
      const { file: _, spec: __, ...rest } = planned;
      await sendUploads(this.#artifacts, taskOfSource(source, sizesIn(planned), planned.search.target), signal);
      tasks.push({ ...rest, document: await this.#artifacts.upload(encodeKernel(source), { signal }) });
    }
    return { ...plan, tasks };
  }

  #travelled(document: string): Promise<TaskSource> {
    const artifacts = this.#artifacts;
    if (!artifacts) throw new FarmError("FAILED_PRECONDITION", `the kernel ${document} is at the farm that keeps the suite`);
    const fetch = (digest: Digest) => artifacts.download(digest);
    return this.#once(document, async () => decodeKernel(await fetch(toDigest(document)), fetch));
  }

  /** The tasks of a planned search: of an operator one for each template that fits, in its order. */
  async tasks(planned: PlannedTask): Promise<readonly Task[]> {
    const { task, args, key } = planned.search;
    if (!("operator" in task)) return [await this.task(planned)];
    const operator = findOperator(task.operator);
    if (!operator)
      throw new FarmError("FAILED_PRECONDITION", `needs the operator ${task.operator}, which this version does not have`);
    return tasksOf(operator, args, key).tasks;
  }

  /**
   * The task of a planned search, whose files must be those with which it was planned; of an operator its first template's, which
   * has the sizes and the operations of all.
   */
  async task(planned: PlannedTask): Promise<Task> {
    const { task: named, target } = planned.search;
    if ("operator" in named) return (await this.tasks(planned))[0] as Task;
    if (planned.document !== undefined) return taskOfSource(await this.#travelled(planned.document), sizesIn(planned), target);
    const source = await this.#source(namedBy(planned)).catch((error: unknown) => {
      if (!("digest" in named) || (error instanceof FarmError && error.code === "FAILED_PRECONDITION")) throw error;
      throw new FarmError("FAILED_PRECONDITION", `${needsWords(planned)}; ${(error as Error).message}`, { cause: error });
    });
    const task = taskOfSource(source, sizesIn(planned), target);
    const isSame = "digest" in named ? task.version === named.digest : !("template" in named) || task.version === named.version;
    if (!isSame) throw new FarmError("FAILED_PRECONDITION", needsWords(planned, task.version));
    return task;
  }
}

const sizesIn = ({ search: { task, args } }: PlannedTask): Json => ("kernel" in task ? (args[0] ?? {}) : args);

const namedBy = ({ search: { task }, file, spec }: PlannedTask): Named => {
  if ("template" in task) return { task: task.template };
  if (file === undefined) throw new FarmError("FAILED_PRECONDITION", `the plan does not say where ${nameOfTask(task)} is`);
  return { task: file, spec };
};

const operatorForPlan = (operator: Operator): PlanSource => ({
  name: operator.name,
  names: Object.keys(operator.args),
  targets: operator.templates.flatMap(({ targets }) => targets),
  on(args, key) {
    const fitting = tasksOf(operator, args, key);
    return { task: { operator: operator.name }, args: [...fitting.args], target: (fitting.tasks[0] as Task).target };
  },
  check: (args) => void operator.argsOf(args),
});

function tasksOf({ name, fitting }: Operator, args: Json, key: string): FittingTemplates {
  const found = fitting(args, ({ targets }) => fittingTarget(targets, key));
  if (found.tasks.length > 0) return found;
  throw badInput(
    `${name} has no template for this on ${key}: ${found.refused.map(({ template, why }) => `${template}: ${why}`).join("; ")}`,
  );
}

export function needsWords({ search: { task } }: PlannedTask, found?: string): string {
  const [file, digest] =
    "file" in task ? [task.file, task.digest] : "kernel" in task ? [task.kernel, task.digest] : [nameOfTask(task), ""];
  return `needs template ${file} ${digest}${found === undefined ? "" : `; the file here is ${found}`}`;
}

const usualOf = ({ targets }: TaskSource): string => usualTarget(targets, backends.of("cuda").usualTarget as string);

const isFile = (task: string): boolean => isTemplateFile(task) || isKernelFile(task);
