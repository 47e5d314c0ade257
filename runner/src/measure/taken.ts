/**
 * The repeats of one candidate that were taken. In a burst, one whose clock is low is measured again, at most twice, and the last
 * one counts, whatever its time is: what decides is the clock alone, so no time is favoured.
 */
import { medianSeconds, type Observations, type PowerState, type Seconds } from "@warpfarm/common";
import type { Repeat } from "./batches.ts";

/** A clock below this share of the candidate's highest is low. */
const lowClock = 0.98;
const mostTries = 3;

export class Taken {
  readonly #all: (Repeat & { readonly tries: number })[] = [];
  readonly #isBurst: boolean;
  constructor(power: PowerState) {
    this.#isBurst = power === "burst";
  }

  get costs(): readonly Seconds[] {
    return this.#all.map(({ seconds }) => seconds);
  }
  get clocksMhz(): readonly number[] {
    return this.#all.flatMap(({ clockMhz }) => clockMhz ?? []);
  }

  /** The place of the first repeat that must be measured again, and otherwise the place of a new one. */
  get next(): number {
    const again = this.#all.findIndex((_, place) => this.mustRepeat(place));
    return again < 0 ? this.#all.length : again;
  }
  mustRepeat(place: number): boolean {
    const { clockMhz, tries } = this.#all[place] ?? { tries: 0 };
    const highest = Math.max(0, ...this.clocksMhz);
    return this.#isBurst && clockMhz !== undefined && clockMhz < lowClock * highest && tries < mostTries;
  }
  put(place: number, repeat: Repeat): void {
    this.#all[place] = { ...repeat, tries: (this.#all[place]?.tries ?? 0) + 1 };
  }
}

/** Of the clocks of all repeats. */
export const clocksSeen = (clocksMhz: readonly number[]): Pick<Observations, "smClockMhz" | "smClockLowMhz"> =>
  clocksMhz.length === 0 ? {} : { smClockMhz: medianSeconds(clocksMhz), smClockLowMhz: Math.min(...clocksMhz) };
