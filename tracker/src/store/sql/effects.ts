/** What a change of the store means for waiting callers: work to assign, results to deliver, device time used. */
import type { LeaseId, SessionId, WorkerId } from "@warpfarm/common";

export interface FreedLease {
  readonly lease: LeaseId;
  readonly worker: WorkerId;
}

export interface Finished {
  readonly session: SessionId;
  readonly sequence: number;
  /** The bytes of its result; absent: read it from the store. */
  readonly encoded?: Uint8Array;
}

export interface Decided {
  readonly claim: string;
  readonly verdict: "verified" | "refuted" | "unverifiable";
  readonly message?: string;
}

export interface Effects {
  /** Sessions of runs that may now be leased by count, one entry per run (claim-runs.ts). */
  readonly runs: readonly SessionId[];
  /** Number of builds, and of runs that may not go everywhere, that may now be leased (claim.ts). */
  readonly others: number;
  readonly finished: readonly Finished[];
  readonly decided?: readonly Decided[];
}

export const noEffects: Effects = { runs: [], others: 0, finished: [] };

export const both = (a: Effects, b: Effects): Effects => ({
  runs: [...a.runs, ...b.runs],
  others: a.others + b.others,
  finished: [...a.finished, ...b.finished],
  ...(a.decided || b.decided ? { decided: [...(a.decided ?? []), ...(b.decided ?? [])] } : {}),
});
