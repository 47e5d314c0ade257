/**
 * What the device time of searches bought: the share of each task's best over seconds of its devices, and what each source of
 * knowledge brought. A trial's source is where its config was known before: among the starts that the template names, or among
 * the results with which the search began (the log's note of its start). All else the search found itself, also what a model of
 * those results proposed. Logs that a user named with --transfer are not in that note.
 */
import { canonicalJson, countWords, type Json, keyOf } from "@warpfarm/common";
import { z } from "zod";
import { groupBy } from "../group-by.ts";
import type { Log } from "../log/read-log.ts";
import type { TrialRecord } from "../log/record.ts";
import { notesOf } from "../search-spec.ts";
import type { Entity } from "../tuning-record.ts";

/** Ends the name of a source that comes with the package. */
export const shippedSuffix = " (comes with Warpfarm)";

/**
 *   shipped   results that come with Warpfarm        transfer  results of another kind of device, from either
 *   records   the farm's, of this kind of device     starts    configs that the template names
 */
const knowledgeSources = ["shipped", "records", "transfer", "starts", "search"] as const;
export type KnowledgeSource = (typeof knowledgeSources)[number];

const rows = z.array(z.tuple([z.array(z.json()), z.unknown()]));
const note = z.object({
  warm_start: z.array(z.object({ name: z.string(), of: z.object({ target: z.string() }).optional(), rows })),
  starts: z.array(z.array(z.json())),
  knobs: z.array(z.tuple([z.string(), z.string()])),
});

/** Of each trial of a log, in order. */
export function sourcesOf(trials: readonly TrialRecord[], { notes }: Pick<Log, "notes">): readonly KnowledgeSource[] {
  const known = new Map([...groupBy(trials, ({ run }) => run.task).keys()].map((name) => [name, knownIn(notes, trials, name)]));
  return trials.map(({ run, config }) => known.get(run.task)?.(config.entity) ?? "search");
}

function knownIn(notes: readonly unknown[], trials: readonly TrialRecord[], name: string): (entity: Entity) => KnowledgeSource {
  const { data } = note.safeParse(notesOf(notes, { task: { template: name } }).find((each) => note.safeParse(each).success));
  if (!data) return () => "search";
  const own = trials.find(({ run }) => run.task === name)?.run.target ?? "";
  const found = new Map<string, KnowledgeSource>();
  const add = (values: readonly unknown[], source: KnowledgeSource) => {
    const text = canonicalJson(values as Json);
    if (!found.has(text)) found.set(text, source);
  };
  for (const values of data.starts) add(values, "starts");
  for (const { name: title, of, rows: all } of data.warm_start) {
    const isOther = of !== undefined && keyOf(of.target) !== keyOf(own);
    const source = isOther ? "transfer" : title.endsWith(shippedSuffix) ? "shipped" : "records";
    for (const [values] of all) add(values, source);
  }
  const at = (entity: Entity, knob: string): Json => (entity.find(([each]) => each === knob)?.[2] ?? null) as Json;
  return (entity) => found.get(canonicalJson(data.knobs.map(([knob]) => at(entity, knob)))) ?? "search";
}

/** A task's results in order. `deviceMs`: 0 for one that was taken from an equal program. */
export interface Course {
  readonly landed: readonly { readonly seconds: number | undefined; readonly deviceMs: number }[];
  readonly sources: readonly KnowledgeSource[];
}

export interface ShareOver {
  /** Device time of each task. */
  readonly seconds: number;
  /** The best time of all trials over the best by then: the mean of the tasks, and the least. 0 before a task has a time. */
  readonly share: number;
  readonly worst: number;
}

/** At 1, 2 and 5 of each power of ten, up to the device time of the longest task. A task that ended earlier stays at 1. */
export function shareOver(courses: readonly Course[]): readonly ShareOver[] {
  const timed = courses.filter((each) => Number.isFinite(leastOf(each)));
  const longest = Math.max(0, ...timed.map(({ landed }) => landed.reduce((sum, { deviceMs }) => sum + deviceMs, 0))) / 1000;
  const steps = [-2, -1, 0, 1, 2, 3, 4, 5].flatMap((power) => [1, 2, 5].map((n) => n * 10 ** power));
  const last = steps.findIndex((seconds) => seconds >= longest);
  return (timed.length === 0 ? [] : steps.slice(0, last < 0 ? steps.length : last + 1)).map((seconds) => {
    const shares = timed.map((course) => shareAt(course, seconds));
    return { seconds, share: shares.reduce((sum, each) => sum + each, 0) / shares.length, worst: Math.min(...shares) };
  });
}

const leastOf = ({ landed }: Course): number => Math.min(...landed.map(({ seconds = Number.POSITIVE_INFINITY }) => seconds));

function shareAt(course: Course, within: number): number {
  let [ms, best] = [0, Number.POSITIVE_INFINITY];
  for (const { seconds = Number.POSITIVE_INFINITY, deviceMs } of course.landed) {
    ms += deviceMs;
    if (ms / 1000 > within) break;
    best = Math.min(best, seconds);
  }
  return leastOf(course) / best;
}

export interface Brought {
  readonly source: KnowledgeSource;
  readonly trials: number;
  readonly deviceSeconds: number;
  /** Tasks to which it gave a trial with a time, and of them those whose best it found. */
  readonly tasks: number;
  readonly best: number;
  /** The best time of all trials over the best of this source's, in the mean of those tasks. */
  readonly share: number;
}

/** By source; those that brought no trial are left out. */
export function broughtBy(courses: readonly Course[]): readonly Brought[] {
  return knowledgeSources.flatMap((source): Brought[] => {
    const own = courses.map((course) => ({ course, landed: course.landed.filter((_, i) => course.sources[i] === source) }));
    const all = own.flatMap(({ landed }) => landed);
    if (all.length === 0) return [];
    const shares = own.map(({ course, landed }) => leastOf(course) / leastOf({ ...course, landed })).filter((share) => share > 0);
    return [
      {
        source,
        trials: all.length,
        deviceSeconds: all.reduce((sum, { deviceMs }) => sum + deviceMs, 0) / 1000,
        tasks: shares.length,
        best: shares.filter((share) => share === 1).length,
        share: shares.length === 0 ? 0 : shares.reduce((sum, each) => sum + each, 0) / shares.length,
      },
    ];
  });
}

const sourceWords: Readonly<Record<KnowledgeSource, string>> = {
  shipped: "results that come with Warpfarm",
  records: "the farm's records",
  transfer: "results of other devices",
  starts: "the templates' starts",
  search: "the search itself",
};

/** `the templates' starts: 24 trials, 0.951 of the best in 3 tasks; found the best of 1 of 4`. */
export function broughtWords({ source, trials, tasks, best, share }: Brought, of: number): string {
  const reached = tasks === 0 ? "none with a time" : `${share.toFixed(3)} of the best in ${countWords(tasks, "task")}`;
  return `${sourceWords[source]}: ${countWords(trials, "trial")}, ${reached}; found the best of ${best} of ${of}`;
}
