/** Reads from a task's log: its trials in order, the default schedule, the finalists' verdict. */
import { intervalOf, medianSeconds, type ProgramDigest, type Seconds } from "@warpfarm/common";
import { ofOneKind } from "../best.ts";
import { bestOfLog, kindOfLogged } from "../log/best-of-log.ts";
import type { Log } from "../log/read-log.ts";
import { type LogRecord, secondsOf, type TrialRecord } from "../log/record.ts";
import { resultFromJson, resultSchema } from "../measure-json.ts";
import { type Finalist, type Finals, judgeFinals } from "../paired/finals.ts";
import { finalsOf, finalsOfTask } from "../paired/finals-note.ts";
import { nameOfTask, type PlacedSpec } from "../search-spec.ts";
import { type Entity, nameOfConfig } from "../tuning-record.ts";

export interface ShapeTask {
  readonly id: string;
  readonly search: PlacedSpec;
  readonly label?: string;
  /** The worth of a second saved on the task: count of the shape times weight of the task. */
  readonly weight: number;
  readonly librarySeconds?: number;
}

export interface Landed {
  readonly seconds: number | undefined;
  /** 0 for a result taken from another program. */
  readonly deviceMs: number;
}

export const landedOf = (trial: TrialRecord): Landed => ({
  seconds: secondsOf({ kind: "warpfarm", trial }),
  deviceMs: trial.duplicateOf === undefined ? trial.result.runMs : 0,
});

export interface BestTime {
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
  readonly trials: readonly TrialRecord[];
  readonly landed: readonly Landed[];
  /** In the rounds that judged the best, where it was measured in them. */
  readonly defaultSeconds: Seconds | undefined;
  readonly best: BestTime | undefined;
  readonly deviceSeconds: Seconds;
  readonly timeOf: ReadonlyMap<string, Seconds>;
  readonly failures: number;
  readonly finals: readonly Finals[];
}

export function resultsOf<T extends ShapeTask>(task: T, log: Log | undefined): TaskResults<T> {
  const trials = (log?.records ?? []).flatMap((record) => (record.kind === "warpfarm" ? [record.trial] : []));
  const ofKind = ofOneKind(
    trials.filter(({ result }) => result.kind === "timed"),
    (trial) => kindOfLogged({ kind: "warpfarm", trial }),
  );
  const finals = log === undefined || ofKind[0] === undefined ? [] : finalsOfTask(finalsOf(log.notes), ofKind[0].run);
  const landed = trials.map(landedOf);
  const best = bestTime(ofKind, finals);
  const timeOf = new Map<string, Seconds>();
  for (const trial of trials) {
    const seconds = secondsOf({ kind: "warpfarm", trial });
    const name = nameOfConfig(trial.config.entity);
    if (seconds !== undefined) timeOf.set(name, Math.min(seconds, timeOf.get(name) ?? seconds));
  }
  return {
    task,
    trials,
    landed,
    defaultSeconds: (best?.isJudged ? defaultIn(finals, best.config) : undefined) ?? defaultOf(log?.notes ?? []),
    best,
    deviceSeconds: landed.reduce((sum, { deviceMs }) => sum + deviceMs, 0) / 1000,
    timeOf,
    failures: trials.filter(({ result }) => result.kind === "failed").length,
    finals,
  };
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

/** `matmul_mma [512,4096,4096,"float16","NN"]`, or the shape's own label. */
export const titleOf = ({ search: { task, args }, label }: Pick<ShapeTask, "search" | "label">): string =>
  label ?? `${nameOfTask(task)} ${JSON.stringify(args)}`;
