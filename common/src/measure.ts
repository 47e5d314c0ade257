/**
 * A measurement is a value that travels: MeasureInput in, MeasureResult out. Costs are seconds of one run; costs[i] is the mean
 * of repeat i (as in AutoTVM's time_evaluator). All other times are milliseconds.
 */
import { type Backend, backends, type TimerKind } from "./backend/index.ts";
import type { ArtifactDigest, ProgramDigest } from "./brand.ts";
import type { Json } from "./canonical.ts";
import type { InputKind } from "./fill.ts";
import { type MeasureErrorNo, measureErrorNo } from "./measure-error-no.ts";

export type Seconds = number;

/**
 * How warm a device is while it is timed, and so how fast its clock is. `burst`: repeats of a few milliseconds, the device idle
 * before each, so that its power limit does not slow it down. `sustained`: repeats back to back, once the device's power is
 * steady. `as_asked`: whatever number, repeat, minRepeatMs and cooldownMs give.
 */
export const powerStates = ["burst", "sustained", "as_asked"] as const;
export type PowerState = (typeof powerStates)[number];

export interface MeasureOptions {
  /** Runs per repeat; 0 = calibrate per candidate until one repeat lasts minRepeatMs. */
  readonly number: number;
  /** The most repeats. */
  readonly repeat: number;
  /**
   * Repeats end when the interval of the time is this share of it to either side (mean-interval.ts); 0 = never before `repeat`.
   */
  readonly precision: number;
  readonly minRepeatMs: number;
  readonly buildTimeoutMs: number;
  /**
   * Limit of the time from the first launch to the last timed repeat. The queue, fetching, filling and the reference do not
   * count.
   */
  readonly runTimeoutMs: number;
  /** The device is idle for this time before each repeat. The run timeout includes it. */
  readonly cooldownMs: number;
  /** flushed: before each run, each of which is timed by itself; of a judged measurement before each graph. */
  readonly l2: "warm" | "flushed";
  readonly timer: TimerKind;
  readonly check: "reference" | "none";
  /** What inputs hold where the program does not say it, for times and for the check (fill.ts). */
  readonly inputs: InputKind;
  readonly power: PowerState;
  /**
   * Whether times and answers are defended against code that wants to look faster than it is: inputs that change from launch to
   * launch, comparisons at secret launches, audits (ADR 83). Absent = not. Requires check "reference".
   */
  readonly judged?: true;
  /**
   * The time to beat: a program that is surely slower ends, with a `slower` result (mean-interval.ts). "best" = the least time
   * that the client knows so far of its search on this kind of device; absent = every program is measured to its end.
   */
  readonly incumbent?: Seconds | "best";
}

/** A wider interval says nothing. */
export const mostPrecision = 0.5;

/** The defaults of the backend of this name. Throws FarmError INVALID_ARGUMENT for an unknown one. */
export function defaultMeasureOptions(backend: string, power: PowerState = "burst"): MeasureOptions {
  const { minRepeatMs, burst, timers } = backends.of(backend);
  const isBurst = power === "burst";
  return {
    number: 0,
    ...(power === "as_asked" ? { repeat: 3, precision: 0 } : { repeat: 10, precision: 0.01 }),
    // A repeat ends short of the limit, so that one whose runs are a little slower than the last ones keeps to it too.
    minRepeatMs: isBurst ? 0.8 * burst.mostMs : minRepeatMs,
    buildTimeoutMs: 30_000,
    runTimeoutMs: 10_000,
    cooldownMs: isBurst ? burst.idleMs : 0,
    l2: "warm",
    timer: timers[0] as TimerKind,
    check: "reference",
    inputs: "full",
    power,
  };
}

type Repeats = Pick<MeasureOptions, "number" | "minRepeatMs" | "cooldownMs">;
/** Why repeats like these are no bursts; undefined when they are. Absent options have their defaults. */
export function whyNoBurst(
  { number = 0, minRepeatMs = 0, cooldownMs }: Partial<Repeats>,
  { burst: { mostMs, idleMs } }: Pick<Backend, "burst">,
): string | undefined {
  const why = (what: string) => `power burst ${what}; power as_asked takes any`;
  if (number > 0) return why(`finds the number of runs itself, and number is ${number}`);
  if (minRepeatMs > mostMs) return why(`has repeats of at most ${mostMs}ms, and min_repeat is ${minRepeatMs}ms`);
  if ((cooldownMs ?? idleMs) < idleMs) return why(`is idle for ${idleMs}ms before each repeat, and cooldown is ${cooldownMs}ms`);
  return undefined;
}

/** The power state where none is asked for: burst, unless other repeats are asked for. */
export const usualPower = (asked: Partial<Repeats>, backend: string): PowerState =>
  whyNoBurst(asked, backends.of(backend)) === undefined ? "burst" : "as_asked";

