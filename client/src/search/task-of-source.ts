/** Tasks of templates and kernels. What makes a kernel's task is loaded with this module. */
import type { Json } from "@warpfarm/common";
import { createTask, type Task } from "@warpfarm/templates";
import { createKernelTask } from "../kernel/kernel-task.ts";
import { isKernel, type TaskSource } from "./task-source.ts";

/** The task on that target. Throws one sentence for an unknown argument or target. */
export const taskOfSource = (source: TaskSource, args: Json | undefined, target: string): Task =>
  isKernel(source) ? createKernelTask(source, args, target) : createTask(source, args, target);
