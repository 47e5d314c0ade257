/**
 * What a worker and a tracker tell each other: registrations, assigned jobs and their outcomes. `SyncRequest` and `SyncReply` are
 * one call of Synchronize, whose meaning is in worker_service.proto.
 */
import type { ArtifactDigest, LeaseId, ProgramDigest, WorkerId } from "./brand.ts";
import type { DeviceFacts, FailedResult, MeasureOptions, MeasureResult, PairedOptions, ProgramBytes } from "./measure.ts";

export interface BuilderFacts {
  readonly kind: "builder";
  readonly slots: number;
  readonly targets: readonly string[];
  readonly toolchains: readonly string[];
  readonly compilerVersion: string;
  /** Versions of programs that it reads. */
  readonly programVersions: readonly number[];
}

export interface RunnerDevice {
  readonly device: number;
  readonly facts: DeviceFacts;
  readonly memoryBytes: number;
  readonly limits: Readonly<Record<string, number>>;
}

export interface RunnerFacts {
  readonly kind: "runner";
  readonly devices: readonly RunnerDevice[];
  /** Versions of manifests that it reads. */
  readonly manifestVersions: readonly number[];
}

export interface Registration {
  readonly protocolVersion: number;
  readonly node: string;
  readonly instanceId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly role: BuilderFacts | RunnerFacts;
}

export interface Registered {
  readonly workerId: WorkerId;
  readonly epoch: number;
  readonly leaseTtlMs: number;
  /** Proves every later call of this epoch. */
  readonly secret: Uint8Array;
}

/**
 * How one lease ended at its worker. `fault`: the candidate is not the cause, so another worker tries the job. `leaving`: the
 * worker ends and nobody is at fault, but the job had begun. `busy`: others use the device, and nobody counts it.
 */
export type OutcomeKind =
  | { readonly kind: "built"; readonly artifact: ArtifactDigest; readonly buildMs: number; readonly cached: boolean }
  | { readonly kind: "build_failed"; readonly result: FailedResult; readonly buildMs: number; readonly cached: boolean }
  | { readonly kind: "replayed"; readonly program: ProgramDigest; readonly reference: ProgramDigest }
  | { readonly kind: "replay_refused"; readonly message: string }
  /** `encoded`: the bytes of the MeasureResult as they came. */
  | { readonly kind: "run"; readonly result: MeasureResult; readonly encoded?: Uint8Array }
  | {
      readonly kind: "fault";
      readonly message: string;
      readonly suspect: boolean;
      readonly leaving?: true;
      readonly busy?: true;
    };

export type Outcome = { readonly leaseId: LeaseId; readonly epoch: number } & OutcomeKind;

export interface FreeSlots {
  readonly device: number;
  readonly count: number;
}

/** The most checks that are reported, the last ones: four hours of a runner that checks every two minutes. */
export const mostChecks = 128;

/** What the node's own kernels took at one time, divided by the least that they ever took there. */
export interface OwnCheck {
  readonly agoMs: number;
  readonly ratio: number;
}

export interface SyncRequest {
  readonly workerId: WorkerId;
  readonly epoch: number;
  readonly sequence: number;
  readonly free: readonly FreeSlots[];
  readonly running: readonly LeaseId[];
  readonly outcomes: readonly Outcome[];
  /** Why no work should come; empty = well. */
  readonly trouble: string;
  /** The last times of the node's own kernels, the newest last; absent = unchanged. */
  readonly checks?: readonly OwnCheck[];
  readonly reportOnly: boolean;
  /** This is the worker's last call. Jobs that it does not name go back as if never assigned. */
  readonly leaving?: true;
  /** The secret with which the worker was registered. */
  readonly secret: Uint8Array;
}

export interface BuildJob {
  readonly kind: "build";
  readonly program: ProgramBytes;
  readonly timeoutMs: number;
}

/** To find out which program a claim gives (records/src/claim.ts). */
interface ReplayJob {
  readonly kind: "replay";
  readonly claim: Uint8Array;
  readonly timeoutMs: number;
}

export interface RunJob {
  readonly kind: "run";
  readonly device: number;
  readonly artifact: ArtifactDigest;
  /** Absent exactly when options.check is "none". */
  readonly reference?: ArtifactDigest;
  readonly options: MeasureOptions;
  readonly attempt: number;
  readonly buildMs: number;
  /** How long it waited for a builder and a device. */
  readonly queueMs: number;
  /** Programs to measure interleaved with `artifact`, for one result. */
  readonly paired?: PairedJob;
  /** Present exactly when options.judged. */
  readonly judged?: JudgedJob;
  /** The time to beat on this kind of device, with options.incumbent "best"; absent while there is none. */
  readonly incumbentMs?: number;
  readonly owner: string;
}

/** Secrets of a judged job, which no client knows before its result. */
export interface JudgedJob {
  /** Of the session: the input sets of all its jobs follow from it. */
  readonly secret: string;
  /** Of this lease: lengths of graphs, and the inputs of an audit. */
  readonly leaseSecret: string;
  /** Times of a run below this are audited; absent = any. */
  readonly auditBelowMs?: number;
}

export interface PairedJob {
  readonly others: readonly ArtifactDigest[];
  readonly options: PairedOptions;
}

export interface Assignment {
  readonly leaseId: LeaseId;
  readonly epoch: number;
  readonly ttlMs: number;
  readonly job: BuildJob | ReplayJob | RunJob;
  /** The span that is the parent of the worker's (W3C Trace Context); absent: nothing is traced. */
  readonly traceparent?: string;
}

export type DesiredState = "active" | "drain";

export interface SyncReply {
  readonly acknowledged: readonly LeaseId[];
  readonly assignments: readonly Assignment[];
  readonly cancel: readonly LeaseId[];
  readonly state: DesiredState;
}
