/** Where the tasks of a suite come from: templates by name, files of templates and kernels by path, relative to the suite. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { defined, digestOf, FarmError, type Json } from "@warpfarm/common";
import { createKernelTask, isKernelFile } from "../../kernel/kernel-task.ts";
import type { PlannedTask, PlanSource } from "../../suite/plan.ts";
import { createTask, isTemplateFile, type Task } from "../../task/task.ts";
import { isKernel, sourceOf, type TaskSource } from "../flags/task-flags.ts";

interface Named {
  readonly task: string;
  readonly spec?: string | undefined;
}

/** Each file is loaded once. */
export class Sources {
  readonly #folder: string;
  readonly #loaded = new Map<string, Promise<TaskSource>>();
  constructor(folder: string) {
    this.#folder = folder;
  }

  #source({ task, spec }: Named): Promise<TaskSource> {
    const key = JSON.stringify([task, spec ?? null]);
    const found = this.#loaded.get(key) ?? sourceOf(task, spec === undefined ? {} : { spec }, { cwd: this.#folder });
    this.#loaded.set(key, found);
    return found;
  }
  /** Of a file: what must be the same when the suite goes on. */
  async #digest({ task }: Named): Promise<string | undefined> {
    return isTemplateFile(task) || isKernelFile(task) ? digestOf(await readFile(resolve(this.#folder, task))) : undefined;
  }

  async forPlan(named: Named): Promise<PlanSource> {
    const source = await this.#source(named);
    const digest = await this.#digest(named);
    return {
      name: source.name,
      targets: source.targets,
      argsOf: (args: Json, target: string) => made(source, args, target).args,
      ...defined({ digest }),
    };
  }

  async task(planned: PlannedTask): Promise<Task> {
    if (planned.template !== undefined) {
      const found = await this.#digest(planned).catch(() => undefined);
      if (found !== planned.template) throw new FarmError("FAILED_PRECONDITION", needsWords(planned, found));
    }
    return made(await this.#source(planned), [...planned.args], planned.target);
  }
}

/** How a suite says that a file is not there, or is another one. */
export const needsWords = ({ task, template = "" }: PlannedTask, found?: string): string =>
  `needs template ${task} ${template}${found === undefined ? "" : `; the file here is ${found}`}`;

const made = (source: TaskSource, args: Json, target: string): Task =>
  isKernel(source) ? createKernelTask(source, args, target) : createTask(source, args, target);
