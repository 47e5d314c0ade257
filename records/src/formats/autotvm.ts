/** AutoTVM's lines, as log/autotvm-line.ts reads them: 0.2 and 0.1. Lines of 0.2 are written. */
import { decodeLine, writer } from "../log/autotvm-line.ts";
import { wasMeasured } from "../log/best-of-log.ts";
import { recordOfLog } from "../log/from-log.ts";
import { noteIn } from "../log/read-log.ts";
import { autotvmTarget } from "../log/target-text.ts";
import { templateVersionsIn } from "../search-spec.ts";
import type { LineForm } from "./format.ts";

export const autotvm: LineForm = {
  kind: "lines",
  name: "autotvm",
  hasBounds: true,
  lacks({ config, target }) {
    if (config?.index === undefined) return "has no index in a config space";
    return target === "" ? "has no target" : undefined;
  },
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
    const { task, args, config, result, buildMs = 0, runMs = 0, timestampMs } = record;
    const { index = 0, code_hash = null, entity = [] } = config ?? {};
    const [costs, errorNo] = result.kind === "failed" ? [[1e9], result.errorNo] : [result.costs, 0];
    return JSON.stringify({
      input: [autotvmTarget(record.target), task, args, {}],
      config: { index, code_hash, entity },
      result: [costs, errorNo, (buildMs + runMs) / 1000, timestampMs / 1000],
      version: 0.2,
      tvm_version: writer,
    });
  },
};
