/**
 * Whether the device still is what it was: the node's own kernels are timed now and then, while nothing else runs, and must take
 * what they took before. A device that got slower (a clock held down by heat or power, a neighbour on it, memory that retries)
 * would give every candidate a worse time than it has, and no check of answers sees that.
 *
 * It waits for a time when nothing else is to be done, but not for ever: a device that never rests is looked at between two jobs.
 *
 * The first time of a kernel is what the later ones are held against; faster ones replace it. A slow time is looked at again
 * after a rest, for a device may be hot from what a user ran just before; two in a row are trouble, which the tracker shows as
 * the reason why the node gets nothing, until the kernels take what they took. Each look is kept for the page, too.
 */
import { mostChecks, type Seconds } from "@warpfarm/common";

export interface DriftRules {
  /** Between two looks, when all is well. */
  readonly everyMs: number;
  /** How long the device is idle before a check that follows a slow one. */
  readonly restMs: number;
  /** Slower by more than this is too slow. */
  readonly maxPercent: number;
}

/**
 * A check takes the device a third of a second every two minutes, and a device that is never idle is too slow for at most four
 * minutes.
 */
export const defaultDriftRules: DriftRules = { everyMs: 2 * 60_000, restMs: 3_000, maxPercent: 30 };

export class Drift {
  readonly #rules: DriftRules;
  /** By kernel. */
  readonly #best = new Map<string, Seconds>();
  #slow = 0;
  #trouble = "";
  #lookAtMs = Number.NEGATIVE_INFINITY;
  /** The last checks: the time of the slowest kernel divided by its best. */
  readonly #looks: { readonly atMs: number; readonly ratio: number }[] = [];
  #count = 0;

  constructor(rules: DriftRules) {
    this.#rules = rules;
  }

  /** Why no work should come; empty = well. */
  get trouble(): string {
    return this.#trouble;
  }

  /** How long nothing may run before the next check. */
  get restMs(): number {
    return this.#slow > 0 ? this.#rules.restMs : 0;
  }

  isDue(nowMs: number, isIdle: boolean): boolean {
    if (this.#slow > 0) return true;
    if (isIdle) return nowMs >= this.#lookAtMs;
    if (this.#lookAtMs === Number.NEGATIVE_INFINITY) this.#lookAtMs = nowMs;
    return nowMs >= this.#lookAtMs + this.#rules.everyMs;
  }

  /** Takes the present times of the node's own kernels, by name. */
  look(times: Readonly<Record<string, Seconds>>, nowMs: number): void {
    this.#lookAtMs = nowMs + this.#rules.everyMs;
    const slow: string[] = [];
    let worst = 1;
    for (const [kernel, seconds] of Object.entries(times)) {
      const best = Math.min(seconds, this.#best.get(kernel) ?? seconds);
      this.#best.set(kernel, best);
      worst = Math.max(worst, seconds / best);
      const percent = (seconds / best - 1) * 100;
      if (percent > this.#rules.maxPercent)
        slow.push(`"${kernel}" takes ${micro(seconds)}, ${percent.toFixed(0)} % more than the ${micro(best)} it took before`);
    }
    this.#count++;
    this.#looks.push({ atMs: nowMs, ratio: worst });
    if (this.#looks.length > mostChecks) this.#looks.shift();
    if (slow.length === 0) this.#well();
    else if (++this.#slow >= 2)
      this.#trouble = `of the node's own kernels ${slow.join(" and ")}; allowed: ${this.#rules.maxPercent} %`;
  }

  /** For the tracker: the last checks, and their total number. */
  checks(nowMs: number) {
    return { count: this.#count, last: this.#looks.map(({ atMs, ratio }) => ({ agoMs: Math.max(0, nowMs - atMs), ratio })) };
  }

  #well(): void {
    this.#slow = 0;
    this.#trouble = "";
  }
}

const micro = (seconds: number): string => `${(seconds * 1e6).toFixed(1)} us`;
