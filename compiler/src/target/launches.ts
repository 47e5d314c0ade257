/** What each kind of target can launch. */
import { Registry } from "@warpfarm/common";
import { cpuLaunch } from "./cpu/launch.ts";
import { cudaLaunch } from "./cuda/launch.ts";
import type { LaunchDef } from "./launch-def.ts";

export const launches = new Registry<LaunchDef>("compiler target", { cpu: cpuLaunch, cuda: cudaLaunch });
