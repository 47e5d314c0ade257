/**
 * How similar the entries of a knob are: a Matern kernel of smoothness 5/2 over the distance in the knob's columns (Rasmussen and
 * Williams, "Gaussian Processes for Machine Learning", 2006, §4.2), with one length per column. Computed once per digit and kept,
 * so comparing two configs takes one look-up per knob.
 */
import type { ConfigIndex, ConfigSpace } from "@warpfarm/compiler";
import { columnsOf } from "../boost/knob-columns.ts";

export interface KnobShape {
  readonly knob: number;
  readonly size: number;
  /** Values from 0 to 1 by column, by digit. */
  readonly columns: readonly Float64Array[];
  readonly first: number;
}

export class Metric {
  readonly shapes: readonly KnobShape[];
  /** The number of columns, and of lengths. */
  readonly width: number;
  readonly #space: ConfigSpace;

  constructor(space: ConfigSpace) {
    const shapes: KnobShape[] = [];
    let first = 0;
    for (const [i, knob] of space.knobs.entries()) {
      const columns = columnsOf(knob);
      if (columns.length === 0) continue;
      shapes.push({ knob: i, size: knob.size, columns, first });
      first += columns.length;
    }
    this.shapes = shapes;
    this.width = first;
    this.#space = space;
  }

  digits(index: ConfigIndex): Int32Array {
    const digits = this.#space.digits(index);
    return Int32Array.from(this.shapes, ({ knob }) => digits[knob] as number);
  }

  /** Squared distance of two configs, with equal weight for every column. */
  distance(a: Int32Array, b: Int32Array): number {
    return this.#sum((column, k) => (column[a[k] as number] as number) - (column[b[k] as number] as number));
  }
  /** Squared distance to the middle of all columns. */
  fromMiddle(a: Int32Array): number {
    return this.#sum((column, k) => (column[a[k] as number] as number) - 0.5);
  }

  #sum(difference: (column: Float64Array, shape: number) => number): number {
    let sum = 0;
    this.shapes.forEach(({ columns }, k) => {
      for (const column of columns) sum += difference(column, k) ** 2;
    });
    return sum;
  }
}

export function similarity({ columns, first }: KnobShape, lengths: Float64Array, a: number, b: number): number {
  let sum = 0;
  for (let c = 0; c < columns.length; c++) {
    const column = columns[c] as Float64Array;
    const d = ((column[a] as number) - (column[b] as number)) / (lengths[first + c] as number);
    sum += d * d;
  }
  const r = Math.sqrt(5 * sum);
  return (1 + r + (r * r) / 3) * Math.exp(-r);
}

/** Similarities of one digit of a knob to all of them, computed on demand. */
export class Similarities {
  readonly #shape: KnobShape;
  readonly #lengths: Float64Array;
  readonly #byDigit: (Float64Array | undefined)[];

  constructor(shape: KnobShape, lengths: Float64Array) {
    this.#shape = shape;
    this.#lengths = lengths;
    this.#byDigit = new Array(shape.size);
  }

  to(digit: number): Float64Array {
    let made = this.#byDigit[digit];
    if (made === undefined) {
      made = Float64Array.from({ length: this.#shape.size }, (_, other) => similarity(this.#shape, this.#lengths, digit, other));
      this.#byDigit[digit] = made;
    }
    return made;
  }
}
