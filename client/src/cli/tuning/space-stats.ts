/**
 * `space --stats`: the size of a space, the share that can run, the cost of searching all of it, and the odds of random search.
 * For a task they come from a seeded sample, or from all of a small space, and times from a log. For a recorded space they are
 * exact. For a problem file (T1, KTT) there is only its count.
 */
import { basename } from "node:path";
import { canonicalJson, Random, unreadable } from "@warpfarm/common";
import { type ConfigIndex, type ConfigSpace, type Limits, problemSpace } from "@warpfarm/compiler";
import { readLog, taskOf as recordedTask, secondsOf } from "@warpfarm/records/logs";
import type { Task } from "@warpfarm/templates";
import { cutoff, yardstick } from "../../score/methodology.ts";
import { readRecorded, readUnzipped } from "../../score/read-recorded.ts";
import type { RecordedData } from "../../score/recorded-space.ts";
import { badInput } from "../exit.ts";

export interface SpaceStats {
  readonly size: number;
  readonly allowed: number;
  /**
   * The share of configs that can run: for a task by static check of a sample, for a recorded space by its records; null when
   * unknown.
   */
  readonly valid_share: number | null;
  readonly knobs: readonly { readonly name: string; readonly size: number }[];
  /** Hours for all valid configs one after the other; null without measurements. */
  readonly build_hours: number | null;
  readonly device_hours: number | null;
  /** By share of the best: the known configs that reach it, and the draws after which random search is expected to hit one. */
  readonly odds: Readonly<Record<string, { readonly configs: number; readonly draws: number | null }>> | null;
  /** The basis of each estimate, in words; only for estimated values. */
  readonly rests_on: Readonly<Partial<Record<"valid_share" | "hours" | "odds", string>>>;
}

const sampled = 400;
const shares = [0.9, 0.95, 0.99];

const shapeOf = (space: ConfigSpace) => ({
  size: space.size,
  allowed: space.valid.count,
  knobs: space.knobs.map(({ name, size }) => ({ name, size })),
});

function examined(space: ConfigSpace): { readonly basis: string; readonly indices: readonly ConfigIndex[] } {
  const { count } = space.valid;
  if (count <= sampled)
    return { basis: "all", indices: Array.from({ length: count }, (_, rank) => space.toIndex(space.valid.nth(rank))) };
  const random = new Random(0);
  return { basis: `${sampled} random configs`, indices: Array.from({ length: sampled }, () => space.random(random)) };
}

/** `log`: its path, and its name for the user. */
export async function taskStats(
  task: Task,
  limits: Limits,
  log: { readonly path: string; readonly name: string } | undefined,
): Promise<SpaceStats> {
  const facts = log && (await logFacts(task, log));
  const { basis, indices } = examined(task.space);
  const share = indices.filter((index) => task.validate(index, limits).length === 0).length / indices.length;
  const error = 2 * Math.sqrt((share * (1 - share)) / indices.length);
  const hours = (meanMs: number | undefined) =>
    meanMs === undefined ? null : (meanMs * share * task.space.valid.count) / 3_600_000;
  return {
    ...shapeOf(task.space),
    valid_share: share,
    build_hours: hours(facts?.buildMs),
    device_hours: hours(facts?.runMs),
    odds: facts ? odds(facts.times, facts.trials) : null,
    rests_on: {
      valid_share: `static check of ${basis}${basis === "all" ? "" : `, +- ${(100 * error).toFixed(1)} %`}`,
      ...(facts ? { hours: facts.hoursBasis, odds: facts.oddsBasis } : {}),
    },
  };
}

async function logFacts(task: Task, { path, name }: { readonly path: string; readonly name: string }) {
  const text = await readUnzipped(path).catch(unreadable(`--log names ${JSON.stringify(name)}, which`));
  if (!text.ok) throw badInput(text.error);
  const { records } = readLog(text.value, name);
  const other = records
    .map(recordedTask)
    .find((of) => of.task !== task.name || canonicalJson(of.args) !== canonicalJson(task.args));
  if (other)
    throw badInput(`--log names ${JSON.stringify(name)}, which has results of ${other.task} ${JSON.stringify(other.args)}`);
  const results = records.flatMap((r) => (r.kind === "warpfarm" ? [r.trial.result] : []));
  if (results.length === 0) throw badInput(`--log names ${JSON.stringify(name)}, which holds no trials of this program`);
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const times = records.map(secondsOf).filter((s) => s !== undefined);
  const tuners = [...new Set(records.flatMap((r) => (r.kind === "warpfarm" ? [r.trial.run.tuner] : [])))].join(", ");
  return {
    times,
    trials: records.length,
    buildMs: mean(results.map((r) => r.buildMs)),
    runMs: mean(results.map((r) => r.runMs)),
    hoursBasis: `mean of the ${results.length} trials in ${name}, one after the other`,
    oddsBasis: `${records.length} trials in ${name}, chosen by ${tuners}${tuners === "random" ? "" : ", which find more good configs than random draws"}`,
  };
}

