/** Live progress of a tuning run: trial, current and best GFLOPS, errors by kind, rate, time left. */
import { createRequire } from "node:module";
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

/** The part of cli-progress that we use; the package carries no types and is CommonJS. */
interface CliProgress {
  readonly SingleBar: new (
    options: object,
  ) => {
    start(total: number, value: number, payload: object): void;
    update(value: number, payload: object): void;
    stop(): void;
  };
}

function counted(elapsed: () => number): (state: ProgressState) => string {
  let from: Steady | undefined;
  return (state) => {
    const elapsedMs = elapsed();
    if (freshOf(state) > 0) from ??= { fresh: freshOf(state), elapsedMs };
    return progressWords(state, elapsedMs, from);
  };
}

function terminalView(stream: TextSink, elapsed: () => number): ProgressView {
  const { SingleBar } = createRequire(import.meta.url)("cli-progress") as CliProgress;
  const bar = new SingleBar({ stream, format: "{bar} {words}", barsize: 20, hideCursor: true, gracefulExit: false, fps: 5 });
  const words = counted(elapsed);
  let started = false;
  return {
    show(state) {
      const payload = { words: words(state) };
      if (started) bar.update(state.done, payload);
      else bar.start(state.trials, state.done, payload);
      started = true;
    },
    stop() {
      if (started) bar.stop();
      started = false;
    },
  };
}

function plainView(stream: TextSink, elapsed: () => number, everyMs: number): ProgressView {
  const words = counted(elapsed);
  let last: { readonly text: string; readonly printed: boolean } | undefined;
  let printedAt = Number.NEGATIVE_INFINITY;
  return {
    show(state) {
      const due = elapsed() - printedAt >= everyMs;
      const text = `${words(state)}\n`;
      if (due) {
        stream.write(text);
        printedAt = elapsed();
      }
      last = { text, printed: due };
    },
    stop() {
      if (last && !last.printed) stream.write(last.text);
      last = undefined;
    },
  };
}

export function openProgress(stream: TextSink, clock: Clock, everyMs = 2000): ProgressView {
  const start = clock.monotonic();
  const elapsed = () => clock.monotonic() - start;
  return stream.isTTY ? terminalView(stream, elapsed) : plainView(stream, elapsed, everyMs);
}
