/**
 * WorkerService: registration, and the long poll in which workers report and get work.
 *
 *   Register      admitted --> its devices are free of others (device-holders.ts) --> a worker with an epoch, and its secret
 *   Synchronize   refused | reported (reports.ts) --> answered at once: it leaves, only reports, or has news and no room
 *                                                 --> held (dispatcher.ts) --work, cancel, time over--> answered
 */
import { badInput, FarmError, toWorkerId } from "@warpfarm/common";
import {
  type Answer,
  type CallContext,
  type Principal,
  type Registered,
  type Registration,
  registeredToWire,
  registrationFromWire,
  type SyncReply,
  type SyncRequest,
  type WorkerHandlers,
} from "@warpfarm/proto";
import { nothing } from "../dispatch/held-poll.ts";
import { hasEveryRight } from "../doors/rights.ts";
import type { CallResult } from "../store/sql/report.ts";
import { keepChecks, registerWorker } from "../store/sql/workers.ts";
import { asRegistered } from "./as-registered.ts";
import { checkProtocol, type TrackerContext } from "./context.ts";
import { DeviceHolders } from "./device-holders.ts";
import { Reports } from "./reports.ts";
import { SynchronizeCall } from "./synchronize-call.ts";

/** An acknowledgement goes with the next job if there is one within this time. */
const acknowledgeWithinMs = 2_000;

const epochIsOver = ({ workerId, epoch }: Pick<SyncRequest, "workerId" | "epoch">): FarmError =>
  new FarmError("ABORTED", `epoch ${epoch} of worker ${workerId} is over, or the worker is not known: register again`);

/** An admin's token may also register builders, whose word then stands for everybody (store/sql/verdicts.ts). */
const mayRegister = ({ role }: Principal, kind: "builder" | "runner"): boolean =>
  role === "all" || role === kind || (role === "admin" && kind === "builder");

/** Throws when this worker may not register here. */
function admit({ protocolVersion, role, node, labels }: Registration, principal: Principal): void {
  checkProtocol("worker", protocolVersion);
  if (labels.node !== undefined && labels.node !== node)
    throw badInput(
      `labels.node is ${JSON.stringify(labels.node)}; allowed: this worker's own node, ${JSON.stringify(node)}. Leave the label out`,
    );
  if (!mayRegister(principal, role.kind))
    throw new FarmError(
      "PERMISSION_DENIED",
      `${principal.name} has the role ${principal.role} and cannot register a ${role.kind}`,
    );
}

export function workerService(context: TrackerContext): WorkerHandlers {
  const workers = new Workers(context);
  return {
    Register: async (wire, caller) => registeredToWire(await workers.register(registrationFromWire(wire), caller)),
    synchronize: (request, caller, answer) => workers.synchronize(request, caller, answer),
  };
}

class Workers {
  readonly #c: TrackerContext;
  readonly #reports: Reports;
  readonly #holders: DeviceHolders;

  constructor(context: TrackerContext) {
    this.#c = context;
    this.#reports = new Reports(context);
    this.#holders = new DeviceHolders(context);
  }

  async register(registration: Registration, caller: CallContext): Promise<Registered> {
    const { db, registry, dispatcher, policy, clock, newId, audit, secrets, apply } = this.#c;
    const { signal, principal } = caller;
    const { kind } = registration.role;
    admit(registration, principal);
    await this.#holders.claim(registration, principal, signal);
    const { worker, effects } = await registerWorker(
      db,
      toWorkerId(newId()),
      { ...registration, principal: principal.name, vouched: hasEveryRight(principal) },
      policy,
      clock.now(),
    );
    registry.put(worker);
    dispatcher.release([worker.id]); // a call of its former epoch
    const { id: workerId, epoch, node } = worker;
    audit.did("register_worker", caller, { worker: workerId, epoch, kind, node });
    apply(effects);
    const secret = secrets.ofWorker(workerId, epoch);
    return { workerId, epoch, leaseTtlMs: policy.ttlMs, secret };
  }

  synchronize(request: SyncRequest, caller: CallContext, answer: Answer<SyncReply>): void {
    const { peers, registry } = this.#c;
    // It may have registered at another tracker.
    const isNews = peers && registry.get(request.workerId)?.epoch !== request.epoch;
    if (!isNews) this.#begin(request, caller, answer);
    else
      this.#holders.look().then(
        () => this.#begin(request, caller, answer),
        (error: unknown) => answer.fail(error),
      );
  }

  #begin(request: SyncRequest, caller: CallContext, answer: Answer<SyncReply>): void {
    // A caller that invented an id and an epoch learns nothing.
    if (!this.#c.secrets.proves(request.workerId, request.epoch, request.secret)) {
      answer.fail(epochIsOver(request));
      return;
    }
    const call = new SynchronizeCall(request.workerId, this.#c.registry, caller.signal, answer);
    this.#report(call, request, caller).catch((error: unknown) => call.fail(error));
  }

  async #report(call: SynchronizeCall, request: SyncRequest, caller: CallContext): Promise<void> {
    const { registry, clock, audit, db } = this.#c;
    const { workerId, epoch, reportOnly, running, trouble, leaving = false } = request;
    if (leaving) audit.did("worker_left", caller, { worker: workerId, outcomes: request.outcomes.length });
    const main = leaving || !reportOnly;
    const row = registry.get(workerId);
    if (!row && request.outcomes.length > 0) return call.fail(epochIsOver(request));
    const outcomes = row ? asRegistered(request.outcomes, row, clock.now()) : [];
    const reported = await this.#reports.push({ worker: workerId, epoch, running, outcomes, trouble, main, leaving });
    if (reported.kind === "known") {
      // Nothing waits for these. The next registration repeats what was not written.
      if (request.checks) await keepChecks(db.lazy, workerId, clock.now(), request.checks);
      this.#hold(call, request, reported);
    } else call.fail(epochIsOver(request));
  }

  #hold(
    call: SynchronizeCall,
    { workerId, free, reportOnly, leaving }: SyncRequest,
    result: Extract<CallResult, { kind: "known" }>,
  ): void {
    const { registry, dispatcher, limits } = this.#c;
    const news = call.reported(result);
    const isFree = free.some((f) => f.count > 0);
    const canWork = (registry.get(workerId)?.healthy ?? false) && isFree;
    // A drain may have ended while its last answer was on its way: it would be held as long as may be, and ask for nothing.
    const mustHear = !isFree && !registry.isTold(workerId);
    if (leaving || reportOnly || mustHear || (news && !canWork)) {
      call.take(nothing);
      return;
    }
    // An acknowledgement waits a moment for the next job: nothing depends on it, and alone it costs an answer and another call.
    const prompt = result.cancel.length > 0;
    const holdMs = news ? Math.min(limits.holdMs, acknowledgeWithinMs) : limits.holdMs;
    dispatcher.poll(workerId, canWork ? free : [], { prompt, holdMs, signal: call.signal }, call);
  }
}
