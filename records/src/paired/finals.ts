/** Finalists of a search that were measured interleaved, and who won. */
import type { DeviceFacts, MeasureOptions, PairedOptions, ProgramDigest } from "@warpfarm/common";
import type { Rounds } from "./statistics.ts";
import { type Rank, type Verdict, verdictOf } from "./verdict.ts";

export interface Finalist {
  readonly index: number;
  readonly program: ProgramDigest;
  /** Canonical text of the config's values (valuesText), which orders those that are tied. */
  readonly values: string;
}

/** One measurement of all finalists, interleaved. */
export interface TurnsRun {
  readonly device: DeviceFacts;
  /** By finalist, as they were named. */
  readonly costs: readonly Rounds[];
}

/** The measurements, as a log keeps them. The winner follows from them. */
export interface Finals {
  readonly finalists: readonly Finalist[];
  readonly runs: readonly TurnsRun[];
  /** Finalists of the search that failed when they were measured again. */
  readonly failed: readonly (Omit<Finalist, "values"> & { readonly message: string })[];
  readonly paired: PairedOptions;
  readonly options: MeasureOptions;
}

export type FinalistRank = Finalist & Rank;
export interface FinalsVerdict extends Omit<Verdict, "ranks" | "winner" | "runnerUp" | "tied" | "ratioOf"> {
  readonly ranks: readonly FinalistRank[];
  readonly winner: FinalistRank;
  readonly runnerUp: FinalistRank;
  /** Indices of those that cannot be distinguished from the winner. */
  readonly tied: readonly number[];
}

export function judgeFinals({ finalists, runs }: Finals): FinalsVerdict {
  const order = finalists.map((_, i) => i).sort((a, b) => (named(finalists[a]) < named(finalists[b]) ? -1 : 1));
  const { ratioOf: _, ranks, winner, runnerUp, tied, ...verdict } = verdictOf(
    runs.map(({ costs }) => order.map((i) => costs[i] as Rounds)),
  );
  const finalist = (rank: Rank): FinalistRank => ({ ...(finalists[order[rank.at] as number] as Finalist), ...rank });
  return {
    ...verdict,
    ranks: ranks.map(finalist),
    winner: finalist(winner),
    runnerUp: finalist(runnerUp),
    tied: tied.map((rank) => finalist(rank).index),
  };
}
const named = (finalist: Finalist | undefined): string => finalist?.values ?? "";
