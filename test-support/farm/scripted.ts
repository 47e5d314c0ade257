/** Scripted parties for the tests of the tracker: a client, workers with given answers, programs that consist of a name. */
import {
  type ArtifactDigest,
  canonicalJson,
  type DeviceFacts,
  defaultMeasureOptions,
  defined,
  digestOf,
  FarmError,
  type LeaseId,
  type MeasureResult,
  manifestVersions,
  type ProgramBytes,
  toDigest,
  toProgramDigest,
} from "@warpfarm/common";
import {
  type Assignment,
  connect,
  encodeManifest,
  type OpenSession,
  type Outcome,
  type OutcomeKind,
  protocolVersion,
  type Registered,
  type Registration,
  type SyncReply,
  type SyncRequest,
  type TrackerConnection,
} from "@warpfarm/proto";
import { pino } from "pino";
import type { Database } from "../../tracker/src/store/database.ts";
import { openPglite } from "../../tracker/src/store/pglite.ts";
import { startTracker, type Tracker, type TrackerOptions } from "../../tracker/src/tracker.ts";

export const target = "cpu/x86-64-v3";

/** What trackers of a test logged as errors: a healthy test leaves it empty. */
export const loggedErrors: string[] = [];
export const testLog = pino(
  { level: "error", serializers: { error: pino.stdSerializers.err } },
  { write: (line: string) => loggedErrors.push(line) },
);

const tables =
  "sessions programs builds requests workers leases blobs drained_nodes cancelled_sessions reuses spent records unrecorded claims second_looks suites suite_tasks suite_logs receipt_keys".split(
    " ",
  );
/** In any order, because their references are not looked at meanwhile. */
const emptied = `set session_replication_role = replica; ${tables.map((name) => `delete from ${name}`).join("; ")}; set session_replication_role = default`;

let openStore: () => Promise<Database> = () => openPglite("memory");
let engine: Promise<Database> | undefined;
let emptyings = 0;

/** For a file that runs the suite on another engine. The returned function restores the engine for the worker's next files. */
export function useStore(open: () => Promise<Database>): () => void {
  const before = { openStore, engine };
  openStore = open;
  engine = undefined;
  return () => {
    ({ openStore, engine } = before);
  };
}

/**
 * An empty store that is not closed when a test disposes of it. An engine takes seconds to start, so a worker keeps one until it
 * ends. A truncate makes every table anew, which takes thirty times what a few rows do; now and then it removes the dead ones.
 */
export async function freshStore(): Promise<Database> {
  engine ??= openStore();
  const shared = await engine;
  await shared.script(emptyings++ % 50 === 0 ? `truncate ${tables}` : emptied);
  return { ...shared, [Symbol.asyncDispose]: async () => {} };
}

export function testTracker(data: Database | string, options: Partial<TrackerOptions> = {}): Promise<Tracker> {
  return startTracker({ data, listen: "127.0.0.1:0", log: testLog, ...options });
}

