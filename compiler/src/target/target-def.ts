/** What the compiler must know of a kind of target: how to lower, check and print for it. */
import type { Target } from "@warpfarm/common";
import type { Kernel, PrimFunc } from "../ir/prim-func.ts";
import type { Pipeline } from "../lower/pass.ts";
import type { DeviceFeatures } from "../verify/device.ts";
import type { Rule } from "../verify/rule.ts";

interface Printed {
  readonly text: string;
  /** Bytes by kernel. */
  readonly dynamicSharedBytes: readonly number[];
}

export interface TargetDef {
  /** The name of the language is a form of `lower` and selects a toolchain; its extension is a file's. */
  readonly language: { readonly name: string; readonly extension: string };
  readonly pipeline: (target: Target) => Pipeline<"scheduled", "lowered">;
  readonly split: (func: PrimFunc<"lowered">, target: Target) => readonly Kernel[];
  readonly features: (target: Target) => DeviceFeatures;
  readonly rules: (kernel: Kernel, target: Target) => readonly Rule[];
  /** Requires kernels that break none of the rules. */
  readonly print: (kernels: readonly Kernel[], target: Target) => Printed;
}
