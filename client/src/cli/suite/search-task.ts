/** The tasks of a suite as searches on a farm: each is opened like `tune`'s, and keeps its log in the suite's folder. */
import { stat } from "node:fs/promises";
import type { SessionId } from "@warpfarm/common";
import type { SessionControl } from "@warpfarm/proto";
import { resultsOf } from "@warpfarm/records/suites";
import type { Task } from "@warpfarm/templates";
import { openSearch, type SearchFarm } from "../../search/open-search.ts";
import { openOperatorSearch } from "../../search/operator-search.ts";
import { wholeSpec } from "../../search/search-spec.ts";
import type { SuiteDirectory } from "../../suite/directory.ts";
import { type OpenedFacts, openedFactsOf } from "../../suite/entry.ts";
import type { PlannedTask, SuitePlan } from "../../suite/plan.ts";
import type { SuiteRun } from "../../suite/run-suite.ts";
import type { Sources } from "./sources.ts";

interface SuiteSearches {
  readonly plan: SuitePlan;
  readonly farm: SearchFarm;
  readonly folder: string;
  readonly searchedMs?: () => number;
  readonly onFewer?: (asked: number, allowed: number) => void;
}

/** A suite without its farm ends after this time. `suite resume` continues it. */
export const suitePatienceMs = 600_000;

/**
 * Tasks that an earlier process began, from their logs. The last written come first, because the farm may still have their
 * sessions.
 */
export async function begunIn(
  directory: SuiteDirectory,
  sources: Sources,
  tasks: readonly PlannedTask[],
): Promise<ReadonlyMap<string, OpenedFacts>> {
  const begun: { readonly id: string; readonly writtenMs: number; readonly facts: OpenedFacts }[] = [];
  for (const task of tasks) {
    if (!directory.hasLog(task.id)) continue;
    const { mtimeMs: writtenMs } = await stat(directory.logOf(task.id));
    const facts = openedFactsOf(resultsOf(task, await directory.log(task.id)));
    // A task that cannot be made reports that when it is opened.
    const flops = await sources.task(task).then(
      (made) => made.flops,
      () => 0,
    );
    begun.push({ id: task.id, writtenMs, facts: { ...facts, flops } });
  }
  return new Map(begun.sort((a, b) => b.writtenMs - a.writtenMs).map(({ id, facts }) => [id, facts]));
}

/** Opens the searches of the suite in a folder. An existing log is continued. */
export function searchesIn(
  directory: SuiteDirectory,
  sources: Sources,
  { plan, farm, folder, searchedMs, onFewer }: SuiteSearches,
): SuiteRun["open"] {
  // Sessions that searches of this process have closed: a search that is opened again must not continue one.
  const closed = new Set<SessionId>();
  // Trials that a task was given while it ran. Closing a session loses its part of them.
  const added = new Map<string, number>();
  return async (planned, signal) => {
    const { id, search } = planned;
    const tasks = await sources.tasks(planned);
    const [task] = tasks as readonly [Task];
    const spec = wholeSpec(search, task, search.key);
    const asked = {
      ...{ logPath: directory.logOf(id), resume: directory.hasLog(id), cwd: folder, title: plan.name, closed, signal },
      ...{ librarySeconds: planned.librarySeconds, searchedMs },
      added: added.get(id),
      // A suite has many tasks.
      say: () => {},
      onControl: ({ moreTrials }: SessionControl) => void added.set(id, moreTrials),
      onFewer: (allowed: number) => onFewer?.(spec.in_flight, allowed),
    };
    const { target: _, ...all } = search;
    const opened =
      "operator" in search.task
        ? await openOperatorSearch(farm, all, { ...asked, tasks })
        : await openSearch(farm, spec, { ...asked, task });
    return {
      ...{ flops: task.flops, trials: opened.trials, defaultSeconds: opened.defaultSeconds },
      events: (pace) => opened.events(pace),
      [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
    };
  };
}
