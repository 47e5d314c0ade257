/**
 * The default tuner: a portfolio over one pool of evaluations.
 *
 *   start       one config from the middle of the space; where constraints press on that middle, one that most single changes leave valid
 *               (constraints mostly stand for resources, and it is far from running out of any); a few spread out over the space
 *   surrogate   a Gaussian process over the knobs; the config of the greatest expected improvement is next (Jones et al. 1998; for tuning spaces
 *               Willemsen et al. 2021, BaCO 2023). The model is rotated among views at each fit: times
 *               clipped at different quantiles, lengths expected long or short, so that what one view cannot see another can.
 *               Clipping spends the model on telling good from better; how bad a bad config is, it need not know
 *   trees       once there are enough results for them, every few proposals what boosted trees rank first (trees.ts)
 *   local       every few proposals the best neighbour of the incumbent by a lower confidence bound: greedy local search
 *   genetic     crosses of good configs are among the candidates (candidates.ts)
 *
 * Hidden constraints: a config that failed counts as worse than the clipped times, so the model keeps away from its surroundings. Configs in flight
 * count as believed (posterior.ts), so a batch spreads out by itself. With results in the model's window bounded, a plan's cost is too.
 * A prior, when there is one, has every other of the first proposals (opening.ts).
 * No number here depends on a space's name or size.
 */
import { Random } from "@warpfarm/common";
import type { ConfigIndex } from "@warpfarm/compiler";
import { PriorOpening } from "../opening.ts";
import { Permutation } from "../permutation.ts";
import { type Measured, refusalsPerAsk, type Tuner, type TunerOptions } from "../tuner.ts";
import { Visited } from "../visited.ts";
import { candidates, neighbours } from "./candidates.ts";
import { Metric } from "./metric.ts";
import { Results, type Row } from "./results.ts";
import { defaultViews, Surrogate, type View } from "./surrogate.ts";
import { Trees } from "./trees.ts";

export interface AutoOptions {
  /** Configs asked before the model is. */
  readonly start: number;
  /** Every so many proposals one is a neighbour of the incumbent. */
  readonly localEvery: number;
  /** Draws among which the first config is the one nearest to the middle. */
  readonly middleOf: number;
  /** Draws among which the second, where most of them have more valid neighbours than the first, is the one with the most. */
  readonly freestOf: number;
  /** Draws among which each other of the start is the one farthest from those before. */
  readonly spreadOver: number;
  /** Results from which the trees are asked too, and every so many proposals. */
  readonly treesFrom: number;
  readonly treesEvery: number;
  /** Ways to look at the results, in turn. */
  readonly views: readonly View[];
}
export const autoDefaults: AutoOptions = {
  start: 5,
  localEvery: 6,
  middleOf: 1000,
  freestOf: 200,
  spreadOver: 24,
  treesFrom: 40,
  treesEvery: 4,
  views: defaultViews,
};

/** Times the model needs before it says anything. */
const leastTimed = 3;
/** Rows that a config is compared with when it is to be far from them. */
const mostCompared = 300;

const judged = ({ index, state, value }: Row) => ({ index, speed: state === "timed" ? Math.exp(-value) : 0 });

export function autoTuner(options: TunerOptions, auto: Partial<AutoOptions> = {}): Tuner {
  const settings = { ...autoDefaults, ...auto };
  const { space } = options;
  const random = new Random(options.seed);
  const visited = new Visited(options);
  const unexplored = new Permutation(space.valid.count, random);
  const metric = new Metric(space);
  const results = new Results(metric);
  const surrogate = new Surrogate(metric, results, random, settings.views);
  const trees = new Trees(space, results, random);
  /** Told since the last ask: taken in by config, so that their order says nothing. */
  let inbox: Measured[] = [];
  let turn = 0;
  let treeTurn = 0;
  const opening = options.prior && new PriorOpening(options.prior, space, visited, options.seed);

  /** A random config never visited; undefined after too many refusals. */
  function drawn(): ConfigIndex | undefined {
    for (let refused = 0; unexplored.left > 0 && refused < refusalsPerAsk; refused++) {
      const index = space.toIndex(space.valid.nth(unexplored.next()));
      if (visited.claim(index)) return index;
    }
    return undefined;
  }

  const draws = (count: number) => Array.from({ length: count }, () => space.random(random));

  /** The one worth most of those not visited; undefined when none is left of them. */
  function bestOf(
    among: readonly ConfigIndex[],
    worth: (digits: Int32Array, index: ConfigIndex) => number,
  ): ConfigIndex | undefined {
    let best: ConfigIndex | undefined;
    let most = Number.NEGATIVE_INFINITY;
    for (const index of among) {
      if (visited.has(index)) continue;
      const value = worth(metric.digits(index), index);
      if (value > most) [best, most] = [index, value];
    }
    return best;
  }

  /** Of some draws the one with the most valid neighbours, when `first` has fewer than most of them; else undefined. */
  function freest(first: ConfigIndex): ConfigIndex | undefined {
    if (space.valid.count === space.size) return undefined;
    const freedom = new Map(draws(settings.freestOf).map((index) => [index, neighbours(space, index).length]));
    const own = neighbours(space, first).length;
    const freer = [...freedom.values()].filter((count) => count > own);
    if (2 * freer.length <= freedom.size) return undefined;
    return bestOf([...freedom.keys()], (digits, index) => (freedom.get(index) ?? 0) - metric.fromMiddle(digits) / metric.width);
  }

  /** The middle first, for corners are rarely good; then the freest, if need be; then what is farthest from the rows of late. */
  function started(): ConfigIndex | undefined {
    const rows = results.rows.slice(-mostCompared);
    const fromRows = (digits: Int32Array) =>
      rows.reduce((least, row) => Math.min(least, metric.distance(digits, row.digits)), Number.POSITIVE_INFINITY);
    const [first] = rows;
    const next =
      first === undefined
        ? bestOf(draws(settings.middleOf), (digits) => -metric.fromMiddle(digits))
        : ((rows.length === 1 ? freest(first.index) : undefined) ?? bestOf(draws(settings.spreadOver), fromRows));
    return next !== undefined && visited.claim(next) ? next : drawn();
  }

  const gather = () => candidates(space, visited, results.top(12), random);

  /** What the trees rank first, when it is their turn. */
  function ranked(): ConfigIndex | undefined {
    if (results.known < settings.treesFrom || ++treeTurn % settings.treesEvery !== 0) return undefined;
    for (let refused = 0; refused < refusalsPerAsk; refused++) {
      const next = trees.first(visited, gather);
      if (next === undefined || visited.claim(next)) return next;
    }
    return undefined;
  }

  function modelled(): ConfigIndex | undefined {
    const first = ranked();
    if (first !== undefined) return first;
    surrogate.refresh(gather);
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
    const isStart = results.rows.length + results.dropped < settings.start || results.timed < leastTimed;
    const believed = opening?.next(() => results.rows.filter(({ state }) => state === "timed" || state === "failed").map(judged));
    const next = believed ?? (isStart ? started() : modelled());
    if (next !== undefined) results.asked(next);
    return next;
  }

  return {
    async prepare() {
      await opening?.prepare();
    },
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
