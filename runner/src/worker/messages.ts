/** What the supervisor (host.ts) asks the child that owns a device, and the child's answers, whose form is in answers.ts. */
import type { ArtifactDigest, ArtifactManifest, JudgedJob, MeasureOptions, PairedOptions } from "@warpfarm/common";
import type { DeviceDescription } from "../device/device-api.ts";
import type { OwnTimes } from "../device/own.ts";
import type { Failure } from "../measure/batches.ts";
import type { Phase, Timing } from "../measure/measure.ts";

export interface LocalArtifact {
  readonly digest: ArtifactDigest;
  readonly manifest: ArtifactManifest;
  readonly codePath: string;
  /** Files of the blobs that fill its buffers, by digest; absent: there are none. */
  readonly blobPaths?: { readonly [digest: string]: string };
}

export interface ChildSettings {
  readonly device: string;
  readonly allowShared?: boolean;
  readonly yieldToOthers?: boolean;
  readonly threads: number;
  readonly lockDirectory: string;
  readonly addressSpaceBytes: number;
  /** Memory limit of the process where a device uses the host's memory, so a program runs out of memory before the host does. */
  readonly dataBytes?: number;
  /** Bytes of inputs and reference outputs kept for later candidates, when the device uses the host's memory. */
  readonly keepBytes: number;
  readonly ownCode?: string;
}

export type ChildRequest =
  | { readonly kind: "describe" }
  | {
      readonly kind: "measure";
      readonly artifact: LocalArtifact;
      readonly reference?: LocalArtifact;
      readonly options: MeasureOptions;
      readonly paired?: PairedRequest;
      readonly judged?: JudgedJob;
    }
  | { readonly kind: "own"; readonly timed: boolean };

/** A request of a judged measurement. */
export type JudgedRequest = Required<Pick<Extract<ChildRequest, { kind: "measure" }>, "options" | "judged">>;

export interface PairedRequest {
  readonly others: readonly LocalArtifact[];
  readonly options: PairedOptions;
}

/**
 * Sent before each phase. `budgetMs`: with "run", the rest of the run timeout. `program`: whose phase it is, of several
 * interleaved programs.
 */
export interface PhaseReport {
  readonly phase: Phase;
  readonly budgetMs?: number;
  readonly program?: number;
}

/** `ofReference`: the reference or its inputs failed. */
export type ChildAnswer =
  | Timing
  | (Failure & { readonly ofReference?: boolean })
  | { readonly kind: "own"; readonly times?: OwnTimes }
  | { readonly kind: "described"; readonly description: DeviceDescription }
  /**
   * No program is the cause, and the process must not continue. `unopened`: it did not get the device, whose description may
   * still be there. `hardware`: the driver says that the hardware is at fault; the node's own kernels must confirm it. `busy`:
   * others use the device, which yields to them; the process continues.
   */
  | {
      readonly kind: "fault";
      readonly message: string;
      readonly unopened?: boolean;
      readonly hardware?: boolean;
      readonly busy?: boolean;
      readonly description?: DeviceDescription;
    };
