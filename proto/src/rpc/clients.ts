/**
 * The tracker for other packages: domain values in, domain values out, FarmError when a request could not be carried out.
 * `connect` costs nothing until the first call.
 */
import {
  type Digest,
  digestOf,
  FarmError,
  type ProgramDigest,
  type Registered,
  type Registration,
  type SessionId,
  type SyncReply,
  type SyncRequest,
  toDigest,
} from "@warpfarm/common";
import type { RecordStore } from "@warpfarm/records";
import {
  type EndedLease,
  endedLeaseFromWire,
  type Garbage,
  garbageFromWire,
  type SessionStatus,
  sessionStatusFromWire,
  spanToWire,
} from "../convert/admin.ts";
import {
  type MeasureEvent,
  type MeasureRequest,
  measureEventFromWire,
  measureRequestToWire,
  type OpenedSession,
  type OpenSession,
  openedSessionFromWire,
  openSessionToWire,
} from "../convert/farm.ts";
import { required } from "../convert/fields.ts";
import { type FarmSnapshot, snapshotFromWire } from "../convert/snapshot.ts";
import { registeredFromWire, registrationToWire } from "../convert/worker.ts";
import type { Tracing } from "../trace/tracing.ts";
import { type CallOptions, Channel, type ChannelOptions } from "./channel.ts";
import { loadServices } from "./load.ts";
import { type ReceiptClient, receiptClient } from "./receipt-client.ts";
import { recordClient } from "./record-client.ts";
import { type SuiteClient, suiteClient } from "./suite-client.ts";
import { SynchronizeCalls } from "./synchronize-stream.ts";

/** Bytes in one message of an upload or download. */
export const chunkBytes = 512 * 1024;

export interface FarmClient {
  openSession(request: OpenSession, options?: CallOptions): Promise<OpenedSession>;
  /** The first request must be `start`. Ends when the requests have ended and every result is delivered. A `break` cancels. */
  measure(requests: AsyncIterable<MeasureRequest>, options?: CallOptions): AsyncIterableIterator<MeasureEvent>;
  closeSession(sessionId: SessionId, options?: CallOptions): Promise<void>;
  /**
   * The session's search ends with `moreTrials` more than it began with: how many there are. Not more: none is added from now on.
   */
  settleTrials(sessionId: SessionId, moreTrials: number, options?: CallOptions): Promise<number>;
  listNodes(options?: CallOptions): Promise<FarmSnapshot>;
}

export interface WorkerClient {
  register(registration: Registration, options?: CallOptions): Promise<Registered>;
  /** The calls of one worker. A held call is given up only if it asks for no work. */
  stream(): WorkerStream;
}

export interface WorkerStream {
  synchronize(request: SyncRequest, options?: CallOptions): Promise<SyncReply>;
  close(): void;
}

export interface ArtifactClient {
  /** Uploads the bytes unless the tracker has them, and returns their digest. */
  upload(bytes: Uint8Array, options?: CallOptions): Promise<Digest>;
  /** NOT_FOUND when there is no such blob; DATA_LOSS when the received bytes have another digest. */
  download(digest: Digest | ProgramDigest, options?: CallOptions): Promise<Uint8Array>;
  stat(digests: readonly Digest[], options?: CallOptions): Promise<ReadonlyMap<Digest, number>>;
}

export interface AdminClient {
  drainNode(
    node: string,
    drain: "drain" | "undo" | "forget",
    options?: CallOptions,
  ): Promise<{ readonly workers: number; readonly running: number }>;
  listSessions(options?: CallOptions): Promise<readonly SessionStatus[]>;
  listLeases(options?: CallOptions): Promise<readonly EndedLease[]>;
  cancelSession(
    sessionId: SessionId,
    reason: string,
    options?: CallOptions,
  ): Promise<{ readonly stopped: number; readonly dropped: number }>;
  pauseSession(
    sessionId: SessionId,
    pause: "pause" | "undo",
    options?: CallOptions,
  ): Promise<{ readonly waiting: number; readonly running: number }>;
  extendSession(sessionId: SessionId, trials: number, options?: CallOptions): Promise<{ readonly moreTrials: number }>;
  /** `keepMs` absent: the tracker's own times. */
  collectGarbage(what?: { readonly keepMs?: number; readonly dryRun?: boolean }, options?: CallOptions): Promise<Garbage>;
}

export interface TrackerConnection extends AsyncDisposable {
  readonly farm: FarmClient;
  readonly worker: WorkerClient;
  readonly artifacts: ArtifactClient;
  readonly admin: AdminClient;
  readonly suites: SuiteClient;
  readonly records: RecordStore;
  readonly receipts: ReceiptClient;
  readonly tracing?: Tracing | undefined;
}

