/**
 * Supervises the child that owns a device: gives it jobs, knows in which phase each one is, kills it at that phase's deadline,
 * and says whose fault an end was.
 *
 *   dies, hangs, throws or taints its process              the program's that is in the process (verdict.ts), final at once when
 *                                                          the node's own kernels then run well in the fresh child; else the node
 *                                                          is suspect and the job goes elsewhere
 *   is killed by SIGKILL or SIGTERM from outside           a fault: the job goes elsewhere (an operator)
 *   dies before any program is in it; hardware that failed a fault; the node is suspect when its own kernels fail too
 *   had somebody else beside it on the device              the node is suspect: the job goes elsewhere, whatever came out
 *   found no time without others, where it yields to them  busy until recheck() finds one; the job goes elsewhere
 *
 * SUSPECT is left when the node's own kernels run well: recheck() is called by whoever keeps time.
 */
import {
  type Clock,
  type DeviceFacts,
  defined,
  FarmError,
  invariant,
  type MeasureResult,
  type RunJob,
  systemClock,
} from "@warpfarm/common";
import { type CallOptions, type CallOutcome, ChildHost, LockPatience, moduleBeside } from "@warpfarm/common/process";
import type { DeviceDescription } from "../device/device-api.ts";
import { deviceKind } from "../device/index.ts";
import type { OwnTimes } from "../device/own.ts";
import type { Phase, Timing } from "../measure/measure.ts";
import { answerSchema, phaseSchema } from "./answers.ts";
import { type CpuSandbox, sandboxOf, stage } from "./confine.ts";
import type { ChildAnswer, ChildRequest, ChildSettings, LocalArtifact, PairedRequest, PhaseReport } from "./messages.ts";
import { phaseDeadlines, phaseRules, referenceMsOf } from "./phases.ts";
import {
  type Blame,
  blameFor,
  defaultPhaseLimits,
  describeEnd,
  isFromOutside,
  ofProgram,
  type PhaseLimits,
  programsOf,
  referenceBlame,
  systemOomKills,
} from "./verdict.ts";

/** A child runs jobs of one `owner`, a tag of the principal. */
export interface DeviceJob extends Pick<RunJob, "options" | "attempt" | "buildMs" | "judged" | "owner"> {
  readonly artifact: LocalArtifact;
  readonly reference?: LocalArtifact;
  readonly paired?: PairedRequest;
}

export type JobOutcome =
  | { readonly kind: "result"; readonly result: MeasureResult }
  | { readonly kind: "fault"; readonly message: string; readonly suspect: boolean }
  | { readonly kind: "cancelled" };

export interface DeviceHostOptions {
  readonly clock?: Clock;
  readonly node: string;
  readonly settings: ChildSettings;
  /** The child's environment besides its own few variables: those that the device's kind names. */
  readonly env?: Readonly<Record<string, string>>;
  readonly module?: string;
  /**
   * The sandbox of a child on the host's processor; absent: none. The child sees the code of its job in `directory`, and no other
   * job's.
   */
  readonly sandbox?: CpuSandbox;
  readonly onLine?: (line: string) => void;
  /** Called when trouble changed while a job waits for the timing lock. */
  readonly onHeldUp?: () => void;
  /** How long a job waits before that is trouble. Unset: LockPatience's default. */
  readonly patienceMs?: number;
  /** Unset: defaultPhaseLimits. */
  readonly limits?: Partial<PhaseLimits>;
  /** The number of processes that the out-of-memory killer has ended. Unset: the system's count. */
  readonly oomKills?: () => number | undefined;
}

const usualStartMs = 30_000;
/** How long a job that was cancelled may go on: its end takes less than a new child, which opens a GPU for seconds. */
const cancelledMs = 500;
/** Attempts to open the device. On an exclusive-process GPU the spare child may try while the old child still holds it. */
const openingTries = 4;
export const inDoubt = "a job put the device in doubt";
/** Principals whose children are kept on a processor. A GPU may take a single process. */
const ownersOnHost = 4;

export class DeviceHost implements AsyncDisposable {
  readonly #options: DeviceHostOptions;
  readonly #host: ChildHost<ChildRequest, ChildAnswer>;
  readonly #clock: Clock;
  readonly #limits: PhaseLimits;
  #trouble = "";
  #busy = "";
  #facts: DeviceFacts | undefined;
  readonly #patience: LockPatience;
  #owner: string | undefined;

