import { canonicalJson, type DeviceFacts, defined, type Json, type Rounds } from "@warpfarm/common";
import { type Best, bestOf, conditionWords, type Timed } from "../best.ts";
import { type Finals, failedLast, type TurnsRun } from "../paired/finals.ts";
import { nameOfConfig } from "../tuning-record.ts";
import { type LogRecord, taskOf } from "./record.ts";
import { ofTarget } from "./target-text.ts";

type Known = Timed<LogRecord>;

/** False for a result taken from an equal program of another config. */
export const wasMeasured = ({ kind, trial }: LogRecord): boolean => kind === "autotvm" || trial.duplicateOf === undefined;

/** Undefined for a failure, for a program that ended early, and for a result that was not measured. */
function timedOf(record: LogRecord, at: number): Timed<LogRecord> | undefined {
  const values = nameOfConfig(record.trial.config.entity);
  const of = { of: record, id: String(at).padStart(12, "0"), values };
  if (record.kind === "autotvm") {
    const { costs, errorNo, timestamp } = record.trial;
    return errorNo === 0 && costs.length > 0 ? { ...of, kernel: values, costs, atMs: timestamp * 1000 } : undefined;
  }
  const { result, program } = record.trial;
  if (result.kind !== "timed" || !wasMeasured(record)) return undefined;
  return { ...of, kernel: program ?? values, costs: result.costs, atMs: result.timestampMs };
}

/** What is unusual about the conditions, in words. AutoTVM's records do not tell. */
export function conditionsOfLogged({ kind, trial }: LogRecord): string {
  if (kind === "autotvm") return "";
  const judged = trial.result.kind === "failed" ? undefined : trial.result.judged;
  return conditionWords({ options: trial.options, target: trial.run.target, ...defined({ judged }) });
}

/** The device that measured, the task and the conditions: only results of one kind may be compared. */
export function kindOfLogged(record: LogRecord): string {
  const { task, args } = taskOf(record);
  return canonicalJson([task, args as Json[], ...placeOf(record)]);
}
function placeOf(record: LogRecord): readonly string[] {
  const { kind, trial } = record;
  return [kind === "autotvm" ? trial.targetText : trial.run.target, deviceOf(record), conditionsOfLogged(record)];
}
const nameOf = ({ key, name }: Pick<DeviceFacts, "key" | "name">): string => canonicalJson([key, name]);
function deviceOf({ kind, trial }: LogRecord): string {
  if (kind === "autotvm") return nameOf({ key: "", name: ofTarget(trial.targetText).device.name });
  return nameOf(trial.result.device ?? { key: "", name: "" });
}

/**
 * Expects records of one kind, in the log's order, and the finals of their task on this kind of device, in order. A program that
 * failed in the last interleaved measurement is out. Undefined when nothing was timed.
 */
export function bestOfLog(
  records: readonly LogRecord[],
  finals: readonly Pick<Finals, "finalists" | "runs" | "failed">[],
): Best<LogRecord> | undefined {
  const out = failedLast(finals);
  const timed = records.flatMap((record, at) => timedOf(record, at) ?? []).filter(({ kernel }) => !out.has(kernel));
  const known = new Map(timed.map((each) => [each.kernel, each]));
  const isHere = ({ device }: TurnsRun): boolean => timed[0] !== undefined && deviceOf(timed[0].of) === nameOf(device);
  const inRounds = finals.flatMap(({ finalists, runs }, at) => {
    const there = finalists.flatMap(({ program }, i) => (known.has(program) ? { trial: known.get(program) as Known, i } : []));
    return runs.filter(isHere).flatMap(({ costs }, n) =>
      there.map(({ trial, i }, place): Known => {
        const interleaved = { run: `${at}/${n}`, place: place + 1, of: there.length };
        return { ...trial, costs: costs[i] as Rounds, interleaved, atMs: at };
      }),
    );
  });
  return bestOf([...timed, ...inRounds]);
}
