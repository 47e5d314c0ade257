/** Sources of a suite's tasks: templates by name, files of templates and kernels by path, relative to the suite. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { backends, type Digest, defined, digestOf, FarmError, type Json, toDigest, unreadable } from "@warpfarm/common";
import type { ArtifactClient } from "@warpfarm/proto";
import { textOf } from "@warpfarm/records/logs";
import { createTask, isTemplateFile, readArgs, type Task, usualTarget } from "@warpfarm/templates";
import { sendUploads } from "../../kernel/bundles.ts";
import { decodeKernel, encodeKernel } from "../../kernel/kernel-document.ts";
import { createKernelTask } from "../../kernel/kernel-task.ts";
import { reached } from "../../kernel/reach.ts";
import type { PlannedTask, PlanSource, SuitePlan } from "../../suite/plan.ts";
import { isKernel, isKernelFile, sourceOf, type TaskSource } from "../flags/task-flags.ts";

type Artifacts = Pick<ArtifactClient, "download" | "upload">;

interface Named {
  readonly task: string;
  readonly spec?: string | undefined;
}

export interface SourcesOptions {
  /** Of the farm that keeps the kernels of its suites. */
  readonly artifacts?: Artifacts;
  /** Folders whose files the suite and its specs may name, besides their own: as allowedFolders gives them. */
  readonly allowed?: readonly string[];
  /** The only files that are read, where the suite is another user's. Absent = those within reach. */
  readonly only?: ReadonlySet<string>;
  /** Told of each source when it is loaded, before anything is sent. */
  readonly onLoaded?: (source: TaskSource) => void;
}

/** Each file is loaded once. */
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

  #source(named: Named): Promise<TaskSource> {
    const key = JSON.stringify([named.task, named.spec ?? null]);
    const found = this.#loaded.get(key) ?? this.#load(named);
    this.#loaded.set(key, found);
    return found;
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
    const refuse = (why: string) => new FarmError("INVALID_ARGUMENT", `${field}: ${why}`);
    return reached({ folder: this.#folder, allowed, of: "the suite" }, word, refuse);
  }
  /** The text of a file of shapes. */
  async read(name: string): Promise<string> {
    return textOf(
      await readFile(await this.#reach("shapes", name)).catch(unreadable(`shapes names ${JSON.stringify(name)}, which`)),
    );
  }
  /** The digest of a file, which must be equal when the suite is continued. */
  async #digest({ task }: Named): Promise<string | undefined> {
    return isFile(task) ? digestOf(await readFile(await this.#reach("task", task))) : undefined;
  }

  async forPlan(named: Named): Promise<PlanSource> {
    const source = await this.#source(named);
    const digest = await this.#digest(named);
    return {
      name: source.name,
      targets: source.targets,
      argsOf: (args: Json, target: string) => made(source, args, target).args,
      check: (args: Json) =>
        void (isKernel(source) ? createKernelTask(source, args, usualOf(source)) : readArgs(source.name, source.args, args)),
      ...defined({ digest }),
    };
  }

  /** The plan with its kernels as documents at the farm, so workers need none of their files. */
  async sent(plan: SuitePlan, signal: AbortSignal): Promise<SuitePlan> {
    const tasks: PlannedTask[] = [];
    for (const planned of plan.tasks) {
      const source = await this.#source(planned);
      if (!isKernel(source)) {
        tasks.push(planned);
        continue;
      }
      if (!this.#artifacts) throw new Error("a suite is handed to a farm, and there is none");
      await sendUploads(this.#artifacts, made(source, [...planned.args], planned.target), signal);
      const template = await this.#artifacts.upload(encodeKernel(source), { signal });
      tasks.push({ ...planned, template, travels: true });
    }
    return { ...plan, tasks };
  }

  /** Once for all tasks of a kernel. */
  #travelled(template: string): Promise<TaskSource> {
    const artifacts = this.#artifacts;
    if (!artifacts) throw new FarmError("FAILED_PRECONDITION", `the kernel ${template} is at the farm that keeps the suite`);
    const fetch = (digest: Digest) => artifacts.download(digest);
    const found = this.#loaded.get(template) ?? fetch(toDigest(template)).then((bytes) => decodeKernel(bytes, fetch));
    this.#loaded.set(template, found);
    return found;
  }

  async task(planned: PlannedTask): Promise<Task> {
    if (planned.travels && planned.template !== undefined)
      return made(await this.#travelled(planned.template), [...planned.args], planned.target);
    if (planned.template !== undefined) {
      const found = await this.#digest(planned).catch(() => undefined);
      if (found !== planned.template) throw new FarmError("FAILED_PRECONDITION", needsWords(planned, found));
    } else if (isFile(planned.task))
      throw new FarmError("FAILED_PRECONDITION", `the plan names the file ${planned.task} without its digest`);
    return made(await this.#source(planned), [...planned.args], planned.target);
  }
}

/** Says that a file of a suite is missing or has changed. */
export const needsWords = ({ task, template = "" }: PlannedTask, found?: string): string =>
  `needs template ${task} ${template}${found === undefined ? "" : `; the file here is ${found}`}`;

/** A kernel is CUDA text, and its arguments do not depend on the device. */
const usualOf = ({ targets }: TaskSource): string => usualTarget(targets, backends.of("cuda").usualTarget as string);

const isFile = (task: string): boolean => isTemplateFile(task) || isKernelFile(task);
const made = (source: TaskSource, args: Json, target: string): Task =>
  isKernel(source) ? createKernelTask(source, args, target) : createTask(source, args, target);
