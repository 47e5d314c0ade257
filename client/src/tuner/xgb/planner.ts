/**
 * Makes plans: a draft is annealed over the model of the knobs, then judged by the model of nest features and by the prior, then
 * reduced to differing configs. A plan is due whenever there are as many new results as a plan has configs. A prior makes one
 * before there are any.
 */
import { Random } from "@warpfarm/common";
import type { ConfigIndex, FeatureMatrix } from "@warpfarm/compiler";
import { type BoostModel, type BoostOptions, predict, train } from "../boost/boost.ts";
import type { KnobColumns } from "../features/knob-columns.ts";
import { knobScorer } from "../features/knob-scorer.ts";
import type { Prior, TunerOptions } from "../tuner.ts";
import { Annealer, type AnnealingOptions, type Ranked, type Scorer } from "./annealing.ts";
import { diverse } from "./diverse.ts";
import { type Evidence, knobMatrix, type Row } from "./evidence.ts";
import { shareOf, trustIn } from "./guard.ts";

export interface XgbOptions {
  /** Number of configs of a plan, and of new results after which the next is made. AutoTVM's is 64. */
  readonly planSize: number;
  /** Share of a plan that is drawn at random. AutoTVM's is 0.05. */
  readonly exploration: number;
  /** Candidates that annealing finds for each config of the plan; the diversity filter chooses among them. 1 = no filter. */
  readonly diversity: number;
  readonly drafted: number;
  /**
   * The most results on which a model is trained: the best, and the latest of the others; and for a model of nest features, which
   * have many columns.
   */
  readonly mostRows: number;
  readonly mostNestRows: number;
  readonly boost: BoostOptions;
  readonly nestBoost: BoostOptions;
  readonly annealing: Partial<AnnealingOptions>;
}

interface KnobModel {
  readonly model: BoostModel;
  readonly features: FeatureMatrix;
}
/**
 * A prior's scale from 0 to 1 counts as this many spreads of the model's predictions, because scores of the rank loss have no
 * unit.
 */
const priorSpreads = 5;

interface Draft {
  readonly due: number;
  readonly candidates: readonly Ranked[];
  readonly points: Float64Array;
  readonly priorWeight: number;
}

