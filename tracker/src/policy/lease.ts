/**
 * A lease: the right and duty of one worker to do one job. The row in `leases` is the truth; a tracker's memory has no copy.
 *
 *   job READY/WAITING --grant--> HELD --outcome--> settled (result or artifact durable, row gone)
 *                        ^         |
 *                        |         +--undelivered-- the worker's next or last call does not know it, or its device is busy with
 *                        |         |                others: as if never granted
 *                        |         +--fault-------- the worker could not do it: back, elsewhere first; a suspect one gets nothing
 *                        |         +--loss--------- it expired, or its worker left or registered again: back, elsewhere first
 *                        |         +--end---------- its worker was lost while it did the job: a loss that the job may have caused
 *                        +---------+
 *
 * grant     by dispatch, with the worker's current epoch and an expiry of `ttlMs` from the database's clock; a job has at most
 *           one lease (unique indexes), so at most one holder whose outcome counts.
 * renewal   every call of Synchronize that names the lease.
 * outcome   counts only if (lease id, worker, epoch) is still a row: deleting that row and writing the result are one
 *           transaction. An outcome without a row is acknowledged and dropped: its job or session is elsewhere or gone.
 * bounds    `maxFaults` faults, `maxLosses` losses or `maxEnds` ends end a job with UNKNOWN_ERROR, because a job that takes its
 *           node down each time must end somewhere: who ended two hosts is not given to a third. Nobody can tell such a job from
 *           one whose hosts were killed by others. A tuner never hears of earlier losses, and it skips UNKNOWN_ERROR.
 */
import { type FailedResult, measureErrorNo } from "@warpfarm/common";

export interface LeasePolicy {
  readonly ttlMs: number;
  readonly maxFaults: number;
  readonly maxLosses: number;
  readonly maxEnds: number;
  /** A worker with this many faults in a row, which put the worker itself in doubt, is quarantined. */
  readonly maxWorkerFaults: number;
  /** A worker that reported "suspect" gets no work for this time, and until it reports no trouble. */
  readonly suspectMs: number;
}

export const defaultLeasePolicy: LeasePolicy = {
  ttlMs: 30_000,
  maxFaults: 3,
  maxLosses: 10,
  maxEnds: 2,
  maxWorkerFaults: 5,
  suspectMs: 10_000,
};

export type ReturnReason = "undelivered" | "fault" | "loss" | "end";

/** The verdict on a job that the farm itself could not do. */
export function farmFailure(rule: string, message: string, now: number, attempt = 1): FailedResult {
  return {
    kind: "failed",
    errorNo: measureErrorNo.UNKNOWN_ERROR,
    rule,
    message,
    buildMs: 0,
    runMs: 0,
    timestampMs: now,
    attempt,
  };
}
