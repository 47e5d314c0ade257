/**
 * AutoTVM's XGBTuner (autotvm.md §4.5 to 4.8) on trees of our own (boost/): measure a plan, train a cost model on everything measured, anneal over its
 * predictions for the next plan, filter it for diversity, mix in a share of random configs.
 *
 * With nest features a plan has two steps: annealing over the knobs' model drafts several times the plan, and a second model, of the nest features of the
 * drafted and the measured alone, has an equal say in which are taken. So a plan needs some hundred vectors where AutoTVM's annealing over them needs ten
 * thousands, and their extraction can be done ahead, in threads (`prepare`).
 *
 * A prior (transfer.ts) plans half of the first batch, beside random configs, unless the first results belie it, and then has a share in the score as far as it can be trusted: its rank
 * correlation with what this task's own results say, and less and less as those grow (guard.ts).
 *
 * Differences. A plan is `planSize` configs and a new one is made whenever as many new results are in, whatever is in flight; results come in any
 * order, so a model is trained on rows sorted by config. Failures are rows of label 0. Before the first plan, without a prior, configs are spread over the
 * space (spread.ts), where AutoTVM draws them.
 */
import { Random } from "@warpfarm/common";
import type { ConfigIndex, FeatureMatrix } from "@warpfarm/compiler";
import { type BoostModel, type BoostOptions, predict, train } from "../boost/boost.ts";
import { ranking } from "../boost/ranking.ts";
import { KnobColumns } from "../features/knob-columns.ts";
import { knobScorer } from "../features/knob-scorer.ts";
import { Permutation } from "../permutation.ts";
import { refusalsPerAsk, type Tuner, type TunerOptions } from "../tuner.ts";
import { Visited } from "../visited.ts";
import { Annealer, type AnnealingOptions, type Ranked, type Scorer } from "./annealing.ts";
import { diverse } from "./diverse.ts";
import { leastTrust, shareOf, trustIn } from "./guard.ts";
import { Spread } from "./spread.ts";

export interface XgbOptions {
  /** Configs of a plan, and new results after which the next is made. AutoTVM's is 64. */
  readonly planSize: number;
  /** Of a plan, the share drawn at random instead. AutoTVM's is 0.05. */
  readonly exploration: number;
  /** Candidates that annealing finds for each config of the plan; the diversity filter chooses among them. 1 = no filter. */
  readonly diversity: number;
  /** The same with nest features: what their model judges. */
  readonly drafted: number;
  /** Most results a model is trained on: the best, and the latest of the others; and a model of nest features, which are many columns. */
  readonly mostRows: number;
  readonly mostNestRows: number;
  readonly boost: BoostOptions;
  readonly nestBoost: BoostOptions;
  readonly annealing: Partial<AnnealingOptions>;
}

/** On recorded spaces 5 % of random configs (AutoTVM's) scored worse: at one config in flight such a search stays where it began. */
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

interface Row {
  readonly index: ConfigIndex;
  /** Runs a second; 0 for a failure. */
  readonly speed: number;
}

interface KnobModel {
  readonly model: BoostModel;
  /** What it was trained on. */
  readonly features: FeatureMatrix;
}
/** A prior's scale from 0 to 1 counts as so many spreads of the model's predictions: scores of the rank loss have no unit of their own. */
const priorSpreads = 5;

/** A plan begun: what `ask` turns into one, and `prepare` gets vectors for. A function of the results told and of how many plans there were. */
interface Draft {
  readonly due: number;
  readonly candidates: readonly Ranked[];
  /** Where the annealing's chains stand after it. */
  readonly points: Float64Array;
  /** Weight of the prior's scores against predicted labels. */
  readonly priorWeight: number;
}

