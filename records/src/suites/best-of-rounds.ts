/** The one rule, of kernels that are known by their rounds alone: those of several runs, pooled. */
import type { Interval, Rounds } from "@warpfarm/common";
import { bestOf, type Timed } from "../best.ts";
import { type Finalist, type Finals, failedLast } from "../paired/finals.ts";
import { nameOfConfig } from "../tuning-record.ts";

export interface BestInRounds {
  readonly best: Finalist;
  readonly tied: readonly Finalist[];
  readonly seconds: Pick<Interval, "estimate" | "low" | "high">;
}

/**
 * Of these programs, those that failed in their last rounds left out. Undefined when no rounds have two of them. Rounds of the
 * same programs are pooled; otherwise those with the most of the fastest decide.
 */
export function bestOfRounds(finals: readonly Finals[], among: ReadonlySet<string>): BestInRounds | undefined {
  const out = failedLast(finals);
  const timed = finals.flatMap(({ finalists, runs }, at) => {
    const there = finalists.flatMap((finalist, i) =>
      among.has(finalist.program) && !out.has(finalist.program) ? [{ finalist, i }] : [],
    );
    if (there.length < 2) return [];
    return runs.flatMap(({ costs }, n) =>
      there.map(({ finalist, i }, place): Timed<Finalist> => {
        const id = `${at}/${n}`;
        return {
          ...{ of: finalist, id, kernel: finalist.program, values: nameOfConfig(finalist.config), costs: costs[i] as Rounds },
          ...{ interleaved: { run: id, place: place + 1, of: there.length }, atMs: at },
        };
      }),
    );
  });
  const found = bestOf(timed);
  if (found?.rounds === undefined) return undefined;
  const { best, tied, rounds } = found;
  const { estimate, low, high } = rounds.verdict.winner.seconds;
  return {
    best: best.nearest.of,
    tied: tied.slice(1).map(({ nearest }) => nearest.of),
    seconds: { estimate, low, high },
  };
}
