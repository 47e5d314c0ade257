/**
 * AutoTVM's XGBTuner (docs/reference/autotvm.md 4.5 to 4.8) on trees of our own (boost/): measure a plan, train a cost model on
 * everything measured, anneal over its predictions for the next plan, filter it for diversity, mix in a share of random configs.
 *
 * Differences. A plan is `planSize` configs and a new one is made whenever as many new results are in, whatever is in flight;
 * results come in any order, so a model is trained on rows sorted by config. Failures are rows of label 0. Before the first plan
 * configs are chosen as those of `auto` (auto/start.ts), where AutoTVM draws them.
 */
import { Random } from "@warpfarm/common";
import type { ConfigIndex } from "@warpfarm/compiler";
import { Metric } from "../auto/metric.ts";
import { Start } from "../auto/start.ts";
import { KnobColumns } from "../boost/knob-columns.ts";
import { ranking } from "../boost/ranking.ts";
import { Drawn } from "../drawn.ts";
import { type Measured, proposed, type Tuner, type TunerOptions } from "../tuner.ts";
import { Visited } from "../visited.ts";
import { Evidence } from "./evidence.ts";
import { Planner, type XgbOptions } from "./planner.ts";

/**
 * On recorded spaces 5 % of random configs (AutoTVM's) scored worse: at one config in flight such a search stays where it began.
 */
const xgbDefaults: XgbOptions = {
  planSize: 16,
  exploration: 0.2,
  diversity: 2,
  mostRows: 4000,
  annealing: {},
  boost: ranking,
};

export const xgbTuner = (options: TunerOptions, xgb: Partial<XgbOptions> = {}): Tuner =>
  new XgbTuner(options, { ...xgbDefaults, ...xgb });

/** spread over the space --first results--> plans, and a share of random configs */
class XgbTuner implements Tuner {
  readonly #settings: XgbOptions;
  readonly #random: Random;
  readonly #visited: Visited;
  readonly #drawn: Drawn;
  readonly #evidence = new Evidence();
  readonly #planner: Planner;
  readonly #start: Start;
  readonly #metric: Metric;
  /** What was proposed before the first plan. */
  readonly #begun: { readonly index: ConfigIndex; readonly digits: Int32Array }[] = [];
  #plan: Iterator<ConfigIndex> = [].values();

  constructor(options: TunerOptions, settings: XgbOptions) {
    const { space, seed } = options;
    this.#settings = settings;
    this.#random = new Random(seed);
    this.#visited = new Visited(options);
    this.#drawn = new Drawn(space, this.#visited, this.#random);
    const columns = new KnobColumns(space);
    this.#metric = new Metric(space);
    this.#start = new Start(space, this.#metric, this.#visited, this.#random);
    this.#planner = new Planner(options, settings, this.#evidence, columns, (index) => this.#visited.has(index));
  }

  get exhausted(): boolean {
    return this.#visited.left === 0;
  }

  ask(n: number): readonly ConfigIndex[] {
    return proposed(n, () => (this.#visited.left > 0 ? this.#next() : undefined));
  }

  tell(pairs: readonly Measured[]): void {
    for (const pair of [...pairs].sort((a, b) => a.index - b.index)) {
      this.#visited.add(pair.index);
      this.#evidence.add(pair);
    }
  }

  #next(): ConfigIndex | undefined {
    this.#plan = this.#planner.next()?.values() ?? this.#plan;
    const first = this.#planner.isBeginning ? this.#start.next(this.#begun) : undefined;
    if (first !== undefined) {
      this.#begun.push({ index: first, digits: this.#metric.digits(first) });
      return first;
    }
    const explores = this.#random.float() < this.#settings.exploration;
    return (explores ? undefined : this.#planned()) ?? this.#drawn.next();
  }

  #planned(): ConfigIndex | undefined {
    for (let next = this.#plan.next(); !next.done; next = this.#plan.next())
      if (this.#visited.claim(next.value)) return next.value;
    return undefined;
  }
}
