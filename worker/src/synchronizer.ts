/**
 * A worker's side of WorkerService, the same for builders and runners: it reports what is so and obeys what is wanted (design §3a).
 *
 * APART -> MEMBER by Register; MEMBER -> APART by ABORTED or NOT_FOUND (the epoch is over: running jobs are void and given up, outcomes that
 *          nobody acknowledged are kept); a lost connection changes nothing but the time of the next call, for ever.
 *
 * One call of Synchronize is held at the tracker. When something changes meanwhile, an outcome or a freed slot: a call that asked for no
 * work is given up and made anew, one that waits for work stays and a second, report-only call carries the outcomes. An outcome is sent until
 * acknowledged, but not while a call that carries it is under way. What the tracker says is taken as a state, not as an event: it may be
 * lost and said again.
 *
 * A worker that ends hands back what had begun as an outcome of its own and does not name the rest in its last call: nothing of that was
 * done, so nobody counts it, however many workers are restarted while a job waits its turn.
 */
import { randomUUID } from "node:crypto";
import { type Clock, FarmError, type LeaseId, Random, systemClock } from "@warpfarm/common";
import type {
  Assignment,
  FreeSlots,
  Outcome,
  OutcomeKind,
  Registered,
  Registration,
  SyncReply,
  SyncRequest,
  WorkerClient,
  WorkerStream,
} from "@warpfarm/proto";
import { protocolVersion } from "@warpfarm/proto";
import { LeaseGuard } from "./lease-guard.ts";

export interface CacheChanges {
  readonly added: SyncRequest["cacheAdded"];
  readonly dropped: SyncRequest["cacheDropped"];
}

export interface WorkOptions {
  readonly signal: AbortSignal;
  /** To be called before anything is done that could take this worker down: from there on giving the job up counts. */
  readonly begin: () => void;
}

/** What a builder or runner is, and does. */
export interface WorkerRole {
  readonly registration: Pick<Registration, "node" | "labels" | "role">;
  /** Jobs at a time, by device; builders have one entry, device 0. */
  readonly capacity: readonly FreeSlots[];
  /** Carries out one job. Rejects when the signal aborts; any other rejection is a fault of this worker. */
  work(assignment: Assignment, options: WorkOptions): Promise<OutcomeKind>;
  /** Artifacts that will be needed soon. */
  prefetch?(digests: SyncReply["prefetch"]): void;
  /** Why no work should come; empty = well. */
  trouble?(): string;
  /** Changes since the last call of this method. */
  cacheChanges?(): CacheChanges;
}

export type WorkerEvent =
  | { readonly kind: "registered"; readonly registered: Registered }
  | { readonly kind: "register_failed" | "connection_lost"; readonly error: FarmError; readonly retryInMs: number }
  | { readonly kind: "epoch_over"; readonly error: FarmError; readonly givenUp: number }
  | { readonly kind: "started" | "cancelled"; readonly leaseId: LeaseId }
  | { readonly kind: "finished"; readonly leaseId: LeaseId; readonly outcome: OutcomeKind }
  | { readonly kind: "state"; readonly state: SyncReply["state"] }
  /** Told to the tracker the first time; empty = well again. */
  | { readonly kind: "trouble"; readonly trouble: string };

export interface SynchronizerOptions {
  readonly client: Pick<WorkerClient, "register" | "stream">;
  readonly role: WorkerRole;
  readonly onEvent?: (event: WorkerEvent) => void;
  readonly clock?: Clock;
}

/** Logs of 64 KiB at most each, under the message limit of 4 MiB. */
const OUTCOMES_A_CALL = 40;
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5_000;
/** Short jobs end within this time; a call that asks for nothing would only be given up again. */
const BUSY_PAUSE_MS = 50;
/** A tracker that does not hold calls is not asked without a pause. */
const EMPTY_PAUSE_MS = 20;
const LEAVE_MS = 2_000;

