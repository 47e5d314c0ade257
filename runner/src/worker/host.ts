/**
 * Supervises the child that owns a device: gives it jobs, knows in which phase each one is, kills it at that phase's deadline, and says
 * whose fault an end was (design §3a, "Verdicts").
 *
 *   dies or hangs while the candidate's code is loaded,
 *   or leaves the process unfit (a sticky driver error)  the candidate's, once the fresh child has run the reference kernel well;
 *                                                        else the node is suspect and the job goes elsewhere
 *   is killed by SIGKILL or SIGTERM from outside         a fault: the job goes elsewhere (an operator, the out-of-memory killer)
 *   dies or hangs in the reference kernel                the node is suspect
 *   had somebody else beside it on the device            the node is suspect: the job goes elsewhere, whatever came out
 *
 * SUSPECT is left when the reference kernel passes again: recheck() is called by whoever keeps time.
 */
import { existsSync } from "node:fs";
import {
  backendOf,
  type DeviceFacts,
  defaultMeasureOptions,
  type FailedResult,
  FarmError,
  invariant,
  type MeasureOptions,
  type MeasureResult,
  measureErrorNo,
  systemClock,
} from "@warpfarm/common";
import { type CallOutcome, ChildHost, LockPatience, moduleBeside } from "@warpfarm/common/process";
import type { DeviceDescription } from "../device/device-api.ts";
import { deviceKind } from "../device/index.ts";
import type { ReferenceTime } from "../drift.ts";
import type { Phase } from "../measure/measure.ts";
import type { ChildAnswer, ChildRequest, ChildSettings, LocalArtifact, PhaseReport } from "./messages.ts";

export interface DeviceJob {
  readonly artifact: LocalArtifact;
  readonly reference?: LocalArtifact;
  readonly options: MeasureOptions;
  readonly attempt: number;
  readonly buildMs: number;
}

export type JobOutcome =
  | { readonly kind: "result"; readonly result: MeasureResult }
  | { readonly kind: "fault"; readonly message: string; readonly suspect: boolean }
  | { readonly kind: "cancelled" };

export interface DeviceHostOptions {
  /** Name of this machine, for results. */
  readonly node: string;
  readonly settings: ChildSettings;
  /** What the child gets besides its own few variables: those that the device's kind names. */
  readonly env?: Readonly<Record<string, string>>;
  /** A module to fork in place of the real child; for tests. */
  readonly module?: string;
  readonly onLine?: (line: string) => void;
  /** Told that trouble changed while a job waits for the timing lock. */
  readonly onHeldUp?: () => void;
  /** How long it waits before that is trouble. Unset = LockPatience's. */
  readonly patienceMs?: number;
}

/** Enough launches that clocks come up, and a best time that a disturbance does not spoil. */
const SELF_CHECK = { repeat: 5, minRepeatMs: 20, check: "none" } as const;
/** Time to ask a child that is up for its device. */
const START_MS = 30_000;
/** Of children that did not get the device: on one that takes a single process the spare comes too early, beside the one it will replace. */
const OPENING_TRIES = 4;

/** Milliseconds; "run" has the job's own. Waiting for the timing lock has none: it ends with the compiles that hold it, or is trouble. */
const phaseLimitMs: Record<Exclude<Phase, "run">, number | undefined> = {
  reference: 120_000,
  load: 30_000,
  lock: undefined,
  check: 60_000,
};

