/**
 * The pack of a suite as one library: what was chosen for each shape, and for each operator an entry that finds the kernel of a
 * shape. With a model's plan, of the plan's tasks: one without a time is exported with the config that its search begins with.
 */
import { badInput, canonicalJson, defined, type Json, shellWord } from "@warpfarm/common";
import { type ConfigIndex, configNamed, gpuLimits } from "@warpfarm/compiler/language";
import type { BucketEvidence, PackChoice } from "@warpfarm/records/packs";
import { nameOfTask } from "@warpfarm/records/search";
import { groupBy, titleOf } from "@warpfarm/records/suites";
import type { Task } from "@warpfarm/templates";
import { patternOf } from "../../export/dispatch.ts";
import type { Front } from "../../export/files.ts";
import { type ExportUnit, exportUnit, type LibraryShape, libraryShape, symbolOf } from "../../export/unit.ts";
import { allowedFolders } from "../../kernel/reach.ts";
import { isPackFolder, packIn, plannedOf } from "../../suite/pack-folder.ts";
import type { PlannedTask } from "../../suite/plan.ts";
import type { CliContext } from "../context.ts";
import { CliError, exitCode } from "../exit.ts";
import { readSettings } from "../flags/settings.ts";
import { type Asked, type ExportFlags, ofOneTarget } from "../tuning/export-inputs.ts";
import { type Choosable, type ModelKernel, modelOf, planFile, plannedIn } from "./export-model.ts";
import { suiteNamed } from "./folder.ts";
import { Sources } from "./sources.ts";

/** A bucket of a pack as it is exported. */
interface Chosen extends Choosable {
  readonly choice: PackChoice;
  readonly measured: ExportUnit["measured"];
}

/** Undefined when `what` is neither the folder or name of a suite nor a folder with a pack. */
export async function suiteUnits(context: CliContext, what: string, flags: ExportFlags): Promise<Asked | undefined> {
  const directory = suiteNamed(await readSettings(context), context.cwd, what);
  if (!isPackFolder(directory)) return undefined;
  for (const [flag, value] of [
    ["index", flags.index],
    ["args", flags.args],
    ["device-name", flags.deviceName],
    ["logs", flags.logs],
    ["task", flags.plan && flags.task],
  ] as const)
    if (value !== undefined)
      throw badInput(
        `--${flag} is not for ${flags.plan ? "a model's plan" : "a suite"}; ${what} holds the best config of each of its shapes`,
      );
  const file = flags.plan === undefined ? undefined : await planFile(context.cwd, flags.plan);
  const { choices, evidence } = await packIn(directory, what);
  const folder = directory.exists ? ((await directory.plan()).folder ?? context.cwd) : directory.path;
  const sources = new Sources(folder, { allowed: await allowedFolders(flags.allowInclude, context.cwd) });
  const all = choices.buckets.map((bucket, i): Chosen => {
    const { seconds } = evidence[i] as BucketEvidence;
    return { task: plannedOf(bucket), choice: bucket.choice, measured: seconds === undefined ? undefined : { seconds } };
  });
  const chosen = file ? plannedIn(what, file, all, flags.target) : chosenIn(what, all, flags);
  const library = chosen.find(({ choice }) => choice.kind === "library");
  if (file && library)
    throw badInput(
      `${titleOf(library.task)} keeps the library (--baseline), which a model has no way to call; export without --plan, or run the suite without that baseline`,
    );
  const { fronts, kernels } = await frontsOf(what, chosen, sources, flags.name);
  const untimed = kernels.flatMap(({ unit, isUntimed }) => (isUntimed ? [unit.name] : []));
  const units = fronts.flatMap((front) => front.units);
  if (units.length === 0)
    throw badInput(`each shape of ${what} that was asked for keeps the library: there is no kernel to export`);
  // A model's module has the name model.
  const named = flags.name ?? `${symbolOf(choices.suite)}${file ? "_kernels" : ""}`;
  const asked = { units, fronts, untimed, library: named };
  return ofOneTarget(what, flags, { ...asked, ...defined({ model: file && (await modelOf(file, kernels)) }) });
}

