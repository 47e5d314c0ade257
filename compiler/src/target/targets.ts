/**
 * The compiler's kinds of targets, by the names of common's backends. A new one takes a folder next to cuda/ and cpu/ and a line
 * here.
 */
import { Registry } from "@warpfarm/common";
import { cpuTarget } from "./cpu/index.ts";
import { cudaTarget } from "./cuda/index.ts";
import type { TargetDef } from "./target-def.ts";

export const targets = new Registry<TargetDef>("compiler target", { cpu: cpuTarget, cuda: cudaTarget });