/** A program to measure, and the program whose output it must agree with. */
export interface MeasureInput {
  readonly sequence: number;
  readonly program: ProgramBytes;
  /** The reference is built and run like any program. It is absent only with check "none". */
  readonly reference?: ProgramBytes;
  /** Programs measured interleaved with `program`, as PairedOptions say. Present exactly when the measurer pairs. */
  readonly others?: readonly ProgramName[];
  /** Nodes on which the input should not run when another node can run it. */
  readonly avoidNodes?: readonly string[];
  /**
   * For the record of the result: the config by its knobs' values, the tuner's count of its proposals, and what the tuner had
   * been told.
   */
  readonly proposal?: {
    readonly config: readonly (readonly [name: string, kind: string, value: Json])[];
    readonly trial: number;
    readonly told: number;
  };
}

/** A program, or the name of one that the farm has. */
export type ProgramName = ProgramBytes | Pick<ProgramBytes, "digest">;

/**
 * How programs are measured interleaved: one repeat of each in every round, in an order drawn for it, `rounds` rounds. The device
 * is idle before each repeat. `sequential`: the rounds end as soon as more would change nothing (rounds.ts).
 */
export interface PairedOptions {
  readonly rounds: number;
  readonly idleMs: number;
  readonly sequential?: boolean;
}
/** `programs`: the number of programs measured together, with the first. */
export const pairedLimits = { programs: { least: 2, most: 9 }, rounds: { least: 1, most: 1_000 }, idleMs: 10_000 } as const;
export const defaultPaired: PairedOptions = { rounds: 24, idleMs: 5 };

export interface ProgramBytes {
  readonly digest: ProgramDigest;
  readonly bytes: Uint8Array;
}

export interface DeviceFacts {
  /** Match key, for instance `cpu/x86-64-v4` or `cuda/sm_90`. */
  readonly key: string;
  readonly name: string;
  readonly uuid: string;
  readonly node: string;
  readonly driver: string;
}

export interface Mismatch {
  readonly buffer: string;
  /** Flat index in row-major order of the buffer's shape. */
  readonly index: number;
  readonly expected: number;
  readonly got: number;
  /** Elements outside the tolerance. */
  readonly count: number;
}

/**
 * What a device may observe of a run, by name. A new one needs its name here, a field in measure.proto, and a device that
 * measures it. `smClockMhz`: the median of the repeats' mean clocks, which the device measures itself; `smClockLowMhz`, the
 * least. `energyJ`: joules of one run, the energy of the device over the timed runs divided by their number.
 */
export const observed = [
  ...(["smClockMhz", "smClockLowMhz", "memoryClockMhz", "temperatureC", "powerW", "energyJ"] as const),
  ...(["windowsWaited", "repeatsThrownAway"] as const),
] as const;
export type Observed = (typeof observed)[number];

export type Observations = { readonly [K in Observed]?: number } & {
  readonly throttleReasons?: readonly string[];
  /** Of power state sustained: whether the device's power was steady when its repeats began. */
  readonly steady?: boolean;
};

/**
 * Why a measurement is not judged although that was asked for: it writes what it reads, or the reference's outputs are alike
 * whatever the inputs are.
 */
export const notJudged = ["in-out", "outputs alike"] as const;
export type NotJudged = (typeof notJudged)[number];

/** The sets of an audit. */
export const auditSets = { least: 3, most: 64 } as const;

/** How a result was judged. */
export type JudgedOutcome =
  | { readonly not: NotJudged }
  | {
      /** Sets of inputs that launches read in turn. */
      readonly sets: number;
      /** SHA-256 of the secret from which they follow, in hexadecimal digits. */
      readonly commitment: string;
      readonly audit?: AuditOutcome;
      /** Of what was audited on a GPU; of programs measured interleaved the worst. */
      readonly racecheck?: Racecheck;
    };

/** What racecheck found in shared memory, the only memory that it sees; the worst is the first. */
export const racechecks = [
  "hazards",
  "not run: it failed",
  "not run: time limit",
  "not run: no compute-sanitizer",
  "no hazards",
] as const;
export type Racecheck = (typeof racechecks)[number];

/** An audit, whose times are then the result's costs. */
interface AuditOutcome {
  /** Sets of inputs of which each was read by one launch. */
  readonly sets: number;
  /** The secret from which they follow. */
  readonly secret: string;
  /** Seconds of one run on inputs in turn, as `costs` would be without the audit. */
  readonly scored: readonly Seconds[];
  /** Runs beside other work whose outputs had other bits than the first one's, where they were allowed to; absent = none. */
  readonly unlike?: number;
}

/** Whether a time is of inputs in turn alone, which a kernel that remembers answers can fake. Such a time is nobody's best. */
export const isUnaudited = (judged: JudgedOutcome | undefined): boolean =>
  judged !== undefined && !("not" in judged) && judged.audit === undefined;

