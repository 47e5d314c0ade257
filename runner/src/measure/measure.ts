/**
 * One candidate on one device: check, calibrate, time. Nothing here knows which device.
 *
 *   poison outputs -> one run (warm-up, and the one that is checked) -> compare every element
 *   -> for each repeat: batches of `number` runs, growing until one lasts minRepeatMs -> compare once more
 *
 * costs[i] is the last batch's time over `number`; `number` stays for later repeats of this candidate (autotvm.md's reading of
 * time_evaluator). The second comparison catches what a first run hides: accumulation over runs, races. It is left out for buffers that are
 * both read and written.
 */
import {
  type BufferRole,
  type MeasureOptions,
  type Mismatch,
  measureErrorNo,
  type Observations,
  type Seconds,
  type Tolerance,
} from "@warpfarm/common";
import type { Buffers, DeviceApi, DeviceModule } from "../device/device-api.ts";
import { clearlySlower, nextNumber, zeroTimeBatches } from "./statistics.ts";

/** "fill": inputs; "reference": its kernel; "own": the node's own kernels. */
export type Phase = "own" | "fill" | "reference" | "load" | "lock" | "run" | "check";

/** What the candidate must agree with; absent with check "none". */
export interface Expectation {
  readonly reference: Buffers;
  readonly toleranceOf: (output: string) => Tolerance;
  /** Why the reference holds NaN, where it does: no candidate is to blame. */
  readonly notANumber?: string;
}

export interface Candidate {
  readonly module: DeviceModule;
  /** By name; every buffer of the manifest. */
  readonly buffers: Buffers;
  readonly expected?: Expectation;
  /** Gives the buffers that are read and written their input again. */
  readonly refill: () => void;
}

export interface MeasureHooks {
  /**
   * Called before each phase; what follows may never return. `budgetMs` is what is left of the run timeout, given only with "run".
   */
  readonly enter: (phase: Phase, budgetMs?: number) => Promise<void>;
  /** Holds the machine still for the launches. */
  readonly hold: () => Disposable;
  readonly pause: (ms: number) => void;
  readonly monotonic: () => number;
}

export interface Timing {
  readonly kind: "timed";
  readonly costs: readonly Seconds[];
  readonly number: number;
  readonly busyMs: number;
  readonly checked: boolean;
  readonly observations: Observations;
}

/** `tainted`: memory that is not the candidate's was written; the process must not go on. */
export interface Failure {
  readonly kind: "failed";
  readonly errorNo: 4 | 5 | 7;
  readonly rule?: string;
  readonly message: string;
  readonly mismatch?: Mismatch;
  /** Of what ended before the failure, by the device's timer. */
  readonly busyMs?: number;
  readonly tainted: boolean;
}

/** Throws DeviceError for what the device refuses. */
export async function measure(
  device: DeviceApi,
  candidate: Candidate,
  options: MeasureOptions,
  hooks: MeasureHooks,
): Promise<Timing | Failure> {
  let timed: Timing | Failure;
  {
    await hooks.enter("lock");
    using _held = hooks.hold();
    prepare(device, candidate);
    await hooks.enter("run", options.runTimeoutMs);
    const start = hooks.monotonic();
    const warmUpMs = device.run(candidate.module, candidate.buffers, 1, options.timer);
    const leftMs = options.runTimeoutMs - (hooks.monotonic() - start);
    await hooks.enter("check");
    const wrong = inspect(device, candidate);
    if (wrong !== undefined) return { ...wrong, busyMs: warmUpMs };
    if (leftMs <= 0) return timedOut(options, 1, warmUpMs);
    await hooks.enter("run", leftMs);
    timed = repeats(device, candidate, options, hooks, { warmUpMs, deadline: hooks.monotonic() + leftMs });
  }
  if (timed.kind === "failed") return timed;
  await hooks.enter("check");
  const wrong = inspect(device, isRepeatable(candidate) ? candidate : withoutExpectation(candidate));
  return wrong === undefined ? timed : { ...wrong, busyMs: timed.busyMs };
}

const isRepeatable = ({ buffers }: Candidate): boolean => [...buffers.values()].every(({ spec }) => spec.role !== "inout");
const withoutExpectation = ({ module, buffers, refill }: Candidate): Candidate => ({ module, buffers, refill });

/** Outputs and workspaces are made wrong in every element, so that what the kernel does not write is seen. */
function prepare(device: DeviceApi, { buffers, expected, refill }: Candidate): void {
  refill();
  for (const [name, buffer] of buffers)
    if (buffer.spec.role === "out" || buffer.spec.role === "workspace") device.poison(buffer, expected?.reference.get(name));
}

