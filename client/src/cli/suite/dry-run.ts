/** `suite run --dry-run`: the tasks of a suite with their configs, and the least time that they take. */
import { backendOf, countWords, defaultMeasureOptions, defined, keyOf, spanWords } from "@warpfarm/common";
import { titleOf } from "@warpfarm/records/suites";
import { poolOf } from "../../search/farm-there.ts";
import { trialsOf, wholeFinalists } from "../../search/search-spec.ts";
import { measureOptionsFor, pairedFor, stopRulesOf } from "../../search/spec-options.ts";
import { leftWords, type PlannedTask, type SuitePlan } from "../../suite/plan.ts";
import type { CliContext } from "../context.ts";
import { screenOf } from "../terminal/screen.ts";
import { table } from "../terminal/table.ts";
import type { Sources } from "./sources.ts";

export async function dryRun(plan: SuitePlan, sources: Sources) {
  const tasks = [];
  for (const planned of plan.tasks) {
    const configs = (await sources.tasks(planned)).reduce((sum, { space }) => sum + space.valid.count, 0);
    const trials = Math.min(trialsOf(planned.search), configs);
    tasks.push({
      ...{ id: planned.id, title: titleOf(planned), on: poolOf(planned.search), key: keyOf(planned.search.target) },
      ...{ configs, trials, device_seconds: deviceSeconds(planned, trials) },
    });
  }
  const { trials: totalTrials, deviceMs, wallMs } = plan.budget;
  const sum = tasks.reduce((all, task) => all + task.device_seconds, 0);
  return {
    suite: plan.name,
    tasks,
    ...defined({ left: plan.left }),
    trials: Math.min(
      totalTrials ?? Number.POSITIVE_INFINITY,
      tasks.reduce((all, task) => all + task.trials, 0),
    ),
    device_seconds: Math.min(sum, (deviceMs ?? Number.POSITIVE_INFINITY) / 1000),
    ...defined({ wall_seconds: wallMs === undefined ? undefined : wallMs / 1000 }),
  };
}

/** Timed repeats of all trials and of the finals. */
function deviceSeconds({ search }: PlannedTask, trials: number): number {
  const backend = backendOf(search.target);
  const { repeat, minRepeatMs, number, power } = measureOptionsFor(search.measure, backend);
  const trialMs = number > 0 ? 0 : repeat * minRepeatMs;
  const { count, ...paired } = wholeFinalists(search.finalists);
  const longest = Math.max(minRepeatMs, defaultMeasureOptions(backend, power).minRepeatMs);
  // The default schedule is measured with them.
  const finals = count > 1 ? (Math.min(count, trials) + 1) * pairedFor({ count, ...paired }).rounds * longest : 0;
  const { deviceSeconds: most = Number.POSITIVE_INFINITY } = stopRulesOf(search.budget ?? {});
  return Math.min((trials * trialMs + finals) / 1000, most);
}

/** `assumed`: kinds of devices of which nobody said that they are there. */
type DryRun = Awaited<ReturnType<typeof dryRun>> & { readonly assumed: readonly string[] };

export function dryRunWords(run: DryRun, context: Pick<CliContext, "stdout" | "env">): string {
  const rows = run.tasks.map((task) => [
    task.title,
    task.on,
    String(task.configs),
    String(task.trials),
    spanWords(task.device_seconds * 1000),
  ]);
  const wall = run.wall_seconds === undefined ? "" : `, ends after ${spanWords(run.wall_seconds * 1000)} of search`;
  const assumed =
    run.assumed.length === 0
      ? ""
      : `assumed ${run.assumed.join(" and ")}, because no farm was asked; for other devices name them in the suite (targets), or a farm that has them (--tracker)\n`;
  return (
    leftWords(run) +
    assumed +
    table(["task", "on", "configs", "trials", "device time"], rows, { width: screenOf(context).width, fold: 0 }) +
    `${run.suite}: ${countWords(run.tasks.length, "task")}, ${countWords(run.trials, "trial")} at most, ${spanWords(run.device_seconds * 1000)} of device time if no kernel is slow${wall}; nothing was started\n`
  );
}
