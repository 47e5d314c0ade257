/** The compiler's kinds of targets, by the names of common's backends. */
import { Registry } from "@warpfarm/common";
import { cpuTarget } from "./cpu/index.ts";
import { cudaTarget } from "./cuda/index.ts";
import type { TargetDef } from "./target-def.ts";

export const targets = new Registry<TargetDef>("compiler target", { cpu: cpuTarget, cuda: cudaTarget });
