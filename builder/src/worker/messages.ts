import type { ArtifactManifest, ProgramDigest, Refusal } from "@warpfarm/common";
import type { LoweringTold } from "@warpfarm/common/process";
import type { LoweringLogOptions } from "@warpfarm/compiler";
import type { ClientText, ToolchainFacts } from "../toolchain/toolchain.ts";

export interface ChildSettings {
  readonly compilerVersion: string;
  readonly toolchains: readonly ToolchainFacts[];
  readonly lockDirectory: string;
  readonly clientText: ClientText;
  readonly limits: BuildLimits;
  /** The child reports each lowering with these options; unset: nothing. */
  readonly debug?: LoweringLogOptions;
}

export interface BuildLimits {
  readonly memoryBytes: number;
  readonly fileBytes: number;
  readonly openFiles: number;
}

export const defaultLimits: BuildLimits = {
  memoryBytes: 4 * 2 ** 30,
  fileBytes: 512 * 2 ** 20,
  openFiles: 1024,
};

export interface BuildCommand {
  readonly program: Uint8Array;
  readonly directory: string;
  readonly includes: readonly string[];
  readonly timeoutMs: number;
}

/** Canonical JSON of a claim (records/src/claim.ts), whose program is made and not built. */
export interface ReplayCommand {
  readonly claim: Uint8Array;
}

export type ReplayAnswer =
  | { readonly kind: "replayed"; readonly program: ProgramDigest; readonly reference: ProgramDigest }
  | { readonly kind: "replay_refused"; readonly message: string };

/** Sent when the child holds the lock and begins. The build timeout starts here. */
export interface BuildBegun {
  readonly begun: true;
}

/** Sent when a compiler gets the text, with the name of the toolchain that is then to decide (common/src/toolchain.ts). */
export interface BuildWith {
  readonly toolchain: string;
}

export interface BuildTold {
  readonly told: LoweringTold;
}

export type BuildAnswer =
  | {
      readonly kind: "built";
      readonly code: Uint8Array;
      /** The manifest without the digests of program and code. */
      readonly manifest: Omit<ArtifactManifest, "program" | "code">;
      readonly compileMs: number;
    }
  | (Refusal & {
      readonly kind: "refused";
      /** 1 INSTANTIATION_ERROR, 2 COMPILE_HOST, 3 COMPILE_DEVICE. */
      readonly errorNo: 1 | 2 | 3;
      readonly compileMs: number;
    })
  /** This builder cannot build the program, and the candidate is not the cause. */
  | { readonly kind: "fault"; readonly message: string; readonly rule?: string }
  /** No build is possible until there is room. */
  | { readonly kind: "disk_full"; readonly message: string };
