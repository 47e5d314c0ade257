/**
 * Starts a job once for each lease and epoch: a reply that arrives twice, or late and out of order, starts nothing. An assignment
 * is stale when its lease was seen with the same or a later epoch. Only the latest leases are remembered, because the tracker
 * never uses an id twice.
 */
import type { LeaseId } from "@warpfarm/common";

const remembered = 4096;

export class LeaseGuard {
  readonly #seen = new Map<LeaseId, number>();

  /** True when this assignment is new and may be started. */
  admit(leaseId: LeaseId, epoch: number): boolean {
    if (epoch <= (this.#seen.get(leaseId) ?? -1)) return false;
    this.#seen.delete(leaseId);
    this.#seen.set(leaseId, epoch);
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= remembered) break;
      this.#seen.delete(oldest);
    }
    return true;
  }
}
