/**
 * The tables of a suite, as `suite report` computes them: the loss of each winner on another device, and the few kernels that
 * serve all shapes. Winners that were measured on other shapes and devices (`--measure`) come from the farm's
 * records.
 */
import { canonicalJson } from "@warpfarm/common";
import { decodeRecord, problemOf, winnersTuner } from "@warpfarm/records";
import { nameOfTask } from "@warpfarm/records/search";
import {
  type CrossTimes,
  crossTimes,
  type DispatchTable,
  dispatchTables,
  type Entity,
  nameOfConfig,
  type Portability,
  portabilityOf,
  type ShapeTask,
  type TaskResults,
  valuesOf,
} from "@warpfarm/records/suites";
import type { SuiteDetail } from "@warpfarm/web";
import type { Queryable } from "../store/database.ts";

/** Kernels of a table, the default of `suite report`. */
const kernels = 8;
/** Configs times shapes. With more the choice would take long, so only winners are considered. */
const mostCells = 20_000;
const mostCross = 20_000;
const mostSuites = 100;

interface Of {
  readonly id: string;
  readonly principal: string;
  readonly startedMs: number;
}

type Tables = Pick<SuiteDetail, "portability" | "tables">;
type CrossLine = Parameters<typeof crossTimes>[1][number];

export class SuiteTables {
  readonly #db: Queryable;
  readonly #known = new Map<string, { readonly of: string; readonly tables: Tables }>();

  constructor(db: Queryable) {
    this.#db = db;
  }

  async of(suite: Of, results: readonly TaskResults[]): Promise<Tables> {
    const lines = await this.#cross(suite, results);
    const of = JSON.stringify([lines.length, ...results.map(({ task, trials }) => [task.id, trials.length])]);
    const known = this.#known.get(suite.id);
    if (known?.of === of) return known.tables;
    const times = withinReach(results, crossTimes(results, lines));
    const tables = {
      portability: portabilityOf(results, times).map(portabilityShown),
      tables: dispatchTables(results, times, kernels).map(tableShown),
    };
    if (this.#known.size >= mostSuites) this.#known.clear();
    this.#known.set(suite.id, { of, tables });
    return tables;
  }

  async #cross({ principal, startedMs }: Of, results: readonly TaskResults[]): Promise<readonly CrossLine[]> {
    const taskOf = new Map(results.map(({ task }) => [`${problemOfTask(task)} ${task.search.key}`, task.id]));
    const rows = await this.#db.query<{ problem: string; key: string; seconds: number | null; doc: string }>(
      `select problem, device_key as key, seconds, doc from records
       where problem = any($1::text[]) and at >= $2 and owner = $3 and not imported and doc like $4 order by at, key limit $5`,
      [[...new Set(results.map(({ task }) => problemOfTask(task)))], startedMs, principal, `%"${winnersTuner}"%`, mostCross],
    );
    return rows.flatMap(({ problem, key, seconds, doc }) => {
      const task = taskOf.get(`${problem} ${key}`);
      const { config, search } = decodeRecord(doc);
      if (task === undefined || config === undefined || search?.tuner !== winnersTuner) return [];
      return [{ task, config: nameOfConfig(config.entity), seconds }];
    });
  }
}

const problemOfTask = ({ search: { task, args } }: ShapeTask): string => problemOf({ task: nameOfTask(task), args });

function withinReach(results: readonly TaskResults[], times: CrossTimes): CrossTimes {
  const configs = new Set([...times.values()].flatMap((of) => [...of.keys()]));
  if (configs.size * results.length <= mostCells) return times;
  const winners = new Set(results.flatMap(({ best }) => (best ? [nameOfConfig(best.config)] : [])));
  return new Map([...times].map(([task, of]) => [task, new Map([...of].filter(([config]) => winners.has(config)))]));
}

const configOf = (entity: Entity): string => canonicalJson(valuesOf(entity));

const portabilityShown = ({ title, devices, loss, common }: Portability): Tables["portability"][number] => ({
  title,
  devices,
  loss: loss.map((row) => row.map((share) => (share === undefined ? "unmeasured" : (share ?? "fails")))),
  ...(common ? { common: { config: configOf(common.config), worstLoss: common.worstLoss } } : {}),
});

const tableShown = (table: DispatchTable): Tables["tables"][number] => ({
  task: table.task,
  device: table.key,
  kernels: table.kernels.map(configOf),
  shapes: table.shapes.map(
    ({
      task: {
        search: { args },
        label,
        weight,
      },
      kernel,
      seconds,
      bestSeconds,
      regret,
    }) => ({
      args,
      ...(label === undefined ? {} : { label }),
      ...{ weight, kernel, seconds, bestSeconds, regret },
    }),
  ),
  meanRegret: table.meanRegret,
  worstRegret: table.worstRegret,
  unmeasured: table.unmeasured,
});
