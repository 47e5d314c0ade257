/**
 * AutoTVM's XGBTuner (autotvm.md §4.5 to 4.8) on trees of our own (boost/): measure a plan, train a cost model on everything measured, anneal over its
 * predictions for the next plan, filter it for diversity, mix in a share of random configs.
 *
 * Differences. A plan is `planSize` configs and a new one is made whenever as many new results are in, whatever is in flight; results come in any
 * order, so a model is trained on rows sorted by config. Failures are rows of label 0. The first plan is random.
 */
import { Random } from "@warpfarm/common";
import { type ConfigIndex, type FeatureMatrix, featureMatrix } from "@warpfarm/compiler";
import { Annealer, type AnnealingOptions, type Ranked } from "./annealing.ts";
import { type BoostOptions, predict, train } from "./boost/boost.ts";
import { KnobColumns } from "./knob-columns.ts";
import { Permutation } from "./permutation.ts";
import { refusalsPerAsk, type Tuner, type TunerOptions } from "./tuner.ts";
import { Visited } from "./visited.ts";

/** What the model sees of configs; one width for a space. Pure: equal configs, equal rows. */
export type FeaturesOf = (configs: readonly ConfigIndex[]) => FeatureMatrix;

export interface XgbOptions {
  /** Configs of a plan, and new results after which the next is made. AutoTVM's is 64. */
  readonly planSize: number;
  /** Of a plan, the share drawn at random instead. */
  readonly exploration: number;
  /** Candidates that annealing finds for each config of the plan; the diversity filter chooses among them. 1 = no filter. */
  readonly diversity: number;
  /** Most results a model is trained on: the best, and the latest of the others. */
  readonly mostRows: number;
  readonly boost: BoostOptions;
  readonly annealing: Partial<AnnealingOptions>;
  /** Absent: knob features. */
  readonly features?: FeaturesOf;
}

export const xgbDefaults: XgbOptions = {
  planSize: 16,
  exploration: 0.05,
  diversity: 2,
  mostRows: 4000,
  annealing: {},
  boost: { rounds: 80, learningRate: 0.15, maxDepth: 5, bins: 32, rowShare: 0.9, columnShare: 0.9 },
};

interface Row {
  readonly index: ConfigIndex;
  /** Runs a second; 0 for a failure. */
  readonly speed: number;
}

export function xgbTuner(options: TunerOptions, xgb: Partial<XgbOptions> = {}): Tuner {
  const settings = { ...xgbDefaults, ...xgb };
  const { space } = options;
  const { planSize } = settings;
  const random = new Random(options.seed);
  const visited = new Visited(options);
  const unexplored = new Permutation(space.valid.count, random);
  const annealer = new Annealer(space, random, settings.annealing);
  const featuresOf = settings.features ?? knobMatrix(new KnobColumns(space));
  const rows = new Map<ConfigIndex, number>();
  let plan: Iterator<ConfigIndex> = [].values();
  let plans = 0;
  let best = 0;

  /** Trains and plans again when enough is new. Nothing valid yet: no model. */
  function replan(): void {
    const due = Math.floor(rows.size / planSize);
    if (due <= plans || best === 0) return;
    plans = due;
    const chosen = trainingRows(rows, settings.mostRows);
    const features = featuresOf(chosen.map((r) => r.index));
    const labels = chosen.map((r) => r.speed / best);
    const model = train({ features, labels }, { ...settings.boost, seed: random.below(2 ** 31) });
    const score = (points: readonly ConfigIndex[]) => predict(model, featuresOf(points));
    const wanted = Math.ceil(planSize * settings.diversity);
    const found = annealer.best(wanted, score, (index) => visited.has(index));
    plan = diverse(found, planSize, (index) => space.digits(index)).values();
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
    ask(n) {
      const proposals: ConfigIndex[] = [];
      while (proposals.length < n && visited.left > 0) {
        replan();
        const explore = random.float() < settings.exploration;
        const next = (explore ? undefined : planned()) ?? drawn();
        if (next === undefined) break;
        proposals.push(next);
      }
      return proposals;
    },
    tell(pairs) {
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

function knobMatrix(columns: KnobColumns): FeaturesOf {
  if (columns.width === 0) return (configs) => featureMatrix(configs.map(() => Float32Array.of(0)));
  return (configs) => {
    const values = new Float32Array(configs.length * columns.width);
    configs.forEach((index, row) => {
      columns.write(index, values, row * columns.width);
    });
    return { rows: configs.length, columns: columns.width, values };
  };
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

/**
 * Of candidates best first, `count` that differ (AutoTVM's submodular_pick with the score kept in): each pick adds the most of its rank and
 * of knob values that no pick has yet.
 */
function diverse(
  ranked: readonly Ranked[],
  count: number,
  digitsOf: (index: ConfigIndex) => readonly number[],
): readonly ConfigIndex[] {
  if (ranked.length <= count) return ranked.map((r) => r.index);
  const seen = new Set<string>();
  const left = ranked.map(({ index }, rank) => ({ index, worth: 1 - rank / ranked.length, digits: digitsOf(index) }));
  const picked: ConfigIndex[] = [];
  while (picked.length < count) {
    let bestAt = 0;
    let bestGain = Number.NEGATIVE_INFINITY;
    for (const [at, { worth, digits }] of left.entries()) {
      const fresh = digits.reduce((sum, digit, knob) => sum + Number(!seen.has(`${knob}:${digit}`)), 0) / digits.length;
      if (worth + fresh > bestGain) [bestGain, bestAt] = [worth + fresh, at];
    }
    const [pick] = left.splice(bestAt, 1);
    if (!pick) break;
    pick.digits.forEach((digit, knob) => {
      seen.add(`${knob}:${digit}`);
    });
    picked.push(pick.index);
  }
  return picked;
}
