/**
 * Who is to blame for the end of a job. While a program's code or data is in the process, that program is blamed for whatever
 * ends the process: the candidate, or the reference, which belongs to the task. host.ts lets the node's own kernels confirm it.
 */
import { readFileSync } from "node:fs";
import { durationWords, type FailedResult, firstLine, type ManifestBuffer, measureErrorNo, type Refusal } from "@warpfarm/common";
import type { CallOutcome } from "@warpfarm/common/process";
import type { Phase } from "../measure/measure.ts";
import type { ChildAnswer, LocalArtifact, PairedRequest } from "./messages.ts";

export interface Blame extends Refusal, Pick<FailedResult, "errorNo" | "busyMs" | "mismatch" | "failedProgram"> {
  readonly on: "candidate" | "reference";
}

export interface PhaseLimits {
  /** For inputs and reference together; four times the run timeout when that is more. */
  readonly reference: number;
  readonly load: number;
  readonly check: number;
  readonly own: number;
  /** For the timing lock, which is released when the compiles and runs that hold it end. */
  readonly lock: number;
}
export const defaultPhaseLimits: PhaseLimits = { reference: 60_000, load: 30_000, check: 60_000, own: 60_000, lock: 3_600_000 };

/** Signals of people and of the kernel's out-of-memory killer, which no broken kernel function sends. */
const fromOutside: ReadonlySet<string> = new Set(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"]);
export const isFromOutside = (outcome: CallOutcome<unknown>): boolean =>
  outcome.kind === "signalled" && fromOutside.has(outcome.signal);

const lacksThreads = (output: string): boolean => /^libgomp: Thread creation failed: Resource temporarily/m.test(output);

const meaning: Readonly<Record<string, string>> = {
  SIGSEGV: "it touched memory outside of its buffers (pages around each are closed, inputs are read-only) or jumped astray",
  SIGBUS: "it touched memory that is not there",
  SIGILL: "it ran an instruction that this processor lacks",
  SIGFPE: "it divided an integer by zero",
  SIGABRT: "it aborted",
  SIGXCPU: "it used up its processor time",
};
/** Which limit ended a phase, and what raises it. The run timeout covers several phases, so less may have been left of it. */
function limitWords(phase: Exclude<Phase, "own">, deadlineMs: number, facts: JobFacts): string {
  const { runTimeoutMs, referenceMs, isJudged } = facts;
  const ofReference =
    referenceMs === 4 * runTimeoutMs
      ? `${durationWords(referenceMs)}, four times the run timeout; a longer run_timeout allows more`
      : `${durationWords(referenceMs)}; a run_timeout above ${durationWords(referenceMs / 4)} allows more`;
  switch (phase) {
    case "run":
    case "lock":
      return `the run timeout of ${durationWords(runTimeoutMs)}; a longer run_timeout allows more`;
    case "fill":
    case "reference":
      return ofReference;
    case "load":
    case "check":
      return phase === "check" && isJudged === true && deadlineMs === referenceMs
        ? ofReference
        : `${durationWords(deadlineMs)}, a limit of the runner that no flag raises`;
  }
}

const subjects: Readonly<Record<Exclude<Phase, "own">, string>> = {
  fill: "filling the inputs",
  reference: "the reference kernel",
  load: "loading its code",
  lock: "the kernel",
  run: "the kernel",
  check: "comparing the outputs",
};

interface JobFacts {
  readonly phase: Phase | undefined;
  readonly hasReference: boolean;
  /** Then references run in "check" too. */
  readonly isJudged?: boolean;
  readonly runTimeoutMs: number;
  readonly referenceMs: number;
  readonly outOfMemory: boolean;
}

/** Undefined when no program was in the process, when it was killed from outside, or when it answered. */
export function blameFor(outcome: CallOutcome<ChildAnswer>, facts: JobFacts): Blame | undefined {
  const { phase, hasReference, outOfMemory } = facts;
  if (phase === undefined || phase === "own") return undefined;
  // The holder of the lock is at fault.
  if (phase === "lock" && outcome.kind === "killed") return undefined;
  const isBefore = phase === "fill" || phase === "reference";
  const on = hasReference && isBefore ? "reference" : "candidate";
  const subject = subjects[phase];
  const blame = (rule: string, message: string): Blame => ({
    errorNo: measureErrorNo.RUNTIME_DEVICE,
    rule,
    message: `${subject} ${message}`,
    on,
  });
  switch (outcome.kind) {
    case "killed":
      return {
        ...blame("run_timeout", `did not end within ${limitWords(phase, Math.round(outcome.deadlineMs), facts)}`),
        errorNo: measureErrorNo.RUN_TIMEOUT,
      };
    case "signalled": {
      const { signal } = outcome;
      if (!fromOutside.has(signal))
        return blame(signal, `was ended by ${signal}${meaning[signal] === undefined ? "" : `: ${meaning[signal]}`}`);
      return outOfMemory && signal === "SIGKILL"
        ? blame("out_of_memory", "was ended by the system's out-of-memory killer: it took more memory than this node has")
        : undefined;
    }
    case "garbled":
      return blame("channel", `wrote into the runner's own channel: ${outcome.message}`);
    case "exited":
      // The limit of processes is shared with others of the user.
      if (lacksThreads(outcome.output)) return undefined;
      return blame("exit", `ended its process with exit code ${outcome.code}`);
    case "threw":
      return blame("runner", `failed: ${firstLine(outcome.message)}`);
    default:
      return undefined;
  }
}

const namedAtMost = 4;

/** The verdict on a task whose reference cannot run: no candidate was judged, and none can be. */
export function referenceBlame({ rule, message }: Blame, { manifest }: LocalArtifact, ownRan: boolean): Omit<Blame, "on"> {
  const tensors = (role: (role: ManifestBuffer["role"]) => boolean): string => {
    const all = manifest.buffers
      .filter((buffer) => role(buffer.role))
      .map((b) => `${b.name} (${b.dtype}[${b.shape.join(", ")}])`);
    const more = all.length > namedAtMost ? [`${all.length - namedAtMost} more`] : [];
    return [...all.slice(0, namedAtMost), ...more].join(", ");
  };
  const inputs = tensors((role) => role === "in");
  const what = `${tensors((role) => role === "out" || role === "inout")}${inputs === "" ? "" : ` from ${inputs}`}`;
  const well = ownRan ? "; the node's own kernels run well after it" : "";
  return {
    errorNo: measureErrorNo.UNKNOWN_ERROR,
    rule: `reference.${rule}`,
    message: `the computation of ${what} fails in its plain form: ${message}${well}`,
  };
}

/** An end that is blamed on no program. */
export function describeEnd(outcome: CallOutcome<ChildAnswer>, phase: Phase | undefined): string {
  const where =
    phase === "own"
      ? "the node's own kernels"
      : phase === undefined
        ? "the device's child"
        : `the device's child in phase ${phase}`;
  switch (outcome.kind) {
    case "killed":
      return `${where} did not end within ${outcome.deadlineMs} ms`;
    case "signalled":
      return `${where} was ended by ${outcome.signal}`;
    case "exited":
      return `${where} exited with code ${outcome.code}${lacksThreads(outcome.output) ? ": the system gave it no more threads" : ""}`;
    case "garbled":
      return `${where} broke its channel: ${outcome.message}`;
    case "threw":
    case "unstartable":
      return outcome.message;
    case "cancelled":
      return "cancelled";
    case "answered":
      return "the child answered another question";
  }
}

/**
 * The number of processes of this host that the out-of-memory killer has ended; undefined where the system does not count them.
 */
export function parseOomKills(vmstat: string): number | undefined {
  const [, count] = /^oom_kill (\d+)$/m.exec(vmstat) ?? [];
  return count === undefined ? undefined : Number(count);
}

export function systemOomKills(): number | undefined {
  try {
    return parseOomKills(readFileSync("/proc/vmstat", "utf8"));
  } catch {
    return undefined;
  }
}

interface Programs {
  readonly artifact: LocalArtifact;
  readonly paired?: PairedRequest;
}
export const programsOf = ({ artifact, paired }: Programs): readonly LocalArtifact[] => [artifact, ...(paired?.others ?? [])];

export function ofProgram({ paired }: Pick<Programs, "paired">, blame: Omit<Blame, "on">): Omit<Blame, "on"> {
  const { failedProgram, message } = blame;
  if (paired === undefined || failedProgram === undefined) return blame;
  return { ...blame, message: `program ${failedProgram + 1} of ${1 + paired.others.length} interleaved: ${message}` };
}
