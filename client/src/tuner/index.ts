/** Tuners by their names on the command line. */
import { autoTuner } from "./auto/auto.ts";
import { gaTuner } from "./ga.ts";
import { gridTuner } from "./grid.ts";
import { randomTuner } from "./random.ts";
import { withRecords } from "./shares/with-records.ts";
import { withStarts } from "./starts.ts";
import type { MakeTuner } from "./tuner.ts";
import { xgbTuner } from "./xgb/xgb.ts";

/** With records a search begins with these; otherwise with the starts that its template names. */
function fromRecords(make: MakeTuner): MakeTuner {
  return (options) => {
    if (options.records) return withRecords(make, options.records)(options);
    return options.starts && options.starts.length > 0 ? withStarts(make, options.starts)(options) : make(options);
  };
}

export const tuners = {
  random: randomTuner,
  grid: gridTuner,
  ga: (options) => gaTuner(options),
  xgb: fromRecords((options) => xgbTuner(options)),
  auto: fromRecords((options) => autoTuner(options)),
} as const satisfies Record<string, MakeTuner>;

export type TunerName = keyof typeof tuners;
/** Tuners that use nest features, and tuners that can begin with records (TunerOptions). */
export const usesFeatures: readonly TunerName[] = ["xgb"];
export const usesRecords: readonly TunerName[] = ["xgb", "auto"];
export const isTunerName = (text: string): text is TunerName => Object.hasOwn(tuners, text);
