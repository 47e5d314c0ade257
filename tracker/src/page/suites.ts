/** Suites for the page. Plans, tasks and logs are documents of clients; unreadable ones are left out. */
import type { KeptSuite, KeptTask } from "@warpfarm/proto";
import { type Log, readLog } from "@warpfarm/records/logs";
import { nameOfTask, readPlacedSpec } from "@warpfarm/records/search";
import {
  broughtBy,
  broughtWords,
  courseOf,
  resultsOf,
  type ShapeTask,
  shareOver,
  type TaskResults,
} from "@warpfarm/records/suites";
import type { SuiteDetail, SuiteSummary } from "@warpfarm/web";
import type { Queryable } from "../store/database.ts";
import { getSuite, listSuites, readLogOf } from "../store/sql/suites.ts";
import { SuiteTables } from "./suite-tables.ts";

/** The most bytes of a task's log that are read. */
const mostLog = 8 << 20;
const mostKept = 100_000;
const shareAfter = [8, 32, 128, 512] as const;

type Cell = SuiteDetail["rows"][number]["cells"][number];

export function suitesOf(db: Queryable) {
  const kept = new Map<string, TaskResults>();
  let trialsKept = 0;
  const tables = new SuiteTables(db);

  async function startedOf(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await db.query<{ id: string; at: number }>(
      `select suite_id as id, extract(epoch from created_at)::double precision * 1000 as at from suites where suite_id = any($1::text[])`,
      [ids],
    );
    return new Map(rows.map(({ id, at }) => [id, Math.round(at)]));
  }

  async function readResults(suite: string, { taskId, logBytes }: KeptTask, task: ShapeTask): Promise<TaskResults> {
    const name = JSON.stringify([suite, taskId, logBytes]);
    const known = kept.get(name);
    if (known) return known;
    const text = Buffer.from(await readLogOf(db, suite, taskId, 0, mostLog)).toString("utf8");
    const results = resultsOf(task, logOf(text, taskId));
    trialsKept += results.trials.length;
    if (trialsKept > mostKept) {
      kept.clear();
      trialsKept = results.trials.length;
    }
    kept.set(name, results);
    return results;
  }

  return {
    async list(owner: string | undefined): Promise<readonly SuiteSummary[]> {
      const suites = await listSuites(db, owner);
      const started = await startedOf(suites.map(({ suiteId }) => suiteId));
      return suites.map((suite) => summaryOf(suite, started.get(suite.suiteId) ?? 0));
    },
    async detail(id: string, owner: string | undefined): Promise<SuiteDetail> {
      const suite = await getSuite(db, id, owner);
      const started = await startedOf([id]);
      const tasks = suite.tasks.flatMap((kept) => {
        const planned = plannedOf(kept);
        return planned ? [{ kept, planned }] : [];
      });
      const devices = [...new Set(tasks.map(({ planned }) => planned.search.key))];
      const rows = new Map<string, SuiteDetail["rows"][number] & { readonly cells: Cell[] }>();
      const all: TaskResults[] = [];
      for (const { kept, planned } of tasks) {
        const { search, weight, librarySeconds } = planned;
        const { args, key } = search;
        const task = nameOfTask(search.task);
        const name = JSON.stringify([task, args]);
        const empty = (): Cell => ({ state: "none", trials: 0, shareAfter: [] });
        const row = rows.get(name) ?? { task, args, weight, cells: devices.map(empty) };
        rows.set(name, row);
        const results = await readResults(id, kept, planned);
        all.push(results);
        row.cells[devices.indexOf(key)] = {
          state: kept.ended !== "" ? kept.ended : kept.worker !== "" ? "searching" : "waiting",
          ...(librarySeconds === undefined ? {} : { librarySeconds }),
          ...progressOf(results),
        };
      }
      const at = started.get(id) ?? 0;
      const found = await tables.of({ id, principal: suite.principal, startedMs: at }, all);
      return { ...summaryOf(suite, at), devices, rows: [...rows.values()], courses: coursesOf(devices, all), ...found };
    },
  };
}

function coursesOf(devices: readonly string[], all: readonly TaskResults[]): SuiteDetail["courses"] {
  return devices.flatMap((device) => {
    const own = all.filter(({ task }) => task.search.key === device);
    const courses = own.map(courseOf);
    const over = shareOver(courses);
    const brought = broughtBy(courses).map((each) => broughtWords(each, own.length));
    return over.length === 0 ? [] : [{ device, tasks: own.length, over, brought }];
  });
}

function summaryOf(suite: KeptSuite, startedMs: number): SuiteSummary {
  const { suiteId: id, name, cancelled, taskCount: tasks, endedCount: done } = suite;
  return { id, name, state: cancelled ? "cancelled" : done === tasks ? "ended" : "open", tasks, done, startedMs };
}

function plannedOf({ taskId, document }: KeptTask): ShapeTask | undefined {
  try {
    const { search, label, weight, librarySeconds } = JSON.parse(Buffer.from(document).toString("utf8")) as Partial<ShapeTask>;
    return {
      id: taskId,
      search: readPlacedSpec(search),
      weight: typeof weight === "number" ? weight : 1,
      ...(typeof label === "string" ? { label } : {}),
      ...(typeof librarySeconds === "number" ? { librarySeconds } : {}),
    };
  } catch {
    return undefined;
  }
}

/** Undefined for a log of a version that this tracker does not read; the task's state is shown without it. */
function logOf(text: string, name: string): Log | undefined {
  try {
    return readLog(text, name);
  } catch {
    return undefined;
  }
}

/** The share of the best that was reached after so many trials, or after all if there are fewer. */
function progressOf({ landed, best }: TaskResults): Pick<Cell, "trials" | "best" | "shareAfter"> {
  let least = Number.POSITIVE_INFINITY;
  const bests = landed.map(({ seconds }) => {
    least = Math.min(least, seconds ?? least);
    return least;
  });
  if (!Number.isFinite(least)) return { trials: bests.length, shareAfter: [] };
  const reached = shareAfter.filter((n) => n <= bests.length).map((n) => least / (bests[n - 1] as number));
  return { trials: bests.length, best: best?.seconds ?? least, shareAfter: reached };
}
