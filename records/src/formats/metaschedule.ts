/**
 * MetaSchedule's records, `database_tuning_record.json`: one line each, `[workload, [trace, run_secs, target, args_info]]`, where
 * the trace is `[instructions, decisions]`. The task is known by its number in the file next to it. A failure has the stub 1e10.
 * Only records from MetaSchedule can be written, because our traces are not TVM's.
 */
import type { Json } from "@warpfarm/common";
import { targetOfAutotvm } from "../log/target-text.ts";
import type { RecordResult, TuningRecord } from "../tuning-record.ts";
import { bad, type Fields, foreignOf, isFields, type LineForm, listOf, notImported, numberOf, type Told } from "./format.ts";

const name = "metaschedule";
const stub = 1e9;

export const metaschedule: LineForm = {
  kind: "lines",
  name,
  claims: (line) => /^\[\s*\d+\s*,\s*\[/.test(line),
  reader: (told) => (line) => recordOf(JSON.parse(line) as Json, told),
  write(record) {
    const { workload, target, args_info: args = null, run_secs: stubs } = foreignOf(record, name);
    if (workload === undefined || record.trace === undefined)
      throw bad(
        `record ${record.id} did not come from MetaSchedule and has no trace of TVM's; choose others with --task or --origin`,
      );
    const seconds = record.result.kind === "timed" ? record.result.costs : (stubs ?? [1e10]);
    return JSON.stringify([workload, [record.trace, seconds, target ?? null, args]]);
  },
};

function recordOf(line: Json, told: Told): TuningRecord {
  const [workload, body] = listOf(line) ?? [];
  const [trace, seconds, target = null, args = null] = listOf(body as Json) ?? [];
  if (numberOf(workload) === undefined || trace === undefined || !Array.isArray(trace))
    throw new Error("the line is not [workload, [trace, run_secs, target, args_info]]");
  const costs = (listOf(seconds as Json) ?? []).flatMap((s) => numberOf(s) ?? []);
  const isTimed = costs.length > 0 && costs.every((s) => s > 0 && s < stub);
  const result: RecordResult = isTimed
    ? { kind: "timed", costs, check: "unknown" }
    : { kind: "failed", errorNo: 8, rule: "metaschedule.failed", message: "MetaSchedule says no reason" };
  const content: Omit<TuningRecord, "id" | "origin"> = {
    task: told.task ?? `workload_${workload}`,
    args: told.args ?? listOf(args) ?? [],
    trace,
    target: targetOf(target) ?? "",
    device: { key: told.device ?? "", name: told.deviceName ?? "" },
    result,
    timestampMs: 0,
    foreign: { workload: workload as Json, target, args_info: args, ...(isTimed ? {} : { run_secs: seconds ?? null }) },
  };
  return { id: notImported, origin: { kind: "imported", by: "", format: name }, ...content };
}

/** The target is text, or an object of TVM's target attributes. */
function targetOf(target: Json): string | undefined {
  if (typeof target === "string") return targetOfAutotvm(target);
  if (!isFields(target)) return undefined;
  const { kind, ...options } = target as Fields;
  const words = Object.entries(options).flatMap(([key, value]) => (typeof value === "object" ? [] : [`-${key}=${value}`]));
  return targetOfAutotvm([String(kind), ...words].join(" "));
}