/** Phases in which the candidate's code is in the process. */
const candidateIsIn: ReadonlySet<Phase | undefined> = new Set<Phase>(["load", "run", "check"]);
/** Sent by people and by the kernel's out-of-memory killer, not by a broken kernel function. */
const fromOutside: ReadonlySet<string> = new Set(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"]);

const meaning: Readonly<Record<string, string>> = {
  SIGSEGV: "it touched memory outside of its buffers (pages around each are closed, inputs are read-only) or jumped astray",
  SIGBUS: "it touched memory that is not there",
  SIGILL: "it ran an instruction that this processor lacks",
  SIGFPE: "it divided an integer by zero",
  SIGABRT: "it aborted",
  SIGXCPU: "it used up its processor time",
};

type Blame = Pick<FailedResult, "errorNo" | "message" | "busyMs"> & { readonly rule: string };

export class DeviceHost implements AsyncDisposable {
  readonly #options: DeviceHostOptions;
  readonly #host: ChildHost<ChildRequest, ChildAnswer>;
  /** What this node's reference kernels gave, by artifact: a fresh child must give the same bits. */
  readonly #referenceDigests = new Map<string, string>();
  #lastReference: LocalArtifact | undefined;
  /** The one that timeReference() times. */
  #timed: LocalArtifact | undefined;
  #trouble = "";
  #facts: DeviceFacts | undefined;
  readonly #patience: LockPatience;

  constructor(options: DeviceHostOptions) {
    this.#options = options;
    const { settings, env, onLine, onHeldUp = () => {}, patienceMs } = options;
    const directory = settings.lockDirectory;
    this.#patience = new LockPatience({ directory, onChange: onHeldUp, ...(patienceMs === undefined ? {} : { patienceMs }) });
    this.#host = new ChildHost({
      module: options.module ?? moduleBeside(import.meta.url, "child"),
      name: `child of device ${settings.device}`,
      args: [JSON.stringify(settings)],
      // LC_ALL for the loader's messages. The thread team must have its size from the first parallel region on. A thread that waits at a
      // barrier gives its core away after some microseconds: spinning through its time slice while the other thread has no core
      // turned kernels of 1.4 ms into 28 ms on a shared two-core host. Sleeping at once costs an idle host a fifth.
      env: { ...env, LC_ALL: "C", OMP_NUM_THREADS: String(settings.threads), OMP_DYNAMIC: "false", GOMP_SPINCOUNT: "2000" },
      spare: true,
      // Opening a GPU takes longer than a hung child takes to die; loading code before leaves only that.
      reserve: !deviceKind(settings.device).onHost,
      ...(onLine === undefined ? {} : { onLine }),
    });
  }

  /** Where results come from. Requires that start() has succeeded. */
  get facts(): DeviceFacts {
    invariant(this.#facts !== undefined, "the device host was not started");
    return this.#facts;
  }
  /** Why no work should come; empty = well. */
  get trouble(): string {
    return this.#trouble || this.#patience.trouble;
  }
  /** Of the child that serves; for tests. */
  get childPid(): number | undefined {
    return this.#host.pid;
  }

  /**
   * What the device tells about itself. Throws with the child's own words when it does not start (no koffi for this platform, ...). A device
   * that somebody else has is trouble when `wait` is set, until recheck() gets it.
   */
  async start({ wait = false }: { readonly wait?: boolean } = {}): Promise<DeviceDescription> {
    await this.#host.start();
    const outcome = await this.#opened(() => this.#host.call({ kind: "describe" }, { deadlineMs: START_MS }));
    const { value } = outcome.kind === "answered" ? outcome : {};
    if (value?.kind === "described") return this.#described(value.description);
    if (value?.kind === "fault") {
      const { message, description } = value;
      if (!wait || description === undefined) throw new FarmError("FAILED_PRECONDITION", message);
      this.#trouble = message;
      return this.#described(description);
    }
    throw new FarmError("UNAVAILABLE", `the device does not answer: ${describe(outcome, undefined)}`);
  }

  #described(description: DeviceDescription): DeviceDescription {
    this.#facts = { ...description.facts, node: this.#options.node };
    return description;
  }

  /** Never rejects. Requires that no other job is running. */
  async run(job: DeviceJob, { signal }: { readonly signal?: AbortSignal } = {}): Promise<JobOutcome> {
    const startMs = systemClock.monotonic();
    let phase: Phase | undefined;
    const { artifact, reference, options } = job;
    if (reference !== undefined) this.#lastReference = reference;
    const request: ChildRequest = { kind: "measure", artifact, options, ...(reference === undefined ? {} : { reference }) };
    // A spare that is still starting would run beside the timed kernel.
    await this.#host.start().catch(() => {});
    const outcome = await this.#call(request, signal, (next) => {
      phase = next;
    });
    const blame = candidateIsIn.has(phase) ? blameOf(outcome, phase, options) : undefined;
    if (blame !== undefined) return this.#verdict(job, blame, startMs, signal);
    if (outcome.kind === "cancelled") return { kind: "cancelled" };
    if (outcome.kind !== "answered")
      return this.#fault(describe(outcome, phase), phase === "reference" && !isFromOutside(outcome));
    const answer = outcome.value;
    switch (answer.kind) {
      case "fault":
        if (answer.tainted === true) await this.#host.recycle();
        return this.#fault(answer.message, answer.tainted === true);
      case "verified":
      case "described":
        return this.#fault("the child answered another question", false);
      case "failed": {
        const { errorNo, rule, message, mismatch, busyMs } = answer;
        const busy = busyMs === undefined ? {} : { busyMs };
        if (answer.tainted) {
          await this.#host.recycle();
          return this.#verdict(job, { errorNo, rule: rule ?? "device", message, ...busy }, startMs, signal);
        }
        const words = {
          errorNo,
          message,
          ...busy,
          ...(rule === undefined ? {} : { rule }),
          ...(mismatch === undefined ? {} : { mismatch }),
        };
        return { kind: "result", result: this.#failed(job, words, startMs) };
      }
      case "timed": {
        if (answer.referenceDigest !== undefined && reference !== undefined)
          this.#referenceDigests.set(reference.digest, answer.referenceDigest);
        const { costs, number, busyMs, checked, observations } = answer;
        const phases = this.#phases(job, startMs);
        return {
          kind: "result",
          result: {
            kind: "timed",
            costs,
            number,
            busyMs,
            checked,
            observations,
            device: this.facts,
            artifact: artifact.digest,
            ...phases,
          },
        };
      }
    }
  }

  /** For a suspect node: runs the reference kernel again, and clears the trouble when it passes. Requires that no job is running. */
  async recheck({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.#trouble !== "" && (await this.#referenceFails(signal)) === undefined) this.#trouble = "";
  }

  /**
   * How long the reference kernel takes now: the same one each time, as long as the cache has its code. Undefined when there is none yet, or
   * it was not timed. Requires that no job is running.
   */
  async timeReference({ signal }: { readonly signal?: AbortSignal } = {}): Promise<ReferenceTime | undefined> {
    if (this.#timed === undefined || !existsSync(this.#timed.codePath)) this.#timed = this.#lastReference;
    const kernel = this.#timed;
    if (kernel === undefined || !existsSync(kernel.codePath)) return undefined;
    const options = { ...defaultMeasureOptions(backendOf(this.facts.key)), ...SELF_CHECK };
    // As its own reference it finds inputs that are there already.
    const job = { artifact: kernel, reference: kernel, options, attempt: 1, buildMs: 0 };
    const outcome = await this.run(job, signal === undefined ? {} : { signal });
    if (outcome.kind !== "result" || outcome.result.kind !== "timed") return undefined;
    return { kernel: kernel.digest, seconds: Math.min(...outcome.result.costs) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host[Symbol.asyncDispose]();
  }

  async #call(
    request: ChildRequest,
    signal: AbortSignal | undefined,
    onPhase: (phase: Phase) => void,
  ): Promise<CallOutcome<ChildAnswer>> {
    let waiting: Disposable | undefined;
    const outcome = await this.#opened(() =>
      this.#host.call(request, {
        ...(signal === undefined ? {} : { signal }),
        onProgress: (value, setDeadline) => {
          const { phase, budgetMs } = value as PhaseReport;
          waiting?.[Symbol.dispose]();
          waiting = phase === "lock" ? this.#patience.waiting() : undefined;
          onPhase(phase);
          setDeadline(phase === "run" ? budgetMs : phaseLimitMs[phase]);
        },
      }),
    );
    waiting?.[Symbol.dispose]();
    return outcome;
  }

  /** Of a child that has the device, if one of a few gets it. */
  async #opened(call: () => Promise<CallOutcome<ChildAnswer>>): Promise<CallOutcome<ChildAnswer>> {
    for (let tries = 1; ; tries++) {
      const outcome = await call();
      const { value } = outcome.kind === "answered" ? outcome : {};
      if (tries === OPENING_TRIES || value?.kind !== "fault" || value.unopened !== true) return outcome;
      await this.#host.recycle();
    }
  }

  /** The candidate ended its child. Final when the fresh child runs the reference kernel well. */
  async #verdict(job: DeviceJob, blame: Blame, startMs: number, signal: AbortSignal | undefined): Promise<JobOutcome> {
    const failure = await this.#referenceFails(signal);
    if (signal?.aborted === true) return { kind: "cancelled" };
    if (failure !== undefined) return this.#fault(`${blame.message}; then ${failure.why}`, !failure.fromOutside);
    return { kind: "result", result: this.#failed(job, blame, startMs) };
  }

  /** Runs the reference kernel alone. Undefined when it passes. */
  async #referenceFails(signal: AbortSignal | undefined): Promise<ReferenceFailure | undefined> {
    const failure = (why: string): ReferenceFailure => ({ why, fromOutside: false });
    // One that the cache has let go since cannot speak against the node.
    const reference =
      this.#lastReference !== undefined && existsSync(this.#lastReference.codePath) ? this.#lastReference : undefined;
    let phase: Phase | undefined;
    const outcome = await this.#call({ kind: "verify", ...(reference === undefined ? {} : { reference }) }, signal, (next) => {
      phase = next;
    });
    if (outcome.kind !== "answered") return { why: describe(outcome, phase), fromOutside: isFromOutside(outcome) };
    const answer = outcome.value;
    if (answer.kind === "fault") {
      if (answer.tainted === true) await this.#host.recycle();
      return failure(answer.message);
    }
    if (answer.kind !== "verified" || reference === undefined || answer.referenceDigest === undefined) return undefined;
    const before = this.#referenceDigests.get(reference.digest) ?? answer.referenceDigest;
    return before === answer.referenceDigest ? undefined : failure("the reference kernel gave another output than before");
  }

  #fault(message: string, suspect: boolean): JobOutcome {
    if (suspect) this.#trouble = message;
    return { kind: "fault", message, suspect };
  }

  #failed(
    job: DeviceJob,
    words: Pick<FailedResult, "errorNo" | "message" | "rule" | "mismatch" | "busyMs">,
    startMs: number,
  ): FailedResult {
    return { kind: "failed", ...words, device: this.facts, ...this.#phases(job, startMs) };
  }

  #phases({ buildMs, attempt }: DeviceJob, startMs: number) {
    return { buildMs, attempt, runMs: systemClock.monotonic() - startMs, timestampMs: systemClock.now() };
  }
}

