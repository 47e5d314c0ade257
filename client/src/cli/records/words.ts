/** Records as people read them. */
import { type BestRecord, recordToJson, secondsOfRecord, type TuningRecord } from "@warpfarm/records";
import { countWords } from "../terminal/table.ts";

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

export const bestToJson = ({ device, noise, tied }: BestRecord) => ({
  device: device.key,
  device_name: device.name,
  noise,
  tied: tied.map(({ record, seconds, measurements }) => ({ seconds, measurements, record: recordToJson(record) })),
});

export function bestWords({ device, tied, noise }: BestRecord): string {
  const lines = tied.map(
    ({ record, seconds, measurements }, i) =>
      `  ${i === 0 ? "chosen" : "tied  "} ${microseconds(seconds)} us of ${countWords(measurements, "measurement")}  ${record.program ?? record.id}\n`,
  );
  return `${device.name} (${device.key}): ${countWords(tied.length, "kernel")} within ${(noise * 100).toFixed(1)} %\n${lines.join("")}`;
}
