/** What the supervisor (host.ts) asks the child that owns a device, and what the child answers. Structured clone carries it. */
import type { ArtifactDigest, ArtifactManifest, MeasureOptions, PairedOptions } from "@warpfarm/common";
import type { DeviceDescription } from "../device/device-api.ts";
import type { OwnTimes } from "../device/own.ts";
import type { Failure, Phase, Timing } from "../measure/measure.ts";

/** An artifact whose code lies on disk, checked against its digest. */
export interface LocalArtifact {
  readonly digest: ArtifactDigest;
  readonly manifest: ArtifactManifest;
  readonly codePath: string;
  /** Files of the blobs that its buffers are filled from, by their digests; absent = there are none. */
  readonly blobPaths?: { readonly [digest: string]: string };
}

export interface ChildSettings {
  /** As given to `--device`. */
  readonly device: string;
  readonly allowShared?: boolean;
  readonly threads: number;
  /** Directory of the host-wide timing lock. */
  readonly lockDirectory: string;
  readonly addressSpaceBytes: number;
  /**
   * Memory of its own that the process may have where a device works in the host's, so that a program runs out of it before the
   * host does.
   */
  readonly dataBytes?: number;
  /** Inputs and reference outputs kept for later candidates, when the device works in the host's memory. */
  readonly keepBytes: number;
  /** Code in place of the node's own kernels; for tests. */
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
    }
  /** Runs the node's own kernels; where there are none it only shows that the device answers. */
  | { readonly kind: "own"; readonly timed: boolean };

/** What is measured in turns with the artifact. */
export interface PairedRequest {
  readonly others: readonly LocalArtifact[];
  readonly options: PairedOptions;
}

/**
 * Sent before each phase. `budgetMs`: with "run", what is left of the run timeout. `program`: whose phase it is, of several in
 * turns.
 */
export interface PhaseReport {
  readonly phase: Phase;
  readonly budgetMs?: number;
  readonly program?: number;
}

/** `ofReference`: what failed is what the candidate must agree with, or its inputs. */
export type ChildAnswer =
  | Timing
  | (Failure & { readonly ofReference?: boolean })
  /** They answered right. */
  | { readonly kind: "own"; readonly times?: OwnTimes }
  | { readonly kind: "described"; readonly description: DeviceDescription }
  /**
   * No program's doing; the process must not go on. `unopened`: it did not get the device, which may be described all the same.
   * `hardware`: the driver says so, and no more: whether the node is well its own kernels must tell.
   */
  | {
      readonly kind: "fault";
      readonly message: string;
      readonly unopened?: boolean;
      readonly hardware?: boolean;
      readonly description?: DeviceDescription;
    };