/** Expected draws without replacement until the first of k among n: (n + 1) / (k + 1). */
function odds(times: readonly number[], entries: number): SpaceStats["odds"] {
  const best = Math.min(...times);
  if (!Number.isFinite(best)) return null;
  return Object.fromEntries(
    shares.map((share) => {
      const configs = times.filter((time) => best / time >= share).length;
      return [String(share), { configs, draws: (entries + 1) / (configs + 1) }];
    }),
  );
}

/** For a recorded space or a problem file: its path, and its name for the user. */
export async function fileStats(
  path: string,
  name: string,
  warn: (words: string) => void,
): Promise<SpaceStats & { readonly cutoff: number | null }> {
  const cannotRead = unreadable(JSON.stringify(name));
  const recorded = await readRecorded(path, { warn }).catch(cannotRead);
  if (recorded.ok) return recordedStats(recorded.value);
  const text = await readUnzipped(path).catch(cannotRead);
  const document = text.ok ? jsonOrNothing(text.value) : undefined;
  if (typeof document !== "object" || document === null || !("ConfigurationSpace" in document)) throw badInput(recorded.error);
  const problem = problemSpace(document);
  if (!problem.ok) throw badInput(`${basename(path)}: ${problem.error}`);
  return {
    ...shapeOf(problem.value),
    valid_share: null,
    build_hours: null,
    device_hours: null,
    odds: null,
    rests_on: {},
    cutoff: null,
  };
}

function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The records do not separate the build's part of a cost. */
function recordedStats(data: RecordedData) {
  const yard = yardstick(data);
  const entries = data.index.length;
  return {
    size: data.knobs.reduce((product, { values }) => product * values.length, 1),
    allowed: entries,
    knobs: data.knobs.map(({ name, values }) => ({ name, size: values.length })),
    valid_share: yard.sorted.length / entries,
    build_hours: null,
    device_hours: (yard.meanCost * entries) / 3600,
    odds: odds([...yard.sorted], entries),
    rests_on: {
      valid_share: "all records",
      hours: "the records' own costs, builds and runs together",
      odds: "all records: exact",
    },
    cutoff: cutoff(yard, 0.95).evaluations,
  };
}

/** Name and text, one line each. `isTask`: a log could add facts. */
export function statsWords(stats: SpaceStats, isTask: boolean): (readonly [string, string])[] {
  const { valid_share: share, odds: chances, rests_on: basis } = stats;
  const unknown = isTask ? "not known: give --log" : "not known";
  const hoursWords = (hours: number | null): string => (hours === null ? unknown : `${hours.toPrecision(3)} h`);
  const because = (words: string | undefined) => (words === undefined ? "" : ` (${words})`);
  return [
    ["size", String(stats.size)],
    ["allowed by constraints", `${stats.allowed} (${((100 * stats.allowed) / stats.size).toPrecision(3)} %)`],
    ["of them can run", share === null ? "not known" : `${(100 * share).toFixed(1)} %${because(basis.valid_share)}`],
    ["all of it, builds", hoursWords(stats.build_hours) + because(stats.build_hours === null ? undefined : basis.hours)],
    ["all of it, device", hoursWords(stats.device_hours) + because(stats.device_hours === null ? undefined : basis.hours)],
    ...Object.entries(chances ?? {}).map(([at, { configs, draws }]): [string, string] => [
      `within ${Number(at) * 100} % of the best known`,
      `${configs} configs; random search needs ${draws?.toFixed(0) ?? "-"} draws`,
    ]),
    ...(chances && basis.odds !== undefined ? [["odds rest on", basis.odds] as [string, string]] : []),
    ...stats.knobs.map(({ name, size }): [string, string] => [name, `${size} entries`]),
  ];
}
