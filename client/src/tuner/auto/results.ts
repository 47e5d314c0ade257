/**
 * The results of the search, in the order in which configs were asked or told: one row each, in flight until its result arrives.
 * All parts of `auto` share this one pool. It is bounded: of very many rows the best, the latest and those in flight are kept.
 */
import type { ConfigIndex } from "@warpfarm/compiler";
import type { Measured, Outcome } from "../tuner.ts";
import type { Metric } from "./metric.ts";

export interface Row {
  readonly index: ConfigIndex;
  readonly digits: Int32Array;
  state: "flying" | Outcome["kind"];
  /** Logarithm of the seconds when timed; of the least that they can be when it ended early. */
  value: number;
}

/** Whether it has a time, or a bound of one. */
export const hasRun = ({ state }: Row): boolean => state === "timed" || state === "slower";
/** Whether the row says something of its config. */
export const isKnown = (row: Row): boolean => hasRun(row) || row.state === "failed";

/** Rows at which the pool is halved, unless more are in flight. */
const mostRows = 4000;

export class Results {
  #rows: Row[] = [];
  #room = mostRows;
  dropped = 0;
  /** Those of programs that ran, to their end or not. */
  ran = 0;
  known = 0;
  best: Row | undefined;
  readonly #byIndex = new Map<ConfigIndex, Row>();
  readonly #metric: Metric;

  constructor(metric: Metric) {
    this.#metric = metric;
  }

  get rows(): readonly Row[] {
    return this.#rows;
  }

  asked(index: ConfigIndex): Row {
    const row: Row = { index, digits: this.#metric.digits(index), state: "flying", value: Number.NaN };
    this.#rows.push(row);
    this.#byIndex.set(index, row);
    if (this.#rows.length >= this.#room) this.#halve();
    return row;
  }

  /** Also takes a config that was never asked. Ignores a second verdict on one in the pool. */
  told({ index, outcome }: Measured): void {
    const row = this.#byIndex.get(index) ?? this.asked(index);
    if (row.state !== "flying") return;
    row.state = outcome.kind;
    if (outcome.kind === "skipped") return;
    this.known++;
    if (outcome.kind === "failed") return;
    this.ran++;
    row.value = Math.log(outcome.kind === "slower" ? outcome.atLeast : outcome.seconds);
    if (outcome.kind === "slower") return;
    if (this.best === undefined || row.value < this.best.value) this.best = row;
  }

  /** The best rows, best first. One that ended early comes after all that are faster than its bound. */
  top(count: number): readonly Row[] {
    return this.rows
      .filter(hasRun)
      .sort((a, b) => a.value - b.value || Number(a.state === "slower") - Number(b.state === "slower") || a.index - b.index)
      .slice(0, count);
  }

  /** All rows, or the best for half of the allowance and the latest others, in their old order. */
  window(most: number): readonly Row[] {
    if (this.#rows.length <= most) return this.#rows;
    const best = new Set(this.top(most >> 1));
    const latest = this.#rows.filter((row) => !best.has(row)).slice(-(most - best.size));
    const kept = new Set([...best, ...latest]);
    return this.#rows.filter((row) => kept.has(row));
  }

  #halve(): void {
    const quarter = this.#rows.length >> 2;
    const best = new Set(this.top(quarter));
    const latest = this.#rows.length - quarter;
    const kept = this.#rows.filter((row, i) => i >= latest || row.state === "flying" || best.has(row));
    this.dropped += this.#rows.length - kept.length;
    this.#rows = kept;
    this.#room = Math.max(mostRows, 2 * kept.length);
    this.#byIndex.clear();
    for (const row of kept) this.#byIndex.set(row.index, row);
  }
}
