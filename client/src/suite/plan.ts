/**
 * The tasks of a suite: each shape on each kind of device, with its weight and budget. Made once, when the suite begins, and
 * kept, so a continued suite has the same tasks in the same order, whatever happened to its file or the farm.
 */
import {
  backendOf,
  badInput,
  canonicalJson,
  defined,
  digestOf,
  FarmError,
  isTarget,
  type Json,
  keyOf,
  parseSelector,
  selects,
  type TargetNeed,
} from "@warpfarm/common";
import type { PackKernel } from "@warpfarm/records/packs";
import { nameOfTask, type PlacedSpec, type SearchSpec, searchDefaults, searchFields } from "@warpfarm/records/search";
import type { ShapeTask } from "@warpfarm/records/suites";
import type { Framework } from "../model/model.ts";
import type { SuiteFile, SuiteTask } from "./format.ts";
import { type PlacedShape, readAt, shapesOf } from "./shapes.ts";

export interface PlannedTask extends ShapeTask {
  readonly file?: string;
  readonly spec?: string;
  /** The digest of a kernel's document, a blob of the farm; for a suite that a farm keeps. It replaces the files. */
  readonly document?: string;
}

/** What a suite must beat, by the ids of its tasks; a task that is not there has none. */
export interface SuiteBaseline {
  readonly name: string;
  readonly of: Readonly<Record<string, BaselineOf>>;
}
/** The template of an operator's baseline, with the best time that it had: another template's kernels have no rounds with its. */
export interface ConfigBy extends Pick<PlacedSpec, "task" | "args" | "target"> {
  readonly seconds?: number;
}
/** The default schedule; a config of an earlier pack; or a library's time, which counts as beaten beyond its margin. */
export type BaselineOf =
  | { readonly kind: "default" }
  | ({ readonly kind: "config"; readonly by?: ConfigBy } & PackKernel)
  | { readonly kind: "library"; readonly seconds: number; readonly margin: number };

export interface SuitePlan {
  readonly version: 1;
  readonly name: string;
  readonly folder?: string;
  readonly tasks: readonly PlannedTask[];
  /** One sentence for each shape that nothing of its task takes on a kind of device: where it stands, and why. */
  readonly left?: readonly string[];
  readonly budget: { readonly trials?: number; readonly deviceMs?: number; readonly wallMs?: number };
  readonly baseline?: SuiteBaseline;
  /** `seconds`: of the whole model there. */
  readonly framework?: Framework & { readonly seconds: number };
}

type PlacedTask = Pick<PlacedSpec, "task" | "args" | "target">;

/** The part of a task's source that planning needs. */
export interface PlanSource {
  readonly name: string;
  /** The names of the arguments, in their order; of a kernel none, whose sizes have their names. */
  readonly names: readonly string[];
  readonly targets: readonly TargetNeed[];
  /**
   * The search on devices of that key, with its complete arguments; an operator's target is that of the first template that fits.
   * Throws FarmError INVALID_ARGUMENT.
   */
  on(args: Json, key: string): PlacedTask;
  /** Throws FarmError INVALID_ARGUMENT for arguments that no target accepts. */
  check(args: Json): void;
  readonly file?: string;
}

export interface PlanSurroundings {
  source(task: SuiteTask): Promise<PlanSource>;
  read(file: string): Promise<string>;
  keys(where: string | undefined): readonly string[];
}

/** Where nothing else is said, a task ends when it has not improved for half of its trials, but not before 24. */
const defaultPatience = (trials: number): number => Math.max(24, Math.ceil(trials / 2));
const mostTasks = 2_000;
/** Of a task's name and shape in its id, which names its log too. A subgraph's nodes are longer. */
const longestName = 120;

