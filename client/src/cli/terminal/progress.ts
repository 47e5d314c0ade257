/** Live progress of a tuning run: trial, current and best GFLOPS, errors by kind, rate, time left. */
import { type Clock, type MeasureErrorName, spanWords } from "@warpfarm/common";
import type { TextSink } from "../context.ts";

export interface ProgressState {
  readonly trials: number;
  readonly done: number;
  /** Trials of a resumed log. They count as done, but not for the rate. */
  readonly replayed: number;
  readonly current: number | undefined;
  readonly best: number | undefined;
  readonly errors: Readonly<Partial<Record<MeasureErrorName, number>>>;
}

const rounded = (value: number | undefined): string => (value === undefined ? "-" : value.toFixed(value < 10 ? 2 : 1));

interface Steady {
  readonly fresh: number;
  readonly elapsedMs: number;
}
const begin: Steady = { fresh: 0, elapsedMs: 0 };
const freshOf = ({ done, replayed }: ProgressState): number => done - replayed;
const leastFresh = 3;

/** `trial 12/32 | current 18.1 best 25.3 GFLOPS | errors WRONG_ANSWER 1 | 1.9/s | 11 s left`, after elapsedMs of this run. */
export function progressWords(state: ProgressState, elapsedMs: number, from = begin): string {
  const fresh = freshOf(state) - from.fresh;
  const rate = elapsedMs > from.elapsedMs ? (fresh * 1000) / (elapsedMs - from.elapsedMs) : 0;
  const leftMs = 1000 * Math.ceil((state.trials - state.done) / rate);
  const left = fresh >= leastFresh && rate > 0 ? `${spanWords(leftMs)} left` : "time left unknown";
  const errors = Object.entries(state.errors)
    .filter(([name]) => name !== "NO_ERROR")
    .map(([name, count]) => `${name} ${count}`);
  return [
    `trial ${state.done}/${state.trials}`,
    `current ${rounded(state.current)} best ${rounded(state.best)} GFLOPS`,
    errors.length > 0 ? `errors ${errors.join(", ")}` : "no errors",
    fresh >= leastFresh ? `${rate.toFixed(1)}/s` : "-/s",
    left,
  ].join(" | ");
}

/** Draws each state. stop() leaves the last one on the screen and is idempotent. */
export interface ProgressView {
  show(state: ProgressState): void;
  stop(): void;
}

/** At a terminal one line is written over, five times a second at most; elsewhere each state is a line, one in two seconds. */
export function openProgress(stream: TextSink, clock: Clock, everyMs = stream.isTTY ? 200 : 2000): ProgressView {
  const start = clock.monotonic();
  let from: Steady | undefined;
  let last: { readonly words: string; readonly isPrinted: boolean } | undefined;
  let printedAt = Number.NEGATIVE_INFINITY;
  const print = (words: string): unknown =>
    stream.write(stream.isTTY ? `\r${words.slice(0, (stream.columns ?? 80) - 1)}\u001b[K` : `${words}\n`);
  return {
    show(state) {
      const elapsedMs = clock.monotonic() - start;
      if (freshOf(state) > 0) from ??= { fresh: freshOf(state), elapsedMs };
      const words = progressWords(state, elapsedMs, from);
      const isPrinted = elapsedMs - printedAt >= everyMs;
      if (isPrinted) {
        print(words);
        printedAt = elapsedMs;
      }
      last = { words, isPrinted };
    },
    stop() {
      if (last && !last.isPrinted) print(last.words);
      if (last && stream.isTTY) stream.write("\n");
      last = undefined;
    },
  };
}
