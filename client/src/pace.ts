/**
 * Who says when a search may submit its next candidate, where several searches share a farm (suite/scheduler.ts). A search
 * without a pace submits whenever it has fewer than `inFlight` outstanding.
 */
import type { MeasureRecord } from "./measure/measurer.ts";

export interface Pace {
  /** Takes leave for one more candidate; false = not now. */
  take(): boolean;
  /** The leave just taken was not used: the tuner proposed nothing. */
  giveBack(): void;
  /** The search is to end in order: nothing new is submitted, what is in flight lands, its finalists are measured. */
  readonly isOver: boolean;
  /**
   * The search is to close and will be opened anew from its log: nothing new is submitted, what is in flight lands. One that has
   * come to its end by then ends.
   */
  readonly isParked: boolean;
  /** Resolves at the next change of what `take`, `isOver` and `isParked` say. */
  changed(): Promise<void>;
}

/** The records as they come, and a word between them whenever the pace, or how many trials there may be, changes. */
export async function* paced(
  records: AsyncIterable<MeasureRecord>,
  pace: Pick<Pace, "changed"> | undefined,
): AsyncGenerator<MeasureRecord | "changed"> {
  if (!pace) return yield* records;
  const from = records[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<MeasureRecord>> | undefined;
  // Kept while records come: a change that falls between two of them is not missed.
  let changed: Promise<"changed"> | undefined;
  try {
    for (;;) {
      next ??= from.next();
      changed ??= pace.changed().then(() => "changed" as const);
      const got = await Promise.race([next, changed]);
      if (got !== "changed") {
        next = undefined;
        if (got.done) return;
        yield got.value;
      } else {
        changed = undefined;
        yield got;
      }
    }
  } finally {
    // What was asked for and is not waited for any more.
    next?.catch(() => {});
    await from.return?.();
  }
}
