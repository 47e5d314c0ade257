/**
 * The value of other GPUs' records on a GPU that was left out. Of the recorded spaces of one kernel each is the target in turn,
 * with the others as its records. A search is scored by the share of the best time that it found after k measurements. `ranking`
 * is the search without a model: configs by the geometric mean of their share of the best on the others.
 */

import type { ConfigIndex } from "@warpfarm/compiler";
import { shareTable } from "../tuner/shares/share-table.ts";
import { withRecords } from "../tuner/shares/with-records.ts";
import type { MakeTuner, ShareSource } from "../tuner/tuner.ts";
import { yardstick } from "./methodology.ts";
import { openRecorded, type Recorded, type RecordedData } from "./recorded-space.ts";
import { repeatSeeds, replaySearch } from "./replay-search.ts";
import type { ScoreOptions } from "./score.ts";

export const afterMeasurements = [1, 2, 4, 8, 16, 32] as const;

export type TransferScore = ReturnType<typeof transferScore>;

type TransferOptions = Omit<ScoreOptions, "budget">;

/** Spaces of one kernel have the same knobs by name. */
export function familiesOf(all: readonly RecordedData[]): readonly (readonly RecordedData[])[] {
  const families = new Map<string, RecordedData[]>();
  for (const data of all) {
    const key = JSON.stringify(data.knobs.map(({ name }) => name).sort());
    families.set(key, [...(families.get(key) ?? []), data]);
  }
  return [...families.values()];
}

export function transferScore(target: RecordedData, others: readonly RecordedData[], make: MakeTuner, options: TransferOptions) {
  const recorded = openRecorded(target);
  const sources = others.map((other) => sourceOf(recorded, other));
  const yard = yardstick(recorded);
  const budget = afterMeasurements.at(-1) ?? 1;
  const { configs } = shareTable(recorded.space, sources);
  const ranking = curveOf(configs.slice(0, budget), recorded);
  const searches = repeatSeeds(options.seed, options.repeats).map((seed) =>
    replaySearch(recorded, yard, withRecords(make, sources), { seed, budget, inFlight: options.inFlight }),
  );
  return {
    space: target.name,
    sources: others.map(({ name }) => name),
    ranking: sharesOf(ranking, yard.optimum),
    records: meanRows(searches.map(({ best }) => sharesOf(best, yard.optimum))),
  };
}

/** Configs are matched by their values, because two files may list a knob's entries in different orders. */
function sourceOf(target: Recorded, other: RecordedData): ShareSource {
  const from = openRecorded(other).space;
  const rows = Array.from(other.index, (index, position) => {
    const { values } = from.get(from.toIndex(index));
    const found = target.space.indexOf(values);
    const ms = other.time[position] as number;
    return found === undefined ? undefined : { index: found, seconds: Number.isNaN(ms) ? undefined : ms / 1000 };
  });
  return { name: other.name, rows: rows.filter((row) => row !== undefined) };
}

function curveOf(order: readonly ConfigIndex[], recorded: Recorded): Float64Array {
  let best = Infinity;
  return Float64Array.from(order, (index) => {
    const time = recorded.time[recorded.position(index)] as number;
    if (time < best) best = time;
    return best;
  });
}

const sharesOf = (best: Float64Array, optimum: number): number[] =>
  afterMeasurements.map((k) => optimum / (best[Math.min(k, best.length) - 1] ?? Infinity));

const meanRows = (rows: readonly (readonly number[])[]): number[] =>
  afterMeasurements.map((_, i) => rows.reduce((sum, row) => sum + (row[i] as number), 0) / rows.length);

export const means = (scores: readonly TransferScore[], of: "ranking" | "records"): number[] =>
  meanRows(scores.map((score) => score[of]));
export const worsts = (scores: readonly TransferScore[], of: "ranking" | "records"): number[] =>
  afterMeasurements.map((_, i) => Math.min(...scores.map((score) => score[of][i] as number)));
