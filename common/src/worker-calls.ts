/**
 * What a worker and a tracker say to each other: who registers, which jobs are given, how they ended. `SyncRequest` and
 * `SyncReply` are one call of Synchronize; its meaning is in worker_service.proto.
 */
import type { ArtifactDigest, LeaseId, WorkerId } from "./brand.ts";
import type { DeviceFacts, FailedResult, MeasureOptions, MeasureResult, PairedOptions, ProgramBytes } from "./measure.ts";

export interface BuilderFacts {
  readonly kind: "builder";
  /** Programs built at the same time. */
  readonly slots: number;
  readonly targets: readonly string[];
  readonly toolchains: readonly string[];
  readonly compilerVersion: string;
  /** Of the programs it reads; absent = 1 only, as of an older builder. */
  readonly programVersions?: readonly number[];
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
  /** Of the manifests it reads; absent = 1 only, as of an older runner. */
  readonly manifestVersions?: readonly number[];
  /** It carries out paired jobs; absent = it does not, as an older runner. */
  readonly paired?: true;
}

export interface Registration {
  readonly protocolVersion: number;
  readonly node: string;
  /** Random per process start. */
  readonly instanceId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly role: BuilderFacts | RunnerFacts;
}

export interface Registered {
  readonly workerId: WorkerId;
  readonly epoch: number;
  readonly leaseTtlMs: number;
  readonly nextCallAfterMs: number;
  /** Proves every later call of this epoch; absent = a worker or a tracker of protocol 2. */
  readonly secret?: Uint8Array;
}

/**
 * How one lease ended at its worker. `fault`: not the candidate's doing, to be tried elsewhere; `leaving`: the worker ends, and
 * nobody is at fault, but the job had begun.
 */
export type OutcomeKind =
  | { readonly kind: "built"; readonly artifact: ArtifactDigest; readonly buildMs: number; readonly cached: boolean }
  | { readonly kind: "build_failed"; readonly result: FailedResult; readonly buildMs: number; readonly cached: boolean }
  /** `encoded`: the result as it came, the bytes of its MeasureResult. */
  | { readonly kind: "run"; readonly result: MeasureResult; readonly encoded?: Uint8Array }
  | { readonly kind: "fault"; readonly message: string; readonly suspect: boolean; readonly leaving?: true };

export type Outcome = { readonly leaseId: LeaseId; readonly epoch: number } & OutcomeKind;

export interface FreeSlots {
  readonly device: number;
  readonly count: number;
}

/** So many are told at most, the last ones: four hours of a runner that looks every two minutes. */
export const mostChecks = 128;

/** What the node's own kernels took at one time, over the least that they ever took there. */
export interface OwnCheck {
  readonly agoMs: number;
  readonly ratio: number;
}

export interface SyncRequest {
  readonly workerId: WorkerId;
  readonly epoch: number;
  /** Increases by one a call. */
  readonly sequence: number;
  readonly free: readonly FreeSlots[];
  readonly running: readonly LeaseId[];
  readonly outcomes: readonly Outcome[];
  /** Why no work should come; empty = well. */
  readonly trouble: string;
  /** The last times of the node's own kernels, the newest last; absent = as told before. */
  readonly checks?: readonly OwnCheck[];
  readonly cacheAdded: readonly ArtifactDigest[];
  readonly cacheDropped: readonly ArtifactDigest[];
  readonly reportOnly: boolean;
  /** The worker's last call: what it does not name goes back as if never given. */
  readonly leaving?: true;
  /** As it was registered with; absent = none. */
  readonly secret?: Uint8Array;
}

export interface BuildJob {
  readonly kind: "build";
  readonly program: ProgramBytes;
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
  /** To be reported back as the result's buildMs. */
  readonly buildMs: number;
  /** To be measured in turns with `artifact`, for one result. */
  readonly paired?: PairedJob;
}

export interface PairedJob {
  readonly others: readonly ArtifactDigest[];
  readonly options: PairedOptions;
}

export interface Assignment {
  readonly leaseId: LeaseId;
  readonly epoch: number;
  readonly ttlMs: number;
  readonly job: BuildJob | RunJob;
}

export type DesiredState = "active" | "drain" | "stop";

export interface SyncReply {
  readonly acknowledged: readonly LeaseId[];
  readonly assignments: readonly Assignment[];
  readonly prefetch: readonly ArtifactDigest[];
  readonly cancel: readonly LeaseId[];
  readonly state: DesiredState;
  readonly nextCallAfterMs: number;
}
