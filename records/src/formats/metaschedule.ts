/**
 * MetaSchedule's records, `database_tuning_record.json`: one line each, `[workload, [trace, run_secs, target, args_info]]`, where
 * the trace is `[instructions, decisions]`. The task is known by its number in the file next to it. A failure has the stub 1e10.
 * Only records from MetaSchedule can be written, because our traces are not TVM's.
 */
import type { Json } from "@warpfarm/common";
import { parseJson } from "../json-text.ts";
import { ofTarget } from "../log/target-text.ts";
import { timesAsResult } from "../measured-time.ts";
import type { RecordResult, TuningRecord } from "../tuning-record.ts";
import { foreignOf, type LineForm, listOf, notImported, numberOf } from "./format.ts";

const name = "metaschedule" as const;
const stub = 1e9;

export const metaschedule: LineForm = {
  kind: "lines",
  name,
  lacks: (record) =>
    foreignOf(record, name).workload === undefined || record.trace === undefined
      ? "did not come from MetaSchedule and has no trace of TVM's"
      : undefined,
  reader: () => ({ read: (line) => recordOf(parseJson(line)) }),
  write(record) {
    const { workload, target, args_info: args = null, run_secs: stubs } = foreignOf(record, name);
    const seconds = record.result.kind === "timed" ? record.result.costs : (stubs ?? [1e10]);
    return JSON.stringify([workload ?? null, [record.trace ?? null, seconds, target ?? null, args]]);
  },
};

function recordOf(line: Json): TuningRecord {
  const [workload, body] = listOf(line) ?? [];
  const [trace, seconds, target = null, args = null] = listOf(body as Json) ?? [];
  if (numberOf(workload) === undefined || trace === undefined || !Array.isArray(trace))
    throw new Error("the line is not [workload, [trace, run_secs, target, args_info]]");
  const costs = listOf(seconds as Json) ?? [];
  const isFailure = costs.length > 0 && costs.every((s) => typeof s === "number" && s >= stub);
  const result: RecordResult = isFailure
    ? { kind: "failed", errorNo: 8, rule: "metaschedule.failed", message: "MetaSchedule says no reason" }
    : timesAsResult(costs, 1000);
  const content: Omit<TuningRecord, "id" | "origin"> = {
    task: `workload_${workload}`,
    args: listOf(args) ?? [],
    trace,
    ...ofTarget(target),
    result,
    timestampMs: 0,
    foreign: {
      workload: workload as Json,
      target,
      args_info: args,
      ...(result.kind === "timed" ? {} : { run_secs: seconds ?? null }),
    },
  };
  return { id: notImported, origin: { kind: "imported", by: "", format: name }, ...content };
}
