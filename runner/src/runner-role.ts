/**
 * A runner for the synchronizer: one device, one job at a time. The next job may already wait here with its artifact, so
 * that the device is not idle during a round trip to the tracker. A suspect node runs its own kernels again now and
 * then; a healthy one times them, when the device is idle if it ever is (drift.ts).
 */
import {
  type ArtifactDigest,
  abortable,
  assertNever,
  badInput,
  type Clock,
  defined,
  FarmError,
  type LeaseTimes,
  manifestVersions,
  systemClock,
} from "@warpfarm/common";
import type { Assignment, OutcomeKind, RunJob } from "@warpfarm/proto";
import type { WorkerRole, WorkOptions } from "@warpfarm/worker";
import type { ArtifactCache } from "./artifact-cache.ts";
import type { DeviceDescription } from "./device/device-api.ts";
import { Drift, type DriftRules } from "./drift.ts";
import type { DeviceHost, DeviceJob } from "./worker/host.ts";
import type { AfterJob } from "./worker/racecheck.ts";

interface RunnerRoleOptions {
  readonly node: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly description: DeviceDescription;
  readonly host: Pick<DeviceHost, "run" | "recheck" | "timeOwn" | "trouble" | "busy">;
  /** What is done with a result while the device is still free of others. */
  readonly afterJob?: AfterJob;
  /** Jobs taken besides the one that runs. */
  readonly ahead: number;
  readonly cache: Pick<ArtifactCache, "get" | "trouble" | "probe">;
  /** Absent on a device whose times depend on other processes of the machine. */
  readonly drift?: DriftRules;
  readonly onTrouble: () => void;
  readonly clock?: Clock;
  /** Called before each execution of a candidate; fault tests count them. */
  readonly onExecute?: (artifact: ArtifactDigest, attempt: number) => void;
}

const onlyDevice = 0;
const recheckMs = 10_000;
/** While the tracker cannot be reached, a job waits for its artifact, as long as its lease is not taken back. */
const retryFetchMs = 500;

export class RunnerRole implements WorkerRole {
  readonly registration: WorkerRole["registration"];
  readonly capacity: WorkerRole["capacity"];
  readonly #options: RunnerRoleOptions;
  readonly #clock: Clock;
  readonly #drift: Drift | undefined;
  #idle: Promise<unknown> = Promise.resolve();
  #inHand = 0;

  constructor(options: RunnerRoleOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    const { node, labels, description, ahead, drift } = options;
    this.#drift = drift && new Drift(drift);
    this.capacity = [{ device: onlyDevice, count: 1 + ahead }];
    const { facts, memoryBytes, limits } = description;
    const device = { device: onlyDevice, facts: { ...facts, node }, memoryBytes, limits };
    this.registration = { node, labels, role: { kind: "runner", devices: [device], manifestVersions } };
  }

  async work({ job }: Assignment, options: WorkOptions): Promise<OutcomeKind> {
    if (job.kind !== "run") throw badInput("a build job was sent to a runner");
    this.#inHand++;
    try {
      return await this.#measure(job, options);
    } finally {
      this.#inHand--;
    }
  }