/**
 * What a launch finds in the L2 cache. `rotated`: what earlier launches on other sets of inputs left there, as in a judged
 * measurement; `flushed_rotated`: nothing before the first launch of each graph.
 */
export const l2States = ["warm", "flushed", "rotated", "flushed_rotated"] as const;
export type L2State = (typeof l2States)[number];

/** `outcome`: of a result. One that could not be judged was measured on a single set. */
export function l2Of({ l2 = "warm", judged = false }: L2Options = {}, outcome?: JudgedOutcome): L2State {
  const isRotated = judged && !(outcome !== undefined && "not" in outcome);
  return isRotated ? (l2 === "warm" ? "rotated" : "flushed_rotated") : l2;
}
/** All conditions of a time in words. What an option does not say is usual. */
export const allConditions = (
  { inputs = "full", power = "burst" }: Pick<Partial<MeasureOptions>, "inputs" | "power">,
  l2: L2State,
): string => `${inputs} inputs, power ${power.replace("_", " ")}, L2 cache ${l2Words(l2)}`;

export const l2Words = (l2: L2State): string => l2.replace("_", ", ");
interface L2Options {
  readonly l2?: MeasureOptions["l2"] | undefined;
  readonly judged?: boolean | undefined;
}

interface Phases {
  /** Milliseconds of compiling; 0 when nothing was compiled, mostly because the artifact was in the cache. */
  readonly buildMs: number;
  /** Milliseconds at the runner, from the start of the job to its result. */
  readonly runMs: number;
  /** Unix time in milliseconds at the end of the run or of the failing phase. */
  readonly timestampMs: number;
  /** How many times this measurement was executed, from 1; 0 when a client took the result from records. */
  readonly attempt: number;
  /**
   * Compiler and version that made the code, or refused the program: `gcc 12.2.0`, `nvrtc 13.0`; `warpfarm VERSION` when the
   * program was not lowered. Absent = not known.
   */
  readonly toolchain?: string;
  /** Where the rest of its time went. Absent = not known, as in results of a build that failed. */
  readonly lease?: LeaseTimes;
}

/** Milliseconds of a job on a farm, beside `buildMs` and `busyMs`. */
export interface LeaseTimes {
  /** Waiting for a builder and for a device, since the farm accepted it; includes earlier attempts. */
  readonly queueMs: number;
  /** Fetching artifacts that the runner did not have. */
  readonly transferMs: number;
  /** From when the runner had the lease to the result, with the wait for the job before it on the device. */
  readonly heldMs: number;
}

export interface TimedResult extends Phases {
  readonly kind: "timed";
  /** Seconds of one run, one entry for each repeat, in order. All are kept. */
  readonly costs: readonly Seconds[];
  /** Runs per repeat as used. */
  readonly number: number;
  /** Milliseconds of timed, warm-up and calibration launches, by the device's own timer. */
  readonly busyMs: number;
  /** True when every output was compared with the reference. */
  readonly checked: boolean;
  readonly device: DeviceFacts;
  readonly observations: Observations;
  readonly artifact: ArtifactDigest;
  /** Present with option judged. */
  readonly judged?: JudgedOutcome;
  /** The times of each of the programs measured interleaved, in the order in which they were named. */
  readonly paired?: readonly PairedTiming[];
}

/**
 * Ended early, because it is surely slower than the incumbent. The costs are those that it had; its time, as a program measured
 * to its end would have one, is not known.
 */
export interface SlowerResult extends Omit<TimedResult, "kind" | "paired"> {
  readonly kind: "slower";
  /** Seconds that one run takes at least. */
  readonly atLeast: Seconds;
}

/** costs[i] of all programs were taken in round i. */
export type PairedTiming = Pick<TimedResult, "costs" | "number" | "artifact">;

export interface FailedResult extends Phases {
  readonly kind: "failed";
  readonly errorNo: Exclude<MeasureErrorNo, 0>;
  /** Machine-readable cause: a rule id, a driver code, a signal. */
  readonly rule?: string;
  /** What was asked, what was found, what is allowed. At most 1 KiB. */
  readonly message: string;
  /** The message of the toolchain or kernel, at most 64 KiB. */
  readonly log?: string;
  readonly mismatch?: Mismatch;
  /** As in a timed result, for the launches that ended before the failure; absent when there were none. */
  readonly busyMs?: number;
  readonly device?: DeviceFacts;
  /** Which of the programs measured interleaved failed, from 0; absent when none is to blame. */
  readonly failedProgram?: number;
}

export type MeasureResult = TimedResult | SlowerResult | FailedResult;

/**
 * True when the reference could not be built or run, or the inputs could not be made; `rule` is `reference.` and the cause. No
 * candidate of the task can be measured then.
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
