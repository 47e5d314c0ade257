/**
 * What the search knows, in the order configs were asked or told: a row each, in flight until its result is in. The one pool of evaluations that all
 * parts of `auto` share.
 */
import type { ConfigIndex } from "@warpfarm/compiler";
import type { KnobColumns } from "../knob-columns.ts";
import type { Measured } from "../tuner.ts";

export interface Row {
  readonly index: ConfigIndex;
  readonly columns: Float64Array;
  state: "flying" | "timed" | "failed" | "skipped";
  /** Logarithm of the seconds when timed. */
  value: number;
}

export class Results {
  readonly rows: Row[] = [];
  /** Rows with a time, and rows with any verdict on the config. */
  timed = 0;
  known = 0;
  best: Row | undefined;
  readonly #byIndex = new Map<ConfigIndex, Row>();
  readonly #columns: KnobColumns;

  constructor(columns: KnobColumns) {
    this.#columns = columns;
  }

  asked(index: ConfigIndex): Row {
    const columns = new Float64Array(this.#columns.width);
    this.#columns.write(index, columns, 0);
    const row: Row = { index, columns, state: "flying", value: Number.NaN };
    this.rows.push(row);
    this.#byIndex.set(index, row);
    return row;
  }

  /** A config that was never asked is taken in too; a second verdict on one is not. */
  told({ index, outcome }: Measured): void {
    const row = this.#byIndex.get(index) ?? this.asked(index);
    if (row.state !== "flying") return;
    row.state = outcome.kind;
    if (outcome.kind === "skipped") return;
    this.known++;
    if (outcome.kind !== "timed") return;
    this.timed++;
    row.value = Math.log(outcome.seconds);
    if (this.best === undefined || row.value < this.best.value) this.best = row;
  }

  /** The best timed rows, best first. */
  top(count: number): readonly Row[] {
    return this.rows
      .filter((row) => row.state === "timed")
      .sort((a, b) => a.value - b.value || a.index - b.index)
      .slice(0, count);
  }
}
