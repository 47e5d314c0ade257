/**
 * AutoTVM's lines, 0.2 (log/autotvm-line.ts, with or without our own object) and 0.1 (TVM up to 0.6): `{"i": [target, task, args,
 * kwargs, workload, {"i": index, "t": template key, "c": code hash, "e": entity}], "r": [costs, error, all_cost, timestamp],
 * "v": 0.1}`.
 */

import type { Json, MeasureErrorNo } from "@warpfarm/common";
import { defined } from "@warpfarm/common";
import { z } from "zod";
import { decodeLine } from "../log/autotvm-line.ts";
import { recordOfAutotvm, recordOfLog } from "../log/from-log.ts";
import { autotvmTarget } from "../log/target-text.ts";
import type { TuningRecord } from "../tuning-record.ts";
import { bad, type LineForm } from "./format.ts";

const old = z.object({
  i: z.tuple([
    z.string(),
    z.string(),
    z.array(z.json()),
    z.json(),
    z.json(),
    z.object({
      i: z.number().int().nonnegative(),
      t: z.json().optional(),
      c: z.string().nullable(),
      e: z.array(z.tuple([z.string(), z.enum(["sp", "re", "an", "ot"]), z.json()])),
    }),
  ]),
  r: z.tuple([z.array(z.number()), z.number().int().min(0).max(8), z.number(), z.number()]),
  v: z.literal(0.1),
});

const isOld = (line: string): boolean => /"v":\s*0\.1\b/.test(line) && !/"version"/.test(line);

export const autotvm: LineForm = {
  kind: "lines",
  name: "autotvm",
  claims: (line) => line.startsWith("{") && (/"input"\s*:/.test(line) || isOld(line)),
  reader: () => (line) => {
    if (line.startsWith("#")) return undefined;
    if (isOld(line)) return recordOfOld(line);
    const record = decodeLine(line);
    // A failure that was known before was not measured.
    if (record?.kind === "warpfarm" && record.trial.result.attempt === 0) return undefined;
    return record && recordOfLog(record, "");
  },
  write(record) {
    const { target, task, args, config, result } = partsOf(record);
    const { tvm_version: version = "warpfarm 0.1" } = record.foreign ?? {};
    return JSON.stringify({ input: [target, task, args, {}], config, result, version: 0.2, tvm_version: version });
  },
};

export const autotvmOld: LineForm = {
  kind: "lines",
  name: "autotvm-0.1",
  claims: () => false, // read as autotvm
  reader: () => () => undefined,
  write(record) {
    const { target, task, args, config, result } = partsOf(record);
    const { kwargs = {}, workload = null, template_key: key = "direct" } = record.foreign ?? {};
    const { index: i, code_hash: c, entity: e } = config;
    return JSON.stringify({ i: [target, task, args, kwargs, workload, { i, t: key, c, e }], r: result, v: 0.1 });
  },
};

function recordOfOld(line: string): TuningRecord {
  const parsed = old.safeParse(JSON.parse(line));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`${issue?.path.join(".") || "the line"}: ${issue?.message}`);
  }
  const [targetText, task, args, kwargs, workload, { i: index, t, c, e }] = parsed.data.i;
  const [costs, errorNo, allCost, timestamp] = parsed.data.r;
  const more: { [name: string]: Json } = { kwargs, workload, ...defined({ template_key: t }) };
  const config = { index, code_hash: c, entity: e };
  const trial = { task, args, targetText, config, allCost, timestamp, errorNo: errorNo as MeasureErrorNo };
  return recordOfAutotvm({ ...trial, costs, tvmVersion: "0.6 or older" }, "", more);
}

function partsOf(record: TuningRecord) {
  const { id, task, args, config, result, origin, foreign = {}, buildMs = 0, runMs = 0, timestampMs } = record;
  if (config?.index === undefined)
    throw bad(
      `record ${id} has no index in a config space, which AutoTVM's form needs (no verified record of another user has one); choose others with --task, --session or --origin`,
    );
  if (record.target === "" && foreign.target === undefined)
    throw bad(`record ${id} has no target, which AutoTVM's form needs; choose others with --task or --origin`);
  const own = origin.kind === "imported" && origin.format === "autotvm" ? foreign : {};
  return {
    target: own.target ?? autotvmTarget(record.target),
    task,
    args,
    config: { index: config.index, code_hash: config.code_hash, entity: config.entity },
    result: [
      result.kind === "timed" ? result.costs : (own.costs ?? [1e9]),
      result.kind === "timed" ? 0 : result.errorNo,
      own.all_cost ?? (buildMs + runMs) / 1000,
      own.timestamp ?? timestampMs / 1000,
    ],
  };
}
