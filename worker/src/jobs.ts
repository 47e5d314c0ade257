/**
 * The jobs of a worker:
 *
 *   admitted (once an epoch) --> running --done--> an outcome
 *                                   '--cancelled--> none
 *                                   '--given up by a worker that leaves--> none; if its work had begun, an outcome that says so
 */
import { abortable, FarmError, isOutOfFiles, type LeaseId, type OwnCheck, outOfFilesWords } from "@warpfarm/common";
import type { Assignment, FreeSlots, OutcomeKind, Registered, Registration, Span, SyncReply, Tracing } from "@warpfarm/proto";
import { LeaseGuard } from "./lease-guard.ts";

export interface WorkOptions {
  readonly signal: AbortSignal;
  /** Call it before anything that could take this worker down. From then on giving the job up counts. */
  readonly begin: () => void;
  /** Of the job; absent: nothing is traced. */
  readonly span?: Span | undefined;
}

export interface WorkerRole {
  readonly registration: Pick<Registration, "node" | "labels" | "role">;
  /** Number of jobs at a time, by device. Builders have one entry, device 0. */
  readonly capacity: readonly FreeSlots[];
  /** Carries out one job. Rejects when the signal aborts; any other rejection is a fault of this worker. */
  work(assignment: Assignment, options: WorkOptions): Promise<OutcomeKind>;
  /** Why no work should come; empty: no trouble. */
  trouble?(): string;
  /** The last times of the node's own kernels, and their total number. */
  checks?(): { readonly count: number; readonly last: readonly OwnCheck[] };
}

export type WorkerEvent =
  | { readonly kind: "registered"; readonly registered: Registered }
  | { readonly kind: "register_failed" | "connection_lost"; readonly error: FarmError; readonly retryInMs: number }
  | { readonly kind: "epoch_over"; readonly error: FarmError; readonly givenUp: number }
  | { readonly kind: "started" | "cancelled"; readonly leaseId: LeaseId }
  | { readonly kind: "finished"; readonly leaseId: LeaseId; readonly outcome: OutcomeKind }
  | { readonly kind: "state"; readonly state: SyncReply["state"] }
  /** Sent to the tracker at once; empty: the trouble is over. */
  | { readonly kind: "trouble"; readonly trouble: string };

interface Running {
  readonly device: number;
  readonly controller: AbortController;
  readonly done: Promise<void>;
  readonly giveUp: () => void;
}

interface JobsOptions {
  readonly role: WorkerRole;
  readonly emit: (event: WorkerEvent) => void;
  readonly tracing?: Tracing | undefined;
  /** Called when the job has ended. Outcome undefined: nobody waits for it. */
  readonly onEnd: (assignment: Assignment, outcome: OutcomeKind | undefined) => void;
}

export class Jobs {
  readonly #o: JobsOptions;
  readonly #guard = new LeaseGuard();
  readonly #running = new Map<LeaseId, Running>();
  #leaving = false;

  constructor(options: JobsOptions) {
    this.#o = options;
  }

  get leases(): readonly LeaseId[] {
    return [...this.#running.keys()];
  }

  start(assignments: readonly Assignment[]): void {
    if (this.#leaving) return; // what it does not name in its last call goes back
    for (const assignment of assignments) if (this.#guard.admit(assignment.leaseId, assignment.epoch)) this.#start(assignment);
  }

  cancel(leases: readonly LeaseId[]): void {
    for (const leaseId of leases) {
      const running = this.#running.get(leaseId);
      if (running === undefined || running.controller.signal.aborted) continue;
      this.#o.emit({ kind: "cancelled", leaseId });
      running.controller.abort(new FarmError("CANCELLED", "the tracker cancelled this lease"));
    }
  }

  abort(reason: FarmError): void {
    for (const { controller } of this.#running.values()) controller.abort(reason);
  }

  /** Gives up all jobs, and waits for their ends until the limit aborts. */
  async leave(limit: AbortSignal): Promise<void> {
    this.#leaving = true;
    const running = [...this.#running.values()];
    this.abort(new FarmError("CANCELLED", "the worker is shutting down"));
    await abortable(Promise.all(running.map(({ done }) => done)), limit).catch(() => {}); // the limit
    for (const { giveUp } of [...this.#running.values()]) giveUp();
  }

  /** Free slots by device. `isActive`: the tracker wants this worker to work. */
  free(isActive: boolean): readonly FreeSlots[] {
    const isOpen = isActive && !this.#leaving;
    return this.#o.role.capacity.map(({ device, count }) => {
      const busy = [...this.#running.values()].filter((running) => running.device === device).length;
      return { device, count: isOpen ? Math.max(0, count - busy) : 0 };
    });
  }

  #start(assignment: Assignment): void {
    const { leaseId, job, traceparent } = assignment;
    const span = traceparent === undefined ? undefined : this.#o.tracing?.span(job.kind, { parent: traceparent });
    const controller = new AbortController();
    const { signal } = controller;
    this.#o.emit({ kind: "started", leaseId });
    let hasBegun = false;
    const begin = () => {
      hasBegun = true;
    };
    const finish = (outcome: OutcomeKind | undefined): void => {
      if (!this.#running.delete(leaseId)) return;
      span?.end(endOf(outcome));
      this.#o.onEnd(assignment, outcome);
    };
    const givenUp = (): OutcomeKind | undefined =>
      this.#leaving && hasBegun
        ? { kind: "fault", message: "the worker is shutting down", suspect: false, leaving: true }
        : undefined;
    const done = this.#o.role.work(assignment, { signal, begin, span }).then(
      (outcome) => finish(signal.aborted ? givenUp() : outcome),
      (error: unknown) => {
        const message = isOutOfFiles(error) ? outOfFilesWords : error instanceof Error ? error.message : String(error);
        finish(signal.aborted ? givenUp() : { kind: "fault", message, suspect: false });
      },
    );
    const giveUp = () => finish(givenUp());
    this.#running.set(leaseId, { device: job.kind === "run" ? job.device : 0, controller, done, giveUp });
  }
}

/** How the span of a job ends. */
function endOf(outcome: OutcomeKind | undefined): { readonly error?: string } {
  if (outcome === undefined) return { error: "cancelled" };
  if (outcome.kind === "fault") return { error: outcome.message };
  if (outcome.kind === "build_failed") return { error: outcome.result.message };
  return outcome.kind === "run" && outcome.result.kind === "failed" ? { error: outcome.result.message } : {};
}
