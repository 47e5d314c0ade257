/**
 * A builder for the synchronizer: a fixed number of programs at a time. Results are uploaded before they are reported, code
 * before manifest.
 */
import {
  badInput,
  type Clock,
  type FailedResult,
  FarmError,
  firstLine,
  loweringToolchain,
  measureErrorNo,
  systemClock,
} from "@warpfarm/common";
import type { ArtifactClient, Assignment, BuilderFacts, OutcomeKind } from "@warpfarm/proto";
import type { WorkerRole, WorkOptions } from "@warpfarm/worker";
import type { Artifact, BuildExecutor, BuildResult } from "./build-executor.ts";
import type { LocalBuilder } from "./local-builder.ts";

interface BuilderRoleOptions {
  readonly node: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly facts: BuilderFacts;
  readonly executor: BuildExecutor;
  readonly replay: LocalBuilder["replay"];
  readonly artifacts: Pick<ArtifactClient, "upload">;
  readonly hasRoom: () => Promise<boolean>;
  readonly heldUp?: () => string;
  readonly onTrouble: () => void;
  readonly clock?: Clock;
}

/** The pause before a finished build's upload is tried again, as long as its lease is not taken back. */
const retryUploadMs = 500;
const retryFullMs = 5_000;
const recheckMs = 5_000;

const refusedUpload = (
  { message }: FarmError,
  { manifest: { toolchain } }: Artifact,
  buildMs: number,
  timestampMs: number,
): FailedResult => ({
  kind: "failed",
  errorNo: measureErrorNo.COMPILE_HOST,
  rule: "artifact.refused",
  message: `the tracker refuses the artifact: ${message}`.slice(0, 1024),
  buildMs,
  runMs: 0,
  timestampMs,
  attempt: 1,
  toolchain,
});

export class BuilderRole implements WorkerRole {
  readonly registration: WorkerRole["registration"];
  readonly capacity: WorkerRole["capacity"];
  readonly #options: BuilderRoleOptions;
  readonly #clock: Clock;
  /** Why this worker should get no work, such as a full disk; empty: no trouble. */
  #trouble = "";
  readonly #refused = new Map<symbol, string>();

  constructor(options: BuilderRoleOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const { node, labels, facts } = options;
    this.registration = { node, labels, role: facts };
    this.capacity = [{ device: 0, count: facts.slots }];
  }

  /**
   * A build begins when a compiler gets the program. If this builder is told to end after that, the attempt counts: a build that
   * fills memory or disk ends its builder, here and on the next one, and must stop somewhere.
   */
  async work({ job }: Assignment, { signal, begin, span }: WorkOptions): Promise<OutcomeKind> {
    if (job.kind === "replay") return this.#options.replay(job, { signal });
    if (job.kind !== "build") throw badInput("a run was sent to a builder");
    let built: BuildResult;
    try {
      const compiling = span?.part("compile");
      built = await this.#options.executor.build(job, { signal, onBegin: begin }).finally(() => compiling?.end());
    } catch (error) {
      if (error instanceof FarmError && error.rule === "source.bundle") return this.#badBundle(error);
      // Another builder may have the compiler that the program asks for, and this one is healthy.
      if (error instanceof FarmError && error.rule === "source.compiler")
        return { kind: "fault", message: error.message, suspect: false };
      // The store dropped it after the client sent it, so no other builder has it.
      if (error instanceof FarmError && error.code === "NOT_FOUND")
        return { kind: "fault", message: `${error.message}: run the command again, which sends it`, suspect: false };
      // Neither the program nor the node is at fault.
      if (!(error instanceof FarmError && error.code === "RESOURCE_EXHAUSTED")) throw error;
      this.#trouble = error.message;
      this.#options.onTrouble();
      return { kind: "fault", message: error.message, suspect: false };
    }
    if (built.kind === "failed")
      return { kind: "build_failed", result: built.result, buildMs: built.result.buildMs, cached: false };
    const { artifact, buildMs, cached } = built;
    const uploading = span?.part("upload");
    try {
      await this.#upload(artifact.code, signal);
      await this.#upload(artifact.manifestBytes, signal);
      uploading?.end();
    } catch (error) {
      uploading?.end({ error: String(error) });
      // Any builder would make the same bytes and be refused.
      if (!(error instanceof FarmError && error.code === "INVALID_ARGUMENT")) throw error;
      return { kind: "build_failed", result: refusedUpload(error, artifact, buildMs, this.#clock.now()), buildMs, cached };
    }
    return { kind: "built", artifact: artifact.digest, buildMs, cached };
  }

  #badBundle({ message, rule = "" }: FarmError): OutcomeKind {
    const failed = { kind: "failed", errorNo: measureErrorNo.COMPILE_HOST, rule, message: firstLine(message) } as const;
    const toolchain = loweringToolchain(this.#options.facts.compilerVersion);
    const result = { ...failed, buildMs: 0, runMs: 0, timestampMs: this.#clock.now(), attempt: 1, toolchain };
    return { kind: "build_failed", result, buildMs: 0, cached: false };
  }

  trouble(): string {
    const [refused = ""] = this.#refused.values();
    return this.#trouble || refused || (this.#options.heldUp?.() ?? "");
  }

  /** Checks after trouble whether there is room again, until the signal aborts. */
  async recheck({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    while (!signal.aborted) {
      await this.#clock.sleep(recheckMs, { signal }).catch(() => {});
      if (signal.aborted || this.#trouble === "" || !(await this.#options.hasRoom())) continue;
      this.#trouble = "";
      this.#options.onTrouble();
    }
  }

  async #upload(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    const upload = Symbol();
    let fullMs = retryUploadMs;
    try {
      for (;;) {
        try {
          await this.#options.artifacts.upload(bytes, { signal });
          return;
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof FarmError)) throw error;
          if (error.code === "RESOURCE_EXHAUSTED") {
            this.#refused.set(upload, error.message);
            this.#options.onTrouble();
            await this.#clock.sleep(fullMs, { signal });
            fullMs = Math.min(2 * fullMs, retryFullMs);
          } else if (error.retryable) await this.#clock.sleep(retryUploadMs, { signal });
          else throw error;
        }
      }
    } finally {
      if (this.#refused.delete(upload)) this.#options.onTrouble();
    }
  }
}
