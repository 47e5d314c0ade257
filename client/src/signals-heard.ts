/** Resolves when a signal that came while code gave no way has been heard. */
import { setImmediate as turn } from "node:timers/promises";

/** Two turns of the event loop: the first may begin behind the place where it looks for signals. */
export async function signalsHeard(): Promise<void> {
  await turn();
  await turn();
}
