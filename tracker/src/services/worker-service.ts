/** WorkerService: registration, and the long poll in which workers report and get work. */
import { randomUUID } from "node:crypto";
import { FarmError, type LeaseId, measureErrorNo, toWorkerId, type WorkerId } from "@warpfarm/common";
import {
  type Answer,
  type Outcome,
  type Registration,
  registeredToWire,
  registrationFromWire,
  type SyncReply,
  type SyncRequest,
  type WorkerHandlers,
} from "@warpfarm/proto";
import { Batcher } from "../batcher.ts";
import { nothing, type TakesWork, type Work } from "../held-poll.ts";
import type { Registry } from "../registry.ts";
import { type CallResult, reportCalls, type WorkerCall } from "../store/sql/report.ts";
import { forgetFaults, listWorkers, loseWorkers, registerWorker } from "../store/sql/workers.ts";
import { checkProtocol, type TrackerContext } from "./context.ts";

/** How long a silent holder of a device is given to show that it lives. */
const takeoverMs = 2_000;
/** An acknowledgement goes with the next job when there is one by then. */
const acknowledgeWithinMs = 2_000;

/** A call from its arrival to its answer, and all that is kept of it while it is held (held-poll.ts). */
class Call implements TakesWork {
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

  /** What its report came to. True when that is worth an answer of its own. */
  reported({ acknowledged, cancel }: Extract<CallResult, { kind: "known" }>): boolean {
    if (acknowledged.length > 0) this.#acknowledged = acknowledged;
    if (cancel.length > 0) this.#cancel = cancel;
    return acknowledged.length > 0 || cancel.length > 0;
  }

  take({ assignments, prefetch, cancel }: Work): void {
    this.#registry.callEnded(this.#worker, this.signal.aborted);
    this.#answer.reply({
      acknowledged: this.#acknowledged,
      assignments,
      prefetch,
      cancel: [...this.#cancel, ...cancel],
      state: this.#registry.get(this.#worker)?.draining ? "drain" : "active",
      nextCallAfterMs: 0,
    });
  }

  fail(error: unknown): void {
    this.#registry.callEnded(this.#worker, this.signal.aborted);
    this.#answer.fail(error);
  }
}

/** One for all calls that have none. */
const none: readonly LeaseId[] = [];

