/**
 * Lines of Ansor (TVM's auto_scheduler): `{"i": [[workload key, target, ...], [stages, steps]], "r": [costs, error, all_cost,
 * timestamp], "v": "v0.6"}`. The workload key is JSON, `["matmul", 128, 128]` or a digest with numbers. Times, target and steps
 * are read; the steps are TVM's, so no search continues from them and only lines from Ansor can be written.
 */
import { type Json, measureErrorNo } from "@warpfarm/common";
import { parseJson } from "../json-text.ts";
import { ofTarget } from "../log/target-text.ts";
import { timesAsResult, wholeMs } from "../measured-time.ts";
import type { RecordResult, TuningRecord } from "../tuning-record.ts";
import { foreignOf, type LineForm, listOf, notImported, numberOf } from "./format.ts";

const name = "ansor" as const;

export const ansor: LineForm = {
  kind: "lines",
  name,
  lacks: (record) =>
    foreignOf(record, name).task === undefined ? "did not come from Ansor and has no steps of TVM's" : undefined,
  reader: () => ({ read: (line) => recordOf(parseJson(line)) }),
  write(record) {
    const { task = null, result = null, version = null } = foreignOf(record, name);
    return JSON.stringify({ i: [task, record.trace ?? null], r: result, v: version });
  },
};

function recordOf(line: Json): TuningRecord {
  const { i, r, v } = (typeof line === "object" && line !== null ? line : {}) as { readonly [name: string]: Json | undefined };
  const [task, trace] = listOf(i) ?? [];
  const [workload, target] = listOf(task) ?? [];
  const [costs, error, allCost, timestamp] = listOf(r) ?? [];
  if (typeof workload !== "string" || trace === undefined || !Array.isArray(costs) || !isErrorNo(error))
    throw new Error(
      'the line is not {"i": [[workload, target], [stages, steps]], "r": [costs, error, all_cost, timestamp], "v"}',
    );
  const result: RecordResult =
    error === 0 ? timesAsResult(costs, 1000) : { kind: "failed", errorNo: error, message: "Ansor logs no message" };
  return {
    id: notImported,
    origin: { kind: "imported", by: "", format: name },
    ...workloadOf(workload),
    trace,
    ...ofTarget(target ?? ""),
    result,
    runMs: Math.max(0, (numberOf(allCost) ?? 0) * 1000),
    timestampMs: wholeMs((numberOf(timestamp) ?? 0) * 1000),
    foreign: { task: task as Json, result: r as Json, version: v ?? null },
  };
}

const isErrorNo = (value: Json | undefined): value is Exclude<(typeof measureErrorNo)[keyof typeof measureErrorNo], never> =>
  Object.values(measureErrorNo).includes(value as 0);

function workloadOf(key: string): { readonly task: string; readonly args: readonly Json[] } {
  try {
    const [task, ...args] = listOf(JSON.parse(key) as Json) ?? [];
    return typeof task === "string" ? { task: task.slice(0, 400), args } : { task: key.slice(0, 400), args: [] };
  } catch {
    return { task: key.slice(0, 400), args: [] };
  }
}
