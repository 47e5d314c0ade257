/** Finalists of a search that were measured in turns: a value, and who won. */
import type { MeasureOptions, PairedOptions, ProgramDigest } from "@warpfarm/common";
import { judge, type TurnsRun, type Verdict } from "./judge.ts";

export interface Finalist {
  readonly index: number;
  readonly program: ProgramDigest;
}

/** What is kept in a log: what was measured. Who won is worked out from it. */
export interface Finals {
  readonly finalists: readonly Finalist[];
  readonly runs: readonly TurnsRun[];
  /** Those that did not get through, of those that the search named. */
  readonly failed: readonly (Finalist & { readonly message: string })[];
  readonly paired: PairedOptions;
  readonly options: MeasureOptions;
}

export const judgeFinals = (finals: Finals): Verdict =>
  judge(
    finals.finalists.map(({ index }) => index),
    finals.runs,
  );
