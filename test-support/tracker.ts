/**
 * A tracker for tests of workers: real gRPC on loopback, one queue, no store, no clock. It gives each job to the first worker
 * that asks, holds calls while there is none, acknowledges outcomes, and records everything for the test. It can die and come
 * back on its port.
 */
import { randomUUID } from "node:crypto";
import { type Digest, digestOf, FarmError, type LeaseId, toDigest, toLeaseId, toWorkerId } from "@warpfarm/common";
import {
  type Assignment,
  type BuildJob,
  type Outcome,
  type Registration,
  type RpcServer,
  type RunJob,
  registeredToWire,
  registrationFromWire,
  type SyncRequest,
  serve,
} from "@warpfarm/proto";
import { freePort } from "./free-port.ts";

const holdMs = 5_000;

export class TestTracker implements AsyncDisposable {
  readonly blobs = new Map<Digest, Uint8Array>();
  readonly registrations: Registration[] = [];
  readonly calls: SyncRequest[] = [];
  readonly outcomes = new Map<LeaseId, Outcome>();
  /** Leases that every answer which names them cancels. */
  readonly cancelled = new Set<LeaseId>();
  /** Acknowledge outcomes; a test may wait with it. */
  acknowledges = true;
  #waiting: Assignment[] = [];
  #server: RpcServer | undefined;
  #port = 0;
  #wake: () => void = () => {};
  #changed = new Promise<void>(() => {});
  #latest = new Map<string, number>();

  static async start(): Promise<TestTracker> {
    const tracker = new TestTracker();
    tracker.#port = await freePort();
    tracker.#arm();
    await tracker.revive();
    return tracker;
  }
  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** Cuts every connection and forgets nothing. */
  async die(): Promise<void> {
    await this.#server?.close(0);
    this.#server = undefined;
  }
  async revive(): Promise<void> {
    this.#server = await serve(
      {
        worker: {
          Register: async (wire) => {
            const registration = registrationFromWire(wire);
            this.registrations.push(registration);
            this.#change();
            const epoch = this.registrations.length;
            return registeredToWire({
              workerId: toWorkerId(`w-${registration.instanceId}`),
              epoch,
              leaseTtlMs: 30_000,
              secret: Buffer.alloc(32),
            });
          },
          synchronize: (request, { signal }, answer) =>
            void this.#synchronize(request, signal).then(
              (reply) => answer.reply(reply),
              (error: unknown) => answer.fail(error),
            ),
        },
        artifact: {
          Upload: async (messages) => {
            let digest: Digest | undefined;
            const chunks: Uint8Array[] = [];
            for await (const message of messages) {
              if (message.header) digest = toDigest(message.header.digest);
              if (message.chunk) chunks.push(message.chunk);
            }
            const bytes = Buffer.concat(chunks);
            if (digest === undefined || digestOf(bytes) !== digest)
              throw new FarmError("INVALID_ARGUMENT", "not what the header names");
            this.blobs.set(digest, bytes);
            return { stored: true };
          },
          Download: async function* (this: TestTracker, { digest }: { readonly digest: string }) {
            const bytes = this.blobs.get(toDigest(digest));
            if (bytes === undefined) throw new FarmError("NOT_FOUND", `no blob ${digest}`);
            yield { chunk: Buffer.from(bytes) };
          }.bind(this),
          Stat: async ({ digests }) => ({
            blobs: digests.flatMap((digest) => {
              const size = this.blobs.get(toDigest(digest))?.length;
              return size === undefined ? [] : [{ digest, size }];
            }),
          }),
        },
      },
      { listen: `127.0.0.1:${this.#port}` },
    );
  }

  assign(job: BuildJob | RunJob): LeaseId {
    const leaseId = toLeaseId(randomUUID());
    this.#waiting.push({ leaseId, epoch: 1, ttlMs: 30_000, job });
    this.#change();
    return leaseId;
  }
  /** Waits at most two minutes, a limit for tests that hang. */
  async outcome(leaseId: LeaseId): Promise<Outcome> {
    return this.until(() => this.outcomes.get(leaseId), `an outcome of ${leaseId}`);
  }
  async until<T>(look: () => T | undefined, what: string): Promise<T> {
    const limit = AbortSignal.timeout(120_000);
    const late = new Promise<void>((resolve) => limit.addEventListener("abort", () => resolve(), { once: true }));
    for (;;) {
      const seen = look();
      if (seen !== undefined) return seen;
      if (limit.aborted) throw new Error(`waited 120 s for ${what}`);
      await Promise.race([this.#changed, late]);
    }
  }
  /** Changes what is held: calls are answered. */
  callBack(leaseId: LeaseId): void {
    this.cancelled.add(leaseId);
    this.#change();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.die();
  }

  async #synchronize(request: SyncRequest, signal: AbortSignal) {
    this.calls.push(request);
    for (const outcome of request.outcomes) if (!this.outcomes.has(outcome.leaseId)) this.outcomes.set(outcome.leaseId, outcome);
    this.#latest.set(request.workerId, request.sequence);
    this.#change();
    const acknowledged = this.acknowledges ? request.outcomes.map((o) => o.leaseId) : [];
    const free = request.free.reduce((sum, { count }) => sum + count, 0);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(holdMs)]);
    const over = new Promise<void>((resolve) => limit.addEventListener("abort", () => resolve(), { once: true }));
    for (;;) {
      const isSuperseded =
        !request.reportOnly &&
        !request.leaving &&
        this.#latest.get(request.workerId) !== request.sequence &&
        acknowledged.length === 0;
      const cancel = request.running.filter((leaseId) => this.cancelled.has(leaseId));
      const isTold = request.reportOnly || request.leaving === true;
      const assignments = isTold || isSuperseded || signal.aborted ? [] : this.#waiting.splice(0, free);
      const isDone = assignments.length + cancel.length + acknowledged.length > 0 || isTold || limit.aborted;
      if (isDone) return { acknowledged, assignments, cancel, state: "active" as const };
      await Promise.race([this.#changed, over]);
    }
  }
  #arm(): void {
    this.#changed = new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
  #change(): void {
    const wake = this.#wake;
    this.#arm();
    wake();
  }
}
