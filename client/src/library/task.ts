import { badInput } from "@warpfarm/common";
import { type ConfigIndex, configNamed, configWith, type Entity } from "@warpfarm/compiler/language";
import { type Task, templateNamed } from "@warpfarm/templates";
import { sourceOf, type TaskSource } from "../search/task-source.ts";
import type { ConfigNamed, KernelNamed, TaskNamed } from "./index.ts";

export async function sourceNamed({ task, spec }: { readonly task: TaskNamed; readonly spec?: string }): Promise<TaskSource> {
  if (typeof task === "string") return sourceOf(task, { spec }, { cwd: process.cwd() });
  const clash = templateNamed(task.name);
  if (clash === undefined || clash === task) return task;
  throw badInput(`the template is named ${task.name}, as one that comes with Warpfarm; give it another name`);
}

export function configOf(task: Task, config: KernelNamed["config"]): ConfigIndex {
  const there = `${task.name} has configs 0 to ${task.space.size - 1}${task.published === undefined ? "" : ", or published"}`;
  if (config === undefined) {
    if (task.space.size === 1) return task.space.toIndex(0);
    throw badInput(`config is missing; ${there}`);
  }
  if (config === "published" && task.published !== undefined) return task.published;
  if (typeof config === "number" && task.space.contains(config)) return task.space.toIndex(config);
  if (typeof config !== "object") throw badInput(`config is ${JSON.stringify(config)}; ${there}`);
  const found = isEntity(config) ? configNamed(task.space, config) : configWith(task.space, config);
  if (found.ok) return found.value;
  throw badInput(`config is none of ${task.name} with these arguments: ${found.error}`);
}

const isEntity = (config: Extract<ConfigNamed, object>): config is Entity => Array.isArray(config);
