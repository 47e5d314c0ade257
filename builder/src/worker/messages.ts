/** What the builder asks a compile child, and what it answers. Structured clone carries it. */
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
  /** What instructions of kernels are counted with; unset = they are not. */
  readonly nvdisasm?: string;
  /** What it tells of each lowering; unset = nothing. */
  readonly debug?: LoweringLogOptions;
}

/** Of a compile child and of everything it starts: of each process, but for `processes`. */
export interface BuildLimits {
  readonly memoryBytes: number;
  /** Of a file that is written: temporary files of the compiler included. */
  readonly fileBytes: number;
  /** Of this user on this machine; root in a namespace of the machine has none. */
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
  /** Empty and private; removed by the builder, also when the child dies. */
  readonly directory: string;
  /** Of the program's bundles. */
  readonly includes: readonly string[];
  readonly timeoutMs: number;
}

/** Sent when the child holds the lock and begins: the build timeout runs from here. */
export interface BuildBegun {
  readonly begun: true;
}

/** Sent after the lowering, also when that threw. */
export interface BuildTold {
  readonly told: LoweringTold;
}

export type BuildAnswer =
  | {
      readonly kind: "built";
      readonly code: Uint8Array;
      /** All of the manifest but the names of program and code. */
      readonly manifest: Omit<ArtifactManifest, "program" | "code">;
      readonly compileMs: number;
    }
  | (Refusal & {
      readonly kind: "refused";
      /** 1 INSTANTIATION_ERROR, 2 COMPILE_HOST, 3 COMPILE_DEVICE. */
      readonly errorNo: 1 | 2 | 3;
      readonly compileMs: number;
    })
  /** This builder cannot build that, whatever the candidate. */
  | { readonly kind: "fault"; readonly message: string; readonly rule?: string }
  /** Nor anything else, until there is room. */
  | { readonly kind: "disk_full"; readonly message: string };
