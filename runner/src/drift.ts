/**
 * Whether the device is as fast as before: the node's own kernels are timed now and then, while nothing else runs. A device that
 * got slower (a clock held down by heat or power, a neighbour on it, memory that retries) would give every candidate a worse
 * time, and no check of answers shows that.
 *
 * A check waits for an idle time; on a device that is never idle it comes between two jobs.
 *
 * Later times are compared with the first one, or with a faster one that replaced it. A slow time is checked again after a rest,
 * because a device may be hot from an earlier job. Two in a row are trouble, which the tracker shows as the reason why the node
 * gets no work, until the kernels are as fast as before.
 */
import { mostChecks, type Seconds } from "@warpfarm/common";

export interface DriftRules {
  /** The time between two checks of a healthy device. */
  readonly everyMs: number;
  /** How long the device is idle before a check that follows a slow one. */
  readonly restMs: number;
  /** Slower by more than this is too slow. */
  readonly maxPercent: number;
}

/** A check takes a third of a second every two minutes, and a device that is never idle is too slow for at most four minutes. */
export const defaultDriftRules: DriftRules = { everyMs: 2 * 60_000, restMs: 3_000, maxPercent: 30 };

export class Drift {
  readonly #rules: DriftRules;
  readonly #best = new Map<string, Seconds>();
  #slow = 0;
  #trouble = "";
  #lookAtMs = Number.NEGATIVE_INFINITY;
  readonly #looks: { readonly atMs: number; readonly ratio: number }[] = [];
  #count = 0;

  constructor(rules: DriftRules) {
    this.#rules = rules;
  }

  get trouble(): string {
    return this.#trouble;
  }

  get restMs(): number {
    return this.#slow > 0 ? this.#rules.restMs : 0;
  }

  isDue(nowMs: number, isIdle: boolean): boolean {
    if (this.#slow > 0) return true;
    if (isIdle) return nowMs >= this.#lookAtMs;
    if (this.#lookAtMs === Number.NEGATIVE_INFINITY) this.#lookAtMs = nowMs;
    return nowMs >= this.#lookAtMs + this.#rules.everyMs;
  }

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

  checks(nowMs: number) {
    return { count: this.#count, last: this.#looks.map(({ atMs, ratio }) => ({ agoMs: Math.max(0, nowMs - atMs), ratio })) };
  }

  #well(): void {
    this.#slow = 0;
    this.#trouble = "";
  }
}

const micro = (seconds: number): string => `${(seconds * 1e6).toFixed(1)} us`;
