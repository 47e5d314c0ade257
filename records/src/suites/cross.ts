/**
 * Winning configs of one shape or device, measured on others, for portability matrices and dispatch tables. Times in the tasks'
 * own logs count. The rest is measured on request and kept in the suite's `cross.jsonl`, one line each.
 * Two configs are the same if their knobs and values are.
 */
import { canonicalJson } from "@warpfarm/common";
import { z } from "zod";
import { groupBy } from "../group-by.ts";
import { nameOfTask } from "../search-spec.ts";
import { type Entity, nameOfConfig } from "../tuning-record.ts";
import type { TaskResults } from "./results.ts";

/** Seconds of a config on a task, or null when it does not run there. */
export type CrossTimes = ReadonlyMap<string, ReadonlyMap<string, number | null>>;

const line = z.object({ task: z.string(), config: z.string(), seconds: z.number().positive().nullable() });
export type CrossLine = z.output<typeof line>;

/** Torn or unknown lines are passed over. */
export function readCross(text: string): readonly CrossLine[] {
  return text.split("\n").flatMap((raw) => {
    try {
      const { data } = line.safeParse(JSON.parse(raw));
      return data ? [data] : [];
    } catch {
      return [];
    }
  });
}

/**
 * By task and config, as a search measures. The tasks' own searches count first. Times of finalists are left out: they were
 * measured interleaved, after pauses, and cannot be compared with these.
 */
export function crossTimes(results: readonly TaskResults[], lines: readonly CrossLine[]): CrossTimes {
  const times = new Map<string, Map<string, number | null>>();
  const of = (task: string): Map<string, number | null> => {
    const found = times.get(task) ?? new Map<string, number | null>();
    times.set(task, found);
    return found;
  };
  for (const { task, config, seconds } of lines) of(task).set(config, seconds);
  for (const { task, timeOf } of results) for (const [name, seconds] of timeOf) of(task.id).set(name, seconds);
  return times;
}

export interface CrossPair {
  readonly task: string;
  readonly entity: Entity;
}

/**
 * Winners of a group's tasks on the group's other tasks, where nobody has measured them; of many winners the `most` most
 * promising ones.
 */
export function missingPairs(
  results: readonly TaskResults[],
  times: CrossTimes,
  groupOf: (each: TaskResults) => string,
  most = Number.POSITIVE_INFINITY,
): readonly CrossPair[] {
  return [...groupBy(results, groupOf).values()].flatMap((group) => {
    const winners = promising(group, times, most);
    return group.flatMap(({ task }) =>
      winners.filter((name) => !times.get(task.id)?.has(name)).map((name) => ({ task: task.id, entity: JSON.parse(name) })),
    );
  });
}

const nearlyBest = 1.05;

/**
 * At most `most` winners: the next is always the one that serves the most weight of shapes that none before serves, by the times
 * known so far (the greedy algorithm for maximum coverage: Nemhauser, Wolsey and Fisher, An Analysis of Approximations for
 * Maximizing Submodular Set Functions, Mathematical Programming 1978). When all shapes are served, the count begins anew. Of
 * equal ones the first by name is taken.
 */
function promising(group: readonly TaskResults[], times: CrossTimes, most: number): readonly string[] {
  const left = [...new Set(group.flatMap(({ best }) => (best ? [nameOfConfig(best.config)] : [])))].sort();
  if (left.length <= most) return left;
  const timed = group
    .filter(({ best }) => best)
    .map((each) => ({
      weight: each.task.weight,
      known: times.get(each.task.id),
      enough: nearlyBest * winnersTime(each, times),
    }));
  const serves = (name: string, { known, enough }: (typeof timed)[number]): boolean =>
    (known?.get(name) ?? Number.POSITIVE_INFINITY) <= enough;
  const found: string[] = [];
  let open = timed;
  while (found.length < most) {
    const gains = left.map((name) => open.reduce((sum, each) => sum + (serves(name, each) ? each.weight : 0), 0));
    const at = gains.indexOf(Math.max(...gains));
    const name = left[at] as string;
    if (gains[at] === 0) {
      open = timed;
      continue;
    }
    found.push(name);
    left.splice(at, 1);
    open = open.filter((each) => !serves(name, each));
  }
  return found;
}

export const winnersTime = ({ task, best }: TaskResults, times: CrossTimes): number =>
  (best && times.get(task.id)?.get(nameOfConfig(best.config))) ?? Number.POSITIVE_INFINITY;

export const byShape = ({ task }: TaskResults): string => canonicalJson([nameOfTask(task.search.task), task.search.args]);
export const byTemplate = ({ task }: Pick<TaskResults, "task">): string =>
  canonicalJson([nameOfTask(task.search.task), task.search.key, task.search.where ?? ""]);
