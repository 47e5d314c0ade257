/** Timed batches of one candidate, one repeat after the other. Each repeat begins with the `number` of the last. */
import {
  backendOf,
  backends,
  durationWords,
  type MeasureOptions,
  type Mismatch,
  measureErrorNo,
  type Refusal,
  type Seconds,
  type Tolerance,
} from "@warpfarm/common";
import type { Buffers, DeviceApi, DeviceModule } from "../device/device-api.ts";
import { HostClock } from "./host-clock.ts";
import { type Judged, judgedBatch, mostRuns } from "./judged.ts";
import type { MeasureHooks } from "./measure.ts";
import { maxBatchMs, nextNumber, zeroTimeBatches } from "./statistics.ts";

/** What the candidate must agree with; absent with check "none". */
export interface Expectation {
  readonly reference: Buffers;
  readonly toleranceOf: (output: string) => Tolerance;
}

export interface Candidate {
  readonly module: DeviceModule;
  readonly buffers: Buffers;
  readonly expected?: Expectation;
  readonly refill: () => void;
  /** Present when its measurement is judged. `module` is then what was loaded last. */
  readonly judged?: Judged;
}

/** `tainted`: memory outside the candidate was written, so the process must not continue. */
export interface Failure extends Refusal {
  readonly kind: "failed";
  readonly errorNo: 4 | 5 | 7;
  readonly mismatch?: Mismatch;
  /** Time of launches that ended before the failure, by the device's timer. */
  readonly busyMs?: number;
  readonly tainted: boolean;
  /** Which of the candidates measured interleaved failed, from 0; absent when none is to blame. */
  readonly failedProgram?: number;
}

/** One timed batch. The clock is the mean of an SM's over the batch, where the device tells it. */
export interface Repeat {
  readonly seconds: Seconds;
  readonly clockMhz: number | undefined;
}

interface BatchOptions extends MeasureOptions {
  /** A batch of `tellingMs` whose runs take longer is not repeated to reach minRepeatMs: its program ends with it. */
  readonly slowMs: number;
  /** The device is idle for this time before each batch that may be long enough. */
  readonly idleMs: number;
  /** What one run took before. */
  readonly warmUpMs: number;
}
type BatchHooks = Pick<MeasureHooks, "monotonic" | "pause">;

/** When repeats must have ended. Each of so many idle times puts that off by its milliseconds: 0 where nobody allows more. */
export interface Limit {
  deadline: number;
  readonly idleMs: number;
  idles: number;
}

/**
 * The launch of a batch takes some microseconds of its time, as long as a short program runs. In a batch of this length they are
 * a share that the bound of one repeat (`clearlyAbove`) covers many times.
 */
const tellingMs = 1;

/** A batch that takes so many times what was asked was calibrated on a device that was less busy, or in a lucky moment. */
const muchTooLong = 4;

/** Flushing takes longer than a short run, so a batch grows to so many runs and not to its length. */
const mostFlushedRuns = 10;

export class Batches {
  readonly #device: DeviceApi;
  readonly #candidate: Pick<Candidate, "module" | "buffers" | "judged">;
  readonly #options: BatchOptions;
  readonly #hooks: BatchHooks;
  readonly #mostMs: number;
  readonly #clock: HostClock;
  #number: number;
  #busyMs = 0;
  #runMs = 0;

  constructor(
    device: DeviceApi,
    candidate: Pick<Candidate, "module" | "buffers" | "judged">,
    options: BatchOptions,
    hooks: BatchHooks,
  ) {
    this.#device = device;
    this.#candidate = candidate;
    this.#options = options;
    this.#hooks = hooks;
    this.#clock = new HostClock(device);
    const { burst } = backends.of(backendOf(candidate.module.manifest.target));
    this.#mostMs = options.power === "burst" ? burst.mostMs : maxBatchMs;
    this.#number = Math.max(1, options.number);
  }

  get number(): number {
    return this.#number;
  }
  get busyMs(): number {
    return this.#busyMs;
  }

  /** Why the clocks of the host and of the device disagree about judged batches, if they do. */
  clockFault(): Failure | undefined {
    return this.#clock.disagreement();
  }

