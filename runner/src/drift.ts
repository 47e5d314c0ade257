/**
 * Whether the device still is what it was: the same reference kernel is timed now and then, while nothing else runs, and must take what it
 * took before. A device that got slower (a clock held down by heat or power, a neighbour on it, memory that retries) would give every
 * candidate a worse time than it has, and no check of answers sees that.
 *
 * It waits for a time when nothing else is to be done, but not for ever: a device that never rests is looked at between two jobs.
 *
 * The first time of a kernel is what the later ones are held against; faster ones replace it. One slow time is looked at again; two in a row
 * are trouble, which the tracker shows as the reason why the node gets nothing, until the kernel takes what it took.
 */
import type { ArtifactDigest } from "@warpfarm/common";

export interface ReferenceTime {
  readonly kernel: ArtifactDigest;
  /** Of one run: the best of several repeats. */
  readonly seconds: number;
}

export interface DriftRules {
  /** Between two looks, when all is well. */
  readonly everyMs: number;
  /** Slower by more than this is too slow. */
  readonly maxPercent: number;
}

/** A look takes the device a tenth of a second: a thousandth of its time, and a device that never rests is too slow for four minutes at most. */
export const defaultDriftRules: DriftRules = { everyMs: 2 * 60_000, maxPercent: 30 };

export class Drift {
  readonly #rules: DriftRules;
  #best: ReferenceTime | undefined;
  #slow = 0;
  #trouble = "";
  #lookAtMs = Number.NEGATIVE_INFINITY;

  constructor(rules: DriftRules) {
    this.#rules = rules;
  }

  /** Why no work should come; empty = well. */
  get trouble(): string {
    return this.#trouble;
  }

  isDue(nowMs: number, isIdle: boolean): boolean {
    if (this.#slow > 0) return true;
    if (isIdle) return nowMs >= this.#lookAtMs;
    if (this.#lookAtMs === Number.NEGATIVE_INFINITY) this.#lookAtMs = nowMs;
    return nowMs >= this.#lookAtMs + this.#rules.everyMs;
  }

  /** What the kernel takes now. */
  look(time: ReferenceTime, nowMs: number): void {
    this.#lookAtMs = nowMs + this.#rules.everyMs;
    const best = this.#best;
    if (best?.kernel !== time.kernel || time.seconds < best.seconds) {
      this.#best = time;
      this.#well();
      return;
    }
    const percent = (time.seconds / best.seconds - 1) * 100;
    if (percent <= this.#rules.maxPercent) {
      this.#well();
      return;
    }
    if (++this.#slow < 2) return;
    this.#trouble =
      `the reference kernel takes ${micro(time.seconds)}, ${percent.toFixed(0)} % more than the ${micro(best.seconds)} it took before; ` +
      `allowed: ${this.#rules.maxPercent} %`;
  }

  #well(): void {
    this.#slow = 0;
    this.#trouble = "";
  }
}

const micro = (seconds: number): string => `${(seconds * 1e6).toFixed(1)} us`;
