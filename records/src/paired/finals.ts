/** Finalists of a search that were measured interleaved, and who won. */
import type { MeasureOptions, PairedOptions, ProgramDigest } from "@warpfarm/common";
import { type Entity, nameOfConfig } from "../tuning-record.ts";
import { judge, type TurnsRun, type Verdict } from "./judge.ts";

export interface Finalist {
  readonly config: Entity;
  readonly program: ProgramDigest;
}

/** The measurements, as a log keeps them. The winner follows from them. */
export interface Finals {
  readonly finalists: readonly Finalist[];
  readonly runs: readonly TurnsRun[];
  /** Finalists of the search that failed when they were measured again. */
  readonly failed: readonly (Finalist & { readonly message: string })[];
  readonly paired: PairedOptions;
  readonly options: MeasureOptions;
}

export const finalistNamed = ({ finalists }: Finals, name: string): Finalist | undefined =>
  finalists.find(({ config }) => nameOfConfig(config) === name);

export const judgeFinals = (finals: Pick<Finals, "finalists" | "runs">): Verdict =>
  judge(
    finals.finalists.map(({ config }) => nameOfConfig(config)),
    finals.runs,
  );
