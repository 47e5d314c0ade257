/**
 * A config as numbers a model can compare: one or more columns a knob, each from 0 to 1 over the knob's entries.
 *
 *   size        numbers that are not negative by their logarithm (tile sizes double), others as they are
 *   alignment   whole numbers also by the largest power of two that divides them, where that is not the size again: 96 and 160
 *               are odd sizes for memory that 128 is not
 *   word        one column an entry
 *
 * Made once a space; a config then costs one lookup a column.
 */
import type { ConfigIndex, ConfigSpace, Knob } from "@warpfarm/compiler";
import type { FeatureMatrix } from "./feature-matrix.ts";

interface Column {
  readonly knob: number;
  readonly values: Float64Array;
}

export class KnobColumns {
  readonly #columns: readonly Column[];
  readonly #space: ConfigSpace;
  readonly #digits: Int32Array;

  constructor(space: ConfigSpace) {
    this.#columns = space.knobs.flatMap((knob, i) => columnsOf(knob).map((values) => ({ knob: i, values })));
    this.#space = space;
    this.#digits = new Int32Array(space.knobs.length);
  }

  get width(): number {
    return this.#columns.length;
  }

  write(index: ConfigIndex, out: Float64Array | Float32Array, at: number): void {
    this.#space.digits(index, this.#digits);
    for (let c = 0; c < this.#columns.length; c++) {
      const { knob, values } = this.#columns[c] as Column;
      out[at + c] = values[this.#digits[knob] as number] as number;
    }
  }

  matrix(configs: ArrayLike<number>): FeatureMatrix {
    const values = new Float32Array(configs.length * this.width);
    for (let row = 0; row < configs.length; row++) this.write(configs[row] as ConfigIndex, values, row * this.width);
    return { rows: configs.length, columns: this.width, values };
  }
}

/** The columns of one knob, each by digit; none when all its entries are alike. */
export function columnsOf(knob: Knob): readonly Float64Array[] {
  if (knob.size < 2) return [];
  const entries = Array.from({ length: knob.size }, (_, digit) => knob.decode(digit));
  if (!entries.every((entry) => Array.isArray(entry) || typeof entry === "number" || typeof entry === "boolean"))
    return entries.map((_, word) => Float64Array.from(entries, (_e, digit) => Number(digit === word)));
  const features = entries.map((_, digit) => knob.features(digit));
  const width = features[0]?.length ?? 0;
  return Array.from({ length: width }, (_, c) => numberColumns(features.map((f) => f[c] ?? 0))).flat();
}

function numberColumns(values: readonly number[]): readonly Float64Array[] {
  const least = Math.min(...values);
  const size = least < 0 ? values : values.map((v) => Math.log2(least > 0 ? v : v + 1));
  const columns = [scaled(size)];
  if (least > 0 && values.every(Number.isInteger)) {
    const alignment = values.map(powerOfTwoIn);
    if (alignment.some((a, i) => a !== size[i])) columns.push(scaled(alignment));
  }
  return columns.filter((column) => column !== undefined);
}

/** Exponent of the largest power of two that divides n > 0. */
function powerOfTwoIn(n: number): number {
  let exponent = 0;
  for (let rest = n; rest % 2 === 0; rest /= 2) exponent++;
  return exponent;
}

function scaled(values: readonly number[]): Float64Array | undefined {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return high > low ? Float64Array.from(values, (v) => (v - low) / (high - low)) : undefined;
}
