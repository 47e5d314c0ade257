/**
 * What a command may touch. Everything of the outside world that a command needs comes in here, so that a test can give its own,
 * and so that commands which need no farm load no farm: the two services that deploy provides are loaded by it on first use.
 */
import type { ArtifactManifest, Bundle, Clock, FailedResult, NewId, ProgramBytes } from "@warpfarm/common";
import type { Command } from "commander";

export interface TextSink {
  write(text: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** A farm of this machine's own: tracker, builder and runner as processes. */
export interface EmbeddedFarm extends AsyncDisposable {
  /** host:port of the tracker. */
  readonly address: string;
  /** Match key of its one device, for instance `cpu/x86-64-v3` or `cuda/sm_90`. */
  readonly key: string;
  readonly dataDir: string;
  /** Address of its tracker's page. */
  readonly page?: string;
  /** Aborts, with the reason, when a part died and could not be brought back. */
  readonly lost: AbortSignal;
}

/** `auto`: a GPU when there is one, else the processor; else as `--device` takes it: `cpu`; `cuda`, any GPU; `cuda:0`. */
export type DeviceChoice = string;

export interface EmbeddedFarmOptions {
  /** What it measures on. */
  readonly device: DeviceChoice;
  readonly dataDir: string;
  readonly cacheDir: string;
  readonly signal: AbortSignal;
  /** One line per noteworthy event (temporary store taken, builder restarted). */
  readonly notice: (text: string) => void;
}

export type BuiltHere =
  | { readonly kind: "built"; readonly manifest: ArtifactManifest; readonly code: Uint8Array; readonly buildMs: number }
  | { readonly kind: "failed"; readonly result: FailedResult };

/** What doctor found. `missing` stops a use that this machine is set up for; `absent` only rules one out. */
export interface Finding {
  readonly name: string;
  readonly state: "ok" | "absent" | "missing";
  readonly detail: string;
  /** What to do, or what it would be for. */
  readonly advice?: string;
}

export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly clock: Clock;
  /** Names sessions and requests. */
  readonly newId: NewId;
  /** Aborts with an Interrupted on SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** Match key of this machine's processor: what code is made for when neither a farm nor a flag says. */
  hostKey(): Promise<string>;
  startFarm(options: EmbeddedFarmOptions): Promise<EmbeddedFarm>;
  /** Compiles a program in this process tree, without a farm. */
  buildHere(
    program: ProgramBytes,
    options: {
      readonly timeoutMs: number;
      readonly cacheDir: string;
      readonly signal: AbortSignal;
      /** Headers that the program names. */
      readonly bundles?: readonly Bundle[];
      /** PTX in place of a cubin: needs nvcc. */
      readonly form?: "ptx";
    },
  ): Promise<BuiltHere>;
  /** What only the composition root can look at: native libraries, the store and its lock. */
  probeMachine(places: { readonly dataDir: string; readonly cacheDir: string }): Promise<readonly Finding[]>;
  /** Set by a command that has finished; the process ends with it. */
  setExitCode(code: number): void;
}

/** Adds one command to the program. */
export type RegisterCommand = (program: Command, context: CliContext) => void;
