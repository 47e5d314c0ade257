/**
 * Makes plans: configs are annealed over a model of the knobs, then reduced to differing ones. A plan is due whenever there are
 * as many new results as a plan has configs.
 */
import { Random } from "@warpfarm/common";
import type { ConfigIndex } from "@warpfarm/compiler";
import { type BoostModel, type BoostOptions, predict, train } from "../boost/boost.ts";
import type { KnobColumns } from "../boost/knob-columns.ts";
import type { TunerOptions } from "../tuner.ts";
import { Annealer, type AnnealingOptions } from "./annealing.ts";
import { diverse } from "./diverse.ts";
import type { Evidence } from "./evidence.ts";

export interface XgbOptions {
  /** Number of configs of a plan, and of new results after which the next is made. AutoTVM's is 64. */
  readonly planSize: number;
  /** Share of a plan that is drawn at random. AutoTVM's is 0.05. */
  readonly exploration: number;
  /** Candidates that annealing finds for each config of the plan; the diversity filter chooses among them. 1 = no filter. */
  readonly diversity: number;
  /** The most results on which the model is trained: the best, and the latest of the others. */
  readonly mostRows: number;
  readonly boost: BoostOptions;
  readonly annealing: Partial<AnnealingOptions>;
}

export class Planner {
  readonly #o: TunerOptions;
  readonly #settings: XgbOptions;
  readonly #evidence: Evidence;
  readonly #columns: KnobColumns;
  readonly #isDone: (index: ConfigIndex) => boolean;
  readonly #annealer: Annealer;
  #points: Float64Array = new Float64Array(0);
  /** Number of plans that were due at the time of the last one. The next is made when one more is due. */
  #made = 0;

  constructor(
    options: TunerOptions,
    settings: XgbOptions,
    evidence: Evidence,
    columns: KnobColumns,
    isDone: (index: ConfigIndex) => boolean,
  ) {
    this.#o = options;
    this.#settings = settings;
    this.#evidence = evidence;
    this.#columns = columns;
    this.#isDone = isDone;
    this.#annealer = new Annealer(options.space, settings.annealing);
  }

  get isBeginning(): boolean {
    return this.#made === 0;
  }

  /** A new plan, if one is due. There is no model without a valid result, or where no knob has a choice. */
  next(): readonly ConfigIndex[] | undefined {
    const { seed, space } = this.#o;
    const { planSize, diversity } = this.#settings;
    const { best, size } = this.#evidence;
    const due = Math.floor(size / planSize);
    if (due <= this.#made || best === 0 || this.#columns.width === 0) return undefined;
    this.#made = due;
    const own = new Random((Math.imul(seed, 0x9e3779b1) + Math.imul(due + 1, 0x85ebca6b)) | 0);
    const candidates = this.#annealed(own, this.#model(own), Math.ceil(planSize * diversity));
    return diverse(candidates, planSize, (index) => space.digits(index));
  }

  /** The best first. */
  #annealed(own: Random, model: BoostModel, count: number): readonly ConfigIndex[] {
    const score = (of: Float64Array, scores: Float64Array) => scores.set(predict(model, this.#columns.matrix(of)));
    const { best, points } = this.#annealer.run(this.#points, count, own, score, this.#isDone);
    this.#points = points;
    return best;
  }

  #model(own: Random): BoostModel {
    const rows = this.#evidence.rows(this.#settings.mostRows);
    const options = { ...this.#settings.boost, seed: own.below(2 ** 31) };
    return train({ features: this.#columns.matrix(rows.map((r) => r.index)), ...this.#evidence.labels(rows) }, options);
  }
}
