/**
 * A worker's side of WorkerService, the same for builders and runners: it reports what is so and obeys what is wanted.
 *
 * APART -> MEMBER by Register; MEMBER -> APART by ABORTED or NOT_FOUND (the epoch is over: running jobs are void and given up,
 * outcomes that
 *          nobody acknowledged are kept); a lost connection changes nothing but the time of the next call, for ever.
 *
 * One call of Synchronize is held at the tracker. When something changes meanwhile, an outcome or a freed slot: a call that asked
 * for no work is given up and made anew, one that waits for work stays and a second, report-only call carries the outcomes. An
 * outcome is sent until acknowledged, but not while a call that carries it is running. What the tracker says is a state, not an
 * event.
 *
 * A worker that ends hands back what had begun as an outcome of its own and does not name the rest in its last call: nothing of
 * that was done, so nobody counts it, however many workers are restarted while a job waits its turn.
 */
import { type Clock, deadlineSignal, FarmError, type NewId, Random, randomId, systemClock } from "@warpfarm/common";
import type {
  Assignment,
  FreeSlots,
  OutcomeKind,
  Registered,
  SyncReply,
  Tracing,
  WorkerClient,
  WorkerStream,
} from "@warpfarm/proto";
import { protocolVersion } from "@warpfarm/proto";
import { Jobs, type WorkerEvent, type WorkerRole } from "./jobs.ts";
import { Outcomes } from "./outcomes.ts";

export interface SynchronizerOptions {
  readonly client: Pick<WorkerClient, "register" | "stream">;
  readonly role: WorkerRole;
  readonly onEvent?: (event: WorkerEvent) => void;
  readonly clock?: Clock;
  readonly newId?: NewId;
  readonly tracing?: Tracing | undefined;
}

const firstBackoffMs = 100;
const mostBackoffMs = 5_000;
/** Short jobs end within this time, in which a call that asks for nothing would be replaced. */
const busyPauseMs = 50;
const emptyPauseMs = 20;
const leaveMs = 2_000;

/** Errors of a first registration that waiting does not solve. */
const hopeless: ReadonlySet<FarmError["code"]> = new Set([
  "INVALID_ARGUMENT",
  "FAILED_PRECONDITION",
  "UNAUTHENTICATED",
  "PERMISSION_DENIED",
]);

/** "main" asks for work, "report" tells outcomes beside it, "last" ends the membership. */
type CallKind = "main" | "report" | "last";

class Change {
  happened: () => void = () => {};
  readonly promise = new Promise<"changed">((resolve) => {
    this.happened = () => resolve("changed");
  });
}

/** Changes to report, other than outcomes, and when the last call was begun. */
class Changes {
  #one = new Change();
  untold = false;
  movedMs = 0;

  get next(): Promise<"changed"> {
    return this.#one.promise;
  }

  happened(): void {
    this.#one.happened();
    this.#one = new Change();
  }
}

const isEmpty = (reply: SyncReply): boolean => reply.acknowledged.length + reply.assignments.length + reply.cancel.length === 0;

export class Synchronizer {
  readonly #client: SynchronizerOptions["client"];
  readonly #calls: WorkerStream;
  readonly #role: WorkerRole;
  readonly #emit: (event: WorkerEvent) => void;
  readonly #clock: Clock;
  readonly #instanceId: string;
  readonly #random: Random;
  readonly #jobs: Jobs;
  readonly #outcomes = new Outcomes();
  readonly #changes = new Changes();
  #member: Registered | undefined;
  #sequence = 0;
  #state: SyncReply["state"] = "active";
  /** What the tracker was last told: the worker's trouble, and the number of checks of the node's own kernels. */
  #told = { trouble: "", checks: 0 };

  constructor({ client, role, onEvent = () => {}, clock = systemClock, newId = randomId, tracing }: SynchronizerOptions) {
    this.#client = client;
    this.#calls = client.stream();
    this.#role = role;
    this.#emit = onEvent;
    this.#clock = clock;
    this.#changes.movedMs = clock.monotonic();
    this.#instanceId = newId();
    this.#random = new Random(Number.parseInt(this.#instanceId.slice(0, 8), 16) | 0);
    const onEnd = (assignment: Assignment, outcome: OutcomeKind | undefined) => this.#ended(assignment, outcome);
    this.#jobs = new Jobs({ role, emit: onEvent, onEnd, tracing });
  }

  /**
   * Serves until the signal aborts. Then gives up running jobs and reports a last time. Throws only when
   * the first registration is refused for good (another protocol version, no permission, a bad field).
   */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    try {
      while (!signal.aborted) {
        this.#member = await this.#register(signal);
        await this.#serve(this.#member, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await this.#leave();
      this.#calls.close();
    }
  }

  /** Milliseconds since it last called a tracker, got an answer, or failed to. */
  get idleMs(): number {
    return this.#clock.monotonic() - this.#changes.movedMs;
  }

  touch(): void {
    this.#changes.untold = true;
    this.#changes.happened();
  }

