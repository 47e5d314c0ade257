/**
 * From program to artifact. LocalBuildExecutor builds in child processes, one per running build; at the build timeout a child is
 * killed with everything that it started. Caching and slots are decorators, composed in main.ts. A refusal of the program is a
 * value. FarmError means that this machine could not do the build, and another builder tries.
 */
import { mkdirSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  type ArtifactDigest,
  type ArtifactManifest,
  type Clock,
  defined,
  digestOf,
  durationWords,
  type FailedResult,
  FarmError,
  firstLine,
  loweringToolchain,
  measureErrorNo,
  type NewId,
  type ProgramBytes,
  type ProgramDigest,
  randomId,
  systemClock,
} from "@warpfarm/common";
import {
  type CallOutcome,
  ChildHost,
  HostLock,
  isDiskFull,
  type LockPatience,
  type LoweringTold,
  moduleBeside,
  type Sandbox,
} from "@warpfarm/common/process";
import { decodeManifest, encodeManifest } from "@warpfarm/proto";
import type { ClientText } from "./toolchain/toolchain.ts";
import {
  answerSchema,
  type BuildProgress,
  maxMessageBytes,
  progressRules,
  progressSchema,
  replaySchema,
} from "./worker/answers.ts";
import {
  type BuildAnswer,
  type BuildCommand,
  type BuildLimits,
  type ChildSettings,
  defaultLimits,
  type ReplayAnswer,
  type ReplayCommand,
} from "./worker/messages.ts";

export interface BuildRequest {
  readonly program: ProgramBytes;
  readonly timeoutMs: number;
  /** Folders of the program's bundles, in order; absent = none, or not fetched yet (decorators/bundles.ts). */
  readonly includes?: readonly string[];
}

export interface Artifact {
  readonly digest: ArtifactDigest;
  readonly manifest: ArtifactManifest;
  readonly manifestBytes: Uint8Array;
  readonly code: Uint8Array;
}

/** `buildMs` is 0 when nothing was compiled. */
export type BuildResult =
  | { readonly kind: "built"; readonly artifact: Artifact; readonly buildMs: number; readonly cached: boolean }
  | { readonly kind: "failed"; readonly result: FailedResult };

export interface BuildOptions {
  readonly signal?: AbortSignal;
  /** Called when a compiler gets the program; never when the result existed. */
  readonly onBegin?: () => void;
}

interface ReplayRequest {
  readonly claim: Uint8Array;
  readonly timeoutMs: number;
}

export interface BuildExecutor extends AsyncDisposable {
  /** Throws the signal's reason, or FarmError when the build could not be carried out (RESOURCE_EXHAUSTED: no disk). */
  build(request: BuildRequest, options?: BuildOptions): Promise<BuildResult>;
}

export interface LocalBuildOptions extends Omit<ChildSettings, "limits" | "clientText"> {
  readonly clientText?: ClientText;
  readonly limits?: Partial<BuildLimits>;
  /** The sandbox of compile children; absent = none. */
  readonly sandbox?: Pick<Sandbox, "layers" | "koffi" | "readable">;
  /** Private to this process; created when missing. */
  readonly workDirectory: string;
  readonly module?: string;
  readonly onLine?: (line: string) => void;
  readonly patience?: LockPatience;
  readonly clock?: Pick<Clock, "now">;
  readonly newId?: NewId;
  readonly onTold?: (program: ProgramDigest, told: LoweringTold) => void;
}

/** Processes and threads of a child: Node's dozen, a compiler's tree or NVRTC's threads. */
const childProcesses = 64;

interface CompileChild {
  readonly host: ChildHost<BuildCommand | ReplayCommand, BuildAnswer | ReplayAnswer>;
  readonly folder: string;
}

export class LocalBuildExecutor implements BuildExecutor {
  readonly #options: LocalBuildOptions;
  readonly #clock: Pick<Clock, "now">;
  readonly #newId: NewId;
  readonly #all = new Set<CompileChild>();
  readonly #idle: CompileChild[] = [];

  constructor(options: LocalBuildOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#newId = options.newId ?? randomId;
  }

  /** Starts a child, to find out early whether one starts. Throws with the child's message. */
  async start(): Promise<void> {
    const child = this.#take();
    try {
      await child.host.start();
    } finally {
      this.#idle.push(child);
    }
  }

  /** Starts as many children more. One that does not start is replaced for the build that it gets. */
  warm(children: number): void {
    for (let i = 0; i < children; i++) {
      const child = this.#made();
      // The first of the list is taken last: the others are ready sooner.
      this.#idle.unshift(child);
      void child.host.start().catch(() => {});
    }
  }

