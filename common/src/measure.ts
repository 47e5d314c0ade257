/**
 * A measurement is a value that travels: MeasureInput in, MeasureResult out. Pure data, no behaviour.
 * Costs are seconds of one run; costs[i] is the mean of repeat i (AutoTVM's time_evaluator). Times of ours are milliseconds.
 */
import { backends } from "./backend/index.ts";
import type { ArtifactDigest, ProgramDigest } from "./brand.ts";
import type { Json } from "./canonical.ts";
import { type MeasureErrorNo, measureErrorNo } from "./measure-error-no.ts";

export type Seconds = number;

export type TimerKind = "cuda_graph" | "events" | "wall";

export interface MeasureOptions {
  /** Runs per repeat; 0 = calibrate per candidate until one repeat lasts minRepeatMs. */
  readonly number: number;
  readonly repeat: number;
  readonly minRepeatMs: number;
  readonly buildTimeoutMs: number;
  /** First launch to last timed repeat; not queue, fetch, fill or reference. */
  readonly runTimeoutMs: number;
  readonly cooldownMs: number;
  readonly l2: "warm" | "flushed";
  readonly timer: TimerKind;
  readonly check: "reference" | "none";
  /** Stop early once a run is clearly slower than this many seconds; undefined = never. */
  readonly cutoffSeconds?: Seconds;
}

/** By the name of the backend. Throws FarmError INVALID_ARGUMENT for one that is not known. */
export function defaultMeasureOptions(backend: string): MeasureOptions {
  const { minRepeatMs, timers } = backends.of(backend);
  return {
    number: 0,
    repeat: 3,
    minRepeatMs,
    buildTimeoutMs: 30_000,
    runTimeoutMs: 10_000,
    cooldownMs: 0,
    l2: "warm",
    timer: timers[0] as TimerKind,
    check: "reference",
  };
}

/** What a farm is asked to measure: a program, and the program whose output it must agree with. */
export interface MeasureInput {
  readonly sequence: number;
  readonly program: ProgramBytes;
  /** Built and run like any program; absent only with check "none". */
  readonly reference?: ProgramBytes;
  /** Measured with `program` in turns, as PairedOptions say; there are some exactly when the measurer pairs. */
  readonly others?: readonly ProgramName[];
  /** Nodes where it should not run when another node can. */
  readonly avoidNodes?: readonly string[];
  /**
   * For the record of its result: the config it is of (as a log's line has it), the tuner's how-manieth, and what it had been
   * told.
   */
  readonly proposal?: { readonly config: Json; readonly trial: number; readonly told: number };
}

/** A program, or the name of one that the farm has. */
export type ProgramName = ProgramBytes | Pick<ProgramBytes, "digest">;

/**
 * How programs are measured in turns: `rounds` times one repeat of each, every other round backwards, the device idle before
 * each.
 */
export interface PairedOptions {
  readonly rounds: number;
  readonly idleMs: number;
}
/** `programs`: measured together, the first included. */
export const pairedLimits = { programs: { least: 2, most: 8 }, rounds: { least: 1, most: 1_000 }, idleMs: 10_000 } as const;
export const defaultPaired: PairedOptions = { rounds: 24, idleMs: 20 };

/** Canonical JSON of a Program and its digest. */
export interface ProgramBytes {
  readonly digest: ProgramDigest;
  readonly bytes: Uint8Array;
}

/** Where a result was measured. */
export interface DeviceFacts {
  /** Match key, for instance `cpu/x86-64-v4` or `cuda/sm_90`. */
  readonly key: string;
  readonly name: string;
  readonly uuid: string;
  readonly node: string;
  readonly driver: string;
}

/** One disagreement with the reference: the worst element. */
export interface Mismatch {
  readonly buffer: string;
  /** Flat index in row-major order of the buffer's shape. */
  readonly index: number;
  readonly expected: number;
  readonly got: number;
  /** Elements outside the tolerance. */
  readonly count: number;
}

/** Facts of the run that are not its costs. Absent when the driver does not tell. */
export interface Observations {
  readonly smClockMhz?: number;
  readonly memoryClockMhz?: number;
  readonly temperatureC?: number;
  readonly powerW?: number;
  /** Joules of one run: what the device drew over the timed runs, divided by their number. */
  readonly energyJ?: number;
  readonly throttleReasons?: readonly string[];
}

interface Phases {
  /** Milliseconds of compiling; 0 when the artifact was cached. */
  readonly buildMs: number;
  /** Milliseconds from job start to result at the runner. */
  readonly runMs: number;
  /** Unix time in milliseconds at the end of the run or of the failing phase. */
  readonly timestampMs: number;
  /** Executions of this measurement so far, 1 = first; 0 = none: a client had it from records. */
  readonly attempt: number;
}

export interface TimedResult extends Phases {
  readonly kind: "timed";
  /** Seconds of one run, one entry a repeat, in order, all kept. */
  readonly costs: readonly Seconds[];
  /** Runs per repeat as used. */
  readonly number: number;
  /** Milliseconds of timed, warm-up and calibration launches by the device's own timer. */
  readonly busyMs: number;
  /** True when every output was compared with the reference. */
  readonly checked: boolean;
  readonly device: DeviceFacts;
  readonly observations: Observations;
  readonly artifact: ArtifactDigest;
  /** Of programs measured in turns: of each, as they were named. `costs`, `number` and `artifact` are then those of the first. */
  readonly paired?: readonly PairedTiming[];
}

/** costs[i] of all of them were taken in round i. */
export type PairedTiming = Pick<TimedResult, "costs" | "number" | "artifact">;

export interface FailedResult extends Phases {
  readonly kind: "failed";
  readonly errorNo: Exclude<MeasureErrorNo, 0>;
  /** Machine-readable cause: a rule id, a driver code, a signal. */
  readonly rule?: string;
  /** What was asked, what was found, what is allowed. At most 1 KiB. */
  readonly message: string;
  /** The toolchain's or kernel's own words, at most 64 KiB. */
  readonly log?: string;
  readonly mismatch?: Mismatch;
  /** As of a timed result, for what ended before the failure; absent when nothing did. */
  readonly busyMs?: number;
  readonly device?: DeviceFacts;
  /** Of programs measured in turns: which of them failed, 0 = the first; absent when none is to blame. */
  readonly failedProgram?: number;
}

export type MeasureResult = TimedResult | FailedResult;

/**
 * What the candidate must agree with could not be built or run, or its inputs could not be made; `rule` is `reference.` and the
 * cause. No candidate of the task can be measured.
 */
export const isTaskFault = (result: MeasureResult): result is FailedResult =>
  result.kind === "failed" && result.errorNo === measureErrorNo.UNKNOWN_ERROR && result.rule?.startsWith("reference.") === true;

/** The score of a timed result: the median of its costs (mean of the middle two for an even count). */
export function medianSeconds(costs: readonly Seconds[]): Seconds {
  const sorted = [...costs].sort((a, b) => a - b);
  const mid = sorted.length >> 1;
  const upper = sorted[mid];
  if (upper === undefined) throw new RangeError("median of no costs");
  return sorted.length % 2 === 1 ? upper : ((sorted[mid - 1] as number) + upper) / 2;
}
