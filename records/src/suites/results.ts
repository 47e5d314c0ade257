/** Reads from a task's log: its trials in order, the default schedule, the finalists' verdict. */
import { intervalOf, type Json, medianSeconds, type ProgramDigest, type Seconds } from "@warpfarm/common";
import { ofOneKind } from "../best.ts";
import { groupBy } from "../group-by.ts";
import { bestOfLog, kindOfLogged } from "../log/best-of-log.ts";
import type { Log } from "../log/read-log.ts";
import { type LogRecord, secondsOf, type TrialRecord } from "../log/record.ts";
import { resultFromJson, resultSchema } from "../measure-json.ts";
import { type Finalist, type Finals, judgeFinals } from "../paired/finals.ts";
import { finalsOf, finalsOfTask } from "../paired/finals-note.ts";
import { nameOfTask, notesOf, type PlacedSpec, searchesIn } from "../search-spec.ts";
import { type Entity, nameOfConfig } from "../tuning-record.ts";
import { type Course, type KnowledgeSource, sourcesOf } from "./course.ts";

/** For broughtBy and shareOver. */
export const courseOf = ({ landed, sources }: Pick<TaskResults, "landed" | "sources">): Course => ({
  landed,
  sources: sources(),
});

export interface ShapeTask {
  readonly id: string;
  readonly search: PlacedSpec;
  readonly label?: string;
  /** The worth of a second saved on the task: count of the shape times weight of the task. */
  readonly weight: number;
  readonly librarySeconds?: number;
  /** What was asked for where that is an operator; `search` is then of the template that won. Absent before one has. */
  readonly operator?: { readonly name: string; readonly args: readonly Json[] };
}

type Titled = Pick<ShapeTask, "label" | "operator"> & { readonly search: Pick<PlacedSpec, "task" | "args"> };

export interface Landed {
  readonly seconds: number | undefined;
  /** 0 for a result taken from another program. */
  readonly deviceMs: number;
}

export const landedOf = (trial: TrialRecord): Landed => ({
  seconds: secondsOf({ kind: "warpfarm", trial }),
  deviceMs: trial.duplicateOf === undefined ? trial.result.runMs : 0,
});

interface BestTime {
  readonly config: Entity;
  readonly seconds: Seconds;
  readonly low: Seconds;
  readonly high: Seconds;
  readonly isJudged: boolean;
  readonly program: ProgramDigest;
  /** Its measurement in the search. */
  readonly trial: TrialRecord;
  /** By rounds, or within the noise where no rounds decide. */
  readonly tied: readonly Finalist[];
}

export interface TaskResults<T extends ShapeTask = ShapeTask> {
  readonly task: T;
  /** The folder of another suite that it comes from, in a report of several. */
  readonly store?: string;
  /** Of an operator those of all its templates. */
  readonly trials: readonly TrialRecord[];
  readonly landed: readonly Landed[];
  /** In the rounds that judged the best, where it was measured in them. */
  readonly defaultSeconds: Seconds | undefined;
  readonly best: BestTime | undefined;
  readonly deviceSeconds: Seconds;
  readonly timeOf: ReadonlyMap<string, Seconds>;
  readonly failures: number;
  readonly finals: readonly Finals[];
  /** Where each trial's config was known before. Reads the notes of the search's start, which may be long. */
  readonly sources: () => readonly KnowledgeSource[];
}

/** The results of an operator are those of the template whose best is fastest; its trials are those of all templates. */
export function resultsOf<T extends ShapeTask>(asked: T, log: Log | undefined): TaskResults<T> {
  const trials = (log?.records ?? []).flatMap((record) => (record.kind === "warpfarm" ? [record.trial] : []));
  const own = "operator" in asked.search.task ? ofLeader(trials) : trials;
  const task = log === undefined || own[0] === undefined ? asked : asTemplate(asked, log, own[0].run);
  const ofKind = ofOneKind(
    own.filter(({ result }) => result.kind === "timed"),
    (trial) => kindOfLogged({ kind: "warpfarm", trial }),
  );
  const finals = log === undefined || ofKind[0] === undefined ? [] : finalsOfTask(finalsOf(log.notes), ofKind[0].run);
  const landed = trials.map(landedOf);
  const best = bestTime(ofKind, finals);
  const timeOf = new Map<string, Seconds>();
  for (const trial of own) {
    const seconds = secondsOf({ kind: "warpfarm", trial });
    const name = nameOfConfig(trial.config.entity);
    if (seconds !== undefined) timeOf.set(name, Math.min(seconds, timeOf.get(name) ?? seconds));
  }
  return {
    task,
    trials,
    landed,
    defaultSeconds:
      (best?.isJudged ? defaultIn(finals, best.config) : undefined) ?? defaultOf(notesOf(log?.notes ?? [], task.search)),
    best,
    deviceSeconds: landed.reduce((sum, { deviceMs }) => sum + deviceMs, 0) / 1000,
    timeOf,
    failures: trials.filter(({ result }) => result.kind === "failed").length,
    finals,
    sources: () => sourcesOf(trials, log ?? { notes: [] }),
  };
}

