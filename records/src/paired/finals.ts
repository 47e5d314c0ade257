import type { DeviceFacts, MeasureOptions, PairedOptions, ProgramDigest } from "@warpfarm/common";
import { type Entity, nameOfConfig } from "../tuning-record.ts";
import type { Rounds } from "./statistics.ts";
import { type Rank, type Verdict, verdictOf } from "./verdict.ts";

export interface Finalist {
  readonly config: Entity;
  readonly program: ProgramDigest;
}

export interface TurnsRun {
  readonly device: DeviceFacts;
  readonly costs: readonly Rounds[];
}

export interface Finals {
  readonly finalists: readonly Finalist[];
  readonly runs: readonly TurnsRun[];
  readonly failed: readonly (Finalist & { readonly message: string })[];
  readonly paired: PairedOptions;
  readonly options: MeasureOptions;
}

export const finalistNamed = ({ finalists }: Finals, name: string): Finalist | undefined =>
  finalists.find(({ config }) => nameOfConfig(config) === name);

/** `name`: of the config (nameOfConfig). */
export type FinalistRank = Rank & { readonly name: string };
export interface FinalsVerdict extends Omit<Verdict, "ranks" | "winner" | "runnerUp" | "tied" | "ratioOf"> {
  readonly ranks: readonly FinalistRank[];
  readonly winner: FinalistRank;
  readonly runnerUp: FinalistRank;
  readonly tied: readonly string[];
}

/** The first by name of tied finalists wins, in whatever order they are named. */
export function judgeFinals({ finalists, runs }: Pick<Finals, "finalists" | "runs">): FinalsVerdict {
  const named = finalists.map(({ config }, i) => ({ i, name: nameOfConfig(config) })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const {
    ratioOf: _,
    ranks,
    winner,
    runnerUp,
    tied,
    ...verdict
  } = verdictOf(runs.map(({ costs }) => named.map(({ i }) => costs[i] as Rounds)));
  const nameAt = ({ at }: Rank): string => (named[at] as (typeof named)[number]).name;
  const finalist = (rank: Rank): FinalistRank => ({ ...rank, name: nameAt(rank) });
  return {
    ...verdict,
    ranks: ranks.map(finalist),
    winner: finalist(winner),
    runnerUp: finalist(runnerUp),
    tied: tied.map(nameAt),
  };
}
