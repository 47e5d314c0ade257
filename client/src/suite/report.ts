import { backendOf } from "@warpfarm/common";
import type { CrossTimes, Entity } from "@warpfarm/records/suites";
import {
  type Brought,
  broughtBy,
  courseOf,
  type DispatchTable,
  dispatchTables,
  type Portability,
  portabilityOf,
  type ShareOver,
  shareOver,
  type TaskResults,
  titleOf,
} from "@warpfarm/records/suites";
import type { SuitePlan } from "./plan.ts";

const shareAt = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const;

export interface TaskReport {
  readonly id: string;
  readonly title: string;
  readonly key: string;
  readonly weight: number;
  readonly ended: string | null;
  readonly trials: number;
  readonly failures: number;
  readonly deviceSeconds: number;
  readonly best:
    | {
        readonly seconds: number;
        readonly low: number;
        readonly high: number;
        readonly config: Entity;
        readonly isJudged: boolean;
        readonly tied: readonly Entity[];
      }
    | undefined;
  readonly defaultSeconds: number | undefined;
  readonly librarySeconds: number | undefined;
  /** Best time of all trials over the best time after k. */
  readonly share: readonly { readonly k: number; readonly share: number }[];
}

export interface KindReport {
  readonly key: string;
  readonly tasks: number;
  /** Names of the devices that gave the best times. */
  readonly devices: readonly string[];
  readonly deviceSeconds: number;
  /** Sum of weight times best, of the tasks that have one: a model's time where all have. */
  readonly weightedSeconds: number;
  /** Tasks without a best time. */
  readonly untimed: number;
  /** Geometric means over the tasks that have both times, with the number of tasks. */
  readonly overDefault: Mean | undefined;
  readonly overLibrary: Mean | undefined;
  readonly share: readonly { readonly k: number; readonly share: number; readonly worst: number }[];
  readonly shareOver: readonly ShareOver[];
  readonly brought: readonly Brought[];
}
export interface Mean {
  readonly mean: number;
  readonly least: number;
  readonly count: number;
}

export interface SuiteReport {
  readonly suite: string;
  readonly framework: SuitePlan["framework"];
  readonly wallSeconds: number;
  readonly deviceSeconds: number;
  readonly trials: number;
  readonly tasks: readonly TaskReport[];
  readonly kinds: readonly KindReport[];
  readonly portability: readonly Portability[];
  readonly tables: readonly DispatchTable[];
  /** Shapes that nothing of their task takes (plan.ts). */
  readonly left: readonly string[];
}

/** The results that a portability matrix compares, and the times that are known of them. */
export interface Matrix {
  readonly results: readonly TaskResults[];
  readonly times: CrossTimes;
}

interface ReportInput {
  readonly plan: SuitePlan;
  readonly results: readonly TaskResults[];
  readonly ended: ReadonlyMap<string, string>;
  readonly wallMs: number;
  readonly times: CrossTimes;
  /** Unset: these. Otherwise with those of other suites. */
  readonly matrix?: Matrix | undefined;
  readonly kernels: number;
}

/** Where devices of several backends are in one suite. Empty: they are of one. */
export function apartWords({ kinds }: SuiteReport): string {
  const backends = [...new Set(kinds.map(({ key }) => backendOf(key)))].sort();
  return backends.length < 2 ? "" : `There is no matrix between ${backends.join(" and ")}: no kernel runs on both.`;
}

export function reportOf({
  plan,
  results,
  times,
  matrix = { results, times },
  ended,
  wallMs,
  kernels,
}: ReportInput): SuiteReport {
  const tasks = results.map((each): TaskReport => {
    const { task, best, trials, failures, deviceSeconds, defaultSeconds } = each;
    return {
      id: task.id,
      title: titleOf(task),
      key: task.search.key,
      weight: task.weight,
      ended: ended.get(task.id) ?? null,
      trials: trials.length,
      failures,
      deviceSeconds,
      best: best && {
        seconds: best.seconds,
        low: best.low,
        high: best.high,
        config: best.config,
        isJudged: best.isJudged,
        tied: best.tied.map(({ config }) => config),
      },
      defaultSeconds,
      librarySeconds: task.librarySeconds,
      share: shareOf(each),
    };
  });
  const keys = [...new Set(tasks.map(({ key }) => key))].sort();
  return {
    suite: plan.name,
    framework: plan.framework,
    left: plan.left ?? [],
    wallSeconds: wallMs / 1000,
    deviceSeconds: tasks.reduce((sum, each) => sum + each.deviceSeconds, 0),
    trials: tasks.reduce((sum, each) => sum + each.trials, 0),
    tasks,
    kinds: keys.map((key) =>
      kindOf(
        key,
        tasks.filter((task) => task.key === key),
        results.filter(({ task }) => task.search.key === key),
      ),
    ),
    portability: portabilityOf(matrix.results, matrix.times),
    tables: dispatchTables(results, times, kernels),
  };
}

/** 0 as long as nothing was timed. */
function shareOf({ landed }: TaskResults): TaskReport["share"] {
  const least = Math.min(...landed.map(({ seconds = Number.POSITIVE_INFINITY }) => seconds));
  if (!Number.isFinite(least)) return [];
  let best = Number.POSITIVE_INFINITY;
  const after = landed.map(({ seconds = Number.POSITIVE_INFINITY }) => {
    best = Math.min(best, seconds);
    return least / best;
  });
  return shareAt.filter((k) => k <= after.length).map((k) => ({ k, share: after[k - 1] as number }));
}

function kindOf(key: string, tasks: readonly TaskReport[], results: readonly TaskResults[]): KindReport {
  const courses = results.map(courseOf);
  const over = (of: (task: TaskReport) => number | undefined): Mean | undefined => {
    const ratios = tasks.flatMap((task) => {
      const other = of(task);
      return task.best && other !== undefined ? [other / task.best.seconds] : [];
    });
    if (ratios.length === 0) return undefined;
    const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
    return { mean, least: Math.min(...ratios), count: ratios.length };
  };
  const share = shareAt.flatMap((k) => {
    const shares = tasks.flatMap((task) => task.share.filter((at) => at.k === k).map((at) => at.share));
    if (shares.length === 0) return [];
    return [{ k, share: shares.reduce((sum, each) => sum + each, 0) / shares.length, worst: Math.min(...shares) }];
  });
  return {
    key,
    tasks: tasks.length,
    devices: [...new Set(results.flatMap(({ best }) => best?.trial.result.device?.name ?? []))].sort(),
    deviceSeconds: tasks.reduce((sum, task) => sum + task.deviceSeconds, 0),
    weightedSeconds: tasks.reduce((sum, { weight, best }) => sum + (best ? weight * best.seconds : 0), 0),
    untimed: tasks.filter(({ best }) => !best).length,
    overDefault: over(({ defaultSeconds }) => defaultSeconds),
    overLibrary: over(({ librarySeconds }) => librarySeconds),
    share,
    shareOver: shareOver(courses),
    brought: broughtBy(courses),
  };
}
