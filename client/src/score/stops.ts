/** Where searches on a recorded space end by `until`, and how near to its optimum they are then. */
import { keptOver, stopReason } from "../tuner/stop-rules.ts";
import type { MakeTuner } from "../tuner/tuner.ts";
import { yardstick } from "./methodology.ts";
import type { Recorded } from "./recorded-space.ts";
import { replaySearch } from "./replay-search.ts";

export interface Stop {
  /** Evaluations at the end; the budget, or the last one, where the rule did not end the search. */
  readonly trials: number;
  readonly byRule: boolean;
  /** The optimum's time over the best one's. */
  readonly share: number;
}

interface StopsOptions {
  readonly seeds: readonly number[];
  readonly budget: number;
  readonly until: readonly number[];
}

/** For each share of `until` one stop for each seed. A search goes on at the optimum, as one that does not know it would. */
export function stops(recorded: Recorded, make: MakeTuner, { seeds, budget, until }: StopsOptions): readonly (readonly Stop[])[] {
  const yard = yardstick(recorded);
  const curves = seeds.map((seed) => {
    const { best, timedFrom } = replaySearch(recorded, yard, make, { seed, budget, inFlight: 1 });
    const last = best[best.length - 1] as number;
    return Float64Array.from({ length: budget }, (_, i) => (i < timedFrom ? Number.POSITIVE_INFINITY : (best[i] ?? last)));
  });
  return until.map((share) =>
    curves.map((bestAfter) => {
      for (let trials = 1; trials <= budget; trials++) {
        const kept = keptOver(bestAfter.subarray(0, trials));
        if (stopReason({ until: share }, { sinceBest: 0, deviceSeconds: 0, wallSeconds: 0, kept }) !== undefined)
          return { trials, byRule: true, share: yard.optimum / (bestAfter[trials - 1] as number) };
      }
      return { trials: budget, byRule: false, share: yard.optimum / (bestAfter[budget - 1] as number) };
    }),
  );
}
