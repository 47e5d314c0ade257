/**
 * Interleaves several candidates of one workload on one device. Each is checked. Then there are `rounds` rounds with one repeat
 * of each candidate; the device is idle before every repeat, and every other round runs backwards.
 *
 *   each: poisoned outputs -> one run -> compared    A B C   C B A   A B C   ...    each: poisoned outputs -> one run -> compared
 *
 * A device that gets slower or faster meanwhile does so for all of them, and over a round and the one after it, forwards and
 * backwards, a steady change comes out the same for each. Entry i of all costs is of round i, so their ratios are what tells
 * candidates apart.
 */
import type { MeasureOptions, PairedOptions, Seconds } from "@warpfarm/common";
import type { DeviceApi } from "../device/device-api.ts";
import { Batches, type Candidate, type Failure } from "./batches.ts";
import { damage, firstRun, inspect, type MeasureHooks, prepare, type Timing } from "./measure.ts";

/**
 * Milliseconds for all launches of a candidate. The run timeout is meant for a few repeats, so each round has it, and so have the
 * first and the last run.
 */
export const budgetOf = (
  { runTimeoutMs }: Pick<MeasureOptions, "runTimeoutMs">,
  { rounds }: Pick<PairedOptions, "rounds">,
): number => runTimeoutMs * (rounds + 2);

interface Turn {
  readonly program: number;
  readonly candidate: Candidate;
  readonly batches: Batches;
  readonly costs: Seconds[];
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
    const limits = { ...options, cutoffMs: Number.POSITIVE_INFINITY };
    const batches = new Batches(device, candidate, limits, hooks.monotonic);
    turns.push({ program, candidate, batches, costs: [] });
  }
  const sumMs = () => turns.reduce((sum, { batches }) => sum + batches.busyMs, busyMs);
  for (let round = 0; round < paired.rounds; round++) {
    // The next round may wait for others of this host, but no repeat of this one does.
    await hooks.enter("lock");
    using _held = hooks.hold();
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) {
      onProgram(turn.program);
      const failure = await takeTurn(turn, options, paired, hooks, `round ${round + 1} of ${paired.rounds}`);
      if (failure !== undefined) return { ...failure, busyMs: sumMs(), failedProgram: turn.program };
    }
  }
  const wrong = await checkAgain(device, turns, options, hooks, onProgram);
  if (wrong !== undefined) return { ...wrong, busyMs: sumMs() };
  const all = turns.map(({ costs, batches }) => ({ costs, number: batches.number }));
  const [first = { costs: [], number: 1 }] = all;
  // The energy belongs to all of them.
  const { energyJ: _ofAll, ...observations } = device.observe();
  const checked = candidates.every(({ expected }) => expected !== undefined);
  return { kind: "timed", ...first, busyMs: sumMs(), checked, observations, paired: all };
}

const hooksOf = (hooks: MeasureHooks, program: number): MeasureHooks => ({
  ...hooks,
  enter: (phase, budgetMs) => hooks.enter(phase, budgetMs, program),
});

async function takeTurn(
  { program, batches, costs }: Turn,
  { runTimeoutMs }: MeasureOptions,
  { idleMs }: PairedOptions,
  hooks: MeasureHooks,
  what: string,
): Promise<Failure | undefined> {
  await hooks.enter("run", runTimeoutMs + idleMs, program);
  if (idleMs > 0) hooks.pause(idleMs);
  const cost = batches.repeat(hooks.monotonic() + runTimeoutMs, what);
  if (typeof cost !== "number") return cost;
  costs.push(cost);
  return undefined;
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
