/** From artifact to times. Nobody calls a runner: it connects to the tracker. */

export { runnerMain } from "./main.ts";
