/**
 * CLTune's JSON (Tuner::PrintJSON, and that of CLBlast's tuners): `{descriptions..., device, ..., results: [{kernel, time,
 * parameters}]}`. Times are milliseconds, parameters numbers. Failed configs are not in it. Descriptions `arg_*` are the task's
 * arguments, `kernel_family` its name if there is one.
 */
import { badInput, type Json } from "@warpfarm/common";
import type { Fields } from "../json-text.ts";
import { timesAsResult } from "../measured-time.ts";
import type { TuningRecord } from "../tuning-record.ts";
import {
  configOf,
  type DocumentForm,
  foreignOf,
  headOf,
  importedEntry,
  lacksConfig,
  onlyOne,
  remainder,
  restored,
  scalarsOf,
} from "./format.ts";
import { millisecondsOf } from "./kernel-tuner.ts";

const name = "cltune" as const;

export const cltune: DocumentForm = {
  kind: "document",
  name,
  rows: "results",
  lacks: lacksConfig,
  read(document) {
    const { results, ...head } = document as Fields & { results: Fields[] };
    const records = results.map((entry) => recordOf(entry, head));
    const [first, ...rest] = records as [TuningRecord, ...TuningRecord[]];
    const kept = remainder(head, headFrom(first)) as Json;
    return [{ ...first, foreign: { ...first.foreign, head: kept } }, ...rest];
  },
  write(records) {
    const timed = records.filter(({ result }) => result.kind === "timed");
    if (timed.length === 0) throw badInput("CLTune's form has no failures, and no record that passes the filter was timed");
    const first = onlyOne(timed, "CLTune");
    return {
      ...restored(headFrom(first), headOf(timed, name)),
      results: timed.map((record) => restored(entryOf(record), foreignOf(record, name))),
    };
  },
};

function recordOf(entry: Fields, head: Fields): TuningRecord {
  return importedEntry(name, entry, entryOf, {
    task: String(head.kernel_family ?? entry.kernel ?? "kernel"),
    args: argsOf(head),
    config: configOf(Object.entries(entry.parameters as Fields)),
    target: "",
    device: { key: "", name: String(head.device ?? head.clblast_device_name ?? "") },
    result: timesAsResult([entry.time], 1),
    timestampMs: 0,
  });
}

const argsOf = (head: Fields): readonly Json[] =>
  Object.entries(head)
    .filter(([key]) => key.startsWith("arg_"))
    .map(([, value]) => (typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value));

const entryOf = (record: TuningRecord): Fields => ({
  kernel: record.task,
  time: millisecondsOf(record) ?? 0,
  parameters: Object.fromEntries(scalarsOf(record)),
});

const headFrom = ({ task, args, device }: TuningRecord): Fields => ({
  kernel_family: task,
  ...Object.fromEntries(args.map((arg, i) => [`arg_${i}`, typeof arg === "object" ? JSON.stringify(arg) : String(arg)])),
  device: device?.name ?? "",
});