  async build({ program, timeoutMs, includes = [] }: BuildRequest, { signal, onBegin }: BuildOptions = {}): Promise<BuildResult> {
    const child = this.#take();
    const directory = join(child.folder, this.#newId());
    await mkdir(directory, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
      this.#idle.push(child);
      throw isDiskFull(error) ? new FarmError("RESOURCE_EXHAUSTED", (error as Error).message) : error;
    });
    const { patience } = this.#options;
    using waiting = patience?.waiting();
    let holding: Disposable | undefined;
    // Until a compiler has the text, it is this package that decides about the program.
    let toolchain = loweringToolchain(this.#options.compilerVersion);
    try {
      const outcome = await child.host.call(
        { program: program.bytes, directory, includes, timeoutMs },
        {
          ...defined({ signal }),
          refusalOf: progressRules(),
          // The child reports when it holds the lock and begins: waiting for a timed kernel is not building.
          onProgress: (value, setDeadline) => {
            const progress = value as BuildProgress;
            if ("toolchain" in progress) toolchain = progress.toolchain;
            else if ("told" in progress) this.#options.onTold?.(program.digest, progress.told);
            else {
              waiting?.[Symbol.dispose]();
              holding = patience?.holding(timeoutMs);
              setDeadline(timeoutMs);
              onBegin?.();
            }
          },
        },
      );
      signal?.throwIfAborted();
      const result = resultOf(program, timeoutMs, outcome, this.#clock);
      return result.kind === "failed" ? { ...result, result: { ...result.result, toolchain } } : result;
    } finally {
      holding?.[Symbol.dispose]();
      this.#idle.push(child);
      await rm(directory, { recursive: true, force: true });
    }
  }

  /**
   * The program that a claim gives here. Throws FarmError when it took too long or ended its child: another builder may succeed.
   */
  async replay({ claim, timeoutMs }: ReplayRequest, { signal }: Pick<BuildOptions, "signal"> = {}): Promise<ReplayAnswer> {
    const child = this.#take();
    try {
      const outcome = await child.host.call(
        { claim },
        {
          ...defined({ signal }),
          answer: replaySchema,
          refusalOf: progressRules(),
          onProgress: (_begun, setDeadline) => setDeadline(timeoutMs),
        },
      );
      signal?.throwIfAborted();
      return replayOf(outcome, timeoutMs);
    } finally {
      this.#idle.push(child);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#all].map(({ host }) => host[Symbol.asyncDispose]()));
    await rm(this.#options.workDirectory, { recursive: true, force: true });
  }

  #take(): CompileChild {
    return this.#idle.pop() ?? this.#made();
  }

  #made(): CompileChild {
    const {
      compilerVersion,
      toolchains,
      lockDirectory,
      clientText = "refused",
      limits,
      debug,
      sandbox,
      workDirectory,
      module,
      onLine,
    } = this.#options;
    const settings: ChildSettings = {
      compilerVersion,
      toolchains,
      lockDirectory,
      clientText,
      limits: { ...defaultLimits, ...limits },
      ...defined({ debug }),
    };
    const folder = join(workDirectory, `child-${this.#all.size + 1}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const host = new ChildHost<BuildCommand | ReplayCommand, BuildAnswer | ReplayAnswer>({
      module: module ?? moduleBeside(import.meta.url, "worker/child"),
      name: "compile child",
      args: [JSON.stringify(settings)],
      env: { LC_ALL: "C", TMPDIR: folder },
      speaks: { answer: answerSchema, progress: progressSchema },
      maxMessageBytes,
      newId: this.#newId,
      ...(sandbox === undefined ? {} : { sandbox: () => this.#sandboxOf(sandbox, folder) }),
      ...defined({ onLine }),
    });
    const child = { host, folder };
    this.#all.add(child);
    return child;
  }

  #sandboxOf({ layers, koffi, readable }: Pick<Sandbox, "layers" | "koffi" | "readable">, folder: string): Sandbox {
    const { paths, stamp } = HostLock.files(this.#options.lockDirectory);
    const places = { directory: folder, readable: [...readable, ...paths], writable: [folder] };
    return { layers, koffi, contents: "compilers", processes: childProcesses, ...places, stamp };
  }
}

function replayOf(outcome: CallOutcome<BuildAnswer | ReplayAnswer>, timeoutMs: number): ReplayAnswer {
  if (outcome.kind === "killed")
    throw new FarmError("DEADLINE_EXCEEDED", `the claim was not replayed within ${timeoutMs} ms; killed at the deadline`);
  // A bug of a template, which the same claim meets on every builder.
  if (outcome.kind === "threw") return { kind: "replay_refused", message: firstLine(outcome.message) };
  if (outcome.kind === "garbled") return { kind: "replay_refused", message: brokenWords(outcome.message) };
  if (outcome.kind !== "answered") throw endOf(outcome);
  return outcome.value as ReplayAnswer;
}

const brokenWords = (message: string): string => `the compile child broke its channel: ${message}`.slice(0, 1024);

function endOf(outcome: Exclude<CallOutcome<never>, { readonly kind: "answered" | "threw" | "killed" | "garbled" }>): FarmError {
  switch (outcome.kind) {
    case "cancelled":
      return new FarmError("CANCELLED", "the build was cancelled");
    case "unstartable":
      return new FarmError("UNAVAILABLE", outcome.message);
    case "exited":
      return new FarmError("UNAVAILABLE", `the compile child exited with code ${outcome.code}: ${outcome.output.slice(-500)}`);
    case "signalled":
      return new FarmError("UNAVAILABLE", `the compile child was ended by ${outcome.signal}`);
  }
}

function resultOf(
  program: ProgramBytes,
  timeoutMs: number,
  outcome: CallOutcome<BuildAnswer | ReplayAnswer>,
  clock: Pick<Clock, "now">,
): BuildResult {
  const failed = (words: Pick<FailedResult, "errorNo" | "message" | "rule" | "log">, buildMs: number): BuildResult => ({
    kind: "failed",
    result: { kind: "failed", ...words, buildMs, runMs: 0, timestampMs: clock.now(), attempt: 1 },
  });
  switch (outcome.kind) {
    case "answered": {
      const answer = outcome.value as BuildAnswer;
      if (answer.kind === "fault") throw new FarmError("FAILED_PRECONDITION", answer.message, defined({ rule: answer.rule }));
      if (answer.kind === "disk_full") throw new FarmError("RESOURCE_EXHAUSTED", answer.message);
      if (answer.kind === "refused") {
        const { errorNo, rule, message, log, compileMs } = answer;
        return failed({ errorNo, rule, message, ...defined({ log }) }, compileMs);
      }
      const manifest: ArtifactManifest = { ...answer.manifest, program: program.digest, code: digestOf(answer.code) };
      const written = writtenManifest(manifest);
      if ("why" in written) {
        const message = `the compiler made a manifest that no tracker takes: ${written.why}`;
        const words = { errorNo: measureErrorNo.COMPILE_HOST, rule: "internal_error", message, log: written.log } as const;
        return failed(words, answer.compileMs);
      }
      return {
        kind: "built",
        artifact: { digest: written.digest, manifest, manifestBytes: written.bytes, code: answer.code },
        buildMs: answer.compileMs,
        cached: false,
      };
    }
    case "killed": {
      const message = `not built within the build timeout of ${durationWords(timeoutMs)}; a longer build_timeout allows more`;
      return failed({ errorNo: measureErrorNo.BUILD_TIMEOUT, rule: "build_timeout", message }, timeoutMs);
    }
    // A bug of the compiler, which the same program meets on every builder.
    case "threw": {
      const log = outcome.stack.replace(/file:\/\/\S*\/(?=[^/\s]+$)/gm, "");
      const message = firstLine(outcome.message);
      return failed({ errorNo: measureErrorNo.COMPILE_HOST, rule: "internal_error", message, log }, 0);
    }
    // Only what a program does to its compiler writes there, on every builder.
    case "garbled":
      return failed({ errorNo: measureErrorNo.COMPILE_HOST, rule: "channel", message: brokenWords(outcome.message) }, 0);
    default:
      throw endOf(outcome);
  }
}

/** The manifest, read as the tracker will read it. A refused one is not this node's fault: every builder would write the same. */
function writtenManifest(
  manifest: ArtifactManifest,
): ReturnType<typeof encodeManifest> | { readonly why: string; readonly log: string } {
  let written: ReturnType<typeof encodeManifest>;
  try {
    written = encodeManifest(manifest);
  } catch (error) {
    // The child's manifest has a text that JSON cannot carry.
    return { why: (error as Error).message, log: "" };
  }
  const read = decodeManifest(written.bytes);
  const log = () => Buffer.from(written.bytes.subarray(0, 1 << 16)).toString();
  return read.ok ? written : { why: `${read.error.path}: ${read.error.message}`, log: log() };
}
