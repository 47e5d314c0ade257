/**
 * What code is made for: `cuda/sm_90`, `cuda/sm_90a`, `cpu/x86-64-v3`, `cpu/arm64`. A target is data; what a kind of target can do
 * (pipeline, codegen) is TargetDef in index.ts.
 */
import { FarmError, isTarget } from "@warpfarm/common";

export type CpuLevel = "x86-64-v1" | "x86-64-v2" | "x86-64-v3" | "x86-64-v4" | "arm64";

export interface CudaTarget {
  readonly kind: "cuda";
  /** As written: `cuda/sm_90a`. */
  readonly text: string;
  /** Compute capability times ten: 90 for sm_90 and sm_90a. */
  readonly capability: number;
}
export interface CpuTarget {
  readonly kind: "cpu";
  readonly text: string;
  readonly level: CpuLevel;
}
export type Target = CudaTarget | CpuTarget;
export type TargetKind = Target["kind"];

/** Throws FarmError INVALID_ARGUMENT that names the text and what is allowed. */
export function parseTarget(text: string): Target {
  if (!isTarget(text)) {
    throw new FarmError(
      "INVALID_ARGUMENT",
      `target ${JSON.stringify(text)} is not known; write cuda/sm_90, cuda/sm_90a, cpu/x86-64-v1 .. cpu/x86-64-v4 or cpu/arm64`,
    );
  }
  const cuda = /^cuda\/sm_(\d+)a?$/.exec(text);
  if (cuda) return { kind: "cuda", text, capability: Number(cuda[1]) };
  return { kind: "cpu", text, level: text.slice("cpu/".length) as CpuLevel };
}

/** Bytes of the widest vector register of a CPU level (arm64: NEON). */
export function vectorBytes(level: CpuLevel): number {
  switch (level) {
    case "x86-64-v4":
      return 64;
    case "x86-64-v3":
      return 32;
    case "x86-64-v1":
    case "x86-64-v2":
    case "arm64":
      return 16;
  }
}