  #ended({ leaseId, epoch }: Assignment, outcome: OutcomeKind | undefined): void {
    if (outcome !== undefined) {
      this.#outcomes.add({ leaseId, epoch, ...outcome });
      this.#emit({ kind: "finished", leaseId, outcome });
    }
    this.#changes.happened();
  }

  async #register(signal: AbortSignal): Promise<Registered> {
    for (let tries = 0; ; tries++) {
      this.#changes.movedMs = this.#clock.monotonic();
      try {
        const registered = await this.#client.register(
          { ...this.#role.registration, protocolVersion, instanceId: this.#instanceId },
          { signal },
        );
        this.#emit({ kind: "registered", registered });
        this.#told.checks = 0;
        return registered;
      } catch (error) {
        const reason = this.#farmError(error, signal);
        if (this.#member === undefined && hopeless.has(reason.code)) throw reason;
        await this.#backOff("register_failed", reason, tries, signal);
      }
    }
  }

  /** One epoch: makes calls until it is over. */
  async #serve(member: Registered, signal: AbortSignal): Promise<void> {
    let waitMs = 0;
    for (let failures = 0; ; ) {
      await this.#pause(Math.max(waitMs, this.#freeCount() === 0 && this.#outcomes.waiting === 0 ? busyPauseMs : 0), signal);
      signal.throwIfAborted();
      this.#changes.movedMs = this.#clock.monotonic();
      try {
        const reply = await this.#call(member, signal);
        failures = 0;
        waitMs = reply !== undefined && isEmpty(reply) ? emptyPauseMs : 0;
      } catch (error) {
        const reason = this.#farmError(error, signal);
        if (reason.code === "ABORTED" || reason.code === "NOT_FOUND") {
          this.#emit({ kind: "epoch_over", error: reason, givenUp: this.#jobs.leases.length });
          this.#jobs.abort(reason);
          return;
        }
        await this.#backOff("connection_lost", reason, failures++, signal);
        waitMs = 0;
      }
    }
  }

  /** The held call. Undefined when it was given up for another. */
  async #call(member: Registered, signal: AbortSignal): Promise<SyncReply | undefined> {
    let next = this.#changes.next;
    const superseded = this.#freeCount() > 0 ? undefined : new AbortController(); // one that asks for work is not given up
    const reply = this.#exchange(member, "main", superseded ? AbortSignal.any([signal, superseded.signal]) : signal);
    for (;;) {
      const first = await Promise.race([reply, next]);
      if (first !== "changed") return first;
      next = this.#changes.next;
      if (superseded) {
        superseded.abort(new FarmError("CANCELLED", "another call takes its place"));
        // The call may have been answered just now. Then nothing is lost.
        return reply.catch((error) => {
          if (superseded.signal.reason === error) return undefined;
          throw error;
        });
      }
      // A failure shows in the held call too, which handles it.
      if (this.#outcomes.waiting > 0 || this.#changes.untold) await this.#exchange(member, "report", signal).catch(() => {});
    }
  }

  async #exchange(member: Registered, kind: CallKind, signal: AbortSignal): Promise<SyncReply> {
    const outcomes = this.#outcomes.take();
    this.#changes.untold = false;
    const trouble = this.#role.trouble?.() ?? "";
    if (trouble !== this.#told.trouble) this.#emit({ kind: "trouble", trouble });
    this.#told.trouble = trouble;
    const checks = this.#role.checks?.();
    try {
      const reply = await this.#calls.synchronize(
        {
          workerId: member.workerId,
          epoch: member.epoch,
          sequence: ++this.#sequence,
          free: this.#free(),
          running: [...this.#jobs.leases, ...this.#outcomes.heldBack(outcomes)],
          outcomes,
          trouble,
          ...(checks && checks.count > this.#told.checks ? { checks: checks.last } : {}),
          reportOnly: kind === "report",
          ...(kind === "last" ? { leaving: true } : {}),
          secret: member.secret,
        },
        { signal },
      );
      this.#told.checks = checks?.count ?? 0;
      this.#obey(reply);
      return reply;
    } finally {
      this.#outcomes.settle(outcomes);
    }
  }

  #obey({ acknowledged, assignments, cancel, state }: SyncReply): void {
    this.#outcomes.acknowledged(acknowledged);
    this.#jobs.cancel(cancel);
    if (state !== this.#state) {
      this.#state = state;
      this.#emit({ kind: "state", state });
    }
    this.#jobs.start(assignments);
  }

  /** Gives up running jobs, reports what is unreported, and ends the membership. Never throws, and never takes long. */
  async #leave(): Promise<void> {
    const member = this.#member;
    const limit = deadlineSignal(this.#clock, leaveMs, "leaving the farm");
    await this.#jobs.leave(limit);
    this.#outcomes.settleAll();
    if (member === undefined) return;
    try {
      while (this.#outcomes.isCrowded) await this.#exchange(member, "report", limit);
      await this.#exchange(member, "last", limit);
    } catch {
      // The tracker finds out by itself.
    }
  }

  #free(): readonly FreeSlots[] {
    return this.#jobs.free(this.#state === "active");
  }
  #freeCount(): number {
    return this.#free().reduce((sum, { count }) => sum + count, 0);
  }

  /** Waits, but not longer than until something changes. */
  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0) return;
    const over = new AbortController();
    const sleep = this.#clock.sleep(ms, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => {});
    await Promise.race([sleep, this.#changes.next]);
    over.abort();
  }

  async #backOff(
    kind: "register_failed" | "connection_lost",
    error: FarmError,
    tries: number,
    signal: AbortSignal,
  ): Promise<void> {
    const ceiling = Math.min(mostBackoffMs, firstBackoffMs * 2 ** Math.min(tries, 10));
    // Half fixed, half random, so that a farm that lost its tracker does not reconnect all at once.
    const retryInMs = Math.round(ceiling * (0.5 + this.#random.float() / 2));
    this.#emit({ kind, error, retryInMs });
    await this.#clock.sleep(retryInMs, { signal });
  }

  #farmError(error: unknown, signal: AbortSignal): FarmError {
    if (signal.aborted) throw signal.reason;
    if (error instanceof FarmError) return error;
    throw error;
  }
}
