/**
 * A tuner decides what to measure next. It is a value with no clock and no I/O: seeded, asked and told, nothing else.
 *
 * What every tuner promises (contract.testing.ts holds them to it):
 * - equal seeds, and equal asks and tells in the same order, give equal proposals; so its state is replayed, never saved;
 * - ask(a) then ask(b) proposes what ask(a + b) would;
 * - a config is proposed at most once, and never one that `isValid` refuses;
 * - any number of configs may be in flight, results come in any order, and results of configs it did not propose are welcome:
 *   they count as visited;
 * - ask never blocks: it gives fewer than n, even none, when it has met too many refusals in a row or when `exhausted`.
 */
import type { Json } from "@warpfarm/common";
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import type { Outline } from "@warpfarm/templates";

/**
 * `slower`: its program ended early, and one run takes at least so long. It is no time: the config is worse than those below the
 * bound, and nobody knows how it compares with others. `skipped`: the farm failed, not the config, which is neither good nor bad.
 */
export type Outcome =
  | { readonly kind: "timed"; readonly seconds: number }
  | { readonly kind: "slower"; readonly atLeast: number }
  | { readonly kind: "failed" }
  | { readonly kind: "skipped" };

export interface Measured {
  readonly index: ConfigIndex;
  readonly outcome: Outcome;
}

export interface Tuner {
  ask(n: number): readonly ConfigIndex[];
  tell(pairs: readonly Measured[]): void;
  /**
   * With this number of configs in flight the session waits for a result before it asks again; absent = no limit of the tuner's.
   * At least 1. An ask beyond it is answered as any other.
   */
  readonly mostOutstanding?: number;
  /** True once every config of the space was proposed, told or refused: ask will return none any more. */
  readonly exhausted: boolean;
}

/** What `next` gives, at most `n`, until it gives none. */
export function proposed(n: number, next: () => ConfigIndex | undefined): readonly ConfigIndex[] {
  const proposals: ConfigIndex[] = [];
  while (proposals.length < n) {
    const index = next();
    if (index === undefined) break;
    proposals.push(index);
  }
  return proposals;
}

/** Asks once for each config, though two that wrap each other ask for the same. */
export function askedOnce(isValid: TunerOptions["isValid"]): TunerOptions["isValid"] {
  const known = new Map<ConfigIndex, boolean>();
  return (index) => {
    const found = known.get(index) ?? isValid(index);
    known.set(index, found);
    return found;
  };
}

export interface TunerOptions {
  readonly space: ConfigSpace;
  readonly seed: number;
  /** The static check: false for a config that certainly cannot run. Pure; called at most once per config. */
  readonly isValid: (index: ConfigIndex) => boolean;
  readonly records?: readonly ShareSource[];
  /** Proposed first, in this order, by tuners that can begin with records. */
  readonly starts?: readonly ConfigIndex[];
  /** For tuners that can begin with records: this task as records name theirs, and outlines of its configs. */
  readonly of?: Shape;
  readonly outline?: (index: ConfigIndex) => Outline;
}

/** What a record says of a config. */
export interface Known {
  /** Undefined for a failure. */
  readonly seconds: number | undefined;
  /** The program ended early, and `seconds` is what a run takes at least. */
  readonly isBound?: true | undefined;
}
export interface ShareRow extends Known {
  readonly index: ConfigIndex;
  /** In the space of the shape where it was measured; absent: those of this space. */
  readonly features?: readonly number[] | undefined;
  readonly outline?: Outline | undefined;
}
/** A result of a config that this task's space does not have: a shape's space may have more entries of a knob. */
export interface OtherRow extends Known {
  readonly values: readonly Json[];
  readonly features?: readonly number[];
  readonly outline?: Outline | undefined;
}
export interface Shape {
  readonly args: Json;
  readonly target: string;
}
export interface ShareSource {
  readonly name: string;
  readonly of?: Shape | undefined;
  readonly rows: readonly ShareRow[];
  readonly others?: readonly OtherRow[] | undefined;
}

export const isTime = ({ seconds, isBound }: Known): boolean => seconds !== undefined && !isBound;

/** Of two results of one config the faster time; a bound counts only where there is no time, and a failure only alone. */
export function better(a: Known | undefined, b: Known): Known {
  const rank = ({ seconds, isBound }: Known) => (seconds === undefined ? 2 : isBound ? 1 : 0);
  if (a === undefined || rank(b) < rank(a)) return b;
  return rank(a) < rank(b) || (a.seconds ?? 0) <= (b.seconds ?? 0) === !a.isBound ? a : b;
}

export type MakeTuner = (options: TunerOptions) => Tuner;

/** After this many refusals in a row one ask returns what it has, so that the caller can check its signal. */
export const refusalsPerAsk = 2000;
