/** Descriptions of runs and records for the page, derived from records alone. */
import { configWords, defined, shellWord } from "@warpfarm/common";
import { conditionWords, recordToJson, secondsOfRecord, standingText, type TuningRecord } from "@warpfarm/records";
import { type FinalistRank, type Finals, judgeFinals, valuesOf } from "@warpfarm/records/suites";
import {
  type FinalsDetail,
  intervalOf,
  type RecordDetail,
  type RecordSummary,
  type RunDetail,
  type RunState,
  type RunSummary,
} from "../api.ts";
import { isDefaultSchedule, outcomeNoOf, type RunTrials, spreadOf } from "./run-trials.ts";

interface RunFacts {
  readonly id: string;
  readonly state: RunState;
  readonly mine: boolean;
  /** Accepted trials of a session; unset: as many as ended. */
  readonly accepted?: number;
}

export function summaryOf(trials: RunTrials, { id, state, mine, accepted }: RunFacts): RunSummary {
  const { first, last, best } = trials;
  const { template, search, device, origin } = best?.record ?? last ?? first ?? {};
  return {
    id,
    task: first?.task ?? "",
    args: first?.args ?? [],
    ...defined({ template, tuner: search?.tuner, trials: search?.trials }),
    device: device?.key ?? first?.target ?? "",
    deviceName: device?.name ?? "",
    principal: origin?.by ?? "",
    state,
    accepted: accepted ?? trials.counts.trials,
    finished: trials.counts.trials,
    failed: trials.counts.failed,
    ...defined({ best: best?.seconds, bestId: trials.bestId }),
    startedMs: trials.startedMs,
    lastMs: last?.timestampMs ?? 0,
    mine,
  };
}

export function finalsDetail(finals: Pick<Finals, "finalists" | "runs">): FinalsDetail {
  const { ranks, winner, leastRounds, isDecided, tiedWithin } = judgeFinals(finals);
  const rounds = Math.min(...finals.runs.flatMap(({ costs }) => costs.map(({ length }) => length)));
  const wordsOf = ({ at, ratio, isToldApart }: FinalistRank): string => {
    if (at === winner.at) return "the winner";
    if (!isDecided) return `too few rounds for a verdict: at least ${leastRounds}`;
    return isToldApart
      ? `${(100 * (ratio.estimate - 1)).toFixed(2)} % slower`
      : `tied with the winner within ${(100 * tiedWithin).toFixed(2)} %`;
  };
  return {
    rounds,
    ranks: ranks.map((rank) => {
      const { estimate, low, high } = rank.seconds;
      return { config: configWords(valuesOf(rank.config)), seconds: estimate, low, high, words: wordsOf(rank) };
    }),
  };
}

export function detailOf(summary: RunSummary, trials: RunTrials): RunDetail {
  const { first, last } = trials;
  const { space } = first ?? {};
  const { defaultSeconds = defaultOf(first), librarySeconds } = last?.search ?? {};
  return {
    ...summary,
    knobs: trials.knobs,
    ...defined({ bestId: trials.bestId, defaultSeconds, librarySeconds, space }),
    running: [],
  };
}

const defaultOf = (first: TuningRecord | undefined): number | undefined =>
  first && isDefaultSchedule(first) ? secondsOfRecord(first) : undefined;

export function recordSummary(record: TuningRecord): RecordSummary {
  const seconds = secondsOfRecord(record);
  const { id, task, args, device, result, timestampMs } = record;
  return {
    id,
    task,
    args,
    device: device?.key ?? record.target,
    deviceName: device?.name ?? "",
    ...defined({ seconds }),
    ...(result.kind === "slower" ? { atLeast: result.atLeast } : {}),
    errorNo: outcomeNoOf(record),
    ...(result.kind === "failed" && result.rule !== undefined ? { rule: result.rule } : {}),
    timestampMs,
  };
}

export function recordDetail(
  record: TuningRecord,
  others: readonly TuningRecord[],
  stored: Pick<RecordDetail, "program" | "manifest" | "ptx" | "codeFile" | "run"> = {},
): RecordDetail {
  const seconds = secondsOfRecord(record);
  const spread = record.result.kind === "timed" ? spreadOf(record.result.costs) : 0;
  return {
    record: recordToJson(record),
    conditions: conditionWords(record),
    ...defined({ seconds }),
    ...(seconds === undefined || spread === 0 ? {} : { interval: intervalOf(seconds, spread) }),
    ...(record.standing === undefined ? {} : { standing: standingText[record.standing] + (record.why ? `: ${record.why}` : "") }),
    ...stored,
    others: others.filter(({ id }) => id !== record.id).map(recordSummary),
    reproduce: reproduceLine(record),
    ...defined({ take: takeLine(record) }),
  };
}

function reproduceLine({ task, template, args, config, target }: TuningRecord): string {
  const words = ["warpfarm", "measure", template ?? task, "--args", JSON.stringify(args), "--target", target];
  if (config) return [...words, "--index", JSON.stringify(valuesOf(config.entity))].map(shellWord).join(" ");
  return `${words.map(shellWord).join(" ")}   # the record names no config`;
}

function takeLine({ task, template, args, config, target, result }: TuningRecord): string | undefined {
  if (config === undefined || result.kind !== "timed") return undefined;
  const words = ["warpfarm", "export", template ?? task, "--args", JSON.stringify(args), "--target", target];
  return [...words, "--index", JSON.stringify(valuesOf(config.entity)), "-o", "kernel"].map(shellWord).join(" ");
}