  constructor(options: DeviceHostOptions) {
    this.#options = options;
    const { settings, env, sandbox, onLine, onHeldUp = () => {}, patienceMs } = options;
    this.#clock = options.clock ?? systemClock;
    this.#limits = { ...defaultPhaseLimits, ...options.limits };
    const { lockDirectory: directory } = settings;
    const { onHost } = deviceKind(settings.device);
    this.#patience = new LockPatience({ directory, onChange: onHeldUp, ...defined({ patienceMs }) });
    this.#host = new ChildHost({
      module: options.module ?? moduleBeside(import.meta.url, "child"),
      name: `child of device ${settings.device}`,
      args: [JSON.stringify(settings)],
      // LC_ALL is for the loader's messages. The thread team must have its size from the first parallel region on. A thread that
      // waits at a barrier yields its core after some microseconds: spinning through its time slice while the other thread has no
      // core turned kernels of 1.4 ms into 28 ms on a shared two-core host. Sleeping at once costs an idle host a fifth.
      env: { ...env, LC_ALL: "C", OMP_NUM_THREADS: String(settings.threads), OMP_DYNAMIC: "false", GOMP_SPINCOUNT: "2000" },
      spare: true,
      ...(sandbox === undefined ? {} : { sandbox: () => sandboxOf(sandbox, settings) }),
      // Opening a GPU takes longer than a hung child takes to die.
      reserve: !onHost,
      speaks: { answer: answerSchema, progress: phaseSchema },
      // Device code leaves no threads in the process.
      owners: onHost ? ownersOnHost : 1,
      watched: onHost,
      ...defined({ onLine }),
    });
  }

  /** The facts for results. Requires that start() has succeeded. */
  get facts(): DeviceFacts {
    invariant(this.#facts !== undefined, "the device host was not started");
    return this.#facts;
  }
  get trouble(): string {
    return this.#trouble || this.#busy || this.#patience.trouble;
  }
  /** Who kept the device, which yields to others, from its last job; empty: nobody. It is part of `trouble`. */
  get busy(): string {
    return this.#busy;
  }
  get childPid(): number | undefined {
    return this.#host.pid;
  }

  /**
   * The facts of the device. Throws with the child's message when it does not start (no koffi for this platform, ...), or when
   * the node's own kernels fail. With `wait`, failing kernels and a device that another process has are trouble until recheck()
   * gets the device.
   */
  async start({ wait = false }: { readonly wait?: boolean } = {}): Promise<DeviceDescription> {
    await this.#host.start();
    const outcome = await this.#opened(() => this.#host.call({ kind: "describe" }, { deadlineMs: usualStartMs }));
    const { value } = outcome.kind === "answered" ? outcome : {};
    if (value?.kind === "described") {
      const failure = await this.#ownFails(undefined);
      if (failure !== undefined && !wait) throw new FarmError("FAILED_PRECONDITION", failure.why);
      this.#trouble = failure?.why ?? "";
      return this.#described(value.description);
    }
    if (value?.kind === "fault") {
      const { message, description } = value;
      if (!wait || description === undefined) throw new FarmError("FAILED_PRECONDITION", message);
      this.#trouble = message;
      return this.#described(description);
    }
    throw new FarmError("UNAVAILABLE", `the device does not answer: ${describeEnd(outcome, undefined)}`);
  }

  #described(description: DeviceDescription): DeviceDescription {
    this.#facts = { ...description.facts, node: this.#options.node };
    return description;
  }

  /** Never rejects. Requires that no other job is running. */
  async run(job: DeviceJob, { signal }: { readonly signal?: AbortSignal } = {}): Promise<JobOutcome> {
    const startMs = this.#clock.monotonic();
    let at: PhaseReport | undefined;
    const { artifact, reference, options, paired, judged, owner } = job;
    this.#owner = owner;
    const hasReference = reference !== undefined;
    // A spare that is still starting would run beside the timed kernel.
    await this.#host.start({ owner }).catch(() => {});
    const oomKills = this.#oomKills();
    const staged = await stage(this.#options.sandbox, artifact, reference, paired).catch((error: unknown) => error as Error);
    if (staged instanceof Error) return this.#fault(`the job's code cannot be handed to the child: ${staged.message}`, false);
    await using _until = staged;
    const request: ChildRequest = { kind: "measure", options, ...staged.code, ...defined({ judged }) };
    const outcome = await this.#call(request, { owner, graceMs: cancelledMs, ...defined({ signal }) }, (next) => {
      at = next;
    });
    const { phase, program } = at ?? {};
    if (outcome.kind === "cancelled") return { kind: "cancelled" };
    if (outcome.kind === "answered") return this.#judge(job, outcome.value, startMs, signal);
    // A bug of ours, whatever caused it. The log says where it came from.
    if (outcome.kind === "threw") this.#options.onLine?.(outcome.stack);
    const outOfMemory = (this.#oomKills() ?? 0) > (oomKills ?? Number.POSITIVE_INFINITY);
    const { runTimeoutMs } = options;
    const referenceMs = referenceMsOf(this.#limits, runTimeoutMs);
    const blame = blameFor(outcome, {
      phase,
      hasReference,
      isJudged: judged !== undefined,
      runTimeoutMs,
      referenceMs,
      outOfMemory,
    });
    if (blame !== undefined)
      return this.#confirmed(job, program === undefined ? blame : { ...blame, failedProgram: program }, startMs, signal);
    if (isFromOutside(outcome)) return this.#fault(describeEnd(outcome, phase), false);
    return this.#doubt(describeEnd(outcome, phase), signal);
  }

  async #judge(job: DeviceJob, answer: ChildAnswer, startMs: number, signal: AbortSignal | undefined): Promise<JobOutcome> {
    switch (answer.kind) {
      case "fault":
        if (answer.busy === true && this.#options.settings.yieldToOthers === true) {
          this.#busy = answer.message;
          return this.#fault(answer.message, false);
        }
        await this.#host.recycle();
        return answer.hardware === true ? this.#doubt(answer.message, signal) : this.#fault(answer.message, true);
      case "own":
      case "described":
        return this.#fault("the child answered another question", false);
      case "failed": {
        const { errorNo, rule = "device", message, mismatch, busyMs, tainted, ofReference, failedProgram } = answer;
        // This node lacks a library, which another may have.
        if (ofReference === true && rule === "dlopen")
          return this.#fault(`the reference's code does not load: ${message}`, false);
        const blame: Blame = {
          errorNo,
          rule,
          message,
          on: ofReference === true ? "reference" : "candidate",
          ...defined({ busyMs, mismatch, failedProgram }),
        };
        if (!tainted) return this.#blamed(job, blame, startMs, { ownRan: false });
        await this.#host.recycle();
        return this.#confirmed(job, blame, startMs, signal);
      }
      case "timed":
        return { kind: "result", result: this.#timed(job, answer, startMs) };
    }
  }

  /**
   * For a suspect node: runs its own kernels again, and clears the trouble when they succeed. Requires that no job is running.
   */
  async recheck({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.#trouble === "" && this.#busy === "") return;
    const failure = await this.#ownFails(signal);
    if (signal?.aborted === true || failure?.fromOutside === true) return;
    this.#trouble = failure?.why ?? "";
    this.#busy = "";
  }

  /** The present times of the node's own kernels. Undefined when they were not timed; when they failed, the node is suspect. */
  async timeOwn({ signal }: { readonly signal?: AbortSignal } = {}): Promise<OwnTimes | undefined> {
    await this.#host.start().catch(() => {});
    // In the child that has the device, for whatever owner.
    const outcome = await this.#callOwn(true, signal, this.#owner);
    if ("times" in outcome) return outcome.times;
    if (!outcome.fromOutside && signal?.aborted !== true) this.#trouble = outcome.why;
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host[Symbol.asyncDispose]();
  }

  async #call(
    request: ChildRequest,
    options: Pick<CallOptions, "owner" | "signal" | "graceMs">,
    onPhase: (report: PhaseReport) => void,
  ): Promise<CallOutcome<ChildAnswer>> {
    let lock: Disposable | undefined;
    const limitOf = phaseDeadlines(request, this.#limits, this.#clock);
    const outcome = await this.#opened(() =>
      this.#host.call(request, {
        ...options,
        refusalOf: phaseRules(request, this.#options.settings.yieldToOthers),
        onProgress: (value, setDeadline) => {
          const report = value as PhaseReport;
          lock?.[Symbol.dispose]();
          lock = this.#atLock(report);
          onPhase(report);
          setDeadline(limitOf(report));
        },
      }),
    );
    lock?.[Symbol.dispose]();
    return outcome;
  }

  #atLock({ phase, budgetMs }: PhaseReport): Disposable | undefined {
    if (!deviceKind(this.#options.settings.device).onHost) return undefined;
    if (phase === "lock") return this.#patience.waiting();
    return phase === "run" && budgetMs !== undefined ? this.#patience.holding(budgetMs) : undefined;
  }

  /** Retries a few times until a child gets the device. */
  async #opened(call: () => Promise<CallOutcome<ChildAnswer>>): Promise<CallOutcome<ChildAnswer>> {
    for (let tries = 1; ; tries++) {
      const outcome = await call();
      const { value } = outcome.kind === "answered" ? outcome : {};
      if (tries === openingTries || value?.kind !== "fault" || value.unopened !== true) return outcome;
      await this.#host.recycle();
    }
  }

  /** A program ended or damaged its child. The verdict is final when the node's own kernels succeed in the fresh child. */
  async #confirmed(job: DeviceJob, blame: Blame, startMs: number, signal: AbortSignal | undefined): Promise<JobOutcome> {
    const failure = await this.#ownFails(signal);
    if (signal?.aborted === true) return { kind: "cancelled" };
    if (failure !== undefined) return this.#fault(`${blame.message}; then ${failure.why}`, !failure.fromOutside);
    return this.#blamed(job, blame, startMs, { ownRan: true });
  }

  #blamed(job: DeviceJob, blame: Blame, startMs: number, { ownRan }: { readonly ownRan: boolean }): JobOutcome {
    const { on, ...words } = blame;
    const told = on === "reference" ? referenceBlame(blame, job.reference ?? job.artifact, ownRan) : ofProgram(job, words);
    const of = on === "reference" ? job.reference : programsOf(job)[blame.failedProgram ?? 0];
    const phases = this.#phases(job, startMs, of ?? job.artifact);
    return { kind: "result", result: { kind: "failed", ...told, device: this.facts, ...phases } };
  }

  async #doubt(message: string, signal: AbortSignal | undefined): Promise<JobOutcome> {
    const failure = await this.#ownFails(signal);
    if (signal?.aborted === true) return { kind: "cancelled" };
    return failure === undefined
      ? this.#fault(message, false)
      : this.#fault(`${message}; then ${failure.why}`, !failure.fromOutside);
  }

  async #ownFails(signal: AbortSignal | undefined): Promise<OwnFailure | undefined> {
    const outcome = await this.#callOwn(false, signal);
    return "times" in outcome ? undefined : outcome;
  }

  async #callOwn(
    timed: boolean,
    signal: AbortSignal | undefined,
    owner?: string,
  ): Promise<{ readonly times: OwnTimes | undefined } | OwnFailure> {
    let phase: Phase | undefined;
    const outcome = await this.#call({ kind: "own", timed }, defined({ signal, owner }), (next) => {
      ({ phase } = next);
    });
    if (outcome.kind === "answered" && outcome.value.kind === "own") return { times: outcome.value.times };
    if (outcome.kind !== "answered" || outcome.value.kind !== "fault")
      return { why: describeEnd(outcome, phase), fromOutside: isFromOutside(outcome) };
    const { message: why, busy = false } = outcome.value;
    if (busy) this.#busy = why;
    else await this.#host.recycle();
    return { why, fromOutside: busy };
  }

  #oomKills(): number | undefined {
    const { oomKills = systemOomKills } = this.#options;
    return oomKills();
  }

  #fault(message: string, suspect: boolean): JobOutcome {
    // Everybody sees the trouble. The message, which may quote the job, goes with the outcome.
    if (suspect) this.#trouble = inDoubt;
    return { kind: "fault", message, suspect };
  }

  #timed(job: DeviceJob, timing: Timing, startMs: number): MeasureResult {
    const { costs, number, busyMs, checked, atLeast, observations, judged, paired } = timing;
    const artifact = job.artifact.digest;
    const phases = this.#phases(job, startMs, job.artifact);
    const digests = programsOf(job).map(({ digest }) => digest);
    const ran = { costs, number, busyMs, checked, observations, device: this.facts, artifact, ...defined({ judged }), ...phases };
    if (atLeast !== undefined) return { kind: "slower", atLeast, ...ran };
    return {
      ...{ kind: "timed", ...ran },
      ...(paired === undefined ? {} : { paired: paired.map((of, i) => ({ ...of, artifact: digests[i] ?? artifact })) }),
    };
  }

  #phases({ buildMs, attempt }: DeviceJob, startMs: number, { manifest: { toolchain } }: LocalArtifact) {
    return { buildMs, attempt, runMs: this.#clock.monotonic() - startMs, timestampMs: this.#clock.now(), toolchain };
  }
}

interface OwnFailure {
  readonly why: string;
  /** The process was killed from outside, or the device is busy, which says nothing about the node. */
  readonly fromOutside: boolean;
}
