import { canonicalJson, defined, digestOf, type MeasureResult } from "@warpfarm/common";
import { importedRecord } from "../imported.ts";
import { noTime as noTimeResult, wholeMs } from "../measured-time.ts";
import type { RecordedFinals } from "../paired/finals-note.ts";
import type { RecordDevice, RecordOrigin, RecordResult, TuningRecord } from "../tuning-record.ts";
import { encodeTrial } from "./autotvm-line.ts";
import type { AutotvmRecord, LogRecord, TrialRecord } from "./record.ts";
import { ofTarget } from "./target-text.ts";

/**
 * A line of Warpfarm counts as measured by the log's writer, a line of AutoTVM as imported. `by`: who brings it. `versions`:
 * those of templates, as the log's searches say them.
 */
export const recordOfLog = (record: LogRecord, by: string, versions: TemplateVersions = new Map()): TuningRecord =>
  record.kind === "warpfarm" ? recordOfTrial(record.trial, by, versions) : recordOfAutotvm(record.trial, by);
type TemplateVersions = ReadonlyMap<string, string>;

export function recordOfTrial(trial: TrialRecord, by: string, versions: TemplateVersions = new Map()): TuningRecord {
  const { run, result, config, options, sequence, told, session, program } = trial;
  return {
    id: `log/${digestOf(encodeTrial(trial))}`,
    origin: { kind: "measured", by },
    task: run.task,
    args: run.args,
    search: { tuner: run.tuner, seed: run.seed, sequence, told },
    config,
    ...defined({ program, templateVersion: versions.get(run.task) }),
    target: run.target,
    options,
    session,
    ...measuredFields(result),
  };
}

/** The rounds of finalists: a record of each in each run. */
export function recordsOfFinals({ task, args, target, finals }: RecordedFinals, timestampMs: number, by: string): TuningRecord[] {
  const { finalists, runs, options } = finals;
  return runs.flatMap(({ device, costs }) => {
    const run = `log/${digestOf(canonicalJson([task, args, target, finalists.map(({ program }) => program), costs]))}`;
    return finalists.map(
      ({ program }, i): TuningRecord => ({
        id: `${run}/${i + 1}`,
        origin: { kind: "measured", by },
        ...{ task, args, target, program, device, options, timestampMs },
        result: { kind: "timed", costs: costs[i] ?? [], checked: options.check === "reference" },
        interleaved: { run, place: i + 1, of: finalists.length },
      }),
    );
  });
}

type MeasuredFields = Pick<
  TuningRecord,
  | "artifact"
  | "toolchain"
  | "device"
  | "observations"
  | "judged"
  | "result"
  | "buildMs"
  | "runMs"
  | "busyMs"
  | "lease"
  | "attempt"
  | "timestampMs"
>;

export function measuredFields(r: MeasureResult): MeasuredFields {
  return {
    ...(r.kind !== "failed" ? { artifact: r.artifact, observations: r.observations, ...defined({ judged: r.judged }) } : {}),
    ...(r.device === undefined ? {} : { device: r.device satisfies RecordDevice }),
    result: resultOf(r),
    // 0: nothing was compiled, mostly because a builder had the code already.
    ...(r.buildMs > 0 ? { buildMs: r.buildMs } : {}),
    runMs: r.runMs,
    ...defined({ busyMs: r.busyMs, lease: r.lease, toolchain: r.toolchain }),
    attempt: r.attempt,
    timestampMs: Math.floor(r.timestampMs), // a clock may be finer; records are of milliseconds
  };
}

function resultOf(r: MeasureResult): RecordResult {
  if (r.kind === "failed") return { kind: "failed", errorNo: r.errorNo, ...defined({ rule: r.rule }), message: r.message };
  const { costs, number, checked } = r;
  return r.kind === "timed"
    ? { kind: "timed", costs, number, checked }
    : { kind: "slower", atLeast: r.atLeast, costs, number, checked };
}

function recordOfAutotvm(line: AutotvmRecord, by: string): TuningRecord {
  const { task, args, targetText, config, costs, errorNo, noTime, allCost, timestamp, tvmVersion, more } = line;
  const origin: RecordOrigin = { kind: "imported", by, format: "autotvm" };
  const content: Omit<TuningRecord, "id" | "origin"> = {
    task,
    args,
    config,
    ...ofTarget(targetText),
    result:
      errorNo === 0
        ? { kind: "timed", costs }
        : noTime === undefined
          ? { kind: "failed", errorNo, message: "AutoTVM logs no message" }
          : noTimeResult(noTime),
    runMs: allCost * 1000,
    timestampMs: wholeMs(Math.round(timestamp * 1000)),
    foreign: {
      target: targetText,
      tvm_version: tvmVersion,
      timestamp,
      ...((allCost * 1000) / 1000 === allCost ? {} : { all_cost: allCost }),
      ...more,
    },
  };
  return importedRecord({ id: "", origin, ...content }, by);
}