/** Damage around any buffer, else the worst disagreement of any output. */
function inspect(device: DeviceApi, { buffers, expected }: Candidate): Failure | undefined {
  const [damaged] = device.damaged(buffers.values());
  if (damaged !== undefined) {
    const message = damageWords(damaged, buffers.get(damaged)?.spec.role);
    return { kind: "failed", errorNo: measureErrorNo.RUNTIME_DEVICE, rule: "out_of_bounds_write", message, tainted: true };
  }
  for (const [name, reference] of expected?.reference ?? []) {
    const output = buffers.get(name);
    if (output === undefined || expected === undefined) continue;
    const tolerance = expected.toleranceOf(name);
    const mismatch = device.compare(output, reference, tolerance);
    if (mismatch === undefined) continue;
    const { index, expected: want, got, count } = mismatch;
    const message = `output "${name}": ${count} elements outside of atol ${tolerance.atol.toExponential(2)} + rtol ${tolerance.rtol.toExponential(2)}; the worst is element ${index}: expected ${want}, got ${got}`;
    const why = Number.isNaN(want) ? expected.notANumber : undefined;
    const [rule, words] = why === undefined ? ["reference", message] : ["reference_nan", `${message}; ${why}`];
    return { kind: "failed", errorNo: measureErrorNo.WRONG_ANSWER, rule, message: words, mismatch, tainted: false };
  }
  return undefined;
}

/** Damage is found around any buffer, and inside of those that nobody may write. */
function damageWords(name: string, role: BufferRole | undefined): string {
  if (role === "in") return `the kernel overwrote its input "${name}", or wrote right beside it`;
  if (role === undefined)
    return `the kernel wrote outside of its buffers: into "${name}" of another computation, or right beside it`;
  return `the kernel wrote outside of buffer "${name}"`;
}

interface Start {
  readonly warmUpMs: number;
  /** On the clock of hooks.monotonic. */
  readonly deadline: number;
}

function repeats(
  device: DeviceApi,
  { module, buffers, expected }: Candidate,
  options: MeasureOptions,
  hooks: MeasureHooks,
  { warmUpMs, deadline }: Start,
): Timing | Failure {
  const { repeat, minRepeatMs, l2, timer, cooldownMs, cutoffSeconds = Number.POSITIVE_INFINITY } = options;
  const cutoffMs = cutoffSeconds * clearlySlower * 1e3;
  const costs: Seconds[] = [];
  let number = Math.max(1, options.number);
  let busyMs = warmUpMs;
  /** Of the last batch; 0 = not known yet. */
  let runMs = 0;
  for (let round = 0; round < repeat; round++) {
    let zeroes = 0;
    let elapsedMs = 0;
    for (;;) {
      // A batch that cannot end in time is not begun: the child that would be killed keeps its inputs and its reference.
      if (hooks.monotonic() + number * runMs >= deadline) return timedOut(options, round + 1, busyMs);
      if (l2 === "flushed") device.flushCaches();
      elapsedMs = device.run(module, buffers, number, timer);
      busyMs += elapsedMs;
      runMs = elapsedMs / number;
      if (elapsedMs === 0 && ++zeroes >= (minRepeatMs > 0 ? zeroTimeBatches : 1)) return unmeasurable(zeroes, number);
      if (elapsedMs >= minRepeatMs || runMs > cutoffMs) break;
      const next = elapsedMs > 0 ? nextNumber(number, elapsedMs, minRepeatMs) : number;
      if (next === number && elapsedMs > 0) break;
      number = next;
    }
    costs.push(runMs / 1e3);
    if (runMs > cutoffMs) break;
    if (cooldownMs > 0) hooks.pause(cooldownMs);
  }
  return { kind: "timed", costs, number, busyMs, checked: expected !== undefined, observations: device.observe() };
}

function timedOut({ runTimeoutMs, repeat }: MeasureOptions, round: number, busyMs: number): Failure {
  const message = `would not finish within ${runTimeoutMs} ms; given up in repeat ${round} of ${repeat}`;
  return { kind: "failed", errorNo: measureErrorNo.RUN_TIMEOUT, rule: "run_timeout", message, busyMs, tainted: false };
}

function unmeasurable(batches: number, number: number): Failure {
  const message = `${batches} batches of ${number} runs took no time that the timer can see`;
  return { kind: "failed", errorNo: measureErrorNo.RUNTIME_DEVICE, rule: "timer", message, tainted: false };
}