export function programOf(name: string, at = target): ProgramBytes {
  const text = canonicalJson({ version: 1, kind: "schedule", target: at, graph: { name }, intrinsics: [], trace: [] });
  return { digest: toProgramDigest(digestOf(text)), bytes: Buffer.from(text) };
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export function timedResult(
  seconds: number,
  device: DeviceFacts,
  artifact: ArtifactDigest,
  attempt = 1,
  buildMs = 0,
): MeasureResult {
  return {
    kind: "timed",
    costs: [seconds],
    number: 1,
    busyMs: 1,
    checked: true,
    device,
    observations: {},
    artifact,
    buildMs,
    runMs: 1,
    timestampMs: 1_750_000_000_000,
    attempt,
  };
}

/** The measurement that a worker was given. Throws when it is none. */
export function runOf(given: Assignment | undefined): Extract<Assignment["job"], { readonly kind: "run" }> {
  if (given?.job.kind !== "run") throw new Error(`no run was given but ${given?.job.kind}`);
  return given.job;
}

/** What a runner says of the measurement that it was given. `n`: of its device. */
export const timed = (given: Assignment | undefined, seconds = 1, n = 1): OutcomeKind => ({
  kind: "run",
  result: timedResult(seconds, cpu(n), runOf(given).artifact),
});

export type Answer = (assignment: Assignment, worker: ScriptedWorker) => Promise<OutcomeKind | "keep"> | OutcomeKind | "keep";

interface WorkerOptions {
  readonly slots?: number;
  readonly labels?: Record<string, string>;
  readonly instanceId?: string;
  readonly token?: string;
  readonly node?: string;
}

let instances = 0;

/** All of a session but its request id. */
export const openRequest: Omit<OpenSession, "requestId"> = {
  protocolVersion,
  task: "a task",
  selector: target,
  options: { ...defaultMeasureOptions("cpu"), check: "none" },
  priority: 0,
  maxInFlight: 64,
  labels: {},
};

/** What a call of a worker proves itself with. */
export const asRegistered = ({ workerId, epoch, secret }: Registered) => ({ workerId, epoch, secret });

/** One call of a worker, on a stream of its own; it only reports, and has nothing to say but `said`. */
export async function synchronized(
  { worker }: TrackerConnection,
  said: ReturnType<typeof asRegistered> & Partial<SyncRequest>,
  signal?: AbortSignal,
): Promise<SyncReply> {
  const stream = worker.stream();
  const nothing = { sequence: 1, free: [], running: [], outcomes: [], trouble: "" };
  try {
    return await stream.synchronize({ ...nothing, reportOnly: true, ...said }, defined({ signal }));
  } finally {
    stream.close();
  }
}

/** A worker that keeps a main call open and answers each job by `answer`. "keep" = it works on the job for ever. */
export class ScriptedWorker {
  readonly tracker: TrackerConnection;
  readonly registration: Registration;
  readonly #answer: Answer;
  readonly slots: number;
  registered: Registered | undefined;
  readonly jobs: Assignment[] = [];
  readonly cancelled: LeaseId[] = [];
  readonly running = new Set<LeaseId>();
  readonly #unacknowledged = new Map<LeaseId, Outcome>();
  readonly acknowledged: LeaseId[] = [];
  readonly errors: FarmError[] = [];
  registrations = 0;
  trouble = "";
  /** Told with every call. */
  checks: NonNullable<SyncRequest["checks"]> = [];
  /** What the tracker wants of it. */
  state: SyncReply["state"] = "active";
  #sequence = 0;
  readonly #stopped = new AbortController();
  #call = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(address: string, role: Registration["role"], answer: Answer, options: WorkerOptions = {}) {
    this.tracker = connect({ address, ...defined({ token: options.token }) });
    this.#answer = answer;
    this.slots = options.slots ?? (role.kind === "builder" ? role.slots : 1);
    this.registration = {
      protocolVersion,
      node: options.node ?? "test-node",
      instanceId: options.instanceId ?? `instance-${++instances}`,
      labels: options.labels ?? {},
      role,
    };
  }

  start(): this {
    this.#loop ??= this.#work();
    return this;
  }

  /** Ends calls and connection, as a killed process would. */
  async kill(): Promise<void> {
    this.#stopped.abort();
    this.#call.abort();
    await this.tracker[Symbol.asyncDispose]();
    await this.#loop;
  }

  async #work(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      try {
        if (!this.registered) {
          this.registered = await this.tracker.worker.register(this.registration, { signal: this.#stopped.signal });
          this.registrations++;
        }
        await this.#synchronize();
      } catch (error) {
        if (this.#stopped.signal.aborted) return;
        if (this.#call.signal.aborted) continue; // something to report
        this.errors.push(error as FarmError);
        if ((error as FarmError).code === "ABORTED") this.registered = undefined;
        await pause(20);
      }
    }
  }

  async #synchronize(): Promise<void> {
    const { registered } = this;
    if (!registered) return;
    this.#call = new AbortController();
    const reply = await synchronized(this.tracker, this.#request(registered), this.#call.signal);
    this.state = reply.state;
    for (const lease of reply.acknowledged) {
      this.#unacknowledged.delete(lease);
      this.acknowledged.push(lease);
    }
    for (const lease of reply.cancel) {
      this.cancelled.push(lease);
      this.running.delete(lease);
    }
    for (const assignment of reply.assignments) {
      this.jobs.push(assignment);
      this.running.add(assignment.leaseId);
      void this.#do(assignment);
    }
  }

  #request(registered: Registered): SyncRequest {
    return {
      ...asRegistered(registered),
      sequence: ++this.#sequence,
      free: [{ device: 0, count: this.state === "active" ? this.slots - this.running.size : 0 }],
      running: [...this.running],
      outcomes: [...this.#unacknowledged.values()],
      trouble: this.trouble,
      ...(this.checks.length === 0 ? {} : { checks: this.checks }),
      reportOnly: false,
    };
  }

  /** A call beside the main one. */
  async report(): Promise<void> {
    if (this.registered) await synchronized(this.tracker, { ...this.#request(this.registered), reportOnly: true });
  }

  /** The last call, with the jobs that had begun; the main call ends before it. */
  async leave(begun: readonly Assignment[] = []): Promise<void> {
    const { registered } = this;
    if (!registered) return;
    this.#stopped.abort();
    this.#call.abort();
    await this.#loop;
    const fault = { kind: "fault", message: "the worker is shutting down", suspect: false, leaving: true } as const;
    const outcomes = begun.map(({ leaseId, epoch }) => ({ leaseId, epoch, ...fault }));
    await synchronized(this.tracker, { ...this.#request(registered), free: [], running: [], outcomes, leaving: true });
  }

  async #do(assignment: Assignment): Promise<void> {
    const outcome = await this.#attempt(assignment);
    if (outcome === "keep" || !this.running.has(assignment.leaseId)) return;
    this.finish(assignment, outcome);
  }

  /** A builder repeats its upload until the tracker is back. */
  async #attempt(assignment: Assignment): Promise<OutcomeKind | "keep"> {
    for (;;) {
      try {
        return await this.#answer(assignment, this);
      } catch (error) {
        if (this.#stopped.signal.aborted) return "keep";
        if (!(error instanceof FarmError) || !error.retryable) throw error;
        await pause(50);
      }
    }
  }

  /** The run at this place of `jobs` took so many seconds. */
  measured(at: number, seconds = 1): void {
    const given = this.jobs[at];
    const outcome = timed(given, seconds);
    if (given) this.finish(given, outcome);
  }

  /** Reports an outcome, in the next main call. */
  finish({ leaseId, epoch }: Assignment, outcome: OutcomeKind): void {
    this.running.delete(leaseId);
    this.#unacknowledged.set(leaseId, { leaseId, epoch, ...outcome });
    this.#call.abort();
  }
}

export const cpu = (n: number, node = "test-node"): DeviceFacts => ({
  key: target,
  name: "A CPU",
  uuid: `cpu-${n}`,
  node,
  driver: "none",
});

/** "Builds" by uploading a manifest that names the program. */
export const build: Answer = (assignment, worker) => builtFor(target)(assignment, worker);

export const builtFor =
  (target: string): Answer =>
  async ({ job }, { tracker }) => {
    if (job.kind === "replay") return { kind: "fault", message: "a scripted builder knows no templates", suspect: false };
    if (job.kind !== "build") throw new Error("a builder was given a run");
    const code = await tracker.artifacts.upload(Buffer.from(`code of ${job.program.digest}`));
    const { bytes, digest } = encodeManifest({
      version: 1,
      program: job.program.digest,
      target,
      format: "so",
      code: toDigest(code),
      kernels: [{ name: "k", grid: [1, 1, 1], block: [1, 1, 1], dynamic_shared_bytes: 0, cluster: [1, 1, 1], args: [] }],
      buffers: [],
      resources: { registers: 0, spill_bytes: 0, static_shared_bytes: 0 },
      toolchain: "scripted",
      notes: [],
    });
    await tracker.artifacts.upload(bytes);
    return { kind: "built", artifact: digest, buildMs: 5, cached: false };
  };

export function builder(
  address: string,
  answer: Answer = build,
  slots = 4,
  token?: string,
  targets: readonly string[] = [target],
): ScriptedWorker {
  return new ScriptedWorker(
    address,
    { kind: "builder", slots, targets, toolchains: ["scripted"], compilerVersion: "0", programVersions: [1] },
    answer,
    defined({ token }),
  );
}

export function runner(
  address: string,
  n: number,
  answer?: Answer,
  options: WorkerOptions & {
    readonly key?: string;
    /** The device's model. */
    readonly model?: string;
    readonly uuid?: string;
    readonly memoryBytes?: number;
    readonly limits?: Readonly<Record<string, number>>;
    readonly reads?: readonly number[];
  } = {},
): ScriptedWorker {
  const { memoryBytes = 2 ** 30, limits = { threads: 2 }, reads = manifestVersions } = options;
  const { key, model: name, uuid } = options;
  const facts = { ...cpu(n, options.node), ...defined({ key, name, uuid }) };
  const run: Answer = (given) => {
    const { artifact, attempt, buildMs } = runOf(given);
    return { kind: "run", result: timedResult(n, facts, artifact, attempt, buildMs) };
  };
  return new ScriptedWorker(
    address,
    {
      kind: "runner",
      devices: [{ device: 0, facts, memoryBytes, limits }],
      manifestVersions: reads,
    },
    answer ?? run,
    options,
  );
}
