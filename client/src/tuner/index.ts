/** Tuners by the name the command line uses. A new tuner is a new file and one line here. */
import { gaTuner } from "./ga.ts";
import { gridTuner } from "./grid.ts";
import { randomTuner } from "./random.ts";
import type { MakeTuner } from "./tuner.ts";

export const tuners = {
  random: randomTuner,
  grid: gridTuner,
  ga: (options) => gaTuner(options),
} as const satisfies Record<string, MakeTuner>;

export type TunerName = keyof typeof tuners;
export const isTunerName = (text: string): text is TunerName => Object.hasOwn(tuners, text);
