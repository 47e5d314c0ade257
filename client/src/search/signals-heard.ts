/** Resolves when signals that arrived during a long synchronous call have been handled. */
import { setImmediate as turn } from "node:timers/promises";

/** Two turns of the event loop, because the first may begin behind the point at which signals are read. */
export async function signalsHeard(): Promise<void> {
  await turn();
  await turn();
}
