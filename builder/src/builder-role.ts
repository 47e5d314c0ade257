/** A builder as the synchronizer sees it: so many programs at a time; what was built is uploaded, code before manifest, before it is told. */
import { FarmError, systemClock } from "@warpfarm/common";
import type { ArtifactClient, Assignment, BuilderFacts, OutcomeKind, WorkerRole } from "@warpfarm/proto";
import type { BuildExecutor } from "./build-executor.ts";

export interface BuilderRoleOptions {
  readonly node: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly facts: BuilderFacts;
  readonly executor: BuildExecutor;
  readonly artifacts: Pick<ArtifactClient, "upload">;
}

/** While the tracker cannot be reached a finished build waits, as long as its lease is not called back. */
const RETRY_UPLOAD_MS = 500;

export class BuilderRole implements WorkerRole {
  readonly registration: WorkerRole["registration"];
  readonly capacity: WorkerRole["capacity"];
  readonly #options: BuilderRoleOptions;

  constructor(options: BuilderRoleOptions) {
    this.#options = options;
    const { node, labels, facts } = options;
    this.registration = { node, labels, role: facts };
    this.capacity = [{ device: 0, count: facts.slots }];
  }

  async work({ job }: Assignment, { signal }: { readonly signal: AbortSignal }): Promise<OutcomeKind> {
    if (job.kind !== "build") throw new FarmError("INVALID_ARGUMENT", "a run was sent to a builder");
    const built = await this.#options.executor.build(job, { signal });
    if (built.kind === "failed")
      return { kind: "build_failed", result: built.result, buildMs: built.result.buildMs, cached: false };
    const { artifact, buildMs, cached } = built;
    await this.#upload(artifact.code, signal);
    await this.#upload(artifact.manifestBytes, signal);
    return { kind: "built", artifact: artifact.digest, buildMs, cached };
  }

  async #upload(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await this.#options.artifacts.upload(bytes, { signal });
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof FarmError && error.retryable)) throw error;
        await systemClock.sleep(RETRY_UPLOAD_MS, { signal });
      }
    }
  }
}