export function connect(options: ChannelOptions): TrackerConnection {
  const channel = new Channel(options);
  return {
    farm: farmClient(channel),
    worker: workerClient(channel),
    artifacts: artifactClient(channel),
    admin: adminClient(channel),
    suites: suiteClient(channel),
    records: recordClient(channel),
    receipts: receiptClient(channel),
    tracing: options.tracing,
    [Symbol.asyncDispose]: () => channel[Symbol.asyncDispose](),
  };
}

async function* mapped<T, U>(source: AsyncIterable<T>, f: (value: T) => U): AsyncGenerator<U> {
  for await (const value of source) yield f(value);
}

function farmClient(channel: Channel): FarmClient {
  const { farm } = loadServices();
  return {
    openSession: async (request, options) =>
      openedSessionFromWire(await channel.unary(farm.OpenSession, openSessionToWire(request), options)),
    measure: (requests, options) =>
      mapped(channel.bidi(farm.Measure, mapped(requests, measureRequestToWire), options), measureEventFromWire),
    async closeSession(sessionId, options) {
      await channel.unary(farm.CloseSession, { session_id: sessionId }, options);
    },
    async settleTrials(sessionId, moreTrials, options) {
      const request = { session_id: sessionId, more_trials: moreTrials };
      return (await channel.unary(farm.SettleTrials, request, options)).more_trials;
    },
    async listNodes(options) {
      const { snapshot } = await channel.unary(farm.ListNodes, {}, options);
      return snapshotFromWire(required("snapshot", snapshot));
    },
  };
}

export function workerClient(channel: Channel): WorkerClient {
  const { worker } = loadServices();
  return {
    register: async (registration, options) =>
      registeredFromWire(await channel.unary(worker.Register, registrationToWire(registration), options)),
    stream: () => new SynchronizeCalls(channel),
  };
}

function adminClient(channel: Channel): AdminClient {
  const { admin } = loadServices();
  return {
    drainNode: (node, drain, options) =>
      channel.unary(admin.DrainNode, { node, undo: drain === "undo", forget: drain === "forget" }, options),
    async listSessions(options) {
      const { sessions } = await channel.unary(admin.ListSessions, {}, options);
      return sessions.map((s, i) => sessionStatusFromWire(`sessions[${i}]`, s));
    },
    async listLeases(options) {
      const all: EndedLease[] = [];
      for await (const { leases } of channel.serverStream(admin.ListLeases, {}, options))
        all.push(...leases.map(endedLeaseFromWire));
      return all;
    },
    cancelSession: (sessionId, reason, options) => channel.unary(admin.CancelSession, { session_id: sessionId, reason }, options),
    pauseSession: (sessionId, pause, options) =>
      channel.unary(admin.PauseSession, { session_id: sessionId, undo: pause === "undo" }, options),
    async extendSession(sessionId, trials, options) {
      const { more_trials } = await channel.unary(admin.ExtendSession, { session_id: sessionId, trials }, options);
      return { moreTrials: more_trials };
    },
    collectGarbage: async ({ keepMs, dryRun = false } = {}, options) =>
      garbageFromWire(
        await channel.unary(
          admin.CollectGarbage,
          { dry_run: dryRun, ...(keepMs === undefined ? {} : { keep: spanToWire(keepMs) }) },
          { timeoutMs: 120_000, ...options },
        ),
      ),
  };
}

function artifactClient(channel: Channel): ArtifactClient {
  const { artifact } = loadServices();
  const stat: ArtifactClient["stat"] = async (digests, options) => {
    const { blobs } = await channel.unary(artifact.Stat, { digests: [...digests] }, options);
    return new Map(blobs.map((b) => [toDigest(b.digest), b.size]));
  };
  return {
    stat,
    async upload(bytes, options) {
      const digest = digestOf(bytes);
      if ((await stat([digest], options)).has(digest)) return digest;
      async function* messages() {
        yield { header: { digest, size: bytes.length } };
        for (let at = 0; at < bytes.length; at += chunkBytes) yield { chunk: Buffer.from(bytes.subarray(at, at + chunkBytes)) };
      }
      await channel.clientStream(artifact.Upload, messages(), { timeoutMs: 120_000, ...options });
      return digest;
    },
    async download(digest, options) {
      const chunks: Buffer[] = [];
      for await (const { chunk } of channel.serverStream(artifact.Download, { digest }, { timeoutMs: 120_000, ...options }))
        chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      const got = digestOf(bytes);
      if (got !== digest) throw new FarmError("DATA_LOSS", `asked for ${digest}, received bytes of ${got}`);
      return bytes;
    },
  };
}
