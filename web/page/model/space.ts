/**
 * Statistics of a space from a search: the effect of single knobs and of pairs, the share of invalid configs, the spread of
 * times.
 */
import type { RunData } from "./run-data.ts";

export interface ValueEffect {
  readonly value: string;
  readonly count: number;
  /** Without those that ended early. */
  readonly failed: number;
  /** Fastest and median timed trial with this value; NaN: none. */
  readonly best: number;
  readonly median: number;
}
export interface KnobEffect {
  readonly knob: number;
  readonly name: string;
  readonly values: readonly ValueEffect[];
  /**
   * The slowest of the values' best times divided by the fastest: how much the knob matters when all other knobs are chosen well.
   */
  readonly span: number;
}

const medianOf = (sorted: readonly number[]): number =>
  sorted.length === 0 ? Number.NaN : (sorted[(sorted.length - 1) >> 1] as number);

/** The knob that matters most comes first. */
export function knobEffects(data: RunData): readonly KnobEffect[] {
  return data.knobs.map((_, knob) => knobEffect(data, knob)).sort((a, b) => b.span - a.span || a.knob - b.knob);
}

function knobEffect(data: RunData, knob: number): KnobEffect {
  const { name, values } = data.knobs[knob] as RunData["knobs"][number];
  const column = data.config[knob];
  const times: number[][] = values.map(() => []);
  const [count, failed] = [values.map(() => 0), values.map(() => 0)];
  for (let i = 0; i < data.count; i++) {
    const at = column?.at(i) ?? -1;
    if (at < 0) continue;
    const seconds = data.columns.seconds.at(i);
    count[at] = (count[at] ?? 0) + 1;
    if (seconds > 0) times[at]?.push(seconds);
    if (data.columns.errorNo.at(i) > 0) failed[at] = (failed[at] ?? 0) + 1;
  }
  const effects = values.map((value, at): ValueEffect => {
    const sorted = (times[at] ?? []).sort((a, b) => a - b);
    return {
      value,
      count: count[at] ?? 0,
      failed: failed[at] ?? 0,
      best: sorted[0] ?? Number.NaN,
      median: medianOf(sorted),
    };
  });
  const bests = effects.map(({ best }) => best).filter((best) => !Number.isNaN(best));
  const inOrder = [...effects].sort((a, b) => compareValues(a.value, b.value));
  return { knob, name, values: inOrder, span: bests.length < 2 ? 1 : Math.max(...bests) / Math.min(...bests) };
}

/** Compares JSON texts: numbers by size, lists by their first items that differ, everything else as text, after numbers. */
export function compareValues(a: string, b: string): number {
  const [x, y] = [numbersIn(a), numbersIn(b)];
  if (x.length === 0 || y.length === 0) return y.length - x.length || (a < b ? -1 : Number(a > b));
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    const [of, to] = [x[i] ?? Number.NEGATIVE_INFINITY, y[i] ?? Number.NEGATIVE_INFINITY];
    if (of !== to) return of - to;
  }
  return a < b ? -1 : Number(a > b);
}

/** The numbers of a number or of a list of numbers; none otherwise. */
function numbersIn(json: string): readonly number[] {
  const numbers = json
    .replace(/^\[|\]$/g, "")
    .split(",")
    .map(Number);
  return json === "" || json === "[]" || numbers.some(Number.isNaN) ? [] : numbers;
}

export function fastestValues(values: readonly ValueEffect[], most: number): readonly ValueEffect[] {
  if (values.length <= most) return values;
  const kept = new Set([...values].sort((a, b) => byTime(a.best, b.best)).slice(0, most));
  return values.filter((value) => kept.has(value));
}
const byTime = (a: number, b: number): number => Number(Number.isNaN(a)) - Number(Number.isNaN(b)) || a - b || 0;

export interface HeatMap {
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** [row][column]: the fastest time; NaN: none was timed. */
  readonly best: readonly (readonly number[])[];
}

export function heatMap(data: RunData, a: number, b: number): HeatMap {
  const [rows, columns] = [data.knobs[a]?.values ?? [], data.knobs[b]?.values ?? []];
  const best = rows.map(() => columns.map(() => Number.NaN));
  for (let i = 0; i < data.count; i++) {
    const seconds = data.columns.seconds.at(i);
    const line = best[data.config[a]?.at(i) ?? -1];
    const column = data.config[b]?.at(i) ?? -1;
    if (!(seconds > 0) || !line || column < 0) continue;
    if (!(seconds >= (line[column] as number))) line[column] = seconds;
  }
  const byValue = (values: readonly string[]) =>
    values.map((_, i) => i).sort((x, y) => compareValues(values[x] as string, values[y] as string));
  return partOf({ rows, columns, best }, byValue(rows), byValue(columns));
}

const partOf = ({ rows, columns, best }: HeatMap, r: readonly number[], c: readonly number[]): HeatMap => ({
  rows: r.map((i) => rows[i] as string),
  columns: c.map((i) => columns[i] as string),
  best: r.map((i) => c.map((k) => best[i]?.[k] ?? Number.NaN)),
});

/** The `most` rows and the `most` columns with the fastest times, in the order given. */
export function fastestPart(map: HeatMap, most: number): HeatMap {
  const fastest = (times: readonly (readonly number[])[]) => {
    const best = times.map((line) => line.reduce((a, b) => (b >= a || Number.isNaN(b) ? a : b), Number.POSITIVE_INFINITY));
    const places = [...best.keys()].sort((a, b) => (best[a] === best[b] ? 0 : (best[a] as number) - (best[b] as number)));
    return places.slice(0, most).sort((a, b) => a - b);
  };
  return partOf(map, fastest(map.best), fastest(map.columns.map((_, k) => map.best.map((line) => line[k] as number))));
}

