/** Why a session's inputs wait, and until when: as data, and as one sentence for people. */
import { countWords, spanWords } from "./words.ts";

export interface Waiting {
  readonly holds: readonly Hold[];
  /** Its part of the jobs that run on the devices that it may use, and the part that it is due, from 0 to 1. */
  readonly share: number;
  readonly due: number;
  /** Runs of other sessions before its next one. Absent, like the times: nothing that the farm has now will serve it. */
  readonly before?: number;
  /** Milliseconds until its next waiting input runs, and until all that wait now are done, as estimated. */
  readonly startsInMs?: number;
  readonly doneInMs?: number;
}

export interface Hold {
  /** One of those that admin_service.proto names. */
  readonly kind: string;
  readonly what: string;
}

const percent = (part: number): string => `${Math.round(100 * part)} %`;

export function waitingWords({ holds, share, due, before = 0, startsInMs, doneInMs }: Waiting): string {
  const words = holds.map(({ what }) => what);
  if (startsInMs !== undefined) {
    const first =
      before > 0
        ? `${countWords(before, "run")} of others ${before === 1 ? "begins" : "begin"} before its next, in about`
        : "its next begins in about";
    words.push(`${first} ${spanWords(startsInMs)}`);
    if (doneInMs !== undefined) words.push(`all that wait now are done in about ${spanWords(doneInMs)}`);
  }
  words.push(`it has ${percent(share)} of what runs on its devices and is due ${percent(due)}`);
  return words.join("; ");
}
