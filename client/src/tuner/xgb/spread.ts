/**
 * Configs spread over a space, for a search without results. The first is nearest to the middle of all knobs, because corners are
 * rarely good. Each other one is, of some draws, the farthest from all before it (the maximin choice of space-filling designs:
 * Johnson, Moore and Ylvisaker 1990).
 */
import type { Random } from "@warpfarm/common";
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import type { KnobColumns } from "../features/knob-columns.ts";

/** Draws among which the first, and each other, is chosen. More draws for the others would find only corners. */
const middleOf = 1000;
const farthestOf = 24;
/** Each is compared with all before it, so there is a limit, however many are in flight before the first result. */
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

  /** The best draw that `claim` accepts; undefined when it accepts none, and when more draws than useful were claimed. */
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

function nearest(values: Float64Array, chosen: readonly Float64Array[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const other of chosen) {
    let sum = 0;
    for (let column = 0; column < values.length; column++) sum += ((values[column] as number) - (other[column] as number)) ** 2;
    least = Math.min(least, sum);
  }
  return least;
}