async function frontsOf(what: string, chosen: readonly Chosen[], sources: Sources, named: string | undefined) {
  const groups = groupBy(chosen, ({ task }) => {
    const { key, where = "" } = task.search;
    const { name, args } = askedOf(task);
    return canonicalJson([name, key, where, patternOf(args)]);
  });
  const bare = [...groups.values()].map(([first]) => entryName((first as Chosen).task));
  const names = groups.size === 1 && named !== undefined ? [named] : frontNames(bare, named);
  const kernels: (ModelKernel & { readonly isUntimed: boolean })[] = [];
  const fronts: Front[] = [];
  for (const [i, group] of [...groups.values()].entries()) {
    const units: ExportUnit[] = [];
    const libraries: LibraryShape[] = [];
    for (const { task: planned, choice, measured } of group) {
      const task = await sources.task(planned);
      const { isOperator, args } = askedOf(planned);
      const asked = isOperator ? { asked: args } : {};
      if (choice.kind === "library") {
        libraries.push({ ...libraryShape(task), ...asked });
        continue;
      }
      const name = `${names[i]}_${units.length}`;
      const unit = { ...exportUnit(name, task, configOf(what, planned, task, choice), measured), ...asked };
      units.push(unit);
      kernels.push({ planned, task, unit, isUntimed: choice.kind === "none" });
    }
    fronts.push({ name: names[i] as string, units, libraries });
  }
  return { fronts, kernels };
}

/** Undefined for the default schedule. */
function configOf(what: string, planned: PlannedTask, task: Task, choice: PackChoice): ConfigIndex | undefined {
  if (choice.kind === "none") return beginningOf(what, planned, task);
  if (choice.kind !== "config") return undefined;
  const config = configNamed(task.space, choice.config);
  if (config.ok) return config.value;
  throw badInput(`the choice of ${titleOf(planned)} does not belong to ${task.name}'s current space: ${config.error}`);
}

/** A model without one of its kernels cannot run, and the start of a derived space is a sound one. */
function beginningOf(what: string, planned: PlannedTask, task: Task): ConfigIndex {
  const index = task.starts?.[0] ?? task.standard;
  if (index !== undefined && task.validate(index, gpuLimits(task.target)).length === 0) return index;
  throw new CliError(
    exitCode.noResult,
    `${titleOf(planned)} has no time, and its space no config to begin with; search it first: warpfarm suite resume ${shellWord(what)}`,
  );
}

function chosenIn(what: string, all: readonly Chosen[], { task, target }: ExportFlags): readonly Chosen[] {
  const made = all.filter(({ choice }) => choice.kind !== "none");
  if (made.length === 0)
    throw new CliError(
      exitCode.noResult,
      `no task of ${what} has a time yet; of a suite that a farm searches, warpfarm suite status ${shellWord(what)} fetches the results`,
    );
  const found = made.filter(
    ({ task: { search } }) =>
      (task === undefined || nameOfTask(search.task) === task) && (target === undefined || search.target === target),
  );
  if (found.length > 0) return found;
  const there = [...new Set(made.map((each) => `${nameOfTask(each.task.search.task)} for ${each.task.search.target}`))];
  throw badInput(`${what} has no results of ${[task, target].filter(Boolean).join(" for ")}; it has ${there.join(", ")}`);
}

/** What callers ask for: an operator, or a template. */
function askedOf({ operator, search: { task, args } }: PlannedTask) {
  if (operator) return { ...operator, isOperator: true };
  return { name: nameOfTask(task), args, isOperator: "operator" in task };
}

/** The operators of a subgraph's nodes, which are among its arguments; of other tasks there are none. */
export const opsOf = (args: Json): readonly string[] =>
  (args as readonly Json[]).flat().flatMap((each) => {
    const op = (each as { readonly op?: Json } | null)?.op;
    return typeof op === "string" ? [op] : [];
  });

/** The operator's or the template's name; of a subgraph, whose arguments are its nodes, the operators' names. */
function entryName(planned: PlannedTask): string {
  const { name, args } = askedOf(planned);
  if (name !== "subgraph") return symbolOf(name);
  const ops = opsOf(args as Json).flatMap((op) => (op === "Constant" ? [] : [op.toLowerCase()]));
  return symbolOf([...ops.slice(0, 4), ...(ops.length > 4 ? [`and_${ops.length - 4}_more`] : [])].join("_") || name);
}

const frontNames = (bare: readonly string[], prefix: string | undefined): readonly string[] =>
  bare.map((name, i) => {
    const number = bare.slice(0, i + 1).filter((other) => other === name).length;
    const whole = bare.filter((other) => other === name).length === 1 ? name : `${name}_${number}`;
    return prefix === undefined ? whole : `${prefix}_${whole}`;
  });