export class Planner {
  readonly #o: TunerOptions;
  readonly #settings: XgbOptions;
  readonly #evidence: Evidence;
  readonly #columns: KnobColumns;
  readonly #isDone: (index: ConfigIndex) => boolean;
  readonly #annealer: Annealer;
  #points: Float64Array = new Float64Array(0);
  /**
   * Number of plans that were due at the time of the last one, -1 before any with a prior. The next is made when one more is due.
   */
  #made: number;
  #draft: Draft | undefined;

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
    this.#made = options.prior ? -1 : 0;
  }

  get isBeginning(): boolean {
    return this.#made === 0;
  }

  /** Drops an earlier draft because results arrived. */
  changed(): void {
    this.#draft = undefined;
  }

  async prepare(): Promise<void> {
    const draft = this.#drafted();
    if (!draft) return;
    const candidates = draft.candidates.map((c) => c.index);
    const measured = this.#evidence.rows(this.#settings.mostNestRows).map((r) => r.index);
    await Promise.all([this.#o.features?.warm([...measured, ...candidates]), this.#o.prior?.warm(candidates)]);
  }

  next(): readonly ConfigIndex[] | undefined {
    const draft = this.#drafted();
    if (!draft) return undefined;
    this.#made = draft.due;
    this.#points = draft.points;
    const { planSize, diversity } = this.#settings;
    const count = Math.ceil(planSize * diversity);
    return diverse(this.#judged(draft).slice(0, count), planSize, (index) => this.#o.space.digits(index));
  }

  /** The input of a new plan, if one is due. Without a valid result and a prior there is no model. */
  #drafted(): Draft | undefined {
    const { prior, seed } = this.#o;
    const { best, size } = this.#evidence;
    const due = Math.floor(size / this.#settings.planSize);
    if (due <= this.#made || (best === 0 && !prior)) return undefined;
    if (this.#draft?.due === due) return this.#draft;
    const own = new Random((Math.imul(seed, 0x9e3779b1) + Math.imul(due + 1, 0x85ebca6b)) | 0);
    const rows = this.#evidence.rows(this.#settings.mostRows);
    const priorWeight = prior ? trustIn(prior, rows) * shareOf(size) : 0;
    if (best === 0 && priorWeight === 0) return undefined;
    const model = best > 0 ? this.#knobModel(rows, own) : undefined;
    const cheap = prior?.isCheap && priorWeight > 0 ? prior : undefined;
    const found = model || cheap ? this.#annealed(own, this.#scorer(model, cheap, priorWeight)) : this.#random(own);
    this.#draft = { due, ...found, priorWeight };
    return this.#draft;
  }

  get #count(): number {
    const { features, prior } = this.#o;
    const { planSize, drafted, diversity } = this.#settings;
    return Math.ceil(planSize * (features || (prior && !prior.isCheap) ? drafted : diversity));
  }

  #annealed(own: Random, scorer: Scorer): Pick<Draft, "candidates" | "points"> {
    const { best, points } = this.#annealer.run(this.#points, this.#count, own, scorer, this.#isDone);
    return { candidates: best, points };
  }

  #random(own: Random): Pick<Draft, "candidates" | "points"> {
    const draws = Array.from({ length: this.#count }, () => this.#o.space.random(own));
    const drawn = new Set(draws.filter((index) => !this.#isDone(index)));
    return { candidates: Array.from(drawn, (index) => ({ index, score: 0 })), points: this.#points };
  }

  #knobModel(rows: readonly Row[], own: Random): KnobModel | undefined {
    if (this.#columns.width === 0) return undefined;
    const features = knobMatrix(this.#columns, rows);
    const options = { ...this.#settings.boost, seed: own.below(2 ** 31) };
    return { model: train({ features, labels: this.#evidence.labels(rows) }, options), features };
  }

  #scorer(model: KnobModel | undefined, cheap: Prior | undefined, weight: number): Scorer {
    const own = model && knobScorer(model.model, this.#columns);
    const share = weight * (cheap && model ? priorSpreads * spreadOf(predict(model.model, model.features)) : 1);
    return (asked, scores) => {
      if (own) own(asked, scores);
      else scores.fill(0);
      cheap?.score([...asked] as ConfigIndex[]).forEach((score, i) => {
        scores[i] = (scores[i] as number) + share * score;
      });
    };
  }

  #judged({ candidates, priorWeight, due }: Draft): readonly Ranked[] {
    const { features, prior } = this.#o;
    const indices = candidates.map((c) => c.index);
    const scores = inSpreads(Float64Array.from(candidates, (c) => c.score));
    const add = (more: Float64Array, weight: number) =>
      inSpreads(more).forEach((score, i) => {
        scores[i] = (scores[i] as number) + weight * score;
      });
    if (features && this.#evidence.best > 0) {
      const rows = this.#evidence.rows(this.#settings.mostNestRows);
      const labels = this.#evidence.labels(rows);
      const options = { ...this.#settings.nestBoost, seed: due };
      const model = train({ features: features.of(rows.map((r) => r.index)), labels }, options);
      add(predict(model, features.of(indices, model.columns)), 1);
    }
    if (prior && !prior.isCheap && priorWeight > 0) add(prior.score(indices), priorWeight);
    return indices
      .map((index, i) => ({ index, score: scores[i] as number }))
      .sort((a, b) => b.score - a.score || a.index - b.index);
  }
}

function spreadOf(values: Float64Array): number {
  const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
  return Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length);
}

/** Scores of different models in units of their spread, so they can be added. */
function inSpreads(scores: Float64Array): Float64Array {
  const spread = spreadOf(scores) || 1;
  return scores.map((score) => score / spread);
}
