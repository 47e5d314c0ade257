/**
 * The outside world of a command. Everything that a command needs of it comes in here, so a test can replace it. Commands that
 * need no farm load none: deploy provides two services, which are loaded at their first use.
 */
import type { ArtifactManifest, Bundle, Clock, FailedResult, NewId, ProgramBytes } from "@warpfarm/common";
import type { Tracing } from "@warpfarm/proto";
import type { openLocalRecords } from "@warpfarm/records";
import type { Command } from "commander";

export interface TextSink {
  write(text: string | Uint8Array): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface EmbeddedFarm extends AsyncDisposable {
  readonly address: string;
  /** Match key of its one device, for instance `cpu/x86-64-v3` or `cuda/sm_90`. */
  readonly key: string;
  readonly dataDir: string;
  readonly page?: string;
  readonly lost: AbortSignal;
}

/** `auto`: a GPU if there is one, otherwise the processor. Or a value of `--device`: `cpu`; `cuda`, any GPU; `cuda:0`. */
export type DeviceChoice = string;

export interface EmbeddedFarmOptions {
  readonly device: DeviceChoice;
  readonly dataDir: string;
  readonly cacheDir: string;
  readonly signal: AbortSignal;
  readonly notice: (text: string) => void;
  /** Called when the farm's processes were started, before they are ready. What it throws ends the farm. */
  readonly meanwhile?: (() => Promise<void>) | undefined;
}

export type BuiltHere =
  | { readonly kind: "built"; readonly manifest: ArtifactManifest; readonly code: Uint8Array; readonly buildMs: number }
  | { readonly kind: "failed"; readonly result: FailedResult };

/** A result of doctor. `missing`: something that this machine is set up for does not work. `absent`: a use is not possible. */
export interface Finding {
  readonly name: string;
  readonly state: "ok" | "absent" | "missing";
  readonly detail: string;
  readonly advice?: string;
}

export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly clock: Clock;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  readonly newId: NewId;
  readonly signal: AbortSignal;
  /** Match key of this machine's processor: the target when neither a farm nor a flag names one. */
  hostKey(): Promise<string>;
  startFarm(options: EmbeddedFarmOptions): Promise<EmbeddedFarm>;
  buildHere(
    program: ProgramBytes,
    options: {
      readonly timeoutMs: number;
      readonly cacheDir: string;
      readonly signal: AbortSignal;
      readonly bundles?: readonly Bundle[];
      /** PTX in place of a cubin: needs nvcc. */
      readonly form?: "ptx";
    },
  ): Promise<BuiltHere>;
  /** The records in a directory of this machine. Unset = those of a store on disk. */
  readonly openRecords?: typeof openLocalRecords;
  /** Checks that only the composition root can make: native libraries, the store and its lock. */
  probeMachine(places: { readonly dataDir: string; readonly cacheDir: string }): Promise<readonly Finding[]>;
  setExitCode(code: number): void;
}

export type RegisterCommand = (program: Command, context: CliContext) => void;
