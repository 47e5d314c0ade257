/**
 * Chooses the best kernel from records of one computation on one kind of device. A kernel's time is the median of its records'
 * times, so a lucky minimum does not win. Kernels whose times are within the noise of the fastest's are tied. Of tied kernels the
 * one whose name (the digest of the program, or else of the config) sorts first is chosen. So equal records give everybody the
 * same kernel, in whatever order they came, and one more measurement of a tied kernel rarely changes it.
 */
import { canonicalJson, leastLaunchSeconds, medianSeconds, type Seconds, shortNameOf } from "@warpfarm/common";
import { groupBy } from "./group-by.ts";
import type { BestQuery, BestRecord, Contender } from "./store.ts";
import { kernelOf, secondsOfRecord, type TuningRecord } from "./tuning-record.ts";

/**
 * On a quiet GPU two measurements of one kernel differ by `leastNoise`. No spread of repeats makes more than `mostNoise` tied.
 */
export const leastNoise = 0.01;
export const mostNoise = 0.05;

export const tieRule =
  "of kernels whose median time is within the noise of the fastest's, the one whose digest sorts first; noise is half of the " +
  `fastest's spread of repeats, at least ${leastNoise * 100} % and at most ${mostNoise * 100} %`;

/** No launch is shorter. What a program must take on a model is known where its document is, by trackers (leastSeconds). */
export const canBeTrue = (costs: readonly Seconds[]): boolean => costs.every((seconds) => seconds >= leastLaunchSeconds);

/** Whether a record can be the best, on whatever device. */
export function counts(record: TuningRecord, { origin = "measured", l2 = "warm", unchecked = false }: BestQuery): boolean {
  const { result, options } = record;
  if (result.kind !== "timed" || !canBeTrue(result.costs) || (options?.l2 ?? "warm") !== l2) return false;
  if (origin !== "any" && record.origin.kind !== origin) return false;
  return unchecked || record.origin.kind === "imported" || result.check === "passed";
}

/** Names the kind of device. */
export const deviceOf = ({ device }: TuningRecord): string => canonicalJson([device?.key ?? "", device?.name ?? ""]);

/** Names kind of device and computation, in the order of both. */
export const kindOf = (record: TuningRecord): string =>
  `${deviceOf(record)} ${record.computation === undefined ? "" : shortNameOf(record.computation)}`;

/** Expects records of one kind of device and one computation. Undefined when none of them counts. */
export function chooseBest(records: readonly TuningRecord[]): BestRecord | undefined {
  const kernels = groupBy(records, kernelOf);
  const contenders = [...kernels].map(([kernel, all]) => ({ kernel, ...contender(all) }));
  const fastest = contenders.reduce<(typeof contenders)[number] | undefined>(
    (a, b) => (a !== undefined && a.seconds <= b.seconds ? a : b),
    undefined,
  );
  if (!fastest) return undefined;
  const noise = noiseOf(fastest.record);
  const tied = contenders
    .filter(({ seconds }) => seconds <= fastest.seconds * (1 + noise))
    .sort((a, b) => (a.kernel < b.kernel ? -1 : 1))
    .map(({ kernel: _, ...rest }): Contender => rest);
  const [chosen] = tied as [Contender];
  const { computation, device: { key = "", name = "" } = {} } = chosen.record;
  return { ...chosen, device: { key, name }, ...(computation === undefined ? {} : { computation }), noise, tied };
}

function contender(records: readonly TuningRecord[]): Contender {
  const timed = records.map((record) => ({ record, seconds: secondsOfRecord(record) as number }));
  const seconds = medianSeconds(timed.map((t) => t.seconds));
  const nearest = timed.reduce((a, b) => {
    const [da, db] = [Math.abs(a.seconds - seconds), Math.abs(b.seconds - seconds)];
    return da < db || (da === db && a.record.id < b.record.id) ? a : b;
  });
  return { record: nearest.record, seconds, measurements: records.length };
}

function noiseOf({ result }: TuningRecord): number {
  if (result.kind !== "timed") return leastNoise;
  const spread = (Math.max(...result.costs) - Math.min(...result.costs)) / medianSeconds(result.costs);
  return Math.min(mostNoise, Math.max(leastNoise, spread / 2));
}
