/** Stores workers' reports a batch at a time, and then tells the waiting callers. */
import { measureErrorNo } from "@warpfarm/common";
import type { Outcome } from "@warpfarm/proto";
import { Batcher } from "../flow/batcher.ts";
import { type CallResult, reportCalls, type WorkerCall } from "../store/sql/report.ts";
import { forgetFaults } from "../store/sql/workers.ts";
import type { TrackerContext } from "./context.ts";
import { Implausible } from "./implausible.ts";

export class Reports {
  readonly #c: TrackerContext;
  readonly #calls: Batcher<WorkerCall, CallResult>;
  readonly #implausible: Implausible;

  constructor(context: TrackerContext) {
    this.#c = context;
    this.#implausible = new Implausible(context);
    this.#calls = new Batcher((calls) => this.#store(calls), { clock: context.clock });
  }

  push(call: WorkerCall): Promise<CallResult> {
    return this.#calls.push(call);
  }

  async #store(told: readonly WorkerCall[]): Promise<readonly CallResult[]> {
    const { db, policy, clock, apply, leaseSpans, endedLeases } = this.#c;
    const calls = await this.#implausible.judged(told);
    const stored = await reportCalls(db, calls, policy, clock.now());
    this.#spend(stored);
    for (const settled of stored.ended) {
      leaseSpans.ended(settled.lease, settled.outcome);
      endedLeases.add(settled);
    }
    this.#seeWorkers(calls, stored.results);
    for (const { outcomes } of calls) for (const outcome of outcomes) this.#count(outcome);
    // It is stored, so waiting callers must hear of it now.
    apply(stored.effects);
    await this.#recover(calls);
    return stored.results;
  }

  #spend({ used, built }: Pick<Stored, "used" | "built">): void {
    const { shares, metrics, quotas, sessions } = this.#c;
    for (const { key, ...times } of used) {
      const { id, ms } = times;
      shares.used(id, ms, times);
      metrics.held(key, ms);
      const owner = quotas && sessions.get(id)?.row.principal;
      if (owner !== undefined) quotas?.accountOf(owner)?.spent({ deviceMs: ms });
    }
    if (quotas) for (const { principal, ms } of built) quotas.accountOf(principal)?.spent({ buildMs: ms });
  }

  #seeWorkers(calls: readonly WorkerCall[], results: readonly CallResult[]): void {
    const { registry, dispatcher } = this.#c;
    for (const [i, result] of results.entries()) {
      const call = calls[i];
      if (!call || result.kind === "stale") continue;
      // Its held call began in trouble and asks for nothing. The next one will ask.
      if (registry.setHealthy(call.worker, result.healthy)) dispatcher.release([call.worker]);
      if (call.leaving) registry.remove([call.worker]);
    }
  }

  async #recover(calls: readonly WorkerCall[]): Promise<void> {
    const { db, registry } = this.#c;
    const recovered = calls.filter(
      (c) => (registry.get(c.worker)?.faults ?? 0) > 0 && c.outcomes.some((o) => o.kind !== "fault"),
    );
    await forgetFaults(
      db.lazy,
      recovered.map((c) => c.worker),
    );
  }

  #count(o: Outcome): void {
    const { metrics, waits } = this.#c;
    if (o.kind === "built" && !o.cached) waits.built(o.buildMs);
    if (o.kind === "run") metrics.ran(o.result.kind === "failed" ? o.result.errorNo : measureErrorNo.NO_ERROR);
    else if (o.kind === "built") metrics.built(o.buildMs, o.cached);
    else if (o.kind === "build_failed") metrics.buildFailed(o.result.errorNo);
    else if (o.kind === "fault" && !o.leaving && !o.busy) metrics.fault();
  }
}

type Stored = Awaited<ReturnType<typeof reportCalls>>;