export function workerService(context: TrackerContext): WorkerHandlers {
  const { db, registry, shares, dispatcher, policy, limits, clock, metrics, log, apply } = context;

  function count(o: Outcome): void {
    if (o.kind === "run") metrics.ran(o.result.kind === "timed" ? measureErrorNo.NO_ERROR : o.result.errorNo);
    else if (o.kind === "built") metrics.built(o.buildMs, o.cached);
    else if (o.kind === "build_failed") metrics.buildFailed(o.result.errorNo);
    else if (!o.leaving) metrics.fault();
  }

  const store = async (calls: readonly WorkerCall[]): Promise<readonly CallResult[]> => {
    const { results, effects, used } = await reportCalls(db, calls, policy, clock.now());
    for (const { session, key, ms } of used) {
      shares.used(session, ms);
      metrics.held(key, ms);
    }
    for (const [i, result] of results.entries()) {
      const call = calls[i];
      if (!call || result.kind === "stale") continue;
      // Its held call began in trouble and asks for nothing; the next one will.
      if (registry.setHealthy(call.worker, result.healthy)) dispatcher.release([call.worker]);
      if (call.leaving) registry.remove([call.worker]);
    }
    for (const { outcomes } of calls) for (const outcome of outcomes) count(outcome);
    // It is stored: whoever waits for it hears of it now or never.
    apply(effects);
    const recovered = calls.filter(
      (c) => (registry.get(c.worker)?.faults ?? 0) > 0 && c.outcomes.some((o) => o.kind !== "fault"),
    );
    await forgetFaults(
      db.lazy,
      recovered.map((c) => c.worker),
    );
    return results;
  };
  const reports = new Batcher<WorkerCall, CallResult>(store);

  /**
   * A device has one holder. Another worker that claims it is refused while the holder lives; a holder that is gone, most often this
   * very process before its restart, is given up at once rather than when its time is over.
   */
  async function claimDevices(registration: Registration, signal: AbortSignal): Promise<void> {
    if (registration.role.kind !== "runner") return;
    // It may have registered at another tracker just now.
    if (context.peers) await looks.push(undefined);
    const uuids = new Set(registration.role.devices.map((d) => d.facts.uuid));
    for (const row of [...registry.rows()]) {
      if (row.facts.kind !== "runner" || row.instanceId === registration.instanceId) continue;
      const device = row.facts.devices.find((d) => uuids.has(d.facts.uuid));
      if (!device) continue;
      // At another tracker it is seen no more often than that tracker writes it down.
      const silentMs = takeoverMs + (context.peers ? policy.ttlMs / 6 : 0);
      const end = clock.monotonic() + 2 * silentMs;
      while (registry.isPresent(row.id, silentMs)) {
        if (registry.hasOpenCall(row.id) || clock.monotonic() > end)
          throw new FarmError(
            "ALREADY_EXISTS",
            `device ${device.facts.uuid} is held by worker ${row.id} on node ${row.node}, which is alive`,
          );
        await clock.sleep(50, { signal });
      }
      await giveUp([row.id], "another worker registered its device");
    }
  }

  /** Looks at the store; a look that began before it was asked for does not count. */
  const looks = new Batcher<undefined, void>(async (asked) => {
    const asOf = clock.monotonic();
    dispatcher.release(registry.refresh(await listWorkers(db.lazy, (id) => registry.get(id)), asOf));
    return asked.map(() => undefined);
  });

  async function giveUp(workers: readonly WorkerId[], why: string): Promise<void> {
    const { lost, effects } = await loseWorkers(db, 0, policy, clock.now(), workers);
    registry.remove(lost);
    metrics.lost(lost.length);
    for (const worker of lost) log.warn({ worker, why }, "worker lost");
    apply(effects);
  }

  function hold(
    call: Call,
    { workerId, free, reportOnly, leaving }: SyncRequest,
    result: Extract<CallResult, { kind: "known" }>,
  ): void {
    const news = call.reported(result);
    const canWork = (registry.get(workerId)?.healthy ?? false) && free.some((f) => f.count > 0);
    if (leaving || reportOnly || (news && !canWork)) {
      call.take(nothing);
      return;
    }
    // An acknowledgement waits a moment for the next job: nothing depends on it, and said alone it costs an answer and another call.
    const prompt = result.cancel.length > 0;
    const holdMs = news ? Math.min(limits.holdMs, acknowledgeWithinMs) : limits.holdMs;
    dispatcher.poll(workerId, canWork ? free : [], { prompt, holdMs, signal: call.signal }, call);
  }

  async function report(call: Call, request: SyncRequest): Promise<void> {
    const { workerId, epoch, reportOnly, running, outcomes, trouble, leaving = false } = request;
    if (leaving) log.info({ worker: workerId, outcomes: outcomes.length }, "worker leaves");
    const main = leaving || !reportOnly;
    const reported = await reports.push({ worker: workerId, epoch, running, outcomes, trouble, main, leaving });
    if (reported.kind === "known") hold(call, request, reported);
    else
      call.fail(
        new FarmError("ABORTED", `epoch ${epoch} of worker ${workerId} is over, or the worker is not known: register again`),
      );
  }

  return {
    async Register(wire, { signal, peer }) {
      const registration = registrationFromWire(wire);
      checkProtocol("worker", registration.protocolVersion);
      await claimDevices(registration, signal);
      const { worker, effects } = await registerWorker(db, toWorkerId(randomUUID()), registration, policy, clock.now());
      registry.put(worker);
      dispatcher.release([worker.id]); // a call of its former epoch
      log.info(
        { worker: worker.id, epoch: worker.epoch, role: registration.role.kind, node: worker.node, peer },
        "worker registered",
      );
      apply(effects);
      return registeredToWire({ workerId: worker.id, epoch: worker.epoch, leaseTtlMs: policy.ttlMs, nextCallAfterMs: 0 });
    },
    synchronize(request, { signal }, answer) {
      const begin = () => {
        const call = new Call(request.workerId, registry, signal, answer);
        report(call, request).catch((error: unknown) => call.fail(error));
      };
      // It may have registered at another tracker.
      const isNews = context.peers && registry.get(request.workerId)?.epoch !== request.epoch;
      if (isNews) looks.push(undefined).then(begin, (error: unknown) => answer.fail(error));
      else begin();
    },
  };
}
