/**
 * Something that measures programs: the farm (remote.ts), a recorded space, a script of a test. Inputs stream in, results stream
 * out in any order, each input answered exactly once. When `inputs` ends, the outstanding results follow.
 *
 * A candidate that fails is a result. The stream throws only when the measuring itself cannot go on (FarmError), or with the
 * signal's reason when aborted.
 */
import type { MeasureInput, MeasureResult } from "@warpfarm/common";

export interface MeasureRecord {
  /** The sequence of the input that it answers: the caller's own number, unique within one stream. */
  readonly sequence: number;
  readonly result: MeasureResult;
  /** Sequence of the input of the same program that gave this result. */
  readonly duplicateOf?: number;
}

export interface Measurer {
  measure(inputs: AsyncIterable<MeasureInput>, options: { readonly signal: AbortSignal }): AsyncIterable<MeasureRecord>;
}
