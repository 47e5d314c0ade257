/** WorkerService: registration, and the long poll in which workers report and get work. */
import { randomUUID } from "node:crypto";
import { FarmError, measureErrorNo, toWorkerId, type WorkerId } from "@warpfarm/common";
import {
  type CallContext,
  type Outcome,
  type Registration,
  registeredToWire,
  registrationFromWire,
  type SyncReply,
  type SyncRequest,
  type WorkerHandlers,
} from "@warpfarm/proto";
import { Batcher } from "../batcher.ts";
import { nothing, type Work } from "../held-poll.ts";
import { type CallResult, reportCalls, type WorkerCall } from "../store/sql/report.ts";
import { forgetFaults, listWorkers, loseWorkers, registerWorker } from "../store/sql/workers.ts";
import { checkProtocol, type TrackerContext } from "./context.ts";

/** How long a silent holder of a device is given to show that it lives. */
const takeoverMs = 2_000;
/** An acknowledgement goes with the next job when there is one by then. */
const acknowledgeWithinMs = 2_000;

export interface WorkerService {
  readonly handlers: Pick<WorkerHandlers, "Register">;
  readonly synchronize: (request: SyncRequest, context: CallContext) => Promise<SyncReply>;
}

export function workerService(context: TrackerContext): WorkerService {
  const { db, registry, shares, dispatcher, policy, limits, clock, metrics, log, apply } = context;

  function count(o: Outcome): void {
    if (o.kind === "run") metrics.ran(o.result.kind === "timed" ? measureErrorNo.NO_ERROR : o.result.errorNo);
    else if (o.kind === "built") metrics.built(o.buildMs, o.cached);
    else if (o.kind === "build_failed") metrics.buildFailed(o.result.errorNo);
    else if (!o.leaving) metrics.fault();
  }

  const report = async (calls: readonly WorkerCall[]): Promise<readonly CallResult[]> => {
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
  const reports = new Batcher<WorkerCall, CallResult>(report);

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

  /** What to say to a call that was reported. While it is held only this is kept of it (held-poll.ts). */
  function hold(
    { workerId, free, isLast }: { readonly workerId: WorkerId; readonly free: SyncRequest["free"]; readonly isLast: boolean },
    { acknowledged, cancel }: Extract<CallResult, { kind: "known" }>,
    signal: AbortSignal,
  ): SyncReply | Promise<SyncReply> {
    const reply = (work: Work): SyncReply => ({
      acknowledged,
      assignments: work.assignments,
      prefetch: work.prefetch,
      cancel: [...cancel, ...work.cancel],
      state: registry.get(workerId)?.draining ? "drain" : "active",
      nextCallAfterMs: 0,
    });
    const canWork = (registry.get(workerId)?.healthy ?? false) && free.some((f) => f.count > 0);
    const news = acknowledged.length > 0 || cancel.length > 0;
    if (isLast || (news && !canWork)) return reply(nothing);
    // An acknowledgement waits a moment for the next job: nothing depends on it, and said alone it costs an answer and another call.
    const prompt = cancel.length > 0;
    const holdMs = news ? Math.min(limits.holdMs, acknowledgeWithinMs) : limits.holdMs;
    return dispatcher.poll(workerId, canWork ? free : [], { prompt, holdMs, signal }).then(reply);
  }

  function answer(request: SyncRequest, signal: AbortSignal): Promise<SyncReply> {
    const { workerId, epoch, reportOnly, free, running, outcomes, trouble, leaving = false } = request;
    const main = leaving || !reportOnly;
    const kept = { workerId, free, isLast: leaving || reportOnly };
    if (leaving) log.info({ worker: workerId, outcomes: outcomes.length }, "worker leaves");
    return reports.push({ worker: workerId, epoch, running, outcomes, trouble, main, leaving }).then((reported) => {
      if (reported.kind === "known") return hold(kept, reported, signal);
      throw new FarmError(
        "ABORTED",
        `epoch ${epoch} of worker ${kept.workerId} is over, or the worker is not known: register again`,
      );
    });
  }

  const ends = (workerId: WorkerId, signal: AbortSignal) => () => registry.callEnded(workerId, signal.aborted);
  function whileHere(request: SyncRequest, signal: AbortSignal): Promise<SyncReply> {
    registry.callBegan(request.workerId);
    return answer(request, signal).finally(ends(request.workerId, signal));
  }

  return {
    handlers: {
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
    },
    synchronize(request, { signal }) {
      // It may have registered at another tracker.
      const isNews = context.peers && registry.get(request.workerId)?.epoch !== request.epoch;
      return isNews ? looks.push(undefined).then(() => whileHere(request, signal)) : whileHere(request, signal);
    },
  };
}
