/** The results of measured configs, as a cost model is trained on them. */
import type { ConfigIndex, FeatureMatrix } from "@warpfarm/compiler";
import type { KnobColumns } from "../features/knob-columns.ts";
import type { Measured } from "../tuner.ts";

export interface Row {
  readonly index: ConfigIndex;
  /** Runs a second; 0 for a failure. */
  readonly speed: number;
}

export class Evidence {
  readonly #speeds = new Map<ConfigIndex, number>();
  #best = 0;

  get size(): number {
    return this.#speeds.size;
  }

  /** Runs per second of the fastest; 0 while there is no valid result. */
  get best(): number {
    return this.#best;
  }

  add({ index, outcome }: Measured): void {
    if (outcome.kind === "skipped") return;
    const speed = outcome.kind === "timed" ? 1 / outcome.seconds : 0;
    this.#best = Math.max(this.#best, speed);
    this.#speeds.set(index, speed);
  }

  /** All of them, or the fastest for half of the allowance and the latest others; sorted by config. */
  rows(most: number): readonly Row[] {
    let chosen: Row[] = Array.from(this.#speeds, ([index, speed]) => ({ index, speed }));
    if (chosen.length > most) {
      const fastest = [...chosen].sort((a, b) => b.speed - a.speed || a.index - b.index).slice(0, most >> 1);
      const kept = new Set(fastest.map((r) => r.index));
      chosen = [...fastest, ...chosen.filter((r) => !kept.has(r.index)).slice(-(most - fastest.length))];
    }
    return chosen.sort((a, b) => a.index - b.index);
  }

  /** 1 for the fastest, 0 for a failure. */
  labels(rows: readonly Row[]): number[] {
    return rows.map((r) => r.speed / this.#best);
  }
}

export function knobMatrix(columns: KnobColumns, rows: readonly Row[]): FeatureMatrix {
  const values = new Float32Array(rows.length * columns.width);
  rows.forEach(({ index }, row) => {
    columns.write(index, values, row * columns.width);
  });
  return { rows: rows.length, columns: columns.width, values };
}
