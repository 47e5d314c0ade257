/**
 * Configs spread over a space, for a search that knows nothing yet. The first is the one nearest to the middle of all knobs, for
 * corners are rarely good; each other is the one farthest from all before it, of some draws (the maximin choice of space-filling
 * designs: Johnson, Moore and Ylvisaker 1990).
 */
import type { Random } from "@warpfarm/common";
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import type { KnobColumns } from "../features/knob-columns.ts";

/** Draws among which the first is chosen, and each other: more of these would find corners only. */
const middleOf = 1000;
const farthestOf = 24;
/** Each is compared with all before it, so there is an end to it, however many are in flight before the first result. */
const most = 64;

export class Spread {
  readonly #space: ConfigSpace;
  readonly #columns: KnobColumns;
  readonly #random: Random;
  readonly #chosen: Float64Array[] = [];

  constructor(space: ConfigSpace, columns: KnobColumns, random: Random) {
    this.#space = space;
    this.#columns = columns;
    this.#random = random;
  }

  /**
   * The best draw that `claim` lets have; undefined when it lets have none, and after so many that spreading has no sense any
   * more.
   */
  next(claim: (index: ConfigIndex) => boolean): ConfigIndex | undefined {
    const chosen = this.#chosen;
    if (chosen.length === most) return undefined;
    const values = new Float64Array(this.#columns.width);
    const draws = Array.from({ length: chosen.length === 0 ? middleOf : farthestOf }, () => {
      const index = this.#space.random(this.#random);
      this.#columns.write(index, values, 0);
      return { index, worth: chosen.length === 0 ? -fromMiddle(values) : nearest(values, chosen) };
    });
    draws.sort((a, b) => b.worth - a.worth);
    const best = draws.slice(0, farthestOf).find(({ index }) => claim(index));
    if (!best) return undefined;
    this.#columns.write(best.index, values, 0);
    chosen.push(values);
    return best.index;
  }
}

const fromMiddle = (values: Float64Array): number => values.reduce((sum, value) => sum + (value - 0.5) ** 2, 0);

/** Square of the distance to the nearest of them. */
function nearest(values: Float64Array, chosen: readonly Float64Array[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const other of chosen) {
    let sum = 0;
    for (let column = 0; column < values.length; column++) sum += ((values[column] as number) - (other[column] as number)) ** 2;
    least = Math.min(least, sum);
  }
  return least;
}
