/** From artifact to times. Nobody calls a runner: it connects to the tracker. */

export { type RunnerOptions, runnerMain } from "./main.ts";
