/**
 * Columns in bins: a value becomes a code of 8 bits, in order, so that a split is looked for among a few hundred cuts instead of
 * among all rows (histogram splits: Ke et al., "LightGBM", 2017, §2.1). Columns in which all rows agree, and copies of an earlier
 * column, say nothing to training and are left out. A column with no
 * more distinct values than bins is split exactly.
 */
import type { FeatureMatrix } from "./feature-matrix.ts";

export const mostBins = 256;

export interface BinnedColumn {
  readonly column: number;
  /** Ascending: code k holds the values in (cuts[k-1], cuts[k]]; there is one code more than cuts. NaN has code 0. */
  readonly cuts: Float64Array;
  readonly codes: Uint8Array;
}

export interface Binned {
  readonly rows: number;
  readonly columns: readonly BinnedColumn[];
}

/** Requires 2 <= bins <= mostBins. */
export function binColumns({ rows, columns, values }: FeatureMatrix, bins: number): Binned {
  const seen = new ColumnSet();
  const made: BinnedColumn[] = [];
  for (let first = 0; first < columns; first += blockColumns) {
    const block = transposed({ rows, columns, values }, first, Math.min(columns, first + blockColumns));
    block.forEach((column, i) => {
      if (isConstant(column) || !seen.add(column)) return;
      const cuts = cutsOf(column, bins);
      if (cuts.length > 0) made.push({ column: first + i, cuts, codes: codesOf(cuts, column) });
    });
  }
  return { rows, columns: made };
}

/** As many numbers as a cache line holds: each line of a wide matrix is then read once. */
const blockColumns = 16;

function transposed({ rows, columns, values }: FeatureMatrix, first: number, end: number): Float32Array[] {
  const made = Array.from({ length: end - first }, () => new Float32Array(rows));
  for (let row = 0; row < rows; row++)
    for (let column = first; column < end; column++)
      (made[column - first] as Float32Array)[row] = values[row * columns + column] as number;
  return made;
}

function isConstant(column: Float32Array): boolean {
  const first = column[0];
  for (let row = 1; row < column.length; row++) if (column[row] !== first) return false;
  return true;
}

class ColumnSet {
  readonly #byHash = new Map<number, Uint32Array[]>();

  /** False when it equals an earlier column. */
  add(column: Float32Array): boolean {
    const bits = new Uint32Array(column.buffer);
    let hash = 0x811c9dc5;
    for (const word of bits) hash = Math.imul(hash ^ word ^ (word >>> 15), 0x01000193);
    const like = this.#byHash.get(hash);
    if (!like) this.#byHash.set(hash, [bits]);
    else if (like.some((known) => known.every((word, i) => word === bits[i]))) return false;
    else like.push(bits);
    return true;
  }
}

/** Between distinct neighbours; when those are more than `bins`, at the ones that share the rows out evenly. */
function cutsOf(column: Float32Array, bins: number): Float64Array {
  const sorted = (distinctOf(column, bins) ?? column).filter((value) => !Number.isNaN(value)).sort();
  const borders: number[] = [];
  for (let i = 1; i < sorted.length; i++) if (sorted[i] !== sorted[i - 1]) borders.push(i);
  const kept = borders.length < bins ? borders : evenly(borders, sorted.length, bins);
  return Float64Array.from(kept, (i) => between(sorted[i - 1] as number, sorted[i] as number));
}

/** Slots of the table of distinct values: always some of them free. */
const slots = 4 * mostBins;

/** The values by their bits, each once; undefined when they are more than `most`. */
function distinctOf(column: Float32Array, most: number): Float32Array | undefined {
  const bits = new Uint32Array(column.buffer);
  const places = new Int16Array(slots);
  const found = new Uint32Array(most);
  let count = 0;
  for (const word of bits) {
    let slot = (Math.imul(word, 0x9e3779b1) >>> 16) % slots;
    let place = places[slot] as number;
    while (place > 0 && found[place - 1] !== word) {
      slot = (slot + 1) % slots;
      place = places[slot] as number;
    }
    if (place > 0) continue;
    if (count === most) return undefined;
    found[count++] = word;
    places[slot] = count;
  }
  return new Float32Array(found.buffer, 0, count);
}

/** A border each time the rows since the last one are their share of the rest. */
function evenly(borders: readonly number[], rows: number, bins: number): number[] {
  const kept: number[] = [];
  let last = 0;
  for (const [i, border] of borders.entries()) {
    if (kept.length === bins - 1) break;
    const share = (rows - last) / (bins - kept.length);
    const next = borders[i + 1] ?? rows;
    // The border nearest to the share: this one unless the next is nearer.
    if (Math.abs(border - last - share) > Math.abs(next - last - share)) continue;
    kept.push(border);
    last = border;
  }
  return kept;
}

/** A number in [low, high): the middle, where there is one. */
function between(low: number, high: number): number {
  const middle = (low + high) / 2;
  return middle >= low && middle < high ? middle : low;
}

function codesOf(cuts: Float64Array, column: Float32Array): Uint8Array {
  const codes = new Uint8Array(column.length);
  for (let row = 0; row < column.length; row++) codes[row] = codeOf(cuts, column[row] as number);
  return codes;
}

function codeOf(cuts: Float64Array, value: number): number {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (value > (cuts[middle] as number)) low = middle + 1;
    else high = middle;
  }
  return low;
}
