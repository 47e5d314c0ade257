import type { Random } from "@warpfarm/common";

/** An estimate and what then happened: atMs, startsInMs, doneInMs, startedMs, doneMs. */
type Told = { readonly [time: string]: number };
export function simulateDay(
  parts: object,
  random: Random,
  day: { readonly principals: number; readonly devices: number; readonly hours: number; readonly everyMs: number },
): {
  readonly told: readonly Told[];
  readonly opened: number;
  readonly runs: number;
  /** Runs on a device that had served another session, or none. */
  readonly moved: number;
  readonly busyShare: number;
};
export function errorsOf(told: readonly Told[], estimate: string, happened: string): readonly number[];