/** What readers of a pack and of a folder of logs look for: `matmul_M1500_N1280_K1280_float16_NN`. */
function shapeName(name: string, names: readonly string[], args: readonly Json[]): string {
  const [sizes] = args;
  const isKernel =
    names.length === 0 && args.length === 1 && typeof sizes === "object" && sizes !== null && !Array.isArray(sizes);
  const named = isKernel ? Object.entries(sizes) : args.map((value, i): [string, Json] => [names[i] ?? "", value]);
  const words = named.flatMap(([arg, value]) => {
    if (typeof value === "string") return [value];
    const numbers = Array.isArray(value) ? value : [value];
    return numbers.length > 0 && numbers.every((each) => typeof each === "number") ? [`${arg}${numbers.join("x")}`] : [];
  });
  return [name, ...words].join("_").slice(0, longestName);
}

export interface ReadTask {
  readonly of: SuiteTask;
  readonly at: string;
  readonly source: PlanSource;
  readonly shapes: readonly PlacedShape[];
}

/** All that the suite says, before a farm is asked. Throws FarmError that names the file, the line and the column. */
export async function readTasks(file: SuiteFile, from: Pick<PlanSurroundings, "source" | "read">): Promise<readonly ReadTask[]> {
  const tasks: ReadTask[] = [];
  for (const [i, of] of file.tasks.entries()) {
    const at = `tasks[${i}] (${of.task})`;
    const source = await from.source(of);
    const shapes = await shapesOf(of.shapes, { ...of.args, ...defined({ epilogue: of.epilogue }) }, at, from.read);
    for (const shape of shapes) readAt(shape, () => source.check(shape.args));
    tasks.push({ of, at, source, shapes });
  }
  return tasks;
}

/**
 * A shape that nothing of its task takes is left out and listed. Throws FarmError that names what cannot be planned, where
 * nothing can.
 */
export function planTasks(file: SuiteFile, read: readonly ReadTask[], keysWhere: PlanSurroundings["keys"]): SuitePlan {
  const tasks = new Map<string, PlannedTask>();
  let absent: FarmError | undefined;
  const left = new Map<string, FarmError>();
  const add = (planned: PlannedTask): void => {
    const { weight } = tasks.get(planned.id) ?? { weight: 0 };
    tasks.set(planned.id, { ...planned, ...tasks.get(planned.id), weight: weight + planned.weight });
    if (tasks.size > mostTasks) throw badInput(`the suite has more than ${mostTasks} tasks; split it`);
  };
  for (const { of, at, source, shapes } of read) {
    for (const where of of.where ?? file.where ?? [undefined]) {
      const keys = keysFor(source, of.targets ?? file.targets, keysWhere(where), at, where);
      // A suite may have tasks for kinds of devices that this farm lacks, as shipped suites do.
      if (keys instanceof FarmError) absent ??= keys;
      else
        for (const key of keys)
          for (const shape of shapes) {
            const planned = plannedOrRefused(() => plannedOn(file, of, { source, shape, key, where }));
            if (planned instanceof FarmError) left.set(`${planned.message}, on ${key}`, planned);
            else add(planned);
          }
    }
  }
  const [refused] = left.values();
  if (tasks.size === 0 && (absent ?? refused)) throw absent ?? refused;
  const { total_trials, total_device_time, wall_time } = file.budget;
  const budget = defined({ trials: total_trials, deviceMs: total_device_time, wallMs: wall_time });
  const framework = file.framework && { ...file.framework, seconds: secondsOn(file.framework.key, read) };
  const rest = { ...(left.size > 0 && { left: [...left.keys()] }), ...defined({ framework }) };
  return { version: 1, name: file.name, tasks: [...tasks.values()], ...rest, budget };
}

function secondsOn(key: string, read: readonly ReadTask[]): number {
  const parts = read.flatMap(({ of, shapes }) =>
    shapes.map(({ count, library }) => of.weight * count * (library?.[key] ?? library?.[""] ?? 0)),
  );
  return parts.reduce((sum, part) => sum + part, 0);
}