  /** A job begins when the device gets it. */
  async #measure(job: RunJob, { signal, begin, span }: WorkOptions): Promise<OutcomeKind> {
    const since = this.#clock.monotonic();
    const fetching = span?.part("fetch");
    let prepared: DeviceJob;
    try {
      prepared = await this.#prepare(job, signal);
      fetching?.end();
    } catch (error) {
      fetching?.end({ error: String(error) });
      // A full disk: this node gets nothing more until there is room, as `trouble` says, and the job goes elsewhere. The node is
      // not in doubt.
      const { trouble } = this.#options.cache;
      if (signal.aborted || trouble === "") throw error;
      this.#options.onTrouble();
      return { kind: "fault", message: trouble, suspect: false };
    }
    const { host, cache } = this.#options;
    const transferMs = this.#clock.monotonic() - since;
    return this.#alone(async () => {
      // The previous job may have found the node unfit.
      const trouble = this.trouble();
      if (trouble !== "" && trouble === host.busy) return { kind: "fault", message: trouble, suspect: false, busy: true };
      if (trouble !== "") return { kind: "fault", message: trouble, suspect: trouble !== cache.trouble };
      begin();
      this.#options.onExecute?.(job.artifact, job.attempt);
      const measuring = span?.part("measure");
      const outcome = await host.run(prepared, { signal }).finally(() => measuring?.end());
      switch (outcome.kind) {
        case "result": {
          const result = (await this.#options.afterJob?.(prepared, outcome.result, signal)) ?? outcome.result;
          signal.throwIfAborted();
          return { kind: "run", result: { ...result, lease: this.#leaseTimes(job, since, transferMs) } };
        }
        case "fault":
          if (outcome.suspect || host.busy !== "") this.#options.onTrouble();
          return host.busy === "" ? outcome : { ...outcome, busy: true };
        case "cancelled":
          throw signal.reason;
        default:
          return assertNever(outcome);
      }
    }, signal);
  }

  #leaseTimes({ queueMs }: RunJob, since: number, transferMs: number): LeaseTimes {
    return { queueMs, transferMs, heldMs: this.#clock.monotonic() - since };
  }

  trouble(): string {
    const { host, cache } = this.#options;
    return host.trouble || cache.trouble || (this.#drift?.trouble ?? "");
  }
  checks() {
    return this.#drift?.checks(this.#clock.monotonic()) ?? { count: 0, last: [] };
  }

  /** Checks the device until the signal aborts. */
  async recheck({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    while (!signal.aborted) {
      await this.#clock.sleep(recheckMs, { signal }).catch(() => {});
      if (!signal.aborted) await this.lookAfter(this.#clock.monotonic(), { signal });
    }
  }

  /** Runs a suspect node's own kernels, and probes a full disk. */
  async lookAfter(nowMs: number, { signal }: { readonly signal: AbortSignal }): Promise<void> {
    const { host, cache, onTrouble } = this.#options;
    const before = this.trouble();
    await cache.probe();
    if (host.trouble !== "") await this.#alone(() => host.recheck({ signal }));
    else if (this.#drift?.isDue(nowMs, this.#inHand === 0)) {
      const { restMs } = this.#drift;
      const times = await this.#alone(async () => {
        if (restMs > 0) await this.#clock.sleep(restMs, { signal }).catch(() => {});
        return signal.aborted ? undefined : host.timeOwn({ signal });
      });
      if (times) this.#drift.look(times, nowMs);
    }
    if (this.trouble() !== before) onTrouble();
  }

  async #prepare(job: RunJob, signal: AbortSignal): Promise<DeviceJob> {
    const { artifact, reference, attempt, buildMs, paired, judged, incumbentMs, owner } = job;
    const options = incumbentMs === undefined ? job.options : { ...job.options, incumbent: incumbentMs / 1e3 };
    const [code, referenceCode, ...others] = await Promise.all([
      this.#fetched(artifact, signal),
      reference === undefined ? undefined : this.#fetched(reference, signal),
      ...(paired?.others ?? []).map((other) => this.#fetched(other, signal)),
    ]);
    return {
      ...{ artifact: code, options, attempt, buildMs, owner },
      ...defined({ reference: referenceCode }),
      ...(paired === undefined ? {} : { paired: { others, options: paired.options } }),
      ...defined({ judged }),
    };
  }

  async #fetched(digest: ArtifactDigest, signal: AbortSignal) {
    for (;;) {
      try {
        return await this.#options.cache.get(digest, { signal });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof FarmError && error.retryable)) throw error;
        await this.#clock.sleep(retryFetchMs, { signal });
      }
    }
  }

  /** With a signal, what is given up before its turn rejects at once. */
  #alone<T>(act: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#idle;
    const done = (signal ? abortable(before, signal) : before).then(act);
    this.#idle = Promise.allSettled([before, done]);
    return done;
  }
}
