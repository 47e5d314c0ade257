/** The tracker and the jobs of one synchronizer, both played by the test. */
import { setMaxListeners } from "node:events";
import { FarmError, ManualClock, toArtifactDigest, toLeaseId, toProgramDigest, toWorkerId } from "@warpfarm/common";
import type { Assignment, OutcomeKind, Registered, SyncReply, SyncRequest } from "@warpfarm/proto";
import type { WorkerEvent, WorkerRole } from "./jobs.ts";
import { Synchronizer } from "./synchronizer.ts";

export interface Held {
  readonly request: SyncRequest;
  readonly signal: AbortSignal | undefined;
  answer(reply?: Partial<SyncReply>): void;
  fail(code: FarmError["code"]): void;
}

export interface Job {
  readonly assignment: Assignment;
  readonly signal: AbortSignal;
  readonly begin: () => void;
  finish(outcome: OutcomeKind): void;
  fail(error: Error): void;
}

export const registered = (epoch: number): Registered => ({
  workerId: toWorkerId("w1"),
  epoch,
  leaseTtlMs: 30_000,
  secret: Buffer.alloc(32),
});
const emptyReply: SyncReply = {
  acknowledged: [],
  assignments: [],
  cancel: [],
  state: "active",
};
const digest = toArtifactDigest(`sha256:${"a".repeat(64)}`);
export const fault: OutcomeKind = { kind: "fault", message: "x", suspect: false };
export const built: OutcomeKind = { kind: "built", artifact: digest, buildMs: 1, cached: false };

export function assignment(id: string, epoch = 1): Assignment {
  const program = { digest: toProgramDigest(`sha256:${"b".repeat(64)}`), bytes: new Uint8Array() };
  return { leaseId: toLeaseId(id), epoch, ttlMs: 30_000, job: { kind: "build", program, timeoutMs: 1_000 } };
}

/** The tracker and the jobs of one synchronizer, both played by the test. */
export class Stage {
  readonly calls: Held[] = [];
  readonly jobs: Job[] = [];
  readonly events: WorkerEvent[] = [];
  readonly #registrations: (Registered | FarmError)[];
  registerCalls = 0;
  trouble = "";
  checks: ReturnType<NonNullable<WorkerRole["checks"]>> = { count: 0, last: [] };
  readonly stop = new AbortController();
  readonly synchronizer: Synchronizer;
  readonly ended: Promise<void>;

  /** The last registration is repeated for ever. */
  constructor(slots = 1, registrations: readonly (Registered | FarmError)[] = [registered(1)]) {
    this.#registrations = [...registrations];
    const role: WorkerRole = {
      registration: {
        node: "n",
        labels: {},
        role: { kind: "builder", slots, targets: ["cpu/x86-64-v1"], toolchains: [], compilerVersion: "0", programVersions: [1] },
      },
      capacity: [{ device: 0, count: slots }],
      work: (a, { signal, begin }) =>
        new Promise((resolve, reject) => {
          this.jobs.push({ assignment: a, signal, begin, finish: resolve, fail: reject });
          if (signal.aborted) reject(signal.reason);
          else signal.addEventListener("abort", () => reject(signal.reason));
        }),
      trouble: () => this.trouble,
      checks: () => this.checks,
    };
    this.synchronizer = new Synchronizer({
      client: {
        register: async () => {
          this.registerCalls++;
          const next = this.#registrations.length > 1 ? this.#registrations.shift() : this.#registrations[0];
          if (next instanceof FarmError || next === undefined) throw next;
          return next;
        },
        stream: () => ({
          synchronize: (request, { signal } = {}) =>
            new Promise((resolve, reject) => {
              this.calls.push({
                request,
                signal,
                answer: (reply = {}) => resolve({ ...emptyReply, ...reply }),
                fail: (code) => reject(new FarmError(code, code)),
              });
              signal?.addEventListener("abort", () => reject(signal.reason));
            }),
          close: () => {},
        }),
      },
      role,
      onEvent: (event) => this.events.push(event),
      // Only waiting for a reply or a change continues by itself.
      clock: this.clock,
    });
    setMaxListeners(0, this.stop.signal);
    this.ended = this.synchronizer.run({ signal: this.stop.signal });
    this.ended.catch(() => {});
  }
  readonly clock = new ManualClock();

  /** The n-th call (from 1). Lets time pass until it comes. */
  async call(n: number): Promise<Held> {
    return this.#nth(this.calls, n, "call");
  }
  async job(n: number): Promise<Job> {
    return this.#nth(this.jobs, n, "job");
  }
  async #nth<T>(list: readonly T[], n: number, what: string): Promise<T> {
    for (let i = 0; i < 200; i++) {
      const item = list[n - 1];
      if (item !== undefined) return item;
      await new Promise((resolve) => setImmediate(resolve));
      this.clock.advance(100);
    }
    throw new Error(`no ${what} number ${n}; there are ${list.length}`);
  }
  /** Lets everything happen that needs no tracker, while `ms` pass. */
  async settle(ms = 2_000): Promise<void> {
    for (let i = 0; i < 20; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      this.clock.advance(ms / 20);
    }
  }
}
