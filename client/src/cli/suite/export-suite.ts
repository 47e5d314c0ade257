/**
 * A whole suite as one library: the best config of each shape, and for each operator an entry that finds the kernel of a shape.
 * With a model's plan, of the plan's tasks: one without a time is exported with the config that its search begins with.
 */
import { canonicalJson, defined } from "@warpfarm/common";
import { type ConfigIndex, configNamed, gpuLimits } from "@warpfarm/compiler/language";
import { nameOfTask } from "@warpfarm/records/search";
import { byTemplate, groupBy, type TaskResults } from "@warpfarm/records/suites";
import type { Task } from "@warpfarm/templates";
import { patternOf } from "../../export/dispatch.ts";
import type { Front } from "../../export/files.ts";
import { type ExportUnit, exportUnit, symbolOf } from "../../export/unit.ts";
import { allowedFolders } from "../../kernel/reach.ts";
import type { PlannedTask } from "../../suite/plan.ts";
import type { CliContext } from "../context.ts";
import { badInput, CliError, exitCode } from "../exit.ts";
import { readSettings } from "../flags/settings.ts";
import { type Asked, type ExportFlags, ofOneTarget } from "../tuning/export-inputs.ts";
import { type ModelKernel, modelOf, planFile, plannedIn } from "./export-model.ts";
import { suiteNamed } from "./folder.ts";
import { readSuiteFolder } from "./report.ts";
import { Sources } from "./sources.ts";

type Result = TaskResults<PlannedTask>;

/** Undefined when `what` is no suite: neither a folder of one nor the name of one that was run here. */
export async function suiteUnits(context: CliContext, what: string, flags: ExportFlags): Promise<Asked | undefined> {
  const directory = suiteNamed(await readSettings(context), context.cwd, what);
  if (!directory.exists) return undefined;
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
  const plan = await directory.plan();
  const { results } = await readSuiteFolder(directory);
  const sources = new Sources(plan.folder ?? context.cwd, { allowed: await allowedFolders(flags.allowInclude, context.cwd) });
  const chosen = file ? plannedIn(what, file, results, flags.target) : timedIn(what, results, flags);
  const { fronts, kernels } = await frontsOf(what, chosen, sources, flags.name);
  const untimed = kernels.flatMap(({ unit }) => (unit.measured ? [] : [unit.name]));
  const units = fronts.flatMap((front) => front.units);
  // A model's module has the name model.
  const library = flags.name ?? `${symbolOf(plan.name)}${file ? "_kernels" : ""}`;
  const asked = { units, fronts, untimed, library };
  return ofOneTarget(what, flags, { ...asked, ...defined({ model: file && (await modelOf(file, kernels)) }) });
}

async function frontsOf(what: string, chosen: readonly Result[], sources: Sources, named: string | undefined) {
  const groups = groupBy(chosen, (result) => canonicalJson([byTemplate(result), patternOf(result.task.search.args)]));
  const bare = [...groups.values()].map(([first]) => entryName((first as Result).task));
  const names = groups.size === 1 && named !== undefined ? [named] : frontNames(bare, named);
  const kernels: ModelKernel[] = [];
  const fronts: Front[] = [];
  for (const [i, group] of [...groups.values()].entries()) {
    const units: ExportUnit[] = [];
    for (const [shape, { task: planned, best }] of group.entries()) {
      const task = await sources.task(planned);
      const index = best ? configOf(planned, task, best.config) : beginningOf(what, planned, task);
      const unit = exportUnit(`${names[i]}_${shape}`, task, index, best && { seconds: best.seconds });
      units.push(unit);
      kernels.push({ planned, task, unit });
    }
    fronts.push({ name: names[i] as string, units });
  }
  return { fronts, kernels };
}

function configOf(planned: PlannedTask, task: Task, entity: Parameters<typeof configNamed>[1]): ConfigIndex {
  const config = configNamed(task.space, entity);
  if (config.ok) return config.value;
  throw badInput(`the best config of ${planned.id} does not belong to ${task.name}'s current space: ${config.error}`);
}

/** A model without one of its kernels cannot run, and the start of a derived space is a sound one. */
function beginningOf(what: string, planned: PlannedTask, task: Task): ConfigIndex {
  const index = task.starts?.[0] ?? task.standard;
  if (index !== undefined && task.validate(index, gpuLimits(task.target)).length === 0) return index;
  throw new CliError(
    exitCode.noResult,
    `${planned.label ?? planned.id} has no time, and its space no config to begin with; search it first: warpfarm suite resume ${what}`,
  );
}

function timedIn(what: string, all: readonly Result[], { task, target }: ExportFlags): readonly Result[] {
  const timed = all.filter(({ best }) => best !== undefined);
  if (timed.length === 0)
    throw new CliError(
      exitCode.noResult,
      `no task of ${what} has a time yet; of a suite that a farm searches, warpfarm suite status ${what} fetches the results`,
    );
  const found = timed.filter(
    ({ task: { search } }) =>
      (task === undefined || nameOfTask(search.task) === task) && (target === undefined || search.target === target),
  );
  if (found.length > 0) return found;
  const there = [...new Set(timed.map((each) => `${nameOfTask(each.task.search.task)} for ${each.task.search.target}`))];
  throw badInput(`${what} has no results of ${[task, target].filter(Boolean).join(" for ")}; it has ${there.join(", ")}`);
}

/** The template's name; of a subgraph, whose arguments are its nodes, the operators' names. */
function entryName({ search: { task, args } }: PlannedTask): string {
  const name = nameOfTask(task);
  if (name !== "subgraph") return symbolOf(name);
  const nodes = (args as readonly unknown[]).flatMap((arg) => (Array.isArray(arg) ? arg : []));
  const ops = nodes.flatMap(({ op }: { readonly op?: string }) =>
    op === undefined || op === "Constant" ? [] : [op.toLowerCase()],
  );
  return symbolOf([...ops.slice(0, 4), ...(ops.length > 4 ? [`and_${ops.length - 4}_more`] : [])].join("_") || name);
}

const frontNames = (bare: readonly string[], prefix: string | undefined): readonly string[] =>
  bare.map((name, i) => {
    const number = bare.slice(0, i + 1).filter((other) => other === name).length;
    const whole = bare.filter((other) => other === name).length === 1 ? name : `${name}_${number}`;
    return prefix === undefined ? whole : `${prefix}_${whole}`;
  });
