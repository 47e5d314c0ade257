import type { LoopRef } from "../../schedule/state.ts";
import type { LaunchDef } from "../launch-def.ts";
import { cudaLimits } from "./limits.ts";
import { tileReduction } from "./tile-reduction.ts";

/** Threads of a default schedule's block. The last block is guarded. */
const threads = 256;

export const cudaLaunch: LaunchDef = {
  limits: ({ level }) => cudaLimits(level),
  spread: (schedule, loop) => {
    const [block, thread] = schedule.split(loop, [null, threads]) as [LoopRef, LoopRef];
    schedule.bind(block, "blockIdx.x");
    schedule.bind(thread, "threadIdx.x");
    return thread;
  },
  tile: tileReduction,
};
