/**
 * What the times of a suite's tasks say together: the loss of each winner elsewhere, and the few kernels that serve all shapes.
 */

import { groupBy } from "../group-by.ts";
import { nameOfTask } from "../search-spec.ts";
import { type Entity, nameOfConfig } from "../tuning-record.ts";
import { byShape, byTemplate, type CrossTimes, winnersTime } from "./cross.ts";
import { chooseKernels } from "./dispatch-table.ts";
import { type ShapeTask, type TaskResults, titleOf } from "./results.ts";

export interface Portability {
  readonly title: string;
  /** Key, condition and store of each. */
  readonly devices: readonly string[];
  /**
   * loss[a][b]: how much slower a's winner is on b than b's own, as a share; null = it does not run there, undefined = not
   * measured.
   */
  readonly loss: readonly (readonly (number | null | undefined)[])[];
  readonly common: { readonly config: Entity; readonly worstLoss: number; readonly losses: readonly number[] } | undefined;
}

const grouped = (
  results: readonly TaskResults[],
  groupOf: (each: TaskResults) => string,
): readonly (readonly TaskResults[])[] => [
  ...groupBy(
    results.filter(({ best }) => best),
    groupOf,
  ).values(),
];

function deviceOf({ task: { search }, store }: TaskResults): string {
  const device = search.where === undefined ? search.key : `${search.key},${search.where}`;
  return store === undefined ? device : `${device} in ${store}`;
}

export function portabilityOf(results: readonly TaskResults[], times: CrossTimes): readonly Portability[] {
  return grouped(results, byShape)
    .filter((group) => group.length > 1)
    .map((group) => {
      const timesOf = ({ task }: TaskResults) => times.get(task.id) ?? new Map<string, number | null>();
      const lossOn = (config: string, on: TaskResults): number | null | undefined => {
        const seconds = timesOf(on).get(config);
        return typeof seconds === "number" ? Math.max(0, seconds / winnersTime(on, times) - 1) : seconds;
      };
      const winner = ({ best }: TaskResults): string => nameOfConfig(best?.config ?? []);
      const everywhere = [...timesOf(group[0] as TaskResults).keys()].flatMap((config) => {
        const losses = group.map((on) => lossOn(config, on));
        return losses.every((loss) => typeof loss === "number")
          ? [{ config, losses: losses as number[], worstLoss: Math.max(...(losses as number[])) }]
          : [];
      });
      everywhere.sort((a, b) => a.worstLoss - b.worstLoss || (a.config < b.config ? -1 : 1));
      const [common] = everywhere;
      return {
        title: titleOf((group[0] as TaskResults).task),
        devices: group.map(deviceOf),
        loss: group.map((from) => group.map((on) => lossOn(winner(from), on))),
        common: common && { ...common, config: JSON.parse(common.config) as Entity },
      };
    });
}

export interface DispatchTable {
  readonly task: string;
  readonly key: string;
  readonly target: string;
  readonly kernels: readonly Entity[];
  readonly shapes: readonly {
    readonly task: ShapeTask;
    readonly kernel: number;
    readonly seconds: number;
    readonly bestSeconds: number;
    readonly regret: number;
  }[];
  /** Weighted mean over the shapes. */
  readonly meanRegret: number;
  readonly worstRegret: number;
  /** Pairs of a candidate and a shape that have no time, so the kernel is not used on the shape. */
  readonly unmeasured: number;
}

/** For each template and kind of device with two shapes or more. `n`: the most kernels. */
export function dispatchTables(results: readonly TaskResults[], times: CrossTimes, n: number): readonly DispatchTable[] {
  return grouped(results, byTemplate)
    .filter((group) => group.length > 1)
    .flatMap((group) => tableOf(group, times, n) ?? []);
}

function tableOf(group: readonly TaskResults[], times: CrossTimes, n: number): DispatchTable | undefined {
  const secondsOf = ({ task }: TaskResults, config: string) => times.get(task.id)?.get(config);
  const winners = new Set(group.map(({ best }) => nameOfConfig(best?.config ?? [])));
  const configs = [...new Set(group.flatMap(({ task }) => [...(times.get(task.id)?.keys() ?? [])]))]
    // A config that serves a single shape, and is not the best there, is useless.
    .filter((config) => winners.has(config) || group.filter((each) => typeof secondsOf(each, config) === "number").length > 1)
    .sort();
  const matrix = group.map((each) => configs.map((config) => secondsOf(each, config) ?? undefined));
  const best = matrix.map((row) => Math.min(...row.filter((seconds) => seconds !== undefined)));
  const choice = chooseKernels(
    matrix,
    best,
    group.map(({ task }) => task.weight),
    n,
  );
  if (!choice) return undefined;
  const first = (group[0] as TaskResults).task;
  return {
    task: nameOfTask(first.search.task),
    key: first.search.key,
    target: first.search.target,
    kernels: choice.chosen.map((config) => JSON.parse(configs[config] as string) as Entity),
    shapes: group.map(({ task }, shape) => {
      const config = choice.servedBy[shape] as number;
      const seconds = matrix[shape]?.[config] as number;
      const bestSeconds = best[shape] as number;
      return {
        task,
        kernel: choice.chosen.indexOf(config),
        seconds,
        bestSeconds,
        regret: Math.max(0, seconds / bestSeconds - 1),
      };
    }),
    meanRegret: choice.meanRegret,
    worstRegret: choice.worstRegret,
    unmeasured: group.reduce(
      (sum, each) => sum + [...winners].filter((config) => secondsOf(each, config) === undefined).length,
      0,
    ),
  };
}
