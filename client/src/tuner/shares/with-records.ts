/**
 * A tuner that begins with records of the same space. A model of the records' shares (share-model.ts) makes the first proposals
 * and is corrected by each result. Then the inner tuner continues, which was told all results.
 *
 * The guard compares the model's belief about each proposed config with its result. When the beliefs explain the results worse
 * than the mean of the results does, the records describe something else, and the model makes no more proposals. It makes at most
 * 32.
 *
 * The search starts slowly: one config is in flight before the first result, two after it, and so on. Otherwise a GPU measures
 * whatever is built first, and no result corrects the first proposals.
 */

import type { ConfigIndex } from "@warpfarm/compiler";
import { logImprovement } from "../auto/posterior.ts";
import {
  askedOnce,
  type MakeTuner,
  type Measured,
  type Outcome,
  proposed,
  type ShareSource,
  type Tuner,
  type TunerOptions,
} from "../tuner.ts";
import { ShareModel } from "./share-model.ts";
import { floor, type ShareTable, shareTable } from "./share-table.ts";

const mostProposals = 32;
/** At most one proposal for this number of recorded configs: a short log has little information. */
const configsAProposal = 8;
/** One in this number of proposals is the inner tuner's own: the first of each such number, except of the very first. */
const ownEvery = 8;
const leastResults = 8;

export const withRecords =
  (make: MakeTuner, sources: readonly ShareSource[]): MakeTuner =>
  (options) =>
    new RecordsTuner(make, options, sources);

interface Proposed {
  readonly index: ConfigIndex;
  readonly at: number;
  readonly believed: number;
}

class RecordsTuner implements Tuner {
  readonly #inner: Tuner;
  readonly #table: ShareTable;
  readonly #model: ShareModel;
  readonly #isValid: (index: ConfigIndex) => boolean;
  readonly #asked = new Set<ConfigIndex>();
  readonly #proposed: Proposed[] = [];
  readonly #places: ReadonlyMap<ConfigIndex, number>;
  readonly #most: number;
  #turn = 0;
  readonly #told = new Map<ConfigIndex, Exclude<Outcome, { kind: "skipped" }>>();
  #silent = false;
  #results = 0;

  constructor(make: MakeTuner, options: TunerOptions, sources: readonly ShareSource[]) {
    this.#isValid = askedOnce(options.isValid);
    this.#inner = make({ ...options, isValid: this.#isValid });
    this.#table = shareTable(options.space, sources, options);
    this.#model = new ShareModel(this.#table);
    this.#most = Math.min(mostProposals, Math.ceil(this.#table.configs.length / configsAProposal));
    this.#places = new Map(this.#table.configs.map((index, at) => [index, at]));
  }

  get exhausted(): boolean {
    return this.#inner.exhausted;
  }

  get mostOutstanding(): number {
    return this.#isDone() ? (this.#inner.mostOutstanding ?? Number.POSITIVE_INFINITY) : 1 + this.#results;
  }

  ask(n: number): readonly ConfigIndex[] {
    return proposed(n, () => {
      const isOwn = this.#turn > 0 && this.#turn % ownEvery === 0;
      this.#turn++;
      const next = (isOwn ? undefined : this.#ofModel()) ?? this.#ofInner();
      if (next !== undefined) this.#asked.add(next);
      return next;
    });
  }

  /**
   * The inner tuner may propose a config again that the model has proposed, because it learns of it only when its result is told.
   */
  #ofInner(): ConfigIndex | undefined {
    for (;;) {
      const [next] = this.#inner.ask(1);
      if (next !== undefined && this.#asked.has(next)) continue;
      const at = next === undefined || this.#isDone() ? undefined : this.#places.get(next);
      if (at !== undefined) this.#note(at);
      return next;
    }
  }

  #isDone(): boolean {
    return this.#silent || this.#proposed.length >= this.#most;
  }

  #note(at: number, believed = this.#model.believe(this.#values()).mean[at] as number): void {
    this.#proposed.push({ index: this.#table.configs[at] as ConfigIndex, at, believed });
    this.#model.add(at);
  }

  #ofModel(): ConfigIndex | undefined {
    if (this.#isDone()) return undefined;
    const values = this.#values();
    if (this.#isMisled(values)) {
      this.#silent = true;
      return undefined;
    }
    const { mean, deviation } = this.#model.believe(values);
    const best = values.reduce<number>((most, value) => Math.max(most, value ?? -Infinity), -Infinity);
    // Before any result the best time is unknown: proposals follow the records, best first.
    const worth = (c: number): number =>
      best === -Infinity ? (mean[c] as number) : logImprovement(-best, -(mean[c] as number), deviation[c] as number);
    const at = this.#choose(worth);
    if (at === undefined) {
      this.#silent = true;
      return undefined;
    }
    this.#note(at, mean[at] as number);
    return this.#table.configs[at];
  }

  /** The most valuable config among those that were not proposed and pass the static check; of equals the earliest. */
  #choose(worth: (c: number) => number): number | undefined {
    const { configs } = this.#table;
    const worths = Float64Array.from(configs, (index, c) => (this.#asked.has(index) ? -Infinity : worth(c)));
    for (;;) {
      let most = -1;
      for (let c = 0; c < worths.length; c++)
        if (worths[c] !== -Infinity && (most < 0 || (worths[c] as number) > (worths[most] as number))) most = c;
      if (most < 0 || this.#isValid(configs[most] as ConfigIndex)) return most < 0 ? undefined : most;
      worths[most] = -Infinity;
    }
  }

  /**
   * Logarithms of shares of the best so far; the floor for failures and for results far from it. Of one that ended early only the
   * most that its share can be is known, so it has what was believed of it, if that is less.
   */
  #values(): (number | undefined)[] {
    const told = this.#proposed.map(({ index }) => this.#told.get(index));
    const best = told.reduce((least, of) => (of?.kind === "timed" ? Math.min(least, of.seconds) : least), Infinity);
    return told.map((of, i) => {
      if (of === undefined) return undefined;
      if (of.kind === "failed" || best === Infinity) return floor;
      const share = Math.log(best / (of.kind === "timed" ? of.seconds : of.atLeast));
      return Math.max(floor, of.kind === "timed" ? share : Math.min(share, this.#proposed[i]?.believed ?? share));
    });
  }

  /** Neither side claims a level, so differences are compared. */
  #isMisled(values: readonly (number | undefined)[]): boolean {
    const pairs = this.#proposed.flatMap(({ believed }, i) =>
      values[i] === undefined ? [] : [{ believed, got: values[i] as number }],
    );
    if (pairs.length < leastResults) return false;
    const spread = (of: readonly number[]): number => {
      const mean = of.reduce((sum, x) => sum + x, 0) / of.length;
      return of.reduce((sum, x) => sum + (x - mean) ** 2, 0);
    };
    const unexplained = spread(pairs.map(({ believed, got }) => got - believed));
    return unexplained > misledAt * Math.max(spread(pairs.map(({ got }) => got)), noiseSpread * pairs.length);
  }

  tell(pairs: readonly Measured[]): void {
    this.#results += pairs.length;
    for (const { index, outcome } of pairs) {
      this.#asked.add(index);
      if (outcome.kind !== "skipped") this.#told.set(index, outcome);
    }
    this.#inner.tell(pairs);
  }
}

/** A model whose errors exceed the spread of the results knows nothing; results within 5 % prove nothing. */
const misledAt = 1;
const noiseSpread = 0.05 ** 2;
