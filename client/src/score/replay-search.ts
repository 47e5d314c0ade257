/**
 * One seeded search on a recorded space. The tuner is asked and told as in a session, and a lookup replaces the device.
 * `inFlight` configs are outstanding at a time, or fewer where the tuner waits for results, and land in the order asked. The
 * search ends with the budget, when the tuner has nothing left, or at the optimum, after which no evaluation could change the
 * curve.
 */
import { lowEnd, Random, raceLimit } from "@warpfarm/common";
import type { ConfigIndex } from "@warpfarm/compiler";
import type { MakeTuner, Measured } from "../tuner/tuner.ts";
import type { Curve, Yardstick } from "./methodology.ts";
import type { Recorded } from "./recorded-space.ts";

export interface SearchOptions {
  readonly seed: number;
  readonly budget: number;
  readonly inFlight: number;
}

/** `timedFrom`: evaluations before the first that has a time. The curve has the worst time there. */
export function replaySearch(
  recorded: Recorded,
  yard: Yardstick,
  make: MakeTuner,
  options: SearchOptions,
): Curve & { readonly timedFrom: number } {
  const { seed, budget, inFlight } = options;
  const tuner = make({ space: recorded.space, seed, isValid: () => true });
  const best: number[] = [];
  const seconds: number[] = [];
  let flying: ConfigIndex[] = [];
  let incumbent = yard.worst;
  let timedFrom = Number.POSITIVE_INFINITY;
  let clock = 0;
  // Where all times are equal, the first evaluation is at the optimum.
  while (best.length < budget && (best.length === 0 || incumbent > yard.optimum)) {
    const room = Math.min(inFlight, tuner.mostOutstanding ?? inFlight, budget - best.length) - flying.length;
    if (room > 0) flying = flying.concat(tuner.ask(room));
    const landed = flying.shift();
    if (landed === undefined) {
      if (tuner.exhausted) break;
      continue;
    }
    const position = recorded.position(landed);
    const time = recorded.time[position] as number;
    clock += (recorded.cost[position] as number) / 1000;
    const before = best.length > timedFrom ? incumbent : Number.POSITIVE_INFINITY;
    if (!Number.isNaN(time)) timedFrom = Math.min(timedFrom, best.length);
    if (time < incumbent) incumbent = time;
    best.push(incumbent);
    seconds.push(clock);
    tuner.tell([{ index: landed, outcome: outcomeOf(time, before) }]);
  }
  return { best: Float64Array.from(best), seconds: Float64Array.from(seconds), timedFrom };
}

/** As a device's programs race against the best so far. The recorded time stands for each of their repeats. */
function outcomeOf(ms: number, best: number): Measured["outcome"] {
  if (Number.isNaN(ms)) return { kind: "failed" };
  const seconds = ms / 1000;
  const limit = raceLimit(best / 1000);
  for (let repeats = 1; repeats <= repeatsUntilKnown; repeats++) {
    const atLeast = lowEnd(new Array<number>(repeats).fill(seconds));
    if (atLeast > limit) return { kind: "slower", atLeast };
  }
  return { kind: "timed", seconds };
}
/** Of repeats that are all equal. */
const repeatsUntilKnown = 3;

export function repeatSeeds(seed: number, repeats: number): number[] {
  const random = new Random(seed);
  return Array.from({ length: repeats }, () => random.below(2 ** 31));
}