/** Counts of times in bins of equal width on a log axis. */
export function histogram(data: RunData, bins: number): { readonly edges: Float64Array; readonly counts: readonly number[] } {
  const times = data.columns.seconds.view.filter((seconds, i) => seconds > 0 && data.isTrial(i));
  if (times.length === 0) return { edges: new Float64Array(0), counts: [] };
  const low = Math.log(times.reduce((a, b) => Math.min(a, b)));
  const high = Math.log(times.reduce((a, b) => Math.max(a, b)));
  const width = (high - low) / bins || 1;
  const counts = new Array<number>(bins).fill(0);
  for (const seconds of times) {
    const bin = Math.min(bins - 1, Math.floor((Math.log(seconds) - low) / width));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return { edges: Float64Array.from(counts, (_, i) => Math.exp(low + (i + 0.5) * width)), counts };
}

/** A brush: the range between two positions (0 to 1) on the axis of a knob, or on the time axis (-1). */
export interface Brush {
  readonly axis: number;
  readonly from: number;
  readonly to: number;
}

/** Positions of trials on each axis, from 0 (bottom) to 1 (top). Time is on a log scale with the fastest trial on top. */
export class Coordinates {
  readonly columns: readonly Float32Array[];
  readonly labels: readonly (readonly string[])[];
  readonly #names: readonly string[];
  readonly #trials: readonly number[];
  readonly #low: number;
  readonly #span: number;

  constructor(data: RunData) {
    this.#names = data.knobs.map(({ name }) => name);
    this.#trials = data.trials;
    const orders = data.knobs.map(({ values }) =>
      [...values.keys()].sort((a, b) => compareValues(values[a] as string, values[b] as string)),
    );
    this.labels = data.knobs.map(({ values }, k) => (orders[k] as number[]).map((i) => values[i] as string));
    const knobs = data.knobs.map(({ values }, k) => {
      const rank = new Float32Array(values.length);
      for (const [place, i] of (orders[k] as number[]).entries())
        rank[i] = values.length === 1 ? 0.5 : place / (values.length - 1);
      return Float32Array.from({ length: data.count }, (_, i) => rank[data.config[k]?.at(i) ?? -1] ?? Number.NaN);
    });
    // The default schedule has no place on an axis.
    const seconds = data.columns.seconds.view.map((value, i) => (data.isTrial(i) ? value : 0));
    let [low, high] = [Number.POSITIVE_INFINITY, 0];
    for (const value of seconds)
      if (value > 0) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    const span = Math.log(high / low) || 1;
    [this.#low, this.#span] = [low, span];
    this.columns = [...knobs, Float32Array.from(seconds, (value) => (value > 0 ? 1 - Math.log(value / low) / span : Number.NaN))];
  }

  /** The trials that lie within all brushes. */
  passing(brushes: readonly Brush[]): Int32Array {
    const isWithin = (i: number) =>
      brushes.every(({ axis, from, to }) => {
        const at = (this.columns.at(axis) as Float32Array)[i] as number;
        return at >= from && at <= to;
      });
    return Int32Array.from(this.#trials.filter(isWithin));
  }

  /** Words of a position: a knob's value, or seconds. */
  valueAt(axis: number, at: number): string | number {
    if (axis === -1) return this.#low * Math.exp((1 - at) * this.#span);
    const values = this.labels[axis] ?? [];
    return values[Math.round(at * (values.length - 1))] ?? "";
  }

  /** Brushes as values, for the address: they mean the same trials when axes grow. A knob's brush has one value at least. */
  textOf(brushes: readonly Brush[]): string {
    const ranges = brushes.map(({ axis, from, to }) => {
      const last = (this.labels[axis]?.length ?? 1) - 1;
      if (axis === -1) return ["", rounded(this.valueAt(-1, from) as number, 1), rounded(this.valueAt(-1, to) as number, -1)];
      const [low, high] = [Math.ceil(from * last - 1e-6), Math.floor(to * last + 1e-6)];
      const middle = Math.round(((from + to) / 2) * last);
      const places = low > high ? [middle, middle] : [low, high];
      return [this.#names[axis], ...places.map((place) => this.labels[axis]?.[place])];
    });
    return ranges.length === 0 ? "" : JSON.stringify(ranges);
  }

  brushesOf(text: string): readonly Brush[] {
    const ranges = parsed(text);
    return (Array.isArray(ranges) ? ranges : []).flatMap((range: unknown): readonly Brush[] => {
      const [name, from, to] = Array.isArray(range) ? (range as readonly unknown[]) : [];
      if (name === "" && typeof from === "number" && typeof to === "number" && from > 0 && to > 0)
        return [{ axis: -1, from: this.#placeOf(from) - 1e-9, to: this.#placeOf(to) + 1e-9 }];
      const axis = this.#names.indexOf(name as string);
      const places = [from, to].map((value) => this.labels[axis]?.indexOf(value as string) ?? -1);
      if (places.includes(-1)) return [];
      const last = (this.labels[axis]?.length ?? 1) - 1;
      const margin = 0.25 / Math.max(1, last);
      const at = (place: number) => (last === 0 ? 0.5 : place / last);
      return [{ axis, from: at(places[0] as number) - margin, to: at(places[1] as number) + margin }];
    });
  }

  #placeOf(seconds: number): number {
    return 1 - Math.log(seconds / this.#low) / this.#span;
  }
}

/** Rounds to four digits, up or down; shorter numbers stay. */
function rounded(seconds: number, direction: 1 | -1): number {
  const near = Number(seconds.toPrecision(4));
  const isPast = (near - seconds) * direction >= -1e-6 * seconds;
  return isPast ? near : Number((near + direction * 10 ** (Math.floor(Math.log10(near)) - 3)).toPrecision(4));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