/** What a first registration cannot get over by waiting. */
const hopeless: ReadonlySet<FarmError["code"]> = new Set([
  "INVALID_ARGUMENT",
  "FAILED_PRECONDITION",
  "UNAUTHENTICATED",
  "PERMISSION_DENIED",
]);

interface Running {
  readonly device: number;
  readonly controller: AbortController;
  readonly done: Promise<void>;
  /** Ends it here, whatever it still does. */
  readonly giveUp: () => void;
}

/** "main" asks for work, "report" tells outcomes beside it, "last" ends the membership. */
type CallKind = "main" | "report" | "last";

/** Something that happens once and may be waited for. */
class Change {
  happened: () => void = () => {};
  readonly promise = new Promise<"changed">((resolve) => {
    this.happened = () => resolve("changed");
  });
}

const isEmpty = (reply: SyncReply): boolean => reply.acknowledged.length + reply.assignments.length + reply.cancel.length === 0;

export class Synchronizer {
  readonly #client: SynchronizerOptions["client"];
  readonly #calls: WorkerStream;
  readonly #role: WorkerRole;
  readonly #emit: (event: WorkerEvent) => void;
  readonly #clock: Clock;
  readonly #instanceId = randomUUID();
  readonly #random = new Random(Number.parseInt(this.#instanceId.slice(0, 8), 16) | 0);
  readonly #guard = new LeaseGuard();
  readonly #running = new Map<LeaseId, Running>();
  /** Outcomes nobody has acknowledged, and those of them that a call under way carries. */
  readonly #pending = new Map<LeaseId, Outcome>();
  readonly #sending = new Set<LeaseId>();
  readonly #unreported = { added: new Set<CacheChanges["added"][number]>(), dropped: new Set<CacheChanges["dropped"][number]>() };
  #member: Registered | undefined;
  #sequence = 0;
  #state: SyncReply["state"] = "active";
  #wasMember = false;
  #leaving = false;
  /** Something other than an outcome is to be told. */
  #untold = false;
  #trouble = "";
  #changed = new Change();

  constructor({ client, role, onEvent = () => {}, clock = systemClock }: SynchronizerOptions) {
    this.#client = client;
    this.#calls = client.stream();
    this.#role = role;
    this.#emit = onEvent;
    this.#clock = clock;
  }

