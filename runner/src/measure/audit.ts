/**
 * The audit of a judged candidate: graphs without anything between their launches, in which each launch has inputs that it never
 * saw and an output of its own.
 *
 *   for each repeat: load the code anew -> the graph is made, on old inputs -> new inputs in place, outputs poisoned -> timed
 *                    -> the reference runs for each set, all outputs are compared -> expected values are overwritten
 *
 * Expected values come into being after the launches, so no launch can read them.
 */
import { auditSets, type MeasureOptions, type Seconds } from "@warpfarm/common";
import type { Buffers, DeviceApi, DeviceModule } from "../device/device-api.ts";
import type { Expectation, Failure } from "./batches.ts";
import type { Draws } from "./draws.ts";
import { HostClock } from "./host-clock.ts";
import type { MeasureHooks } from "./measure.ts";
import { damage, disagreement } from "./outputs.ts";

/** Sets of inputs with an output of their own. */
export interface AuditSets {
  readonly sets: readonly Buffers[];
  /** Writes new inputs from this seed, and poisons the outputs. */
  renew(set: number, seed: number): void;
  /** Loads the reference, and hands out what runs it on one set. Its answer is overwritten by the next one, and at the end. */
  withReference<T>(work: (expectedOf: (set: number) => Expectation) => T): T;
}

interface Audited {
  readonly costs: readonly Seconds[];
  readonly sets: number;
}

/** Milliseconds of a run as it was scored, and of the reference kernel. */
interface RunTimes {
  readonly runMs: number;
  readonly referenceMs: number;
}

/** How many launches a graph has: as many sets as fit, as the candidate can run and as the reference can check in the time. */
export function setsFor(setBytes: number, roomBytes: number, { runMs, referenceMs }: RunTimes): number {
  const within = (budgetMs: number, ms: number) => Math.floor(budgetMs / Math.max(ms, 1e-3));
  const most = Math.min(within(roomBytes, setBytes), within(mostGraphMs, runMs), within(mostReferenceMs, referenceMs));
  return Math.max(auditSets.least, Math.min(auditSets.most, most));
}
/** Milliseconds of a candidate's launches in one graph. */
const mostGraphMs = 500;
/** Milliseconds of reference kernels for one graph. */
const mostReferenceMs = 2_000;

/** How many graphs an audit has: as many as the job's repeats, five, and the time allow, and at least one. */
export function roundsFor(repeat: number, sets: number, { runMs, referenceMs }: RunTimes): number {
  // A graph may run once before it is timed.
  const roundMs = sets * (2 * runMs + referenceMs);
  return Math.max(1, Math.min(repeat, mostRepeats, Math.floor(mostAuditMs / Math.max(roundMs, 1e-3))));
}
/** Milliseconds of kernels in one audit, unless one graph of three sets takes longer. */
const mostAuditMs = 5_000;

export async function audit(
  device: DeviceApi,
  memory: AuditSets,
  reload: () => DeviceModule,
  draws: Draws,
  { repeat: rounds, ...options }: Pick<MeasureOptions, "repeat" | "timer" | "l2" | "runTimeoutMs">,
  hooks: MeasureHooks,
): Promise<Audited | Failure> {
  const { timer, l2, runTimeoutMs } = options;
  const { sets } = memory;
  const costs: Seconds[] = [];
  const clock = new HostClock(device);
  const renewAll = (name: string): void => {
    for (const set of sets.keys()) memory.renew(set, draws.seed(`${name} set ${set}`));
  };
  const name = `audit ${draws.between(0, 2 ** 32)}`;
  for (let round = 0; round < rounds; round++) {
    // The length is not the number of sets, so that work cannot be put off to the last launch.
    const count = draws.between(Math.ceil(sets.length / 2), sets.length);
    const first = draws.between(0, sets.length - 1);
    await hooks.enter("check");
    if (round === 0) renewAll(`${name} before`);
    await hooks.enter("lock");
    {
      using _held = hooks.hold();
      await hooks.enter("run", runTimeoutMs);
      using rotation = device.rotation(reload(), { sets, first, count }, timer);
      await hooks.enter("check");
      renewAll(`${name} round ${round}`);
      if (l2 === "flushed") device.flushCaches();
      await hooks.enter("run", runTimeoutMs);
      costs.push(clock.ms(rotation.run()) / count / 1e3);
    }
    await hooks.enter("check");
    const wrong = memory.withReference((expectedOf) => {
      for (let i = 0; i < count; i++) {
        const set = (first + i) % sets.length;
        const found = disagreement(device, { buffers: sets[set] as Buffers, expected: expectedOf(set) });
        if (found !== undefined) return { ...found, message: `on set ${set + 1} of ${sets.length} of inputs: ${found.message}` };
      }
      return undefined;
    });
    if (wrong !== undefined) return { ...wrong, rule: `audit.${wrong.rule}`, message: `in an audit, ${wrong.message}` };
  }
  const fault = clock.disagreement();
  if (fault !== undefined) return { ...fault, message: `in an audit, ${fault.message}` };
  // Those of the first set have their own names, by which a role is found.
  const all = sets.flatMap((set, i) => [...set].map(([n, buffer]) => [i === 0 ? n : `${n} of set ${i}`, buffer] as const));
  return damage(device, { buffers: new Map(all) }) ?? { costs, sets: sets.length };
}
/** Beyond these, more repeats tell no more. */
export const mostRepeats = 5;
