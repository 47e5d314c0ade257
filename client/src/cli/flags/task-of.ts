/** Tasks of templates and kernels. What makes a kernel's task is loaded with this module. */
import type { Json } from "@warpfarm/common";
import { createTask, type Task } from "@warpfarm/templates";
import { createKernelTask } from "../../kernel/kernel-task.ts";
import { isKernel, type TaskSource } from "../../search/task-source.ts";
import { json } from "./parse.ts";
import type { TaskFlags } from "./task-flags.ts";

export function taskOf(source: string | TaskSource, flags: TaskFlags, on: string): Task {
  const args = flags.args === undefined ? undefined : (json("--args", flags.args) as Json);
  return typeof source !== "string" && isKernel(source) ? createKernelTask(source, args, on) : createTask(source, args, on);
}