/** The trials of the template whose best time is least; of all templates before one has a time. */
function ofLeader(trials: readonly TrialRecord[]): readonly TrialRecord[] {
  const bestIn = (of: readonly TrialRecord[]): number =>
    Math.min(...of.map((trial) => secondsOf({ kind: "warpfarm", trial }) ?? Number.POSITIVE_INFINITY));
  const byTemplate = [...groupBy(trials, ({ run }) => run.task).values()];
  return byTemplate.reduce<readonly TrialRecord[]>((a, b) => (a.length > 0 && bestIn(a) <= bestIn(b) ? a : b), []);
}

/** The task of an operator as the search of its template says it in the log. */
function asTemplate<T extends ShapeTask>(asked: T, { notes }: Log, { task: name, args, target }: TrialRecord["run"]): T {
  const { search } = asked;
  if (!("operator" in search.task)) return asked;
  const { task } = searchesIn(notes).find((each) => "template" in each.task && each.task.template === name) ?? {
    task: { template: name },
  };
  const operator = { name: search.task.operator, args: search.args };
  return { ...asked, operator, search: { ...search, task, args: [...args] as Json[], target } };
}

function defaultOf(notes: readonly unknown[]): Seconds | undefined {
  let seconds: Seconds | undefined;
  for (const note of notes) {
    const { success, data } = resultSchema.safeParse((note as { readonly default?: unknown }).default);
    const result = success ? resultFromJson(data) : undefined;
    if (result?.kind === "timed") seconds = medianSeconds(result.costs);
  }
  return seconds;
}

/** In the last rounds that this config won. */
function defaultIn(finals: readonly Finals[], config: Entity): Seconds | undefined {
  const verdicts = finals.filter(({ runs }) => runs.length > 0).map(judgeFinals);
  const won = verdicts.findLast(({ winner }) => nameOfConfig(winner.config) === nameOfConfig(config));
  return won?.default?.seconds.estimate;
}

/** The best of one kind of device by the one rule, with its interval by rounds, or that of its repeats' median. */
function bestTime(trials: readonly TrialRecord[], finals: readonly Finals[]): BestTime | undefined {
  const found = bestOfLog(
    trials.map((trial): LogRecord => ({ kind: "warpfarm", trial })),
    finals,
  );
  if (!found) return undefined;
  const { best, tied, rounds } = found;
  const finalistOf = ({ nearest }: typeof best): Finalist & { readonly trial: TrialRecord } => {
    const { trial } = nearest.of as Extract<LogRecord, { readonly kind: "warpfarm" }>;
    return { trial, config: trial.config.entity, program: trial.program as ProgramDigest };
  };
  const { config, program, trial } = finalistOf(best);
  const {
    estimate: seconds,
    low,
    high,
  } = rounds ? rounds.verdict.winner.seconds : { ...intervalOf(best.nearest.costs, 0.95), estimate: best.seconds };
  const others = tied.slice(1).map((each): Finalist => ({ config: finalistOf(each).config, program: finalistOf(each).program }));
  return { config, program, trial, seconds, low, high, isJudged: rounds !== undefined, tied: others };
}

/**
 * What people call a task: the shape's own label, `matmul_mma [512,4096,4096,"float16","NN"]` or `matmul [...] by matmul_mma`.
 * Its id is the name of a file.
 */
export function titleOf({ search: { task, args }, label, operator }: Titled): string {
  if (label !== undefined) return label;
  const name = nameOfTask(task);
  return operator ? `${operator.name} ${JSON.stringify(operator.args)} by ${name}` : `${name} ${JSON.stringify(args)}`;
}
