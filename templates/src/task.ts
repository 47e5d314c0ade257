/**
 * A task: a template with its arguments and target fixed. It knows its computation, its space, the program of each config, and
 * whether a device could launch it.
 */
import {
  type Bundle,
  defined,
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
  checkStored,
  defaultSchedule,
  encodeProgram,
  flops,
  type Graph,
  GraphError,
  infer,
  type Limits,
  referenceSchedule,
  type Schedule,
  ScheduleError,
  verifyLimits,
} from "@warpfarm/compiler/language";
import { templates } from "./built-in/index.ts";
import type { OpenedTemplate, Template } from "./define-template.ts";
import type { Outline } from "./outline.ts";
import { TemplateRefusal } from "./template-refusal.ts";

export interface Instance {
  readonly schedule: Schedule;
  readonly program: ProgramBytes;
}

export interface Task {
  readonly name: string;
  /** Its word on a command line: its name, or the file that defines it. */
  readonly word: string;
  /** Digest of the file of a template or kernel; for built-in ones see Template. */
  readonly version?: string;
  /** Complete, as in a log's lines: for a template AutoTVM's positional form. */
  readonly args: readonly Json[];
  readonly target: string;
  readonly space: ConfigSpace;
  /** Operations of the plain computation; 0 = unknown. */
  readonly flops: number;
  /** The reference of every candidate. Without a `base` its time is the default's. */
  readonly reference: ProgramBytes;
  /** The program whose time is the default's, where it is not the reference: a plain default schedule, or a kernel's default. */
  readonly base?: ProgramBytes;
  /** The default config of a kernel. */
  readonly standard?: ConfigIndex;
  /** Blobs that its programs name, and that a farm needs before it builds one: headers, contents of tensors. */
  readonly uploads?: readonly Bundle[];
  /** Whether there is one config and no other reference, so the config cannot be checked. */
  readonly comparesWithItself?: true;
  /** Present where its space is derived: the space's digest, and which rule took each stage. */
  readonly derived?: OpenedTemplate["derived"];
  /** The config that the template's publication prints as best; only with the arguments of the publication. */
  readonly published: ConfigIndex | undefined;
  /** The configs to begin with when nothing is known, the most promising first (define-template.ts). None for a kernel. */
  readonly starts?: readonly ConfigIndex[];
  /** Configs that the template names and its space lacks, or its schedule refuses, each with the reason. */
  readonly strangeStarts?: readonly string[];
  /** Bytes on the device at once: inputs, outputs, and the reference outputs. */
  readonly tensorBytes: number;
  instantiate(index: ConfigIndex): Result<{ readonly program: ProgramBytes }, Refusal>;
  /** Why this config certainly cannot run; empty when it may run. Makes no program. */
  validate(index: ConfigIndex, limits: Limits): readonly Refusal[];
}

/** A task whose candidates are schedules of one graph. */
export interface TemplateTask extends Task {
  /** The graph of candidates, or one of the same inputs and outputs where each config has its own. */
  readonly graph: Graph;
  readonly defaultSchedule: Schedule;
  /** The program of that schedule. */
  readonly base: ProgramBytes;
  /** How a config divides the work; absent where the template does not say. */
  readonly outline?: (index: ConfigIndex) => Outline;
  /** The schedule, or the refusal of a step. Does not run inference. */
  schedule(index: ConfigIndex): Result<Schedule, Refusal>;
  instantiate(index: ConfigIndex): Result<Instance, Refusal>;
}

/** Whether its candidates have loop nests, which can be examined before a build. */
export const isTemplateTask = (task: Task): task is TemplateTask => "graph" in task;

/** Whether this word of the command line names a file and not a task. */
export const isTemplateFile = (word: string): boolean => /^\.{0,2}\//.test(word) || /\.[mc]?[jt]s$/.test(word);

/** The template of this name or alias; undefined for another. */
export const templateNamed = (name: string): Template | undefined =>
  templates.find((t) => t.name === name || t.aliases.includes(name));

/** Throws FarmError INVALID_ARGUMENT that lists the known names. */
export function findTemplate(name: string): Template {
  const found = templateNamed(name);
  if (found) return found;
  const known = templates.flatMap((t) => [t.name, ...t.aliases]);
  throw new FarmError(
    "INVALID_ARGUMENT",
    `there is no task ${JSON.stringify(name)}${didYouMean(name, known)}; known are ${known.join(", ")}`,
  );
}

/** Throws FarmError INVALID_ARGUMENT with one sentence. `args` is AutoTVM's positional array, an object of names, or absent. */
export function createTask(task: string | Template, args: Json | undefined, target: string): TemplateTask {
  const template = typeof task === "string" ? findTemplate(task) : task;
  if (!isTarget(target))
    throw new FarmError("INVALID_ARGUMENT", `${JSON.stringify(target)} is not a target; known are ${targetWords()}`);
  return refusingGraphErrors(template.name, () => taskOf(template, template.open(args, target), target));
}

/** What `make` gives. Throws TemplateRefusal of this name for a GraphError. */
export function refusingGraphErrors<T>(name: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof GraphError) throw new TemplateRefusal(name, error.message, { cause: error });
    throw error;
  }
}

function taskOf({ name, file, version }: Template, opened: OpenedTemplate, target: string): TemplateTask {
  // The reference keeps all tensors.
  for (const { output } of opened.reference.ops) checkStored(output);
  const { args, graph, reference, counted, space, published } = opened;
  /** The last config, because a search validates a config and then instantiates it. */
  let last: { readonly index: ConfigIndex; readonly schedule: Result<Schedule, Refusal> } | undefined;
  // Made on demand: of a hundred tasks whose results a search begins with only spaces are wanted.
  let standard: Schedule | undefined;
  let base: ProgramBytes | undefined;
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
    ...defined({ version, outline: opened.outline, derived: opened.derived }),
    args,
    target,
    graph,
    space,
    published,
    get starts() {
      return opened.starts.configs;
    },
    get strangeStarts() {
      return opened.starts.left;
    },
    flops: flops(counted),
    tensorBytes: bytesAtOnce(graph),
    get defaultSchedule() {
      standard ??= defaultSchedule(reference, target);
      return standard;
    },
    get base() {
      base ??= encodeProgram(reference, this.defaultSchedule.trace, target);
      return base;
    },
    get reference() {
      program ??= encodeProgram(reference, referenceSchedule(reference, target).trace, target);
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
        program: encodeProgram(schedule.value.graph, schedule.value.trace, target, schedule.value.intrinsics),
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
