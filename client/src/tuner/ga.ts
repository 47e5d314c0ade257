/**
 * AutoTVM's genetic algorithm (GATuner, autotvm.md §4.4): a gene is a config's digits; a child takes a prefix of one parent and the
 * suffix of another, then each digit is drawn anew with probability `mutation`; parents are chosen in proportion to their speed.
 *
 * Two differences. A child already visited or refused is mutated further (as TVM 0.7 did) instead of measured again. And nothing waits:
 * when a generation is all proposed, the next is bred from the results told since the last breeding and the elites, whoever is
 * still in flight; a late result joins the pool of the breeding after it. With one config in flight this is AutoTVM's order exactly.
 * The pool is sorted by index, so a breeding depends on which results are in, not on the order they came in.
 */
import { Random } from "@warpfarm/common";
import type { ConfigIndex } from "@warpfarm/compiler";
import { Permutation } from "./permutation.ts";
import { type Measured, refusalsPerAsk, type Tuner, type TunerOptions } from "./tuner.ts";
import { Visited } from "./visited.ts";

export interface GaOptions {
  readonly population: number;
  readonly elites: number;
  readonly mutation: number;
}
const autotvmDefaults: GaOptions = { population: 100, elites: 3, mutation: 0.1 };

interface Scored {
  readonly index: ConfigIndex;
  /** Runs per second; 0 for a failure. */
  readonly score: number;
}

/** Further mutations a child gets before a random config takes its place. */
const mutationsPerChild = 100;

export function gaTuner(options: TunerOptions, ga: GaOptions = autotvmDefaults): Tuner {
  const { space } = options;
  const random = new Random(options.seed);
  const visited = new Visited(options);
  const unexplored = new Permutation(space.valid.count, random);
  /** What is left to propose of this generation: bred but not yet claimed, or a plain list near the end of the space. */
  let generation: Iterator<ConfigIndex> = sample(ga.population);
  /** Results since the last breeding. */
  let pool = new Map<ConfigIndex, Scored>();
  let elites: readonly Scored[] = [];

  /** Up to n random configs never visited; ends early after too many refusals. */
  function* sample(n: number): Iterator<ConfigIndex> {
    for (let found = 0, refused = 0; found < n && unexplored.left > 0 && refused < refusalsPerAsk; ) {
      const index = space.toIndex(space.valid.nth(unexplored.next()));
      if (visited.claim(index)) {
        found++;
        refused = 0;
        yield index;
      } else refused++;
    }
  }

  function* rest(): Iterator<ConfigIndex> {
    for (let rank = 0; rank < space.valid.count; rank++) {
      const index = space.toIndex(space.valid.nth(rank));
      if (visited.claim(index)) yield index;
    }
  }

  function* children(parents: readonly Scored[]): Iterator<ConfigIndex> {
    const weights = parents.map((p) => p.score + 1e-8);
    for (let born = 0; born < ga.population && visited.left > 0; born++) {
      const child = settle(cross(...pickTwo(parents, weights, random)));
      if (child === undefined) return;
      yield child;
    }
  }

  function cross(a: Scored, b: Scored): number[] {
    const cut = random.below(Math.max(1, space.knobs.length));
    const digits = [...space.digits(a.index).slice(0, cut), ...space.digits(b.index).slice(cut)];
    for (const [i, knob] of space.knobs.entries()) if (random.float() < ga.mutation) digits[i] = knob.random(random);
    return digits;
  }

  /** The child itself if it may be proposed, else a mutant of it, else any config that may. */
  function settle(digits: number[]): ConfigIndex | undefined {
    for (let tries = 0; tries < mutationsPerChild; tries++) {
      const index = space.fromDigits(digits);
      if (visited.claim(index)) return index;
      const i = random.below(space.knobs.length);
      digits[i] = space.knobs[i]?.random(random) ?? 0;
    }
    const drawn = sample(1).next();
    return drawn.done ? undefined : drawn.value;
  }

  function nextGeneration(): Iterator<ConfigIndex> {
    for (const elite of elites) if (!pool.has(elite.index)) pool.set(elite.index, elite);
    const parents = [...pool.values()].sort((a, b) => a.index - b.index);
    pool = new Map();
    elites = [...parents].sort((a, b) => b.score - a.score || a.index - b.index).slice(0, ga.elites);
    if (visited.left <= ga.population) return rest();
    return parents.length < 2 ? sample(ga.population) : children(parents);
  }

  return {
    get exhausted() {
      return visited.left === 0;
    },
    ask(n) {
      const proposals: ConfigIndex[] = [];
      for (let bred = false; proposals.length < n && visited.left > 0; ) {
        const next = generation.next();
        if (!next.done) {
          proposals.push(next.value);
          bred = false;
        } else if (bred) break;
        else {
          generation = nextGeneration();
          bred = true;
        }
      }
      return proposals;
    },
    tell(pairs) {
      for (const { index, outcome } of pairs) {
        visited.add(index);
        if (outcome.kind !== "skipped") pool.set(index, { index, score: scoreOf(outcome) });
      }
    },
  };
}

function scoreOf(outcome: Exclude<Measured["outcome"], { kind: "skipped" }>): number {
  return outcome.kind === "timed" ? 1 / outcome.seconds : 0;
}

/** Two different parents, each in proportion to its weight. */
function pickTwo(parents: readonly Scored[], weights: readonly number[], random: Random): [Scored, Scored] {
  const first = pickWeighted(weights, random);
  const second = pickWeighted(
    weights.map((w, i) => (i === first ? 0 : w)),
    random,
  );
  return [parents[first] as Scored, parents[second] as Scored];
}

function pickWeighted(weights: readonly number[], random: Random): number {
  let rest = random.float() * weights.reduce((a, b) => a + b, 0);
  for (const [i, weight] of weights.entries()) {
    if (weight > 0 && rest < weight) return i;
    rest -= weight;
  }
  return weights.findLastIndex((w) => w > 0);
}
