/**
 * Makes plans: a draft is annealed over the model of the knobs, then judged by the model of nest features, then reduced to
 * differing configs. A plan is due whenever there are as many new results as a plan has configs.
 */
import { Random } from "@warpfarm/common";
import type { ConfigIndex } from "@warpfarm/compiler";
import { type BoostModel, type BoostOptions, predict, train } from "../boost/boost.ts";
import type { KnobColumns } from "../features/knob-columns.ts";
import type { TunerOptions } from "../tuner.ts";
import { Annealer, type AnnealingOptions, type Ranked } from "./annealing.ts";
import { diverse } from "./diverse.ts";
import type { Evidence, Row } from "./evidence.ts";

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

interface Draft {
  readonly due: number;
  readonly candidates: readonly Ranked[];
  readonly points: Float64Array;
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
    await this.#o.features?.warm([...measured, ...candidates]);
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

  /** The input of a new plan, if one is due. Without a valid result there is no model. */
  #drafted(): Draft | undefined {
    const { seed } = this.#o;
    const { best, size } = this.#evidence;
    const due = Math.floor(size / this.#settings.planSize);
    if (due <= this.#made || best === 0) return undefined;
    if (this.#draft?.due === due) return this.#draft;
    const own = new Random((Math.imul(seed, 0x9e3779b1) + Math.imul(due + 1, 0x85ebca6b)) | 0);
    const rows = this.#evidence.rows(this.#settings.mostRows);
    const model = this.#knobModel(rows, own);
    this.#draft = { due, ...(model ? this.#annealed(own, model) : this.#random(own)) };
    return this.#draft;
  }

  get #count(): number {
    const { planSize, drafted, diversity } = this.#settings;
    return Math.ceil(planSize * (this.#o.features ? drafted : diversity));
  }

  #annealed(own: Random, model: BoostModel): Pick<Draft, "candidates" | "points"> {
    const score = (of: Float64Array, scores: Float64Array) => scores.set(predict(model, this.#columns.matrix(of)));
    const { best, points } = this.#annealer.run(this.#points, this.#count, own, score, this.#isDone);
    return { candidates: best, points };
  }

  #random(own: Random): Pick<Draft, "candidates" | "points"> {
    const draws = Array.from({ length: this.#count }, () => this.#o.space.random(own));
    const drawn = new Set(draws.filter((index) => !this.#isDone(index)));
    return { candidates: Array.from(drawn, (index) => ({ index, score: 0 })), points: this.#points };
  }

  #knobModel(rows: readonly Row[], own: Random): BoostModel | undefined {
    if (this.#columns.width === 0) return undefined;
    const options = { ...this.#settings.boost, seed: own.below(2 ** 31) };
    return train({ features: this.#columns.matrix(rows.map((r) => r.index)), ...this.#evidence.labels(rows) }, options);
  }

  #judged({ candidates, due }: Draft): readonly Ranked[] {
    const { features } = this.#o;
    const indices = candidates.map((c) => c.index);
    const scores = inSpreads(Float64Array.from(candidates, (c) => c.score));
    if (features) {
      const rows = this.#evidence.rows(this.#settings.mostNestRows);
      const labels = this.#evidence.labels(rows);
      const options = { ...this.#settings.nestBoost, seed: due };
      const model = train({ features: features.of(rows.map((r) => r.index)), ...labels }, options);
      inSpreads(predict(model, features.of(indices, model.columns))).forEach((score, i) => {
        scores[i] = (scores[i] as number) + score;
      });
    }
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
