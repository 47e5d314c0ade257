/**
 * Outcomes that are not acknowledged, each in one of two states:
 *   waiting --a call carries it--> sending --the call is over--> waiting
 *   either  --acknowledged--> gone
 */
import type { LeaseId } from "@warpfarm/common";
import type { Outcome } from "@warpfarm/proto";

/** Each has a log of at most 64 KiB, and a message at most 4 MiB. */
const outcomesACall = 40;

export class Outcomes {
  readonly #pending = new Map<LeaseId, Outcome>();
  readonly #sending = new Set<LeaseId>();

  add(outcome: Outcome): void {
    this.#pending.set(outcome.leaseId, outcome);
  }

  get waiting(): number {
    return this.#waiting().length;
  }

  get isCrowded(): boolean {
    return this.#pending.size > outcomesACall;
  }

  /** Outcomes for the next call, until `settle` says that the call is over. */
  take(): readonly Outcome[] {
    const outcomes = this.#waiting().slice(0, outcomesACall);
    for (const { leaseId } of outcomes) this.#sending.add(leaseId);
    return outcomes;
  }

  settle(outcomes: readonly Outcome[]): void {
    for (const { leaseId } of outcomes) this.#sending.delete(leaseId);
  }

  settleAll(): void {
    this.#sending.clear();
  }

  acknowledged(leases: readonly LeaseId[]): void {
    for (const leaseId of leases) this.#pending.delete(leaseId);
  }

  /** Leases whose outcome this call does not carry. A lease that is not named counts as lost. */
  heldBack(outcomes: readonly Outcome[]): readonly LeaseId[] {
    const carried = new Set(outcomes.map((o) => o.leaseId));
    return [...this.#pending.keys()].filter((leaseId) => !carried.has(leaseId));
  }

  #waiting(): Outcome[] {
    return [...this.#pending.values()].filter((o) => !this.#sending.has(o.leaseId));
  }
}
