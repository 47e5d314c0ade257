/** Suites as the page shows them. Plans, tasks and logs are documents of clients: what cannot be read is left out. */
import type { KeptSuite, KeptTask } from "@warpfarm/proto";
import { recordOfLog, secondsOfRecord } from "@warpfarm/records";
import { readLog } from "@warpfarm/records/logs";
import type { SuiteDetail, SuiteSummary } from "@warpfarm/web";
import type { Queryable } from "../store/database.ts";
import { getSuite, listSuites, readLogOf } from "../store/sql/suites.ts";

/** Of a task's log; what lies behind is not told. */
const mostLog = 8 << 20;
/** What logs say is kept of so many tasks. */
const mostKept = 4_000;
const shareAfter = [8, 32, 128, 512] as const;

type Cell = SuiteDetail["rows"][number]["cells"][number];

/** What a plan says of a task, as far as the page shows it. */
interface Planned {
  readonly task: string;
  readonly args: readonly unknown[];
  readonly key: string;
  readonly weight: number;
  readonly librarySeconds?: number;
}

type Progress = Pick<Cell, "trials" | "best" | "shareAfter">;

export function suitesOf(db: Queryable) {
  /** By suite, task and length of the log. */
  const kept = new Map<string, Progress>();

  async function startedOf(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await db.query<{ id: string; at: number }>(
      `select suite_id as id, extract(epoch from created_at)::double precision * 1000 as at from suites where suite_id = any($1::text[])`,
      [ids],
    );
    return new Map(rows.map(({ id, at }) => [id, Math.round(at)]));
  }

  async function progressOf(suite: string, { taskId, logBytes }: KeptTask): Promise<Progress> {
    const name = JSON.stringify([suite, taskId, logBytes]);
    const known = kept.get(name);
    if (known) return known;
    const text = Buffer.from(await readLogOf(db, suite, taskId, 0, mostLog)).toString("utf8");
    const read = progressOfLog(text, taskId);
    if (kept.size >= mostKept) kept.clear();
    kept.set(name, read);
    return read;
  }

  return {
    async list(owner: string | undefined): Promise<readonly SuiteSummary[]> {
      const suites = await listSuites(db, owner);
      const started = await startedOf(suites.map(({ suiteId }) => suiteId));
      return suites.map((suite) => summaryOf(suite, started.get(suite.suiteId) ?? 0));
    },
    /** Throws NOT_FOUND. */
    async detail(id: string, owner: string | undefined): Promise<SuiteDetail> {
      const suite = await getSuite(db, id, owner);
      const started = await startedOf([id]);
      const tasks = suite.tasks.flatMap((kept) => {
        const planned = plannedOf(kept.document);
        return planned ? [{ kept, planned }] : [];
      });
      const devices = [...new Set(tasks.map(({ planned }) => planned.key))];
      const rows = new Map<string, SuiteDetail["rows"][number] & { readonly cells: Cell[] }>();
      for (const { kept, planned } of tasks) {
        const { task, args, weight, key, librarySeconds } = planned;
        const name = JSON.stringify([task, args]);
        const empty = (): Cell => ({ state: "none", trials: 0, shareAfter: [] });
        const row = rows.get(name) ?? { task, args, weight, cells: devices.map(empty) };
        rows.set(name, row);
        row.cells[devices.indexOf(key)] = {
          state: kept.ended !== "" ? kept.ended : kept.worker !== "" ? "searching" : "waiting",
          ...(librarySeconds === undefined ? {} : { librarySeconds }),
          ...(await progressOf(id, kept)),
        };
      }
      return { ...summaryOf(suite, started.get(id) ?? 0), devices, rows: [...rows.values()], portability: [] };
    },
  };
}

function summaryOf(suite: KeptSuite, startedMs: number): SuiteSummary {
  const { suiteId: id, name, cancelled, taskCount: tasks, endedCount: done } = suite;
  return { id, name, state: cancelled ? "cancelled" : done === tasks ? "ended" : "open", tasks, done, startedMs };
}

function plannedOf(document: Uint8Array): Planned | undefined {
  try {
    const { task, args, key, weight, librarySeconds } = JSON.parse(Buffer.from(document).toString("utf8")) as Partial<Planned>;
    if (typeof task !== "string" || !Array.isArray(args) || typeof key !== "string") return undefined;
    return {
      task,
      args,
      key,
      weight: typeof weight === "number" ? weight : 1,
      ...(typeof librarySeconds === "number" ? { librarySeconds } : {}),
    };
  } catch {
    return undefined;
  }
}

/** The share of the best that was reached after so many trials; of as many as there are. */
function progressOfLog(text: string, name: string): Progress {
  let best = Number.POSITIVE_INFINITY;
  const bests: number[] = [];
  try {
    for (const line of readLog(text, name).records) {
      best = Math.min(best, secondsOfRecord(recordOfLog(line, "")) ?? best);
      bests.push(best);
    }
  } catch {
    // A log of a version that this tracker does not read: the task's state is told without it.
  }
  if (!Number.isFinite(best)) return { trials: bests.length, shareAfter: [] };
  const reached = shareAfter.filter((n) => n <= bests.length).map((n) => best / (bests[n - 1] as number));
  return { trials: bests.length, best, shareAfter: reached };
}