  /**
   * Serves until the signal aborts or the tracker says stop; then gives up what is running and reports a last time. Throws only when the
   * very first registration is refused for good (another protocol version, no permission, a bad field).
   */
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    try {
      while (!signal.aborted && this.#state !== "stop") {
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

  /** Tells the tracker soon that something changed, such as trouble. */
  touch(): void {
    this.#untold = true;
    this.#change();
  }

  #change(): void {
    this.#changed.happened();
    this.#changed = new Change();
  }

  async #register(signal: AbortSignal): Promise<Registered> {
    for (let tries = 0; ; tries++) {
      try {
        const registered = await this.#client.register(
          { ...this.#role.registration, protocolVersion, instanceId: this.#instanceId },
          { signal },
        );
        this.#wasMember = true;
        this.#emit({ kind: "registered", registered });
        return registered;
      } catch (error) {
        const reason = this.#farmError(error, signal);
        if (!this.#wasMember && hopeless.has(reason.code)) throw reason;
        await this.#backOff("register_failed", reason, tries, signal);
      }
    }
  }

  /** One epoch: call after call until it is over. */
  async #serve(member: Registered, signal: AbortSignal): Promise<void> {
    let waitMs = member.nextCallAfterMs;
    for (let failures = 0; this.#state !== "stop"; ) {
      await this.#pause(Math.max(waitMs, this.#freeCount() === 0 && this.#toSend() === 0 ? BUSY_PAUSE_MS : 0), signal);
      signal.throwIfAborted();
      try {
        const reply = await this.#call(member, signal);
        failures = 0;
        waitMs = reply === undefined ? 0 : Math.max(reply.nextCallAfterMs, isEmpty(reply) ? EMPTY_PAUSE_MS : 0);
      } catch (error) {
        const reason = this.#farmError(error, signal);
        if (reason.code === "ABORTED" || reason.code === "NOT_FOUND") {
          this.#emit({ kind: "epoch_over", error: reason, givenUp: this.#running.size });
          for (const { controller } of this.#running.values()) controller.abort(reason);
          return;
        }
        await this.#backOff("connection_lost", reason, failures++, signal);
        waitMs = 0;
      }
    }
  }

  /** The held call. Undefined when it was given up for a newer one. */
  async #call(member: Registered, signal: AbortSignal): Promise<SyncReply | undefined> {
    let next = this.#changed.promise;
    const superseded = this.#freeCount() > 0 ? undefined : new AbortController(); // one that asks for work is not given up
    const reply = this.#exchange(member, "main", superseded ? AbortSignal.any([signal, superseded.signal]) : signal);
    for (;;) {
      const first = await Promise.race([reply, next]);
      if (first !== "changed") return first;
      next = this.#changed.promise;
      if (superseded) {
        superseded.abort(new FarmError("CANCELLED", "a newer call takes its place"));
        // It may have been answered just now; then nothing is lost.
        return reply.catch((error) => {
          if (superseded.signal.reason === error) return undefined;
          throw error;
        });
      }
      // A failure shows in the held call too, and there it is dealt with.
      if (this.#toSend() > 0 || this.#untold) await this.#exchange(member, "report", signal).catch(() => {});
    }
  }

  async #exchange(member: Registered, kind: CallKind, signal: AbortSignal): Promise<SyncReply> {
    const outcomes = [...this.#pending.values()].filter((o) => !this.#sending.has(o.leaseId)).slice(0, OUTCOMES_A_CALL);
    for (const { leaseId } of outcomes) this.#sending.add(leaseId);
    this.#untold = false;
    this.#collectCacheChanges();
    const cacheAdded = [...this.#unreported.added];
    const cacheDropped = [...this.#unreported.dropped];
    const trouble = this.#role.trouble?.() ?? "";
    if (trouble !== this.#trouble) this.#emit({ kind: "trouble", trouble });
    this.#trouble = trouble;
    try {
      const reply = await this.#calls.synchronize(
        {
          workerId: member.workerId,
          epoch: member.epoch,
          sequence: ++this.#sequence,
          free: this.#free(),
          running: [...this.#running.keys(), ...this.#heldBack(outcomes)],
          outcomes,
          trouble,
          cacheAdded,
          cacheDropped,
          reportOnly: kind === "report",
          ...(kind === "last" ? { leaving: true } : {}),
          ...(member.secret ? { secret: member.secret } : {}),
        },
        { signal },
      );
      for (const digest of cacheAdded) this.#unreported.added.delete(digest);
      for (const digest of cacheDropped) this.#unreported.dropped.delete(digest);
      this.#obey(reply);
      return reply;
    } finally {
      for (const { leaseId } of outcomes) this.#sending.delete(leaseId);
    }
  }

  #obey({ acknowledged, assignments, prefetch, cancel, state }: SyncReply): void {
    for (const leaseId of acknowledged) this.#pending.delete(leaseId);
    for (const leaseId of cancel) {
      const running = this.#running.get(leaseId);
      if (running === undefined || running.controller.signal.aborted) continue;
      this.#emit({ kind: "cancelled", leaseId });
      running.controller.abort(new FarmError("CANCELLED", "the tracker cancelled this lease"));
    }
    if (state !== this.#state) {
      this.#state = state;
      this.#emit({ kind: "state", state });
    }
    if (prefetch.length > 0) this.#role.prefetch?.(prefetch);
    if (this.#leaving) return; // what it does not name in its last call goes back
    for (const assignment of assignments) if (this.#guard.admit(assignment.leaseId, assignment.epoch)) this.#start(assignment);
  }

  #start(assignment: Assignment): void {
    const { leaseId, epoch, job } = assignment;
    const controller = new AbortController();
    const { signal } = controller;
    this.#emit({ kind: "started", leaseId });
    let hasBegun = false;
    const begin = () => {
      hasBegun = true;
    };
    const finish = (outcome: OutcomeKind | undefined): void => {
      if (!this.#running.delete(leaseId)) return;
      if (outcome !== undefined) {
        this.#pending.set(leaseId, { leaseId, epoch, ...outcome });
        this.#emit({ kind: "finished", leaseId, outcome });
      }
      this.#change();
    };
    const givenUp = (): OutcomeKind | undefined =>
      this.#leaving && hasBegun
        ? { kind: "fault", message: "the worker is shutting down", suspect: false, leaving: true }
        : undefined;
    const done = this.#role.work(assignment, { signal, begin }).then(
      (outcome) => finish(signal.aborted ? givenUp() : outcome),
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        finish(signal.aborted ? givenUp() : { kind: "fault", message, suspect: false });
      },
    );
    const giveUp = () => finish(givenUp());
    this.#running.set(leaseId, { device: job.kind === "run" ? job.device : 0, controller, done, giveUp });
  }

  /** Gives up what is running, tells what is untold, and says goodbye. Never throws, never takes long. */
  async #leave(): Promise<void> {
    this.#leaving = true;
    const member = this.#member;
    const running = [...this.#running.values()];
    const reason = new FarmError("CANCELLED", "the worker is shutting down");
    for (const { controller } of running) controller.abort(reason);
    const limit = AbortSignal.timeout(LEAVE_MS);
    const late = new Promise<void>((resolve) => limit.addEventListener("abort", () => resolve(), { once: true }));
    await Promise.race([Promise.all(running.map(({ done }) => done)), late]);
    for (const { giveUp } of [...this.#running.values()]) giveUp();
    this.#sending.clear();
    if (member === undefined) return;
    try {
      while (this.#pending.size > OUTCOMES_A_CALL) await this.#exchange(member, "report", limit);
      await this.#exchange(member, "last", limit);
    } catch {
      // The tracker finds out by itself.
    }
  }

  #free(): readonly FreeSlots[] {
    const isOpen = this.#state === "active" && !this.#leaving;
    return this.#role.capacity.map(({ device, count }) => {
      const busy = [...this.#running.values()].filter((running) => running.device === device).length;
      return { device, count: isOpen ? Math.max(0, count - busy) : 0 };
    });
  }
  #freeCount(): number {
    return this.#free().reduce((sum, { count }) => sum + count, 0);
  }
  #toSend(): number {
    return [...this.#pending.keys()].filter((leaseId) => !this.#sending.has(leaseId)).length;
  }

  /** Leases whose outcome this call does not carry: a lease that is not named at all counts as lost. */
  #heldBack(outcomes: readonly Outcome[]): readonly LeaseId[] {
    const carried = new Set(outcomes.map((o) => o.leaseId));
    return [...this.#pending.keys()].filter((leaseId) => !carried.has(leaseId));
  }

  #collectCacheChanges(): void {
    const changes = this.#role.cacheChanges?.();
    for (const digest of changes?.added ?? []) {
      this.#unreported.added.add(digest);
      this.#unreported.dropped.delete(digest);
    }
    for (const digest of changes?.dropped ?? []) {
      this.#unreported.dropped.add(digest);
      this.#unreported.added.delete(digest);
    }
  }

  /** Waits, but not longer than until something changes. */
  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0) return;
    const over = new AbortController();
    const sleep = this.#clock.sleep(ms, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => {});
    await Promise.race([sleep, this.#changed.promise]);
    over.abort();
  }

  async #backOff(
    kind: "register_failed" | "connection_lost",
    error: FarmError,
    tries: number,
    signal: AbortSignal,
  ): Promise<void> {
    const ceiling = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(tries, 10));
    // Half fixed, half random: a farm that lost its tracker does not come back all at once.
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
