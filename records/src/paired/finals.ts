/** Finalists of a search that were measured interleaved, and who won. */
import {
  type DeviceFacts,
  defined,
  type Interval,
  type MeasureOptions,
  type PairedOptions,
  type ProgramDigest,
  type Rounds,
} from "@warpfarm/common";
import { type Entity, nameOfConfig } from "../tuning-record.ts";
import { type Rank, type Verdict, verdictOf } from "./verdict.ts";

export interface Finalist {
  readonly config: Entity;
  readonly program: ProgramDigest;
}

export interface TurnsRun {
  readonly device: DeviceFacts;
  readonly costs: readonly Rounds[];
  /** Of the default schedule, in the same rounds. Absent where it was not measured with them. */
  readonly default?: Rounds | undefined;
}

export interface Finals {
  readonly finalists: readonly Finalist[];
  readonly runs: readonly TurnsRun[];
  readonly failed: readonly (Finalist & { readonly message: string })[];
  readonly paired: PairedOptions;
  readonly options: MeasureOptions;
}

/** Programs that failed in the last finals that they were in; these are in order. */
export function failedLast(finals: readonly Pick<Finals, "failed" | "finalists">[]): ReadonlySet<string> {
  const out = new Set<string>();
  for (const { failed, finalists } of finals) {
    for (const { program } of failed) out.add(program);
    for (const { program } of finalists) out.delete(program);
  }
  return out;
}

export type FinalistRank = Rank & Pick<Finalist, "config">;
export interface FinalsVerdict extends Omit<Verdict, "ranks" | "winner" | "runnerUp" | "tied" | "ratioOf"> {
  readonly ranks: readonly FinalistRank[];
  readonly winner: FinalistRank;
  readonly runnerUp: FinalistRank;
  /** The others that cannot be distinguished from the winner, fastest first. */
  readonly tied: readonly FinalistRank[];
  /**
   * The default schedule, where each run has its times: its time, and that divided by the winner's, each at its own confidence.
   */
  readonly default?: { readonly seconds: Interval; readonly ratio: Interval };
}

/** Of tied finalists the first by name wins, in whatever order they are named. Places are those in `finalists`. */
export function judgeFinals({ finalists, runs }: Pick<Finals, "finalists" | "runs">): FinalsVerdict {
  const order = finalists
    .map(({ config }, at) => ({ at, config, name: nameOfConfig(config) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const finalist = (rank: Rank): FinalistRank => {
    const { at, config } = order[rank.at] as (typeof order)[number];
    return { ...rank, at, config };
  };
  const inOrder = runs.map(({ costs }) => order.map(({ at }) => costs[at] as Rounds));
  const { ratioOf: _, ranks, winner, runnerUp, tied, ...verdict } = verdictOf(inOrder);
  return {
    ...verdict,
    ranks: ranks.map(finalist),
    winner: finalist(winner),
    runnerUp: finalist(runnerUp),
    tied: tied.map(finalist),
    ...defined({ default: defaultOf(runs, finalist(winner).at) }),
  };
}

function defaultOf(runs: readonly TurnsRun[], winner: number): FinalsVerdict["default"] {
  const both = runs.flatMap(({ costs, default: base }) => (base ? [[costs[winner] as Rounds, base]] : []));
  if (both.length < runs.length) return undefined;
  const { ranks, ratioOf } = verdictOf(both);
  return { seconds: (ranks.find(({ at }) => at === 1) as Rank).seconds, ratio: ratioOf(1, 0) };
}
