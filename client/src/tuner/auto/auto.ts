/**
 * The default tuner: a portfolio over one pool of evaluations.
 *
 *   start       one config from the middle of the space, a few spread out over it
 *   surrogate   a Gaussian process over the knobs; the config of the greatest expected improvement is next (Jones et al. 1998; for tuning spaces
 *               Willemsen et al. 2021, BaCO 2023). The model is rotated among views at each fit: times
 *               clipped at different quantiles, lengths expected long or short, so that what one view cannot see another can.
 *               Clipping spends the model on telling good from better; how bad a bad config is, it need not know
 *   local       every few proposals the best neighbour of the incumbent by a lower confidence bound: greedy local search
 *   genetic     crosses of good configs are among the candidates (candidates.ts)
 *
 * Hidden constraints: a config that failed counts as one of the clipped times, so the model keeps away from its surroundings. Configs in flight
 * count as believed (posterior.ts), so a batch spreads out by itself. With results in the model's window bounded, a plan's cost is too.
 * No number here depends on a space's name or size.
 */
import { Random } from "@warpfarm/common";
import type { ConfigIndex } from "@warpfarm/compiler";
import { KnobColumns } from "../knob-columns.ts";
import { Permutation } from "../permutation.ts";
import { type Measured, refusalsPerAsk, type Tuner, type TunerOptions } from "../tuner.ts";
import { Visited } from "../visited.ts";
import { candidates, neighbours } from "./candidates.ts";
import { Results } from "./results.ts";
import { defaultViews, Surrogate, type View } from "./surrogate.ts";

export interface AutoOptions {
  /** Configs spread over the space before the model is asked. */
  readonly start: number;
  /** Every so many proposals one is a neighbour of the incumbent. */
  readonly localEvery: number;
  /** Draws among which the first config is the one nearest to the middle, and each other of the start the one farthest from those before. */
  readonly spreadOver: number;
  /** Ways to look at the results, in turn. */
  readonly views: readonly View[];
}
export const autoDefaults: AutoOptions = { start: 3, localEvery: 4, spreadOver: 24, views: defaultViews };

/** Times the model needs before it says anything. */
const leastTimed = 3;

export function autoTuner(options: TunerOptions, auto: Partial<AutoOptions> = {}): Tuner {
  const settings = { ...autoDefaults, ...auto };
  const { space } = options;
  const random = new Random(options.seed);
  const visited = new Visited(options);
  const unexplored = new Permutation(space.valid.count, random);
  const results = new Results(new KnobColumns(space));
  const surrogate = new Surrogate(space, results, random, settings.views);
  /** Told since the last ask: taken in by config, so that their order says nothing. */
  let inbox: Measured[] = [];
  let turn = 0;

  /** A random config never visited; undefined after too many refusals. */
  function drawn(): ConfigIndex | undefined {
    for (let refused = 0; unexplored.left > 0 && refused < refusalsPerAsk; refused++) {
      const index = space.toIndex(space.valid.nth(unexplored.next()));
      if (visited.claim(index)) return index;
    }
    return undefined;
  }

  /** Of some random configs the one farthest from all rows; the very first is the one nearest to the middle, for corners are rarely good. */
  function spread(): ConfigIndex | undefined {
    const drawnOnes = Array.from({ length: settings.spreadOver }, () => space.random(random)).filter((i) => !visited.has(i));
    const far = results.rows.length === 0 ? surrogate.central(drawnOnes) : surrogate.farthest(drawnOnes);
    return far !== undefined && visited.claim(far) ? far : drawn();
  }

  function modelled(): ConfigIndex | undefined {
    surrogate.refresh(() => candidates(space, visited, results.top(12), random));
    const { best } = results;
    const local = best !== undefined && ++turn % settings.localEvery === 0;
    const near = local ? new Set(neighbours(space, best.index)) : undefined;
    for (let refused = 0; refused < refusalsPerAsk; refused++) {
      const next = (near && surrogate.mostPromising(near, visited)) ?? surrogate.mostImproving(visited);
      if (next === undefined) break;
      if (visited.claim(next)) return next;
    }
    return drawn();
  }

  function propose(): ConfigIndex | undefined {
    const isStart = results.rows.length < settings.start || results.timed < leastTimed;
    const next = isStart ? spread() : modelled();
    if (next !== undefined) results.asked(next);
    return next;
  }

  return {
    get exhausted() {
      return visited.left === 0;
    },
    ask(n) {
      for (const pair of inbox.sort((a, b) => a.index - b.index)) results.told(pair);
      inbox = [];
      const proposals: ConfigIndex[] = [];
      while (proposals.length < n && visited.left > 0) {
        const next = propose();
        if (next === undefined) break;
        proposals.push(next);
      }
      return proposals;
    },
    tell(pairs) {
      for (const pair of pairs) {
        visited.add(pair.index);
        inbox.push(pair);
      }
    },
  };
}
