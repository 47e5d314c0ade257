/**
 * A tuner's state from a log: the asks and tells of the run are played again in their old order (tuner.ts promises that this
 * gives the old proposals). A record says where its config was asked (`sequence`) and how many results had been told by then
 * (`told`).
 *
 * Sequences without a record were in flight when the run ended: they come back as `pending`. Should the tuner propose another
 * config than the log has (the static check's limits or the space changed), the logged one is told as a foreign result and
 * counted in `diverged`.
 */
import type { ConfigIndex } from "@warpfarm/compiler";
import type { Measured, Tuner } from "./tuner.ts";

interface ReplayedTrial {
  readonly sequence: number;
  readonly told: number;
  /** Undefined where today's space does not have the config. */
  readonly measured: Measured | undefined;
}
export interface Proposal {
  readonly sequence: number;
  readonly told: number;
  readonly index: ConfigIndex;
}
export interface Replay {
  /** Sequences used up: the next proposal gets asked + 1. */
  readonly asked: number;
  readonly pending: readonly Proposal[];
  readonly diverged: number;
}

/** `trials` in the order they were told; `tuner` fresh. */
export function replay(tuner: Tuner, trials: readonly ReplayedTrial[]): Replay {
  const bySequence = new Map(trials.map((t) => [t.sequence, t]));
  const logged = new Set(trials.map((t) => t.measured?.index));
  const last = Math.max(0, ...bySequence.keys());
  const pending: Proposal[] = [];
  const displaced: Proposal[] = [];
  let told = 0;
  let diverged = 0;
  for (let sequence = 1; sequence <= last && !tuner.exhausted; sequence++) {
    const trial = bySequence.get(sequence);
    const due = Math.max(told, trial?.told ?? Math.min(told + 1, nextTold(sequence)));
    if (due > told) tuner.tell(measuredIn(trials.slice(told, due)));
    told = due;
    const index = askOne(tuner);
    if (index === undefined || index === trial?.measured?.index) continue;
    if (trial) diverged++;
    if (logged.has(index)) continue;
    if (trial) displaced.push({ sequence, told, index });
    else pending.push({ sequence, told, index });
  }
  tuner.tell(measuredIn(trials.slice(told)));
  for (const [i, p] of displaced.entries()) pending.push({ ...p, sequence: last + 1 + i });
  return { asked: last + displaced.length, pending, diverged };

  /** What had been told at the next recorded sequence: a missing one was asked no later. */
  function nextTold(sequence: number): number {
    for (let s = sequence + 1; s <= last; s++) {
      const next = bySequence.get(s);
      if (next) return next.told;
    }
    return trials.length;
  }
}

const measuredIn = (trials: readonly ReplayedTrial[]): Measured[] =>
  trials.flatMap(({ measured }) => (measured ? [measured] : []));

function askOne(tuner: Tuner): ConfigIndex | undefined {
  while (!tuner.exhausted) {
    const [index] = tuner.ask(1);
    if (index !== undefined) return index;
  }
  return undefined;
}
