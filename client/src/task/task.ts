/**
 * A task: a template with its arguments and target fixed. It knows its computation, its space, what each config of the space
 * means and whether a device could launch it.
 */
import {
  type Bundle,
  didYouMean,
  dtypeBytes,
  err,
  FarmError,
  isTarget,
  type Json,
  ok,
  type ProgramBytes,
  type Refusal,
  type Result,
  targetWords,
} from "@warpfarm/common";
import {
  type ConfigIndex,
  type ConfigSpace,
  defaultSchedule,
  encodeProgram,
  flops,
  type Graph,
  GraphError,
  infer,
  type Limits,
  type Schedule,
  ScheduleError,
  verifyLimits,
} from "@warpfarm/compiler/language";
import type { OpenedTemplate, Template } from "./define-template.ts";
import { templates } from "./templates/index.ts";

export interface Instance {
  readonly schedule: Schedule;
  readonly program: ProgramBytes;
}

/** What is tuned, wherever its candidates come from. */
export interface Task {
  readonly name: string;
  /** What a command line calls it: its name, or the file it comes from. */
  readonly word: string;
  /** Complete, as a log's lines have them: of a template AutoTVM's positional form. */
  readonly args: readonly Json[];
  readonly target: string;
  readonly space: ConfigSpace;
  /** Operations of the plain computation; 0 = not known. */
  readonly flops: number;
  /** What every candidate is compared with, and, without a `base`, the default's time. */
  readonly reference: ProgramBytes;
  /** Of a kernel whose reference is recorded, or another of its configs: the default config, whose time the default's is. */
  readonly base?: ProgramBytes;
  /** Of a kernel: the default config. */
  readonly standard?: ConfigIndex;
  /** Blobs that its programs name, and that a farm must have before it builds one: headers, contents of tensors. */
  readonly uploads?: readonly Bundle[];
  /** There is one config, and nothing else to compare it with: it cannot be checked. */
  readonly comparesWithItself?: true;
  /** The config that the template's publication prints as best; only with the arguments it was printed for. */
  readonly published: ConfigIndex | undefined;
  /** The published config's entries in this task's space, where it has them: a search that knows nothing begins there. */
  readonly usual?: ConfigIndex | undefined;
  /** On the device at once: inputs, outputs, and the outputs they are compared with. */
  readonly tensorBytes: number;
  instantiate(index: ConfigIndex): Result<{ readonly program: ProgramBytes }, Refusal>;
  /** Why this config certainly cannot run; empty when it may. Makes no program. */
  validate(index: ConfigIndex, limits: Limits): readonly Refusal[];
}

/** A task whose candidates are schedules of one graph. */
export interface TemplateTask extends Task {
  /** What candidates schedule. */
  readonly graph: Graph;
  /** Default schedule of the plain computation. */
  readonly defaultSchedule: Schedule;
  /** The schedule, or the refusal of a step; not looked into by inference. */
  schedule(index: ConfigIndex): Result<Schedule, Refusal>;
  /** Schedule and program, or the refusal of a step or of inference. */
  instantiate(index: ConfigIndex): Result<Instance, Refusal>;
}

/** Can its candidates be looked at before they are built, as loop nests? */
export const isTemplateTask = (task: Task): task is TemplateTask => "graph" in task;

/** Does this word on the command line name a file rather than a task? */
export const isTemplateFile = (word: string): boolean => /^\.{0,2}\//.test(word) || /\.[mc]?[jt]s$/.test(word);

/** Throws FarmError INVALID_ARGUMENT listing the names there are. */
export function findTemplate(name: string): Template {
  const found = templates.find((t) => t.name === name || t.aliases.includes(name));
  if (found) return found;
  const known = templates.flatMap((t) => [t.name, ...t.aliases]);
  throw new FarmError(
    "INVALID_ARGUMENT",
    `there is no task ${JSON.stringify(name)}${didYouMean(name, known)}; known are ${known.join(", ")}`,
  );
}

/** Throws FarmError INVALID_ARGUMENT in one sentence. `args` is AutoTVM's positional array, an object of names, or absent. */
export function createTask(task: string | Template, args: Json | undefined, target: string): TemplateTask {
  const template = typeof task === "string" ? findTemplate(task) : task;
  if (!isTarget(target))
    throw new FarmError("INVALID_ARGUMENT", `${JSON.stringify(target)} is not a target; known are ${targetWords()}`);
  try {
    return taskOf(template, template.open(args, target), target);
  } catch (error) {
    if (error instanceof GraphError)
      throw new FarmError("INVALID_ARGUMENT", `${template.name}: ${error.message}`, { cause: error });
    throw error;
  }
}

function taskOf({ name, file }: Template, opened: OpenedTemplate, target: string): TemplateTask {
  const { args, graph, reference, counted, space, published } = opened;
  const standard = defaultSchedule(reference, target);
  /** The last config asked about: a search validates a config and then instantiates it. */
  let last: { readonly index: ConfigIndex; readonly schedule: Result<Schedule, Refusal> } | undefined;
  let program: ProgramBytes | undefined;
  const scheduleOf = (index: ConfigIndex): Result<Schedule, Refusal> => {
    if (last?.index !== index) last = { index, schedule: refusable(() => opened.schedule(index)) };
    return last.schedule;
  };
  const inferred = (schedule: Schedule) => {
    const result = infer(schedule.state);
    return result.ok ? result : err(refusalOf(result.error));
  };
  return {
    name,
    word: file ?? name,
    args,
    target,
    graph,
    space,
    published,
    get usual() {
      return opened.usual;
    },
    flops: flops(counted),
    tensorBytes: bytesAtOnce(graph),
    defaultSchedule: standard,
    // When it is asked for: a command that only shows the space sends no program.
    get reference() {
      program ??= encodeProgram(reference, standard.trace, target);
      return program;
    },
    schedule: scheduleOf,
    instantiate(index) {
      const schedule = scheduleOf(index);
      if (!schedule.ok) return schedule;
      const checked = inferred(schedule.value);
      if (!checked.ok) return checked;
      return ok({
        schedule: schedule.value,
        program: encodeProgram(graph, schedule.value.trace, target, schedule.value.intrinsics),
      });
    },
    validate(index, limits) {
      const schedule = scheduleOf(index);
      if (!schedule.ok) return [schedule.error];
      const checked = inferred(schedule.value);
      return checked.ok ? verifyLimits(checked.value, limits) : [checked.error];
    },
  };
}

function bytesAtOnce({ inputs, outputs }: Graph): number {
  const bytes = ({ dtype, shape }: Graph["inputs"][number]) =>
    dtypeBytes(
      dtype,
      shape.reduce((n, extent) => n * extent, 1),
    );
  return [...inputs, ...outputs, ...outputs].reduce((sum, tensor) => sum + bytes(tensor), 0);
}

const refusalOf = ({ rule, message }: ScheduleError): Refusal => ({ rule, message });

function refusable(make: () => Schedule): Result<Schedule, Refusal> {
  try {
    return ok(make());
  } catch (error) {
    if (error instanceof ScheduleError) return err(refusalOf(error));
    throw error;
  }
}
