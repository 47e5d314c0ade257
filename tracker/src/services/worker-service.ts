/** WorkerService: registration, and the long poll in which workers report and get work. */
import { FarmError, type LeaseId, measureErrorNo, toWorkerId, type WorkerId } from "@warpfarm/common";
import {
  type Answer,
  type CallContext,
  type Outcome,
  type Principal,
  type Registration,
  registeredToWire,
  registrationFromWire,
  type SyncReply,
  type SyncRequest,
  type WorkerHandlers,
} from "@warpfarm/proto";
import { nothing, type TakesWork, type Work } from "../dispatch/held-poll.ts";
import type { Registry } from "../dispatch/registry.ts";
import { Batcher } from "../flow/batcher.ts";
import { type CallResult, reportCalls, type WorkerCall } from "../store/sql/report.ts";
import { forgetFaults, listWorkers, loseWorkers, registerWorker } from "../store/sql/workers.ts";
import { asRegistered } from "./as-registered.ts";
import { checkProtocol, provesItsCalls, type TrackerContext } from "./context.ts";

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

const epochIsOver = ({ workerId, epoch }: Pick<SyncRequest, "workerId" | "epoch">): FarmError =>
  new FarmError("ABORTED", `epoch ${epoch} of worker ${workerId} is over, or the worker is not known: register again`);

const tooOld = (): FarmError =>
  new FarmError(
    "FAILED_PRECONDITION",
    "this tracker asks for tokens and serves workers of protocol 3, which prove that a call is theirs: update the worker, " +
      "or start the tracker with --allow-old-workers",
  );

/** One for all calls that have none. */
const none: readonly LeaseId[] = [];

export function workerService(context: TrackerContext): WorkerHandlers {
  const { db, registry, shares, dispatcher, policy, limits, clock, newId, metrics, log, audit, secrets, quotas, apply } = context;

  function count(o: Outcome): void {
    if (o.kind === "run") metrics.ran(o.result.kind === "timed" ? measureErrorNo.NO_ERROR : o.result.errorNo);
    else if (o.kind === "built") metrics.built(o.buildMs, o.cached);
    else if (o.kind === "build_failed") metrics.buildFailed(o.result.errorNo);
    else if (!o.leaving) metrics.fault();
  }

  const store = async (calls: readonly WorkerCall[]): Promise<readonly CallResult[]> => {
    const { results, effects, used, built } = await reportCalls(db, calls, policy, clock.now());
    for (const { session, key, ms } of used) {
      shares.used(session, ms);
      metrics.held(key, ms);
      const owner = quotas && context.sessions.get(session)?.row.principal;
      if (owner !== undefined) quotas?.accountOf(owner)?.spent({ deviceMs: ms });
    }
    if (quotas) for (const { principal, ms } of built) quotas.accountOf(principal)?.spent({ buildMs: ms });
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
  async function claimDevices(registration: Registration, { name }: Principal, signal: AbortSignal): Promise<void> {
    if (registration.role.kind !== "runner") return;
    // It may have registered at another tracker just now.
    if (context.peers) await looks.push(undefined);
    const uuids = new Set(registration.role.devices.map((d) => d.facts.uuid));
    for (const row of [...registry.rows()]) {
      const isItself = row.instanceId === registration.instanceId && row.principal === name;
      if (row.facts.kind !== "runner" || isItself) continue;
      const device = row.facts.devices.find((d) => uuids.has(d.facts.uuid));
      if (!device) continue;
      if (row.principal !== name)
        throw new FarmError(
          "ALREADY_EXISTS",
          `device ${device.facts.uuid} is held by another principal's worker on node ${row.node}, which is not given up yet`,
        );
      // At another tracker it is seen no more often than that tracker writes it down.
      const silentMs = takeoverMs + (context.peers ? policy.ttlMs / 6 : 0);
      const end = clock.monotonic() + 2 * silentMs;
      while (registry.isPresent(row.id, silentMs)) {
        if (registry.hasOpenCall(row.id) || clock.monotonic() > end)
          throw new FarmError(
            "ALREADY_EXISTS",
            `device ${device.facts.uuid} is held by a worker on node ${row.node}, which is alive`,
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

  async function report(call: Call, request: SyncRequest, caller: CallContext): Promise<void> {
    const { workerId, epoch, reportOnly, running, trouble, leaving = false } = request;
    if (leaving) audit.did("worker_left", caller, { worker: workerId, outcomes: request.outcomes.length });
    const main = leaving || !reportOnly;
    const row = registry.get(workerId);
    if (!row && request.outcomes.length > 0) return call.fail(epochIsOver(request));
    const outcomes = row ? asRegistered(request.outcomes, row, clock.now()) : [];
    const reported = await reports.push({ worker: workerId, epoch, running, outcomes, trouble, main, leaving });
    if (reported.kind === "known") hold(call, request, reported);
    else call.fail(epochIsOver(request));
  }

  function begin(request: SyncRequest, caller: CallContext, answer: Answer<SyncReply>): void {
    const refused = refusal(request, caller);
    if (refused) {
      answer.fail(refused);
      return;
    }
    const call = new Call(request.workerId, registry, caller.signal, answer);
    report(call, request, caller).catch((error: unknown) => call.fail(error));
  }

  /** What the call is refused with when it does not prove that it is the worker's. Who made up an id and an epoch learns nothing. */
  function refusal({ workerId, epoch, secret }: SyncRequest, { principal }: CallContext): FarmError | undefined {
    if (secret) return secrets.proves(workerId, epoch, secret) ? undefined : epochIsOver({ workerId, epoch });
    if (principal.role !== "all" && !limits.allowOldWorkers) return tooOld();
    return registry.get(workerId)?.proves === false ? undefined : epochIsOver({ workerId, epoch });
  }

  return {
    async Register(wire, caller) {
      const { signal, principal } = caller;
      const registration = registrationFromWire(wire);
      const { kind } = registration.role;
      checkProtocol("worker", registration.protocolVersion);
      if (principal.role !== "all" && principal.role !== kind)
        throw new FarmError(
          "PERMISSION_DENIED",
          `${principal.name} has the role ${principal.role} and cannot register a ${kind}`,
        );
      const proves = provesItsCalls(registration.protocolVersion);
      if (principal.role !== "all" && !proves) {
        if (!limits.allowOldWorkers) throw tooOld();
        log.warn(
          { principal: principal.name, node: registration.node },
          "a worker of protocol 2 is served: its calls prove nothing",
        );
      }
      await claimDevices(registration, principal, signal);
      const { worker, effects } = await registerWorker(
        db,
        toWorkerId(newId()),
        { ...registration, principal: principal.name, proves },
        policy,
        clock.now(),
      );
      registry.put(worker);
      dispatcher.release([worker.id]); // a call of its former epoch
      const { id: workerId, epoch, node } = worker;
      audit.did("register_worker", caller, { worker: workerId, epoch, kind, node });
      apply(effects);
      const secret = proves ? { secret: secrets.ofWorker(workerId, epoch) } : {};
      return registeredToWire({ workerId, epoch, leaseTtlMs: policy.ttlMs, nextCallAfterMs: 0, ...secret });
    },
    synchronize(request, caller, answer) {
      // It may have registered at another tracker.
      const isNews = context.peers && registry.get(request.workerId)?.epoch !== request.epoch;
      if (!isNews) begin(request, caller, answer);
      else
        looks.push(undefined).then(
          () => begin(request, caller, answer),
          (error: unknown) => answer.fail(error),
        );
    },
  };
}