/** Arguments that the task has, but nothing of it takes: the suite goes on without them. */
function plannedOrRefused(plan: () => PlannedTask): PlannedTask | FarmError {
  try {
    return plan();
  } catch (error) {
    if (error instanceof FarmError && error.code === "INVALID_ARGUMENT") return error;
    throw error;
  }
}

/** A line for each shape that was left out. */
export const leftWords = ({ left = [] }: Pick<SuitePlan, "left">): string => left.map((words) => `left out: ${words}\n`).join("");

/** The named keys, present or not. Without names, all present keys for which the task has code. */
function keysFor(
  { name, targets: needs }: PlanSource,
  named: readonly string[] | undefined,
  there: readonly string[],
  at: string,
  where: string | undefined,
): readonly string[] | FarmError {
  const kinds = new Set(needs.map(({ kind }) => kind));
  const asked = named ? [...new Set(named.flatMap((text) => keysNamed(text, there, at)))] : there;
  const found = asked.filter((key) => kinds.has(backendOf(key)));
  if (found.length > 0) return found;
  const has = where === undefined ? "" : ` that have ${where}`;
  const none = named && there.length > 0 ? `none is ${named.join(" or ")}; there are ${there.join(", ")}` : "there is none";
  const are = asked.length === 0 ? none : `${named ? "asked for" : "there"} are ${asked.join(", ")}`;
  return new FarmError(
    "UNAVAILABLE",
    `${at}: ${name} runs on ${[...kinds].join(" or ")}; of the farm's devices${has} ${are}. Start a runner, or name targets in the suite`,
  );
}

/** A target or key means itself. A pattern such as cuda/* means the present keys that it matches. */
function keysNamed(text: string, there: readonly string[], at: string): readonly string[] {
  if (isTarget(text)) return [keyOf(text)];
  const selector = (() => {
    try {
      return parseSelector(text);
    } catch (error) {
      throw badInput(`${at}: targets has ${JSON.stringify(text)}: ${(error as Error).message}`);
    }
  })();
  const found = there.filter((key) => selects(selector, { key, labels: {}, memoryBytes: Number.POSITIVE_INFINITY }));
  return found.length > 0 || /\*/.test(text) ? found : [text];
}

interface Where {
  readonly source: PlanSource;
  readonly shape: PlacedShape;
  readonly key: string;
  readonly where: string | undefined;
}

function searchOf(file: SuiteFile): Partial<SearchSpec> {
  const names = Object.keys(searchFields) as readonly (keyof typeof searchFields)[];
  return defined(Object.fromEntries(names.map((name) => [name, file[name]])));
}

function plannedOn(file: SuiteFile, of: SuiteTask, { source, shape, key, where }: Where): PlannedTask {
  const trials = of.budget?.trials ?? file.budget.trials ?? searchDefaults.budget.trials;
  const patience = of.budget?.patience ?? file.budget.patience;
  const until = of.budget?.until ?? file.budget.until;
  const budget = {
    trials,
    ...(patience === undefined && until === undefined ? { patience: defaultPatience(trials) } : defined({ patience, until })),
    ...defined({ device_time: of.budget?.device_time ?? file.budget.device_time }),
  };
  const { task, args, target } = readAt(shape, () => source.on(shape.args, key));
  const same = canonicalJson([task as Json, args, key, where ?? ""]);
  const digest = digestOf(same).slice("sha256:".length, "sha256:".length + 12);
  return {
    id: `${shapeName(nameOfTask(task), source.names, args)}-${key}-${digest}`.replace(/[^\w.-]/g, "_"),
    search: { ...searchOf(file), version: 1, task, args, target, key, ...defined({ where }), budget },
    ...defined({ file: source.file, spec: of.spec, label: shape.label }),
    weight: shape.count * of.weight,
    ...defined({ librarySeconds: shape.library?.[key] ?? shape.library?.[""] }),
  };
}
