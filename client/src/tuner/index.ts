/** Tuners by their names on the command line. */
import { autoTuner } from "./auto/auto.ts";
import { gaTuner } from "./ga.ts";
import { gridTuner } from "./grid.ts";
import { randomTuner } from "./random.ts";
import { withRecords } from "./shares/with-records.ts";
import type { MakeTuner } from "./tuner.ts";
import { xgbTuner } from "./xgb/xgb.ts";

export const tuners = {
  random: randomTuner,
  grid: gridTuner,
  ga: (options) => gaTuner(options),
  xgb: (options) => xgbTuner(options),
  auto: (options) => (options.records ? withRecords(autoTuner, options.records)(options) : autoTuner(options)),
} as const satisfies Record<string, MakeTuner>;

export type TunerName = keyof typeof tuners;
/** Tuners that use nest features, and tuners that can begin with a prior (TunerOptions). */
export const usesFeatures: readonly TunerName[] = ["xgb"];
export const usesPrior: readonly TunerName[] = ["xgb", "auto"];
/** Tuners that begin with records of the same space, in place of a prior made from them. */
export const usesRecords: readonly TunerName[] = ["auto"];
export const isTunerName = (text: string): text is TunerName => Object.hasOwn(tuners, text);