export function xgbTuner(options: TunerOptions, xgb: Partial<XgbOptions> = {}): Tuner {
  const settings = { ...xgbDefaults, ...xgb };
  const { space, features, prior } = options;
  const { planSize } = settings;
  const random = new Random(options.seed);
  const visited = new Visited(options);
  const unexplored = new Permutation(space.valid.count, random);
  const annealer = new Annealer(space, settings.annealing);
  const columns = new KnobColumns(space);
  const start = new Spread(space, columns, random);
  const rows = new Map<ConfigIndex, number>();
  let plan: Iterator<ConfigIndex> = [].values();
  let points: Float64Array = new Float64Array(0);
  /** Results that the last plan had: a prior plans before there are any. */
  let plans = prior ? -1 : 0;
  let best = 0;
  let draft: Draft | undefined;

  const isDone = (index: ConfigIndex): boolean => visited.has(index);
  const sortedRows = (most: number): readonly Row[] => trainingRows(rows, most);

  /** What a new plan would be made of, if one is due. With nothing valid and no prior there is no model. */
  function drafted(): Draft | undefined {
    const due = Math.floor(rows.size / planSize);
    if (due <= plans || (best === 0 && !prior)) return undefined;
    if (draft?.due === due) return draft;
    const own = new Random((Math.imul(options.seed, 0x9e3779b1) + Math.imul(due + 1, 0x85ebca6b)) | 0);
    const chosen = sortedRows(settings.mostRows);
    const trust = prior ? trustIn(prior, chosen) : 0;
    const priorWeight = prior ? trust * shareOf(rows.size) : 0;
    if (best === 0 && priorWeight === 0) return undefined;
    const count = Math.ceil(planSize * (features || (prior && !prior.isCheap) ? settings.drafted : settings.diversity));
    const model = best > 0 ? knobModel(chosen, own) : undefined;
    const cheap = prior?.isCheap && priorWeight > 0 ? prior : undefined;
    if (model || cheap) {
      const annealed = annealer.run(points, count, own, scorer(model, cheap, priorWeight), isDone);
      draft = { due, candidates: annealed.best, points: annealed.points, priorWeight };
    } else {
      const drawn = new Set(Array.from({ length: count }, () => space.random(own)).filter((index) => !isDone(index)));
      draft = { due, candidates: Array.from(drawn, (index) => ({ index, score: 0 })), points, priorWeight };
    }
    return draft;
  }

  function knobModel(chosen: readonly Row[], own: Random): KnobModel | undefined {
    if (columns.width === 0) return undefined;
    const features = knobMatrix(columns, chosen);
    const labels = chosen.map((r) => r.speed / best);
    return { model: train({ features, labels }, { ...settings.boost, seed: own.below(2 ** 31) }), features };
  }

  /** The model's prediction plus the prior's share. */
  function scorer(model: KnobModel | undefined, cheap: TunerOptions["prior"], weight: number): Scorer {
    const own = model && knobScorer(model.model, columns);
    const share = weight * (cheap && model ? priorSpreads * spreadOf(predict(model.model, model.features)) : 1);
    return (asked, scores) => {
      if (own) own(asked, scores);
      else scores.fill(0);
      cheap?.score([...asked] as ConfigIndex[]).forEach((score, i) => {
        scores[i] = (scores[i] as number) + share * score;
      });
    };
  }

  /** The nest model's say, and that of a prior which annealing could not ask. */
  function judged({ candidates, priorWeight, due }: Draft): readonly Ranked[] {
    const indices = candidates.map((c) => c.index);
    const scores = inSpreads(Float64Array.from(candidates, (c) => c.score));
    const add = (more: Float64Array, weight: number) =>
      inSpreads(more).forEach((score, i) => {
        scores[i] = (scores[i] as number) + weight * score;
      });
    if (features && best > 0) {
      const chosen = sortedRows(settings.mostNestRows);
      const labels = chosen.map((r) => r.speed / best);
      const model = train({ features: features.of(chosen.map((r) => r.index)), labels }, { ...settings.nestBoost, seed: due });
      add(predict(model, features.of(indices, model.columns)), 1);
    }
    if (prior && !prior.isCheap && priorWeight > 0) add(prior.score(indices), priorWeight);
    return indices
      .map((index, i) => ({ index, score: scores[i] as number }))
      .sort((a, b) => b.score - a.score || a.index - b.index);
  }

  function replan(): void {
    const next = drafted();
    if (!next) return;
    plans = next.due;
    points = next.points;
    const count = Math.ceil(planSize * settings.diversity);
    plan = diverse(judged(next).slice(0, count), planSize, (index) => space.digits(index)).values();
  }

  function drawn(): ConfigIndex | undefined {
    for (let refused = 0; unexplored.left > 0 && refused < refusalsPerAsk; refused++) {
      const index = space.toIndex(space.valid.nth(unexplored.next()));
      if (visited.claim(index)) return index;
    }
    return undefined;
  }

  function planned(): ConfigIndex | undefined {
    for (let next = plan.next(); !next.done; next = plan.next()) if (visited.claim(next.value)) return next.value;
    return undefined;
  }

  return {
    get exhausted() {
      return visited.left === 0;
    },
    async prepare() {
      const next = drafted();
      if (!next) return;
      const candidates = next.candidates.map((c) => c.index);
      const measured = sortedRows(settings.mostNestRows).map((r) => r.index);
      await Promise.all([features?.warm([...measured, ...candidates]), prior?.warm(candidates)]);
    },
    ask(n) {
      const proposals: ConfigIndex[] = [];
      while (proposals.length < n && visited.left > 0) {
        replan();
        if (plans === 0 && prior && trustIn(prior, sortedRows(planSize)) < leastTrust) plan = [].values();
        const first = plans === 0 && !prior ? start.next((index) => visited.claim(index)) : undefined;
        if (first !== undefined) {
          proposals.push(first);
          continue;
        }
        const explore = random.float() < (plans === 0 && prior ? 0.5 : settings.exploration);
        const next = (explore ? undefined : planned()) ?? drawn();
        if (next === undefined) break;
        proposals.push(next);
      }
      return proposals;
    },
    tell(pairs) {
      draft = undefined;
      for (const { index, outcome } of [...pairs].sort((a, b) => a.index - b.index)) {
        visited.add(index);
        if (outcome.kind === "skipped") continue;
        const speed = outcome.kind === "timed" ? 1 / outcome.seconds : 0;
        best = Math.max(best, speed);
        rows.set(index, speed);
      }
    },
  };
}

/** Standard deviation. */
function spreadOf(values: Float64Array): number {
  const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
  return Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length);
}

/** Scores of different models, made fit to be added: in units of their spread. */
function inSpreads(scores: Float64Array): Float64Array {
  const spread = spreadOf(scores) || 1;
  return scores.map((score) => score / spread);
}

function knobMatrix(columns: KnobColumns, rows: readonly Row[]): FeatureMatrix {
  const values = new Float32Array(rows.length * columns.width);
  rows.forEach(({ index }, row) => {
    columns.write(index, values, row * columns.width);
  });
  return { rows: rows.length, columns: columns.width, values };
}

/** All of them, or the fastest half of the allowance and the latest others; sorted by config, so that the order of results says nothing. */
function trainingRows(rows: ReadonlyMap<ConfigIndex, number>, most: number): readonly Row[] {
  let chosen: Row[] = Array.from(rows, ([index, speed]) => ({ index, speed }));
  if (chosen.length > most) {
    const fastest = [...chosen].sort((a, b) => b.speed - a.speed || a.index - b.index).slice(0, most >> 1);
    const kept = new Set(fastest.map((r) => r.index));
    chosen = [...fastest, ...chosen.filter((r) => !kept.has(r.index)).slice(-(most - fastest.length))];
  }
  return chosen.sort((a, b) => a.index - b.index);
}
