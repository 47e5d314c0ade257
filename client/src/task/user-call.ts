/**
 * Calls a function of a user's file so that an endless loop in it, or a Ctrl-C meanwhile, is handled. No signal handler runs
 * while JavaScript does, so V8 has to end the call. SIGINT ends it at once; other signals wait for the call's limit.
 */
import { url as debuggerUrl } from "node:inspector";
import { Script } from "node:vm";
import { isMainThread } from "node:worker_threads";
import { badInput, FarmError } from "@warpfarm/common";

const usualMs = 5000;
const place = "warpfarm user call";
const called = new Script(`globalThis[${JSON.stringify(place)}]()`);
const global = globalThis as { [place]?: (() => unknown) | undefined };

/** The function's value. `what` names the call. Throws FarmError when the call was ended, or what the function throws. */
export function userCall<T>(what: string, run: () => T, limitMs = usualMs): T {
  // Under a debugger the call may pause for any time.
  const limit = debuggerUrl() === undefined ? { timeout: limitMs } : {};
  const { user: before } = process.cpuUsage();
  for (;;) {
    global[place] = run;
    try {
      return called.runInThisContext({ ...limit, breakOnSigint: isMainThread, displayErrors: false }) as T;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ERR_SCRIPT_EXECUTION_INTERRUPTED") {
        // V8 took the signal from its listeners.
        if (!process.emit("SIGINT", "SIGINT")) process.kill(process.pid, "SIGINT");
        throw new FarmError("CANCELLED", `stopped by SIGINT within ${what}`, { cause: error });
      }
      if (code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
      // The call used hardly any processor time: the process was stopped, by Ctrl-Z for instance.
      if (process.cpuUsage().user - before < limitMs * 100) continue;
      throw badInput(
        `${what} did not end within ${limitMs / 1000} s${limitMs === usualMs ? "; it takes milliseconds, unless a loop in it never ends" : ""}`,
        { cause: error },
      );
    } finally {
      global[place] = undefined;
    }
  }
}
