/** What the builder asks a compile child, and its answers. */
import type { ArtifactManifest, Refusal } from "@warpfarm/common";
import type { LoweringTold } from "@warpfarm/common/process";
import type { LoweringLogOptions } from "@warpfarm/compiler";
import type { ClientText, ToolchainFacts } from "../toolchain/toolchain.ts";

export interface ChildSettings {
  readonly toolchains: readonly ToolchainFacts[];
  /** Directory of the host-wide timing lock. */
  readonly lockDirectory: string;
  readonly clientText: ClientText;
  readonly limits: BuildLimits;
  /** What it tells of each lowering; unset = nothing. */
  readonly debug?: LoweringLogOptions;
}

/** Limits of a compile child and everything that it starts. All but `processes` are per process. */
export interface BuildLimits {
  readonly memoryBytes: number;
  /** Size of a written file, including temporary files of the compiler. */
  readonly fileBytes: number;
  /** Processes of this user on this machine. Root in the machine's namespace has no limit. */
  readonly processes: number;
  readonly openFiles: number;
}

export const defaultLimits: BuildLimits = {
  memoryBytes: 4 * 2 ** 30,
  fileBytes: 512 * 2 ** 20,
  processes: 4096,
  openFiles: 1024,
};

export interface BuildCommand {
  /** Canonical JSON of the program. */
  readonly program: Uint8Array;
  /** Empty and private. The builder removes it, also when the child dies. */
  readonly directory: string;
  /** Of the program's bundles. */
  readonly includes: readonly string[];
  readonly timeoutMs: number;
}

/** Sent when the child holds the lock and begins. The build timeout starts here. */
export interface BuildBegun {
  readonly begun: true;
}

/** Sent when a compiler gets the text: the id of the toolchain. */
export interface BuildWith {
  readonly toolchain: string;
}

/** Sent after the lowering, also when it threw. */
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
  /** Nor anything else, until there is room. */
  | { readonly kind: "disk_full"; readonly message: string };
