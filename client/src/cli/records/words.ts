/** Records as people and spreadsheets read them. */
import { secondsOfRecord, type TuningRecord } from "@warpfarm/records";

const microseconds = (seconds: number | undefined): string => (seconds === undefined ? "" : (seconds * 1e6).toFixed(3));

export const head = ["id", "task", "device", "time (us)", "outcome", "origin", "when"];

export function row(record: TuningRecord): string[] {
  const { id, task, args, device, result, origin, timestampMs } = record;
  const outcome =
    result.kind === "timed" ? "timed" : `error ${result.errorNo}${result.rule === undefined ? "" : ` ${result.rule}`}`;
  const when = new Date(timestampMs).toISOString().slice(0, 19);
  return [
    id,
    `${task} ${JSON.stringify(args)}`,
    device?.name ?? "",
    microseconds(secondsOfRecord(record)),
    outcome,
    origin.kind,
    when,
  ];
}

/** Columns of the CSV. Fields with a comma, quote or line end are quoted, as RFC 4180 says. */
const columns: readonly (readonly [name: string, of: (r: TuningRecord) => unknown])[] = [
  ["id", (r) => r.id],
  ["origin", (r) => r.origin.kind],
  ["by", (r) => r.origin.by],
  ["task", (r) => r.task],
  ["args", (r) => JSON.stringify(r.args)],
  ["config", (r) => (r.config === undefined ? "" : JSON.stringify(r.config))],
  ["program", (r) => r.program],
  ["target", (r) => r.target],
  ["toolchain", (r) => r.toolchain],
  ["device", (r) => r.device?.key],
  ["device_name", (r) => r.device?.name],
  ["driver", (r) => r.device?.driver],
  ["seconds", secondsOfRecord],
  ["costs", (r) => (r.result.kind === "timed" ? JSON.stringify(r.result.costs) : "")],
  ["error_no", (r) => (r.result.kind === "failed" ? r.result.errorNo : 0)],
  ["rule", (r) => (r.result.kind === "failed" ? r.result.rule : "")],
  ["session", (r) => r.session],
  ["timestamp_ms", (r) => r.timestampMs],
];

const quoted = (value: unknown): string => {
  const text = value === undefined ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csvHead = `${columns.map(([name]) => name).join(",")}\n`;
export const csvLine = (record: TuningRecord): string => `${columns.map(([, of]) => quoted(of(record))).join(",")}\n`;
