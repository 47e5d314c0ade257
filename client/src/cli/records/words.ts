/** Records as people read them. */
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
