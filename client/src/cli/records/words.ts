/** Records as text. */

import { configWords, countWords } from "@warpfarm/common";
import { type BestRecord, conditionWords, recordToJson, secondsOfRecord, type TuningRecord } from "@warpfarm/records";
import { valuesOf } from "@warpfarm/records/suites";
import { standingWord } from "./standing-words.ts";

const microseconds = (seconds: number | undefined): string => (seconds === undefined ? "" : (seconds * 1e6).toFixed(3));

/** The last three fold: an id is one long word. */
export const head = ["task", "device", "time (us)", "outcome", "origin", "when", "id"];

const originWords = (record: TuningRecord): string => withStanding(record.origin.kind, record);
const withStanding = (words: string, record: TuningRecord): string => {
  const standing = standingWord(record);
  return standing === undefined ? words : `${words} (${standing})`;
};

export function row(record: TuningRecord): string[] {
  const { id, task, args, device, result, timestampMs } = record;
  const outcome = result.kind === "failed" ? `error ${result.errorNo} ${result.rule ?? ""}`.trimEnd() : result.kind;
  const when = new Date(timestampMs).toISOString().slice(0, 19);
  return [
    `${task} ${JSON.stringify(args)}`,
    device?.name ?? "",
    result.kind === "slower" ? `>= ${microseconds(result.atLeast)}` : microseconds(secondsOfRecord(record)),
    outcome,
    originWords(record),
    when,
    id,
  ];
}

export const bestToJson = ({ device, computation, noise, interleaved, tied, record: chosen }: BestRecord) => ({
  device: device.key,
  device_name: device.name,
  computation,
  conditions: conditionWords(chosen),
  noise,
  interleaved,
  tied: tied.map(({ record, seconds, measurements }) => ({ seconds, measurements, record: recordToJson(record) })),
});

const shortDigest = (digest: string): string => digest.slice(0, "sha256:".length + 8);

function madeOf({ config, program, id }: TuningRecord): string {
  const what = config ? configWords(valuesOf(config.entity)) : "without a config";
  return `${what}${program === undefined ? "" : `, program ${shortDigest(program)}`}, record ${id}`;
}

export function bestWords({ device, computation, tied, noise, interleaved, record: chosen }: BestRecord): string {
  const lines = tied.map(
    ({ record, seconds, measurements }, i) =>
      `  ${i === 0 ? "chosen" : "tied  "} ${microseconds(seconds)} us of ${withStanding(countWords(measurements, "measurement"), record)}  ${madeOf(record)}\n`,
  );
  const how =
    interleaved === undefined ? `within ${(noise * 100).toFixed(1)} %` : `by the rounds of ${interleaved} measured interleaved`;
  const of = computation === undefined ? "" : `, computation ${shortDigest(computation)}`;
  const conditions = conditionWords(chosen);
  return `${device.name} (${device.key})${of}${conditions && `, ${conditions}`}: ${countWords(tied.length, "kernel")} ${how}\n${lines.join("")}`;
}
