/** The progress of a suite, from its folder. */

import { countWords, spanWords, timeWords } from "@warpfarm/common";
import { trialsOf } from "@warpfarm/records/search";
import { resultsOf, titleOf } from "@warpfarm/records/suites";
import type { SuiteDirectory } from "../../suite/directory.ts";
import type { CliContext } from "../context.ts";
import { screenOf } from "../terminal/screen.ts";
import { table } from "../terminal/table.ts";
import { wallMsOf } from "./farm-suite.ts";

/** `waiting`: why tasks of a detached suite wait. */
export async function statusJson(directory: SuiteDirectory, waiting: ReadonlyMap<string, string> = new Map()) {
  const plan = await directory.plan();
  const { ended, isCancelled } = await directory.progress();
  const wallMs = await wallMsOf(directory, plan.tasks);
  const tasks = [];
  for (const task of plan.tasks) {
    const { trials, best, defaultSeconds, deviceSeconds, failures } = resultsOf(task, await directory.log(task.id));
    const reason = ended.get(task.id);
    tasks.push({
      id: task.id,
      title: titleOf(task),
      key: task.search.key,
      weight: task.weight,
      state:
        reason === undefined ? (trials.length > 0 ? "begun" : "waiting") : reason.startsWith("failed: ") ? "failed" : "ended",
      reason: reason ?? null,
      waits_for: waiting.get(task.id) ?? null,
      trials: trials.length,
      of: trialsOf(task.search),
      failures,
      best_seconds: best?.seconds ?? null,
      default_seconds: defaultSeconds ?? null,
      device_seconds: deviceSeconds,
    });
  }
  const { wallMs: most } = plan.budget;
  return {
    ...{ suite: plan.name, folder: directory.path, cancelled: isCancelled, wall_seconds: wallMs / 1000, tasks },
    wall_budget_seconds: most === undefined ? null : most / 1000,
  };
}
type SuiteStatus = Awaited<ReturnType<typeof statusJson>>;

export function statusWords(status: SuiteStatus, context: Pick<CliContext, "stdout" | "env">): string {
  const rows = status.tasks.map((task) => [
    task.title,
    task.key,
    task.waits_for ?? task.reason ?? task.state,
    `${task.trials}/${task.of}`,
    task.best_seconds === null ? "" : timeWords(task.best_seconds),
    task.best_seconds === null || task.default_seconds === null
      ? ""
      : `${(task.default_seconds / task.best_seconds).toFixed(2)}x`,
    spanWords(task.device_seconds * 1000),
  ]);
  const done = status.tasks.filter(({ reason }) => reason !== null).length;
  const head = `${status.suite}: ${done} of ${countWords(rows.length, "task")} ended${status.cancelled ? ", cancelled" : ""}, ${spanWords(status.wall_seconds * 1000)}${status.wall_budget_seconds === null ? "" : ` of ${spanWords(status.wall_budget_seconds * 1000)}`} of search so far\n`;
  return (
    head +
    table(["task", "on", "state", "trials", "best", "speed-up over default", "device time"], rows, {
      width: screenOf(context).width,
      fold: 2,
    })
  );
}
