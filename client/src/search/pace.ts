/**
 * Decides when a search may submit its next candidate where several searches share a farm (suite/scheduler.ts). A search without
 * a pace submits whenever it has fewer than `inFlight` outstanding.
 */
import type { MeasureRecord } from "../measure/measurer.ts";

export interface Pace {
  /** Takes a permit for one more candidate; false: not now. */
  take(): boolean;
  /** Returns an unused permit, because the tuner proposed nothing. */
  giveBack(): void;
  /** Whether the search must end in order: it withdraws candidates in flight, and its finalists are measured. */
  readonly isOver: boolean;
  /**
   * Whether the search must close, to be opened again from its log: it submits nothing new, and candidates in flight finish. A
   * search that has reached its end by then ends.
   */
  readonly isParked: boolean;
  /** With isParked: whether it withdraws candidates in flight, because a time is over. */
  readonly isLate?: boolean;
  /** Trials that the session's owner has added to those of the spec, in all; never decreases. */
  gave(trials: number): void;
  /** Resolves at the next change of `take`, `isOver`, `isParked` or `isLate`. */
  changed(): Promise<void>;
}

/** Whether a search that is opened now proposes nothing: it is opened to end, or its time was over before its turn. */
export const isClosing = (pace: Pick<Pace, "isOver" | "isParked"> | undefined): boolean =>
  pace?.isOver === true || pace?.isParked === true;

/** The records as they come, and a message between them whenever the pace or the number of trials changes. */
export async function* paced(
  records: AsyncIterable<MeasureRecord>,
  pace: Pick<Pace, "changed"> | undefined,
): AsyncGenerator<MeasureRecord | "changed"> {
  if (!pace) return yield* records;
  const from = records[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<MeasureRecord>> | undefined;
  // Kept while records come, so a change between two of them is not missed.
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
    // The pending request is no longer waited for.
    next?.catch(() => {});
    await from.return?.();
  }
}
