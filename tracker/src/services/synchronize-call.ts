/** A Synchronize call from its arrival to its answer, with everything that is kept while it is held (held-poll.ts). */
import type { LeaseId, WorkerId } from "@warpfarm/common";
import type { Answer, SyncReply } from "@warpfarm/proto";
import type { TakesWork, Work } from "../dispatch/held-poll.ts";
import type { Registry } from "../dispatch/registry.ts";
import type { CallResult } from "../store/sql/report.ts";

const none: readonly LeaseId[] = [];

export class SynchronizeCall implements TakesWork {
  readonly signal: AbortSignal;
  readonly #worker: WorkerId;
  readonly #registry: Registry;
  readonly #answer: Answer<SyncReply>;
  #acknowledged: readonly LeaseId[] = none;
  #cancel: readonly LeaseId[] = none;

  constructor(worker: WorkerId, registry: Registry, signal: AbortSignal, answer: Answer<SyncReply>) {
    this.signal = signal;
    this.#worker = worker;
    this.#registry = registry;
    this.#answer = answer;
    registry.callBegan(worker);
  }

  /** The result of its report. True when it deserves an answer of its own. */
  reported({ acknowledged, cancel }: Extract<CallResult, { kind: "known" }>): boolean {
    if (acknowledged.length > 0) this.#acknowledged = acknowledged;
    if (cancel.length > 0) this.#cancel = cancel;
    return acknowledged.length > 0 || cancel.length > 0;
  }

  take({ assignments, cancel }: Work): void {
    this.#registry.callEnded(this.#worker, this.signal.aborted);
    this.#answer.reply({
      acknowledged: this.#acknowledged,
      assignments,
      cancel: [...this.#cancel, ...cancel],
      state: this.#registry.tell(this.#worker),
    });
  }

  fail(error: unknown): void {
    this.#registry.callEnded(this.#worker, this.signal.aborted);
    this.#answer.fail(error);
  }
}