  /** Batches grow until one lasts long enough, all before the deadline. `what` names the repeat. */
  repeat(limit: Limit, what: string): Repeat | Failure {
    const { minRepeatMs, slowMs, idleMs, warmUpMs, l2, number: given } = this.#options;
    const most = l2 === "flushed" ? Math.max(given, mostFlushedRuns) : Number.POSITIVE_INFINITY;
    const { monotonic, pause } = this.#hooks;
    for (let zeroes = 0; ; ) {
      const rests = idleMs > 0 && this.#number * (this.#runMs || warmUpMs) >= minRepeatMs / 2;
      const grantedMs = rests && limit.idles > 0 ? limit.idleMs : 0;
      const restMs = rests ? idleMs : 0;
      // A batch that cannot end in time is not started: otherwise the child would be killed, with its inputs and its reference.
      if (monotonic() + restMs + this.#expectedMs() >= limit.deadline + grantedMs) return timedOut(this.#options, what);
      if (rests) {
        pause(idleMs);
        limit.deadline += grantedMs;
        limit.idles--;
      }
      const batch = this.#batch();
      if ("kind" in batch) return batch;
      this.#busyMs += batch.ms;
      this.#runMs = batch.ms / batch.runs;
      const elapsedMs = this.#runMs * this.#number;
      if (elapsedMs === 0 && ++zeroes >= (minRepeatMs > 0 ? zeroTimeBatches : 1)) return unmeasurable(zeroes, this.#number);
      if (elapsedMs >= minRepeatMs || (elapsedMs >= tellingMs && this.#runMs > slowMs)) break;
      const wanted = elapsedMs > 0 ? nextNumber(this.#number, elapsedMs, minRepeatMs, this.#mostMs) : this.#number;
      const next = Math.min(wanted, most);
      if (next === this.#number && elapsedMs > 0) break;
      this.#number = next;
    }
    return { seconds: this.#runMs / 1e3, clockMhz: this.#device.stamps()?.clockMhz };
  }

  /**
   * Leaves the next repeat fewer runs after one that was much too long, unless their number was asked for. It is for the hundreds
   * of repeats of a final: a result that names the `number` of its repeats has one for all.
   */
  shorten(): void {
    const { minRepeatMs, number: given } = this.#options;
    if (given === 0 && this.#runMs * this.#number > muchTooLong * minRepeatMs)
      this.#number = Math.max(1, Math.ceil(minRepeatMs / this.#runMs));
  }

  /** A judged batch may be longer than asked, and its first one has more than a run. */
  #expectedMs(): number {
    if (this.#candidate.judged === undefined) return this.#number * this.#runMs;
    return mostRuns(this.#number) * (this.#runMs || this.#options.warmUpMs);
  }

  #batch(): { readonly ms: number; readonly runs: number } | Failure {
    const { module, buffers, judged } = this.#candidate;
    if (judged !== undefined) return judgedBatch(this.#device, judged, this.#number, this.#options, this.#clock);
    const { l2, timer } = this.#options;
    const runs = this.#number;
    if (l2 === "warm") return { ms: this.#device.run(module, buffers, runs, timer), runs };
    // The second of two runs in a row would find what the first one left.
    let ms = 0;
    for (let i = 0; i < runs; i++) {
      this.#device.flushCaches();
      ms += this.#device.run(module, buffers, 1, timer);
    }
    return { ms, runs };
  }
}

export function timedOut({ runTimeoutMs }: Pick<MeasureOptions, "runTimeoutMs">, what: string): Failure {
  const message = `would not finish within the run timeout of ${durationWords(runTimeoutMs)}; stopped in ${what}; a longer run_timeout allows more`;
  return { kind: "failed", errorNo: measureErrorNo.RUN_TIMEOUT, rule: "run_timeout", message, tainted: false };
}

function unmeasurable(batches: number, number: number): Failure {
  const message = `${batches} batches of ${number} runs took no time that the timer can see`;
  return { kind: "failed", errorNo: measureErrorNo.RUNTIME_DEVICE, rule: "timer", message, tainted: false };
}
