/**
 * `space --stats`: the size of a space and the share that can run; of a recorded space, whose times are known, also the time of
 * searching all of it and the odds of random search. A task's share comes from a seeded sample, or from all of a small space. For
 * a problem file (T1, KTT) there is only its count.
 */
import { basename } from "node:path";
import { badInput, Random, unreadable } from "@warpfarm/common";
import { type ConfigIndex, type ConfigSpace, type Limits, problemSpace } from "@warpfarm/compiler";
import type { Task } from "@warpfarm/templates";
import { cutoff, yardstick } from "../../score/methodology.ts";
import { readRecorded, readUnzipped } from "../../score/read-recorded.ts";
import type { RecordedData } from "../../score/recorded-space.ts";

export interface SpaceStats {
  readonly size: number;
  readonly allowed: number;
  /**
   * The share of configs that can run: for a task by static check of a sample, for a recorded space by its records; null when
   * unknown.
   */
  readonly valid_share: number | null;
  readonly knobs: readonly { readonly name: string; readonly size: number }[];
  /** Hours for all configs one after the other; null without measurements. */
  readonly device_hours: number | null;
  /** By share of the best: the known configs that reach it, and the draws after which random search is expected to hit one. */
  readonly odds: Readonly<Record<string, { readonly configs: number; readonly draws: number | null }>> | null;
  /** The basis of each estimate, in words; only for estimated values. */
  readonly rests_on: Readonly<Partial<Record<"valid_share" | "hours" | "odds", string>>>;
}

const sampled = 400;
const shares = [0.9, 0.95, 0.99];

const unmeasured = { device_hours: null, odds: null };

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

export function taskStats(task: Task, limits: Limits): SpaceStats {
  const { basis, indices } = examined(task.space);
  const share = indices.filter((index) => task.validate(index, limits).length === 0).length / indices.length;
  const error = 2 * Math.sqrt((share * (1 - share)) / indices.length);
  return {
    ...shapeOf(task.space),
    valid_share: share,
    ...unmeasured,
    rests_on: { valid_share: `static check of ${basis}${basis === "all" ? "" : `, +- ${(100 * error).toFixed(1)} %`}` },
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
  const recorded = await readRecorded(path, { warn });
  if (recorded.ok) return recordedStats(recorded.value);
  const text = await readUnzipped(path).catch(cannotRead);
  const document = text.ok ? jsonOrNothing(text.value) : undefined;
  if (typeof document !== "object" || document === null || !("ConfigurationSpace" in document)) throw badInput(recorded.error);
  const problem = problemSpace(document);
  if (!problem.ok) throw badInput(`${basename(path)}: ${problem.error}`);
  return {
    ...shapeOf(problem.value),
    valid_share: null,
    ...unmeasured,
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

/** Name and text, one line each. */
export function statsWords(stats: SpaceStats): (readonly [string, string])[] {
  const { valid_share: share, device_hours: hours, odds: chances, rests_on: basis } = stats;
  const because = (words: string | undefined) => (words === undefined ? "" : ` (${words})`);
  return [
    ["size", String(stats.size)],
    ["allowed by constraints", `${stats.allowed} (${((100 * stats.allowed) / stats.size).toPrecision(3)} %)`],
    ["of them can run", share === null ? "not known" : `${(100 * share).toFixed(1)} %${because(basis.valid_share)}`],
    ...(hours === null ? [] : [["all of it", `${hours.toPrecision(3)} h${because(basis.hours)}`] as [string, string]]),
    ...Object.entries(chances ?? {}).map(([at, { configs, draws }]): [string, string] => [
      `within ${Number(at) * 100} % of the best known`,
      `${configs} configs; random search needs ${draws?.toFixed(0) ?? "-"} draws`,
    ]),
    ...(chances && basis.odds !== undefined ? [["odds rest on", basis.odds] as [string, string]] : []),
    ...stats.knobs.map(({ name, size }): [string, string] => [name, `${size} entries`]),
  ];
}
