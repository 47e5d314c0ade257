/** What the supervisor (host.ts) asks the child that owns a device, and what the child answers. Structured clone carries it. */
import type { ArtifactDigest, ArtifactManifest, MeasureOptions } from "@warpfarm/common";
import type { DeviceDescription } from "../device/device-api.ts";
import type { Failure, Phase, Timing } from "../measure/measure.ts";

/** An artifact whose code lies on disk, checked against its digest. */
export interface LocalArtifact {
  readonly digest: ArtifactDigest;
  readonly manifest: ArtifactManifest;
  readonly codePath: string;
}

export interface ChildSettings {
  /** As given to `--device`. */
  readonly device: string;
  readonly allowShared?: boolean;
  readonly threads: number;
  /** Directory of the host-wide timing lock. */
  readonly lockDirectory: string;
  readonly addressSpaceBytes: number;
  /** Inputs and reference outputs kept for later candidates, when the device works in the host's memory. */
  readonly keepBytes: number;
}

export type ChildRequest =
  | { readonly kind: "describe" }
  | {
      readonly kind: "measure";
      readonly artifact: LocalArtifact;
      readonly reference?: LocalArtifact;
      readonly options: MeasureOptions;
    }
  /** Runs the reference kernel alone; without one only shows that the device answers. */
  | { readonly kind: "verify"; readonly reference?: LocalArtifact };

/** Sent before each phase. `budgetMs`: with "run", what is left of the run timeout. */
export interface PhaseReport {
  readonly phase: Phase;
  readonly budgetMs?: number;
}

/** `referenceDigest` names the reference output, bit for bit: equal in every process of this device. */
export type ChildAnswer =
  | ((Timing | Failure) & { readonly referenceDigest?: string })
  | { readonly kind: "verified"; readonly referenceDigest?: string }
  | { readonly kind: "described"; readonly description: DeviceDescription }
  /** Not the candidate's doing. `tainted`: the process must not go on. `unopened`: it did not get the device, which may be described all the same. */
  | {
      readonly kind: "fault";
      readonly message: string;
      readonly tainted?: boolean;
      readonly unopened?: boolean;
      readonly description?: DeviceDescription;
    };
