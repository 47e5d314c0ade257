/**
 * Requests builds on a farm ahead of any measurement (FarmService.BuildAhead), next to the session that measures. The list of
 * requests may change at any time. The caller takes ended builds when it likes. Failures never fail the search: a farm that
 * cannot or may not build ahead is not asked again, and one that is away is asked later.
 */
import {
  type ArtifactManifest,
  type Clock,
  FarmError,
  measureErrorNo,
  type ProgramBytes,
  type ProgramDigest,
  type SessionId,
} from "@warpfarm/common";
import { type AheadState, decodeManifest, type FarmClient, mostAhead, type ProgramRef } from "@warpfarm/proto";

export interface BuildsAheadOptions {
  readonly farm: Pick<FarmClient, "buildAhead">;
  readonly clock: Clock;
}

/** What a search needs of it. */
export interface AheadBuilder {
  /** Sets all requests, the most urgent first. */
  want(programs: readonly ProgramBytes[]): void;
  /** Builds that ended since the last call; undefined: the program does not build. */
  take(): ReadonlyMap<ProgramDigest, ArtifactManifest | undefined>;
}

/** Time between two questions while something waits, and after a failed question. */
const askEveryMs = 150;
const retryMs = 1_000;
/** Of programs in one call. */
const mostBytes = 2 << 20;

export class BuildsAhead implements AheadBuilder, AsyncDisposable {
  readonly #o: BuildsAheadOptions;
  readonly #stopped = new AbortController();
  readonly #asking: Promise<void>;
  #session: SessionId | undefined;
  #wanted: readonly ProgramBytes[] = [];
  /** The farm was told the list as it is. */
  #isTold = true;
  /** Whose bytes the farm has. */
  readonly #sent = new Set<ProgramDigest>();
  readonly #known = new Set<ProgramDigest>();
  #ended = new Map<ProgramDigest, ArtifactManifest | undefined>();
  #wake: (() => void) | undefined;

  constructor(options: BuildsAheadOptions) {
    this.#o = options;
    this.#asking = this.#run();
  }

  /** They are built for this session from now on. */
  inSession(session: SessionId): void {
    this.#session = session;
    this.#isTold = false;
    this.#wake?.();
  }

  want(programs: readonly ProgramBytes[]): void {
    const open = programs.filter(({ digest }) => !this.#known.has(digest)).slice(0, mostAhead);
    const isSame = open.length === this.#wanted.length && open.every(({ digest }, i) => digest === this.#wanted[i]?.digest);
    if (isSame) return;
    this.#wanted = open;
    this.#isTold = false;
    this.#wake?.();
  }

  take(): ReadonlyMap<ProgramDigest, ArtifactManifest | undefined> {
    const ended = this.#ended;
    this.#ended = new Map();
    return ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    this.#wake?.();
    await this.#asking;
  }

  async #run(): Promise<void> {
    const { clock } = this.#o;
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      if (this.#session === undefined || (this.#isTold && this.#wanted.length === 0)) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      try {
        if (!(await this.#ask(this.#session, signal))) return;
        await clock.sleep(askEveryMs, { signal });
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof FarmError) || isFinal(error)) return;
        if (error.code === "NOT_FOUND") this.#sent.clear(); // another session, or a program that is gone there
        await clock.sleep(retryMs, { signal }).catch(() => undefined);
      }
    }
  }

  /** False: the tracker is too old. */
  async #ask(sessionId: SessionId, signal: AbortSignal): Promise<boolean> {
    let bytes = 0;
    const named = this.#wanted.filter((program) => {
      bytes += this.#sent.has(program.digest) ? 0 : program.bytes.length;
      return bytes <= mostBytes;
    });
    const programs = named.map(
      (program): ProgramRef =>
        this.#sent.has(program.digest) ? { kind: "digest", digest: program.digest } : { kind: "program", program },
    );
    const wanted = this.#wanted;
    const states = await this.#o.farm.buildAhead({ sessionId, programs }, { signal });
    if (states === undefined) return false;
    this.#isTold = wanted === this.#wanted && named.length === wanted.length;
    named.forEach(({ digest }, i) => {
      this.#sent.add(digest);
      this.#note(digest, states[i] ?? { kind: "waiting" });
    });
    this.#wanted = this.#wanted.filter(({ digest }) => !this.#known.has(digest));
    return true;
  }

  #note(digest: ProgramDigest, state: AheadState): void {
    if (state.kind === "waiting" || this.#known.has(digest)) return;
    const manifest = state.kind === "built" ? decodeManifest(state.manifest) : undefined;
    this.#known.add(digest);
    // Nothing is known of a newer release's manifest, nor of a build that had too little time.
    if (manifest?.ok) this.#ended.set(digest, manifest.value);
    else if (state.kind === "failed" && isVerdict(state)) this.#ended.set(digest, undefined);
  }
}

const isVerdict = ({ result }: Extract<AheadState, { kind: "failed" }>): boolean =>
  result.kind === "failed" && result.errorNo !== measureErrorNo.UNKNOWN_ERROR && result.errorNo !== measureErrorNo.BUILD_TIMEOUT;

/** Asking again would get the same answer: a quota, a missing right, a cancelled session. */
const isFinal = ({ code, retryable }: FarmError): boolean => !retryable && code !== "NOT_FOUND";
