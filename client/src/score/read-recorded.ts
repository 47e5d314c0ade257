/**
 * Files of recorded spaces: of every form that records are imported from. Kernel Tuner's caches, T4 and KTT's output say what an
 * evaluation cost in all; of other forms it is the build, the run and the times of the record. The time of a config is the one
 * that its form names, as the community's scores take it (Kernel Tuner's is a mean), and of other records their median.
 */
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { canonicalJson, err, FarmError, type Json, medianSeconds, ok, type Result, shortNameOf } from "@warpfarm/common";
import type { Evaluations, TuningRecord } from "@warpfarm/records";
import { textOf } from "@warpfarm/records/logs";
import { collectRecords, type RecordedConfig, type RecordedData } from "./recorded-space.ts";

interface ReadOptions {
  readonly skipBroken?: boolean;
  /** Called about rows without a valid time and skipped lines. */
  readonly warn?: (words: string) => void;
}

/** The file's space, or one sentence. */
export async function readRecorded(path: string, options: ReadOptions = {}): Promise<Result<RecordedData, string>> {
  const { recordedIn } = await import("@warpfarm/records");
  try {
    const { records, evaluations } = await recordedIn(path, options);
    return spaceOf(basename(path), records, evaluations);
  } catch (error) {
    if (error instanceof FarmError && error.code === "INVALID_ARGUMENT") return err(error.message);
    throw error;
  }
}

/** A space is of one task on one kind of device. A record that has a trace and no config is one choice among the traces. */
function spaceOf(name: string, all: readonly TuningRecord[], evaluations?: Evaluations): Result<RecordedData, string> {
  const configs = all.flatMap((record, i) =>
    record.config === undefined && record.trace === undefined ? [] : [configOfRecord(record, evaluations?.rows[i])],
  );
  const kinds = new Map(
    all.map(({ task, args, device }) => {
      const words = `${task} ${JSON.stringify(args)}`;
      return [`${words} ${device?.key} ${device?.name}`, device?.name ? `${words} on ${device.name}` : words];
    }),
  );
  if (kinds.size > 1)
    return err(
      `${name} has records of ${kinds.size} tasks or kinds of device, and a space is of one: ${[...kinds.values()].slice(0, 4).join("; ")}${kinds.size > 4 ? "; ..." : ""}; import it, and export one with records export --task --args --device-name`,
    );
  const listed =
    evaluations?.values &&
    new Map([...evaluations.values].map(([knob, values]) => [knob, values.map((value) => knobValue(value))]));
  const data = collectRecords(name, configs, listed);
  return data.ok && data.value.time.every(Number.isNaN) ? err(`${name} holds no config that ran`) : data;
}

function configOfRecord(
  { config, trace, result, origin, buildMs = 0, runMs = 0 }: TuningRecord,
  evaluation?: Evaluations["rows"][number],
): RecordedConfig {
  const entity = config?.entity ?? [["trace", "ot", shortNameOf(canonicalJson(trace ?? null))] as const];
  const costs = result.kind === "timed" ? result.costs : [];
  const sum = costs.reduce((a, b) => a + b, 0) * 1000;
  const isText = origin.kind === "imported" && ofText.has(origin.format);
  const own = evaluation !== undefined && evaluation.ms > 0 ? evaluation.ms : undefined;
  return {
    values: new Map(entity.map(([knob, , value]) => [knob, knobValue(value, isText)] as const)),
    time: costs.length > 0 ? (own ?? medianSeconds(costs) * 1000) : Number.NaN,
    cost: evaluation?.costMs ?? buildMs + Math.max(runMs, sum),
  };
}

export async function readUnzipped(path: string): Promise<Result<string, string>> {
  const bytes = await readFile(path);
  try {
    return ok(textOf(bytes));
  } catch (error) {
    return err(`${basename(path)} does not unpack: ${(error as Error).message}`);
  }
}

/** Forms that write numbers as text: KTT does, and T4 files of its results do. */
const ofText: ReadonlySet<string> = new Set(["ktt", "t4"]);

/** A list is its JSON. */
function knobValue(value: Json, isText = false): Json {
  if (typeof value === "object") return JSON.stringify(value);
  return isText && typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}
