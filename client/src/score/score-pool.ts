/**
 * Scores with the repeats spread over threads. The space is shared and not copied. Seeds determine everything, so the number of
 * threads changes nothing.
 */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { TunerName } from "../tuner/index.ts";
import { openRecorded, type RecordedData } from "./recorded-space.ts";
import { repeatSeeds } from "./replay-search.ts";
import { type RepeatScore, type Score, type ScoreOptions, summarize } from "./score.ts";
import type { ThreadTask } from "./score-thread.ts";

export async function scoreInThreads(
  data: RecordedData,
  tuner: TunerName,
  options: ScoreOptions,
  { threads = availableParallelism(), signal }: { readonly threads?: number; readonly signal?: AbortSignal } = {},
): Promise<Score> {
  signal?.throwIfAborted();
  const seeds = repeatSeeds(options.seed, options.repeats);
  const count = Math.max(1, Math.min(threads, seeds.length));
  const shares = Array.from({ length: count }, (_, k) => seeds.filter((_s, i) => i % count === k));
  const answers = await Promise.all(shares.map((share) => inThread({ data, tuner, seeds: share, options }, signal)));
  const repeats = seeds.map((_, i) => answers[i % count]?.[Math.floor(i / count)] as RepeatScore);
  return summarize(openRecorded(data), tuner, repeats, options.budget);
}

function inThread(task: ThreadTask, signal: AbortSignal | undefined): Promise<RepeatScore[]> {
  const worker = new Worker(new URL("./score-thread.js", import.meta.url), { workerData: task });
  const stop = (): void => void worker.terminate();
  signal?.addEventListener("abort", stop, { once: true });
  return new Promise<RepeatScore[]>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(signal?.reason ?? new Error("a scoring thread ended without an answer")));
  }).finally(() => signal?.removeEventListener("abort", stop));
}
