import type { Random } from "@warpfarm/common";
export interface Told {
  readonly atMs: number;
  readonly startsInMs: number;
  readonly doneInMs: number;
  readonly startedMs: number;
  readonly doneMs: number;
}
export function simulateDay(
  parts: object,
  random: Random,
  day: { readonly principals: number; readonly devices: number; readonly hours: number; readonly everyMs: number },
): { readonly told: readonly Told[]; readonly opened: number };
export function errorsOf(
  told: readonly Told[],
  estimate: "startsInMs" | "doneInMs",
  happened: "startedMs" | "doneMs",
): readonly number[];
