/** The results of measured configs, as a cost model is trained on them. */
import type { ConfigIndex } from "@warpfarm/compiler";
import type { Rows } from "../boost/boost.ts";
import type { Measured } from "../tuner.ts";

export interface Row {
  readonly index: ConfigIndex;
  /** Runs a second; 0 for a failure. */
  readonly speed: number;
  /** Its program ended early, and its speed is at most this. */
  readonly isBound: boolean;
}

export class Evidence {
  readonly #rows = new Map<ConfigIndex, Row>();
  #best = 0;

  get size(): number {
    return this.#rows.size;
  }

  /** Runs per second of the fastest; 0 while there is no valid result. */
  get best(): number {
    return this.#best;
  }

  add({ index, outcome }: Measured): void {
    if (outcome.kind === "skipped") return;
    const isBound = outcome.kind === "slower";
    const speed = isBound ? 1 / outcome.atLeast : outcome.kind === "timed" ? 1 / outcome.seconds : 0;
    if (!isBound) this.#best = Math.max(this.#best, speed);
    this.#rows.set(index, { index, speed, isBound });
  }

  /** All of them, or the fastest for half of the allowance and the latest others; sorted by config. */
  rows(most: number): readonly Row[] {
    let chosen: Row[] = [...this.#rows.values()];
    if (chosen.length > most) {
      const fastest = [...chosen].sort((a, b) => b.speed - a.speed || a.index - b.index).slice(0, most >> 1);
      const kept = new Set(fastest.map((r) => r.index));
      chosen = [...fastest, ...chosen.filter((r) => !kept.has(r.index)).slice(-(most - fastest.length))];
    }
    return chosen.sort((a, b) => a.index - b.index);
  }

  /** Labels are 1 for the fastest, and 0 for a failure. */
  labels(rows: readonly Row[]): Pick<Rows, "labels" | "atMost"> {
    return {
      labels: rows.map((r) => r.speed / this.#best),
      atMost: new Set(rows.flatMap(({ isBound }, i) => (isBound ? [i] : []))),
    };
  }
}
