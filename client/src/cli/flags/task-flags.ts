/** TASK and its flags, shared by all commands on a task: arguments, target, limits, and the config. */
import { backends, badInput, type Json, meets, parseTarget, type TargetNeed } from "@warpfarm/common";
import { type ConfigIndex, configWith } from "@warpfarm/compiler/language";
import { splitTails, type Task, usualTarget, withEpilogue } from "@warpfarm/templates";
import type { Command } from "commander";
import { isKernel, type TaskSource } from "../../search/task-source.ts";
import type { CliContext } from "../context.ts";
import { withRule } from "../exit.ts";
import { inGroup } from "./groups.ts";
import { json, oneOf, targetOrBackend } from "./parse.ts";
import type { Settings } from "./settings.ts";
import { takes } from "./shared-flags.ts";

export interface TaskFlags {
  readonly spec?: string;
  readonly reference?: string;
  readonly allowInclude?: readonly string[];
  readonly args?: string;
  readonly epilogue?: string;
  readonly target?: string;
  readonly limits?: "device" | "autotvm";
}

export const epilogueAbout = "operations on the result, as bias,relu (see `tasks`)";

export const addTaskFlags = (command: Command, task = "<task>"): Command => {
  takes(command, "allowInclude", "json")
    .argument(task, "a task of `warpfarm tasks`, or a file of your own: ./my-template.ts, ./my-kernel.cu, .ptx or .cubin")
    .option("--args <json>", "AutoTVM's list, or an object by name (default: documented)")
    .option("--epilogue <list>", epilogueAbout)
    .option(
      "--target <target>",
      "compile for this, such as cpu/x86-64-v3 or cuda/sm_90; cpu or cuda alone selects the only one present",
      targetOrBackend("--target"),
    );
  inGroup(command, "Kernels of your own:", (kernel) =>
    kernel
      .option("--spec <file>", "tunables and launch (default: my-kernel.yaml beside my-kernel.cu)")
      .option(
        "--reference <what>",
        "compare with this instead of its default config: another kernel's file, a task, a Program document's file, its outputs in a .npy or .safetensors file, the number of another of its configs, or a spec's `reference` as JSON",
      ),
  );
  return inGroup(command, "Space:", (space) =>
    space.option(
      "--limits <whose>",
      "resource limits to check against: device (default) or autotvm (48 KiB of shared memory)",
      oneOf("--limits", ["device", "autotvm"]),
    ),
  );
};

export function tellNotes(source: TaskSource, { stderr }: Pick<CliContext, "stderr">): void {
  for (const note of isKernel(source) ? (source.notes ?? []) : []) stderr.write(`note: ${note}\n`);
}

/** Prints which files of the user a kernel sends to a farm, once per command and before it sends any. */
export function tellSent(source: TaskSource, { stderr }: Pick<CliContext, "stderr">): void {
  for (const line of isKernel(source) ? (source.sent ?? []) : []) stderr.write(`sends ${line}\n`);
}

/**
 * The target without a farm: the flag, otherwise the setting if the task supports it, otherwise this processor or a usual GPU.
 */
export async function targetOf(
  { targets }: Pick<TaskSource, "targets">,
  flags: TaskFlags,
  settings: Pick<Settings, "target">,
  context: Pick<CliContext, "hostKey">,
): Promise<string> {
  if (flags.target !== undefined) return namedTarget(flags.target) ?? targetHere(targets, flags.target, context);
  if (settings.target !== undefined) {
    const preferred = targetOrBackend("target of the settings")(settings.target);
    const named = namedTarget(preferred);
    if (named === undefined && targets.some(({ kind }) => kind === preferred)) return targetHere(targets, preferred, context);
    if (named !== undefined && targets.some((need) => meets(parseTarget(named), need))) return named;
  }
  return targetHere(targets, (targets[0] as TargetNeed).kind, context);
}

/** The target in `--target`; undefined when it names a backend alone, whose device decides. */
export const namedTarget = (text: string | undefined): string | undefined =>
  text === undefined || backends.has(text) ? undefined : text;

async function targetHere(needs: readonly TargetNeed[], backend: string, context: Pick<CliContext, "hostKey">): Promise<string> {
  const usual = backends.of(backend).usualTarget ?? (await context.hostKey());
  const ofBackend = needs.filter(({ kind }) => kind === backend);
  // If the task supports none, the target's refusal says what is needed.
  return ofBackend.length === 0 ? usual : usualTarget(ofBackend, usual);
}

/** `--args`, with the operations of `--epilogue` as a task has them. */
export function argsOf({ args, epilogue }: Pick<TaskFlags, "args" | "epilogue">): Json | undefined {
  const given = args === undefined ? undefined : (json("--args", args) as Json);
  if (epilogue === undefined) return given;
  const last = Array.isArray(given) ? (given.at(-1) as Json) : given;
  if (typeof last === "object" && last !== null && Object.hasOwn(last, "epilogue"))
    throw badInput("--args has an epilogue, and --epilogue gives another; leave one of them out");
  return typeof given === "object" || given === undefined ? withEpilogue(given, splitTails(epilogue)) : given;
}

/**
 * `--index`, or another flag that names a config: a number of the space, which may be left out where there is one config; the
 * knobs' values as a JSON object; or `published`, the config that the template's publication prints as best.
 */
export function indexOf(task: Task, text: string | undefined, flag = "--index"): ConfigIndex {
  if (text === undefined) {
    if (task.space.size === 1) return task.space.toIndex(0);
    throw badInput(`--index is missing; ${task.name} has configs 0 to ${task.space.size - 1}: give the number of one`);
  }
  if (text === "published") {
    if (task.published !== undefined) return task.published;
    throw badInput(
      `${flag} is "published", but ${task.name} with these arguments has no published config; give a number from 0 to ${task.space.size - 1}`,
    );
  }
  if (text.startsWith("{")) {
    const found = configWith(task.space, json(flag, text) as Record<string, Json>);
    if (found.ok) return found.value;
    throw badInput(`${flag} names no config of ${task.name} with these arguments: ${found.error}`);
  }
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (task.space.contains(value)) return value;
  throw badInput(
    `${flag} is ${JSON.stringify(text)}; ${task.name} has configs 0 to ${task.space.size - 1}${task.published === undefined ? "" : ", or published"}`,
  );
}

/** A config that the schedule refuses has no program. The refusal becomes an error of the input. */
export function programOf(task: Task, index: ConfigIndex) {
  const instance = task.instantiate(index);
  if (instance.ok) return instance.value.program;
  const { rule, message } = instance.error;
  throw badInput(`config ${index} of ${task.name} makes no program: ${withRule({ message, rule })}`);
}
