/** Tuners by the name the command line uses. A new tuner is a new file and one line here. */
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
/** Those that look at nest features, and those that can begin with a belief (TunerOptions). */
export const usesFeatures: readonly TunerName[] = ["xgb"];
export const usesPrior: readonly TunerName[] = ["xgb", "auto"];
/** Those that begin with records of the same space, in place of a belief made of them. */
export const usesRecords: readonly TunerName[] = ["auto"];
/** Those that learn of compilers' facts of configs that are built and not measured. */
export const usesFacts: readonly TunerName[] = ["auto"];
export const isTunerName = (text: string): text is TunerName => Object.hasOwn(tuners, text);
