/**
 * The default tuner: a portfolio over one pool of evaluations.
 *
 *   start       one config from the middle of the space; where constraints press on that middle, one that most single changes
 *               leave valid (constraints mostly stand for resources, and it is far from running out of any); a few spread out
 *               over the space
 *   surrogate   a Gaussian process over the knobs; the config of the greatest expected improvement is next (Jones et al. 1998;
 *               for tuning spaces Willemsen et al. 2021, BaCO 2023). The model is rotated among views at each fit: times clipped
 *               at different quantiles, lengths expected long or short, so that what one view cannot see another can. Clipping
 *               spends the model on telling good from better; how bad a bad config is, it need not know
 *   trees       once there are enough results, one in a few proposals is the config that boosted trees rank first (trees.ts)
 *   local       every few proposals the best neighbour of the incumbent by a lower confidence bound: greedy local search
 *   genetic     crosses of good configs are among the candidates (candidates.ts)
 *
 * Hidden constraints: a config that failed counts as worse than the clipped times, so the model keeps away from its surroundings.
 * Configs in flight count with the time that the model expects (posterior.ts), so a batch spreads out by itself. Guesses on
 * guesses are poor ones: at most half as many are in flight as there are results. The window of
 * results is bounded, and so is the cost of a plan. No number here depends on a space's name or size.
 */
import { Random } from "@warpfarm/common";
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import { Drawn } from "../drawn.ts";
import { type Measured, proposed, refusalsPerAsk, type Tuner, type TunerOptions } from "../tuner.ts";
import { Visited } from "../visited.ts";
import { candidates, neighbours } from "./candidates.ts";
import { Metric } from "./metric.ts";
import { Results } from "./results.ts";
import { Start } from "./start.ts";
import { Surrogate } from "./surrogate.ts";
import { Trees } from "./trees.ts";

/** Evaluations before the model proposes. */
const start = 5;
/** One in this number of proposals is a neighbour of the incumbent. */
const localEvery = 6;
/** Results from which on the trees propose too, and the number of proposals of which one is theirs. */
const treesFrom = 40;
const treesEvery = 4;
const leastRun = 3;
/** In flight while there are few results. */
const fewest = 5;

export const autoTuner = (options: TunerOptions): Tuner => new AutoTuner(options);

class AutoTuner implements Tuner {
  readonly #space: ConfigSpace;
  readonly #random: Random;
  readonly #visited: Visited;
  readonly #drawn: Drawn;
  readonly #results: Results;
  readonly #start: Start;
  readonly #surrogate: Surrogate;
  readonly #trees: Trees;
  /** Results since the last ask. They are processed in the order of configs, so their order of arrival does not matter. */
  #inbox: Measured[] = [];
  #turn = 0;
  #treeTurn = 0;

  constructor(options: TunerOptions) {
    const { space, seed } = options;
    this.#space = space;
    this.#random = new Random(seed);
    this.#visited = new Visited(options);
    this.#drawn = new Drawn(space, this.#visited, this.#random);
    const metric = new Metric(space);
    this.#results = new Results(metric);
    this.#start = new Start(space, metric, this.#visited, this.#random);
    this.#surrogate = new Surrogate(metric, this.#results, this.#random);
    this.#trees = new Trees(space, this.#results, this.#random);
  }

  get exhausted(): boolean {
    return this.#visited.left === 0;
  }

  get mostOutstanding(): number {
    return Math.max(fewest, this.#results.known >> 1);
  }

  ask(n: number): readonly ConfigIndex[] {
    for (const pair of this.#inbox.sort((a, b) => a.index - b.index)) this.#results.told(pair);
    this.#inbox = [];
    return proposed(n, () => (this.#visited.left > 0 ? this.#next() : undefined));
  }

  tell(pairs: readonly Measured[]): void {
    for (const pair of pairs) {
      this.#visited.add(pair.index);
      this.#inbox.push(pair);
    }
  }

  #next(): ConfigIndex | undefined {
    const { rows, dropped, ran } = this.#results;
    const isStart = rows.length + dropped < start || ran < leastRun;
    const next = (isStart ? this.#start.next(rows) : this.#modelled()) ?? this.#drawn.next();
    if (next !== undefined) this.#results.asked(next);
    return next;
  }

  #modelled(): ConfigIndex | undefined {
    const first = this.#ranked();
    if (first !== undefined) return first;
    const surrogate = this.#surrogate;
    surrogate.refresh(this.#gather);
    const { best } = this.#results;
    const local = best !== undefined && ++this.#turn % localEvery === 0;
    const near = local ? new Set(neighbours(this.#space, best.index)) : undefined;
    for (let refused = 0; refused < refusalsPerAsk; refused++) {
      const next = (near && surrogate.mostPromising(near, this.#visited)) ?? surrogate.mostImproving(this.#visited);
      if (next === undefined || this.#visited.claim(next)) return next;
    }
    return undefined;
  }

  #ranked(): ConfigIndex | undefined {
    if (this.#results.known < treesFrom || ++this.#treeTurn % treesEvery !== 0) return undefined;
    for (let refused = 0; refused < refusalsPerAsk; refused++) {
      const next = this.#trees.first(this.#visited, this.#gather);
      if (next === undefined || this.#visited.claim(next)) return next;
    }
    return undefined;
  }

  readonly #gather = () => candidates(this.#space, this.#visited, this.#results.top(12), this.#random);
}
