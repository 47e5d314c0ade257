/** Artifact to times. The process is the face: nobody calls a runner, it dials the tracker. */

export { type RunnerOptions, runnerMain } from "./main.ts";
export { inputSeed } from "./measure/inputs.ts";
