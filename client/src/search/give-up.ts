/** Ends a run that gets no result. Otherwise a farm that answers but measures nothing would hold a script for ever. */
import { type Clock, durationWords, FarmError } from "@warpfarm/common";
import { Quiet } from "./quiet.ts";

export class GiveUp extends Quiet {
  readonly #afterMs: number;
  readonly #given = new AbortController();

  constructor(clock: Clock, afterMs: number) {
    super(clock, afterMs);
    this.#afterMs = afterMs;
  }
  /** Aborts, with the error of the run, after that time without a result. */
  get signal(): AbortSignal {
    return this.#given.signal;
  }
  protected override async quietFor(): Promise<void> {
    const why = `no result came for ${durationWords(this.#afterMs)} (--give-up); warpfarm nodes and warpfarm sessions show what the farm does`;
    this.#given.abort(new FarmError("DEADLINE_EXCEEDED", why));
  }
}
