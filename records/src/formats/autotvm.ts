/**
 * AutoTVM's lines, 0.2 and 0.1, as log/autotvm-line.ts reads them: `{"i": [target, task, args, kwargs, workload, {"i": index,
 * "t": template key, "c": code hash, "e": entity}], "r": [costs, error, all_cost, timestamp], "v": 0.1}`.
 */
import { decodeLine } from "../log/autotvm-line.ts";
import { wasMeasured } from "../log/best-of-log.ts";
import { recordOfLog } from "../log/from-log.ts";
import { noteIn } from "../log/read-log.ts";
import { autotvmTarget } from "../log/target-text.ts";
import { templateVersionsIn } from "../search-spec.ts";
import type { TuningRecord } from "../tuning-record.ts";
import type { LineForm } from "./format.ts";

const lacks = ({ config, target, foreign }: TuningRecord): string | undefined => {
  if (config?.index === undefined) return "has no index in a config space";
  return target === "" && foreign?.target === undefined ? "has no target" : undefined;
};

export const autotvm: LineForm = {
  kind: "lines",
  name: "autotvm",
  hasBounds: true,
  lacks,
  reader() {
    let versions = templateVersionsIn([]);
    return {
      note(line) {
        versions = new Map([...versions, ...templateVersionsIn([noteIn(line)])]);
      },
      read(line) {
        const record = decodeLine(line);
        return wasMeasured(record) ? recordOfLog(record, "", versions) : undefined;
      },
    };
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
  hasBounds: true,
  lacks,
  reader: autotvm.reader,
  write(record) {
    const { target, task, args, config, result } = partsOf(record);
    const { kwargs = {}, workload = null, template_key: key = "direct" } = record.foreign ?? {};
    const { index: i, code_hash: c, entity: e } = config;
    return JSON.stringify({ i: [target, task, args, kwargs, workload, { i, t: key, c, e }], r: result, v: 0.1 });
  },
};

function partsOf(record: TuningRecord) {
  const { task, args, config, result, origin, foreign = {}, buildMs = 0, runMs = 0, timestampMs } = record;
  const { index = 0, code_hash = null, entity = [] } = config ?? {};
  const own = origin.kind === "imported" && origin.format === "autotvm" ? foreign : {};
  return {
    target: own.target ?? autotvmTarget(record.target),
    task,
    args,
    config: { index, code_hash, entity },
    result: [
      result.kind === "failed" ? (own.costs ?? [1e9]) : result.costs,
      result.kind === "failed" ? result.errorNo : 0,
      own.all_cost ?? (buildMs + runMs) / 1000,
      own.timestamp ?? timestampMs / 1000,
    ],
  };
}
