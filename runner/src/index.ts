/** From artifact to times. The process is the public face: nobody calls a runner, and it connects to the tracker. */

export { type RunnerOptions, runnerMain } from "./main.ts";