interface ReferenceFailure {
  readonly why: string;
  /** Somebody killed the process: that says nothing about the node. */
  readonly fromOutside: boolean;
}

/** What the candidate is blamed for, if the end of its child is its doing. */
function blameOf(
  outcome: CallOutcome<ChildAnswer>,
  phase: Phase | undefined,
  { runTimeoutMs }: MeasureOptions,
): Blame | undefined {
  if (outcome.kind === "killed") {
    if (phase === "check") return undefined;
    const what = phase === "load" ? "loading its code" : "the kernel";
    return {
      errorNo: measureErrorNo.RUN_TIMEOUT,
      rule: "run_timeout",
      message: `${what} did not end; killed at the deadline${phase === "load" ? "" : ` of ${runTimeoutMs} ms`}`,
    };
  }
  const errorNo = measureErrorNo.RUNTIME_DEVICE;
  if (outcome.kind === "signalled" && !fromOutside.has(outcome.signal)) {
    const message = `the kernel was ended by ${outcome.signal}${meaning[outcome.signal] === undefined ? "" : `: ${meaning[outcome.signal]}`}`;
    return { errorNo, rule: outcome.signal, message };
  }
  if (outcome.kind === "exited")
    return { errorNo, rule: "exit", message: `the kernel ended its process with exit code ${outcome.code}` };
  return undefined;
}

const isFromOutside = (outcome: CallOutcome<unknown>): boolean => outcome.kind === "signalled" && fromOutside.has(outcome.signal);

function describe(outcome: CallOutcome<unknown>, phase: Phase | undefined): string {
  const where =
    phase === "reference"
      ? "the reference kernel"
      : phase === undefined
        ? "the device's child"
        : `the device's child in phase ${phase}`;
  switch (outcome.kind) {
    case "killed":
      return `${where} did not end within ${outcome.deadlineMs} ms`;
    case "signalled":
      return `${where} was ended by ${outcome.signal}`;
    case "exited":
      return `${where} exited with code ${outcome.code}`;
    case "threw":
    case "unstartable":
      return outcome.message;
    case "cancelled":
      return "cancelled";
    case "answered":
      return "answered";
  }
}
