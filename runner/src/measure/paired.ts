/**
 * Interleaves several candidates of one workload on one device. Each is checked. Then there are `rounds` rounds with one repeat
 * of each candidate, in an order drawn for the round; the device is idle before every repeat.
 *
 *   each: poisoned outputs -> one run -> compared    B A C   C B A   A C B   ...    each: poisoned outputs -> one run -> compared
 *
 * Entry i of all costs is of round i. Whatever the device does meanwhile meets each candidate equally likely, which is what the
 * test of their ratios rests on (common's rounds.ts). Sequential rounds end as soon as more would change nothing.
 */
import { areSettled, defined, type MeasureOptions, type PairedOptions, Random } from "@warpfarm/common";
import type { DeviceApi } from "../device/device-api.ts";
import { Batches, type Candidate, type Failure } from "./batches.ts";
import { heatMs, mostIdles, turnMs } from "./budget.ts";
import { firstRun, type MeasureHooks, type Timing, warm } from "./measure.ts";
import { damage, inspect, prepare } from "./outputs.ts";
import { clocksSeen, Taken } from "./taken.ts";
import { undisturbed } from "./windows.ts";

interface Turn {
  readonly program: number;
  readonly candidate: Candidate;
  readonly batches: Batches;
  readonly taken: Taken;
}

/** Throws DeviceError when the device refuses. `onProgram` is called with the candidate's number before anything of it runs. */
export async function measurePaired(
  device: DeviceApi,
  candidates: readonly Candidate[],
  options: MeasureOptions,
  paired: PairedOptions,
  hooks: MeasureHooks,
  onProgram: (program: number | undefined) => void,
): Promise<Timing | Failure> {
  let busyMs = 0;
  const turns: Turn[] = [];
  for (const [program, candidate] of candidates.entries()) {
    onProgram(program);
    const mine = hooksOf(hooks, program);
    await mine.enter("lock");
    using _held = hooks.hold();
    const first = await firstRun(device, candidate, options, mine);
    if (first.kind === "failed") return { ...first, busyMs: busyMs + (first.busyMs ?? 0), failedProgram: program };
    busyMs += first.warmUpMs;
    // A candidate that is clearly slower than the best is still measured, because it was asked for by name.
    const limits = { ...options, ...paired, slowMs: Number.POSITIVE_INFINITY, warmUpMs: first.warmUpMs };
    turns.push({ program, candidate, batches: new Batches(device, candidate, limits, hooks), taken: new Taken(options.power) });
  }
  const sumMs = () => turns.reduce((sum, { batches }) => sum + batches.busyMs, busyMs);
  const steady = heatMs(options, 1) > 0 ? await warmAll(device, turns, options, hooks) : undefined;
  if (typeof steady === "object") return { ...steady, busyMs: sumMs() };
  const random = new Random(Math.floor(hooks.monotonic() * 1_000));
  for (let round = 0; round < paired.rounds; round++) {
    if (paired.sequential && areSettled(turns.map(({ taken }) => taken.costs))) break;
    // The next round may wait for others of this host, but no repeat of this one does.
    await hooks.enter("lock");
    using _held = hooks.hold();
    for (const turn of random.shuffle(turns)) {
      onProgram(turn.program);
      const failure = await takeTurn(turn, round, options, paired, hooks);
      if (failure !== undefined) return { ...failure, busyMs: sumMs(), failedProgram: turn.program };
    }
  }
  for (const { program, batches } of turns) {
    const fault = batches.clockFault();
    if (fault !== undefined) return { ...fault, busyMs: sumMs(), failedProgram: program };
  }
  const wrong = await checkAgain(device, turns, options, hooks, onProgram);
  if (wrong !== undefined) return { ...wrong, busyMs: sumMs() };
  const all = turns.map(({ taken, batches }) => ({ costs: taken.costs, number: batches.number }));
  const [first = { costs: [], number: 1 }] = all;
  // The energy belongs to all of them.
  const { energyJ: _ofAll, ...observed } = device.observe();
  const clocks = clocksSeen(turns.flatMap(({ taken }) => taken.clocksMhz));
  const observations = { ...observed, ...clocks, ...defined({ steady }) };
  const checked = candidates.every(({ expected }) => expected !== undefined);
  return { kind: "timed", ...first, busyMs: sumMs(), checked, observations, paired: all };
}

const hooksOf = (hooks: MeasureHooks, program: number): MeasureHooks => ({
  ...hooks,
  enter: (phase, budgetMs) => hooks.enter(phase, budgetMs, program),
});

async function takeTurn(
  { program, batches, taken }: Turn,
  round: number,
  options: MeasureOptions,
  paired: PairedOptions,
  hooks: MeasureHooks,
): Promise<Failure | undefined> {
  await hooks.enter("run", turnMs(options, paired), program);
  const limit = { deadline: hooks.monotonic() + options.runTimeoutMs, idleMs: paired.idleMs, idles: mostIdles };
  do {
    const one = await undisturbed(batches, limit, `round ${round + 1} of ${paired.rounds}`, hooksOf(hooks, program));
    if ("kind" in one) return one;
    batches.shorten();
    taken.put(round, one);
  } while (taken.mustRepeat(round));
  return undefined;
}

async function warmAll(
  device: DeviceApi,
  turns: readonly Turn[],
  options: MeasureOptions,
  hooks: MeasureHooks,
): Promise<boolean | undefined | Failure> {
  await hooks.enter("lock");
  using _held = hooks.hold();
  await hooks.enter("run", heatMs(options, turns.length));
  return warm(
    device,
    turns.map(({ batches }) => batches),
    hooks,
  );
}

/** Finds what a first run hides: state kept over runs, and races. Outputs are poisoned again, so old contents hide nothing. */
async function checkAgain(
  device: DeviceApi,
  turns: readonly Turn[],
  options: MeasureOptions,
  hooks: MeasureHooks,
  onProgram: (program: number | undefined) => void,
): Promise<Failure | undefined> {
  onProgram(undefined);
  await hooks.enter("check");
  for (const { candidate } of turns) {
    const damaged = damage(device, candidate);
    if (damaged !== undefined) return { ...damaged, message: `one of ${turns.length} interleaved programs: ${damaged.message}` };
  }
  for (const { program, candidate } of turns) {
    onProgram(program);
    await hooks.enter("lock", undefined, program);
    using _held = hooks.hold();
    prepare(device, candidate);
    await hooks.enter("run", options.runTimeoutMs, program);
    device.run(candidate.module, candidate.buffers, 1, options.timer);
    await hooks.enter("check", undefined, program);
    const wrong = inspect(device, candidate);
    if (wrong !== undefined) return { ...wrong, failedProgram: program };
  }
  return undefined;
}
