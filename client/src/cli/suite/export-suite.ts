/**
 * A whole suite as one library: the best config of each shape, and for each template a function that finds the kernel of a shape.
 */
import { configNamed } from "@warpfarm/compiler/language";
import { nameOfTask } from "@warpfarm/records/search";
import { byTemplate, groupBy, type TaskResults } from "@warpfarm/records/suites";
import type { Front } from "../../export/files.ts";
import { exportUnit, symbolOf } from "../../export/unit.ts";
import { allowedFolders } from "../../kernel/reach.ts";
import type { PlannedTask } from "../../suite/plan.ts";
import type { CliContext } from "../context.ts";
import { badInput, CliError, exitCode } from "../exit.ts";
import { readSettings } from "../flags/settings.ts";
import { type Asked, type ExportFlags, ofOneTarget } from "../tuning/export-inputs.ts";
import { suiteNamed } from "./folder.ts";
import { readSuiteFolder } from "./report.ts";
import { Sources } from "./sources.ts";

/** Undefined when `what` is no suite: neither a folder of one nor the name of one that was run here. */
export async function suiteUnits(context: CliContext, what: string, flags: ExportFlags): Promise<Asked | undefined> {
  const directory = suiteNamed(await readSettings(context), context.cwd, what);
  if (!directory.exists) return undefined;
  for (const [flag, value] of [
    ["index", flags.index],
    ["args", flags.args],
    ["device-name", flags.deviceName],
    ["logs", flags.logs],
  ] as const)
    if (value !== undefined) throw badInput(`--${flag} is not for a suite; ${what} holds the best config of each of its shapes`);
  const plan = await directory.plan();
  const results = chosenIn(what, (await readSuiteFolder(directory)).results, flags);
  const sources = new Sources(plan.folder ?? context.cwd, { allowed: await allowedFolders(flags.allowInclude, context.cwd) });
  const groups = groupBy(results, byTemplate);
  const prefix = flags.name === undefined ? "" : `${flags.name}_`;
  const names = frontNames([...groups.values()].map(([first]) => symbolOf(nameOfTask((first as TaskResults).task.search.task))));
  const fronts: Front[] = [];
  for (const [i, group] of [...groups.values()].entries()) {
    const name = groups.size === 1 && flags.name !== undefined ? flags.name : `${prefix}${names[i]}`;
    const units = [];
    for (const [shape, { task: planned, best }] of group.entries()) {
      const task = await sources.task(planned);
      const config = configNamed(task.space, best?.config ?? []);
      if (!config.ok)
        throw badInput(`the best config of ${planned.id} does not belong to ${task.name}'s current space: ${config.error}`);
      units.push(exportUnit(`${name}_${shape}`, task, config.value, { seconds: best?.seconds ?? 0 }));
    }
    fronts.push({ name, units });
  }
  const units = fronts.flatMap((front) => front.units);
  return ofOneTarget(what, flags, { units, fronts, library: flags.name ?? symbolOf(plan.name) });
}

function chosenIn(what: string, all: readonly TaskResults<PlannedTask>[], { task, target }: ExportFlags) {
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

const frontNames = (bare: readonly string[]): readonly string[] =>
  bare.map((name, i) =>
    bare.filter((other) => other === name).length === 1
      ? name
      : `${name}_${bare.slice(0, i + 1).filter((other) => other === name).length}`,
  );
