/**
 * One candidate on one device: check, calibrate, time. Nothing here knows which device.
 *
 *   poison outputs -> one run (warm-up, and the one that is checked) -> compare every element
 *   -> repeats, until their interval is as narrow as asked: batches of `number` runs, growing until one lasts minRepeatMs
 *   -> compare once more
 *
 * costs[i] is the last batch's time over `number`; `number` stays for later repeats of this candidate (TVM's
 * time_evaluator: docs/reference/autotvm.md 3.5). The second comparison catches what a first run hides: accumulation over runs,
 * races. It is left out for buffers that are both read and written.
 */
import {
  clearlyAbove,
  defined,
  type JudgedOutcome,
  lowEnd,
  type MeasureOptions,
  type Observations,
  raceLimit,
  relativeHalfWidth,
  type Seconds,
} from "@warpfarm/common";
import type { DeviceApi } from "../device/device-api.ts";
import { Batches, type Candidate, type Failure, timedOut } from "./batches.ts";
import { heatMs } from "./budget.ts";
import { heat } from "./heat.ts";
import { inspect, prepare } from "./outputs.ts";
import { clocksSeen, Taken } from "./taken.ts";
import { undisturbed, type Windows } from "./windows.ts";

/** "fill": inputs; "reference": its kernel; "own": the node's own kernels. */
export type Phase = "own" | "fill" | "reference" | "load" | "lock" | "run" | "check";

export interface MeasureHooks {
  /**
   * Called before each phase, which may never return. `budgetMs`: the rest of the run timeout, only with "run". `program`: whose
   * phase it is when several are measured interleaved.
   */
  readonly enter: (phase: Phase, budgetMs?: number, program?: number) => Promise<void>;
  readonly hold: () => Disposable;
  /** Of a runner that yields to others. `hold` then waits for a window too. */
  readonly windows?: Windows;
  readonly pause: (ms: number) => void;
  readonly monotonic: () => number;
}

export interface Costs {
  readonly costs: readonly Seconds[];
  readonly number: number;
}

export interface Timing extends Costs {
  readonly kind: "timed";
  readonly busyMs: number;
  readonly checked: boolean;
  /** Present when it ended early: it is surely slower than the incumbent, and a run takes at least so many seconds. */
  readonly atLeast?: Seconds;
  readonly observations: Observations;
  readonly judged?: JudgedOutcome;
  readonly paired?: readonly Costs[];
}

/** Throws DeviceError when the device refuses. */
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
    const first = await firstRun(device, candidate, options, hooks);
    if (first.kind === "failed") return first;
    timed = await repeats(device, candidate, options, hooks, first);
  }
  if (timed.kind === "failed") return timed;
  await hooks.enter("check");
  const wrong = inspect(device, hidesNothing(candidate) ? withoutExpectation(candidate) : candidate);
  return wrong === undefined ? timed : { ...wrong, busyMs: timed.busyMs };
}

interface FirstRun {
  readonly kind: "right";
  readonly warmUpMs: number;
  /** The rest of the run timeout, in milliseconds. */
  readonly leftMs: number;
}

/** Runs once from poisoned outputs, and compares. Requires that `hold` is held. */
export async function firstRun(
  device: DeviceApi,
  candidate: Candidate,
  options: MeasureOptions,
  hooks: MeasureHooks,
): Promise<FirstRun | Failure> {
  prepare(device, candidate);
  await hooks.enter("run", options.runTimeoutMs);
  const start = hooks.monotonic();
  const warmUpMs = device.run(candidate.module, candidate.buffers, 1, options.timer);
  const leftMs = options.runTimeoutMs - (hooks.monotonic() - start);
  await hooks.enter("check");
  const wrong = inspect(device, candidate);
  if (wrong !== undefined) return { ...wrong, busyMs: warmUpMs };
  if (leftMs <= 0) return { ...timedOut(options, "repeat 1"), busyMs: warmUpMs };
  return { kind: "right", warmUpMs, leftMs };
}

/** Whether its outputs need no comparison after all repeats, or bear none. */
const hidesNothing = ({ buffers, judged }: Candidate): boolean =>
  judged !== undefined || [...buffers.values()].some(({ spec }) => spec.role === "inout");
const withoutExpectation = ({ module, buffers, refill }: Candidate): Candidate => ({ module, buffers, refill });

interface Start {
  readonly warmUpMs: number;
  readonly leftMs: number;
}

async function repeats(
  device: DeviceApi,
  candidate: Candidate,
  options: MeasureOptions,
  hooks: MeasureHooks,
  { warmUpMs, leftMs }: Start,
): Promise<Timing | Failure> {
  const { repeat, precision, power, cooldownMs: idleMs, incumbent } = options;
  const slow = typeof incumbent === "number" ? raceLimit(incumbent) : Number.POSITIVE_INFINITY;
  const batches = new Batches(device, candidate, { ...options, slowMs: clearlyAbove(slow) * 1e3, idleMs, warmUpMs }, hooks);
  const failed = (failure: Failure): Failure => ({ busyMs: warmUpMs + batches.busyMs, ...failure });
  const mostHeatMs = heatMs(options, 1);
  if (mostHeatMs > 0) await hooks.enter("run", mostHeatMs);
  const steady = mostHeatMs > 0 ? warm(device, [batches], hooks) : undefined;
  if (typeof steady === "object") return failed(steady);
  await hooks.enter("run", leftMs);
  // Until then the supervisor waits, also while the device idles.
  const limit = { deadline: hooks.monotonic() + leftMs, idleMs: 0, idles: 0 };
  const taken = new Taken(power);
  for (let place = 0; place < repeat; place = taken.next) {
    const one = await undisturbed(batches, limit, `repeat ${place + 1} of ${repeat}`, hooks);
    if ("kind" in one) return failed(one);
    taken.put(place, one);
    if (lowEnd(taken.costs) > slow) break;
    const areAllTaken = taken.next === taken.costs.length;
    if (areAllTaken && precision > 0 && relativeHalfWidth(taken.costs) <= precision) break;
  }
  const fault = batches.clockFault();
  if (fault !== undefined) return failed(fault);
  const atLeast = lowEnd(taken.costs);
  const { number, busyMs } = batches;
  const observations = { ...device.observe(), ...clocksSeen(taken.clocksMhz), ...defined({ steady }) };
  const checked = candidate.expected !== undefined;
  const timing: Timing = { kind: "timed", costs: taken.costs, number, busyMs: warmUpMs + busyMs, checked, observations };
  return atLeast > slow ? { ...timing, atLeast } : timing;
}

/** Runs these in turns until the device's power is steady. */
export const warm = (device: DeviceApi, all: readonly Batches[], { monotonic }: MeasureHooks): ReturnType<typeof heat> =>
  heat(
    device,
    () =>
      all
        .map((each) => each.repeat({ deadline: Number.POSITIVE_INFINITY, idleMs: 0, idles: 0 }, ""))
        .find((one): one is Failure => "kind" in one),
    monotonic,
  );
