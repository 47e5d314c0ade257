/** Tuners by their names on the command line. */
import { autoTuner } from "./auto/auto.ts";
import { gaTuner } from "./ga.ts";
import { gridTuner, randomTuner } from "./in-order.ts";
import { withRecords } from "./shares/with-records.ts";
import { withStarts } from "./starts.ts";
import type { MakeTuner } from "./tuner.ts";
import { xgbTuner } from "./xgb/xgb.ts";

/** A search begins with records, and with the starts that its template names. */
function fromRecords(make: MakeTuner): MakeTuner {
  return (options) => {
    const { records, starts = [] } = options;
    const known = records ? withRecords(make, records) : make;
    return starts.length > 0 ? withStarts(known, starts)(options) : known(options);
  };
}

export const tuners = {
  random: randomTuner,
  grid: gridTuner,
  ga: (options) => gaTuner(options),
  xgb: fromRecords((options) => xgbTuner(options)),
  auto: fromRecords(autoTuner),
} as const satisfies Record<string, MakeTuner>;

export type TunerName = keyof typeof tuners;
/** Tuners that can begin with records (TunerOptions). */
export const usesRecords: readonly TunerName[] = ["xgb", "auto"];
export const isTunerName = (text: string): text is TunerName => Object.hasOwn(tuners, text);
