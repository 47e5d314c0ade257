/**
 * AutoTVM's XGBTuner (docs/reference/autotvm.md 4.5 to 4.8) on trees of our own (boost/): measure a plan, train a cost model on
 * everything measured, anneal over its predictions for the next plan, filter it for diversity, mix in a share of random configs.
 *
 * With nest features a plan has two steps: annealing over the knobs' model drafts several times the plan, and a second model, of
 * the nest features of the drafted and the measured alone, has an equal say in which are taken. So a plan needs some hundred
 * vectors, which threads extract ahead (`prepare`).
 *
 * A prior (transfer.ts) plans half of the first batch, beside random configs, unless the first results contradict it, and then
 * has a share in the score as far as it can be trusted: its rank correlation with what this task's own results say, and less and
 * less as those grow (guard.ts).
 *
 * Differences. A plan is `planSize` configs and a new one is made whenever as many new results are in, whatever is in flight;
 * results come in any order, so a model is trained on rows sorted by config. Failures are rows of label 0. Before the first plan,
 * without a prior, configs are spread over the space (spread.ts), where AutoTVM draws them.
 */
import { Random } from "@warpfarm/common";
import type { ConfigIndex } from "@warpfarm/compiler";
import { ranking } from "../boost/ranking.ts";
import { Drawn } from "../drawn.ts";
import { KnobColumns } from "../features/knob-columns.ts";
import type { Measured, Prior, Tuner, TunerOptions } from "../tuner.ts";
import { Visited } from "../visited.ts";
import { Evidence } from "./evidence.ts";
import { leastTrust, trustIn } from "./guard.ts";
import { Planner, type XgbOptions } from "./planner.ts";
import { Spread } from "./spread.ts";

/**
 * On recorded spaces 5 % of random configs (AutoTVM's) scored worse: at one config in flight such a search stays where it began.
 */
export const xgbDefaults: XgbOptions = {
  planSize: 16,
  exploration: 0.2,
  diversity: 2,
  drafted: 4,
  mostRows: 4000,
  mostNestRows: 1000,
  annealing: {},
  boost: ranking,
  nestBoost: { ...ranking, columnShare: 0.25 },
};

export const xgbTuner = (options: TunerOptions, xgb: Partial<XgbOptions> = {}): Tuner =>
  new XgbTuner(options, { ...xgbDefaults, ...xgb });

/**
 *   without a prior   spread over the space --first results--> plans, and a share of random configs
 *   with a prior      its plan and as many random configs --first results--> plans, and a share of random configs
 *                     its plan is dropped when results contradict it
 */
class XgbTuner implements Tuner {
  readonly #settings: XgbOptions;
  readonly #prior: Prior | undefined;
  readonly #random: Random;
  readonly #visited: Visited;
  readonly #drawn: Drawn;
  readonly #evidence = new Evidence();
  readonly #planner: Planner;
  readonly #start: Spread;
  #plan: Iterator<ConfigIndex> = [].values();

  constructor(options: TunerOptions, settings: XgbOptions) {
    const { space, seed, prior } = options;
    this.#settings = settings;
    this.#prior = prior;
    this.#random = new Random(seed);
    this.#visited = new Visited(options);
    this.#drawn = new Drawn(space, this.#visited, this.#random);
    const columns = new KnobColumns(space);
    this.#start = new Spread(space, columns, this.#random);
    this.#planner = new Planner(options, settings, this.#evidence, columns, (index) => this.#visited.has(index));
  }

  get exhausted(): boolean {
    return this.#visited.left === 0;
  }

  prepare(): Promise<void> {
    return this.#planner.prepare();
  }

  ask(n: number): readonly ConfigIndex[] {
    const proposals: ConfigIndex[] = [];
    while (proposals.length < n && this.#visited.left > 0) {
      const next = this.#next();
      if (next === undefined) break;
      proposals.push(next);
    }
    return proposals;
  }

  tell(pairs: readonly Measured[]): void {
    this.#planner.changed();
    for (const pair of [...pairs].sort((a, b) => a.index - b.index)) {
      this.#visited.add(pair.index);
      this.#evidence.add(pair);
    }
  }

  #next(): ConfigIndex | undefined {
    const prior = this.#prior;
    this.#plan = this.#planner.next()?.values() ?? this.#plan;
    const { isBeginning } = this.#planner;
    if (isBeginning && prior && trustIn(prior, this.#evidence.rows(this.#settings.planSize)) < leastTrust)
      this.#plan = [].values();
    const first = isBeginning && !prior ? this.#start.next((index) => this.#visited.claim(index)) : undefined;
    if (first !== undefined) return first;
    const explores = this.#random.float() < (isBeginning && prior ? 0.5 : this.#settings.exploration);
    return (explores ? undefined : this.#planned()) ?? this.#drawn.next();
  }

  #planned(): ConfigIndex | undefined {
    for (let next = this.#plan.next(); !next.done; next = this.#plan.next())
      if (this.#visited.claim(next.value)) return next.value;
    return undefined;
  }
}
