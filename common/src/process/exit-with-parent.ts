/**
 * No process of a farm outlives the one that started it. Several mechanisms work together, because each alone has a gap. The
 * channel (serve.ts) or the stdin pipe closes: seen at once, but only by a process that reads it. The lifeline (protocol.ts)
 * closes: the kernel kills the whole process group with grandchildren at once, also while the main thread is inside native code,
 * until foreign code closes the file. Where the kernel cannot, a watchdog thread sees the parent's pid change; a thread takes as
 * much of a processor to start as a process. prctl(PR_SET_PDEATHSIG) in libc.ts: by the kernel too, but only for this one
 * process.
 */
import { Worker } from "node:worker_threads";
import { closeInherited } from "./inherited.ts";
import type { Libc } from "./libc.ts";
import { lifelineFd } from "./protocol.ts";

/** Runs in a thread of its own, so native code or a loop in the main thread does not stop it. */
const watchdog = `
const { workerData } = require("node:worker_threads");
setInterval(() => {
  if (process.ppid === workerData.parent) return;
  for (const pid of [-process.pid, process.pid]) try { process.kill(pid, "SIGKILL"); } catch {}
}, workerData.everyMs);
`;

interface ExitOptions {
  /** Absent: the thread watches, every `everyMs`. */
  readonly libc?: Pick<Libc, "killGroupWithOtherEnd">;
  readonly everyMs?: number;
}

/** For children of ChildHost: kills this process and its process group with SIGKILL when the host is gone. Call it first. */
export function exitWithParent({ libc, everyMs = 500 }: ExitOptions): void {
  closeInherited();
  if (libc?.killGroupWithOtherEnd(lifelineFd) !== true) {
    const thread = new Worker(watchdog, { eval: true, workerData: { parent: process.ppid, everyMs }, env: {}, stdin: false });
    thread.unref();
  }
}

export function killOwnGroup(): void {
  for (const pid of [-process.pid, process.pid]) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // This process does not lead a group; the second kill covers that case.
    }
  }
}

/** The first line that the parent writes to standard input. Never resolves when there is none. */
export const lineFromParent = (): Promise<string> =>
  new Promise((resolve) => {
    let text = "";
    const take = (part: Buffer): void => {
      text += part.toString();
      const end = text.indexOf("\n");
      if (end < 0) return;
      process.stdin.off("data", take);
      resolve(text.slice(0, end));
    };
    process.stdin.on("data", take);
  });

/**
 * For long-lived processes that were started with a pipe on stdin or an IPC channel: calls `gone` once, when the other end
 * closes.
 */
export function whenParentGone(gone: () => void): void {
  let told = false;
  const once = (): void => {
    if (told) return;
    told = true;
    gone();
  };
  if (process.channel !== undefined && process.channel !== null) process.once("disconnect", once);
  else {
    process.stdin.once("end", once).once("close", once).once("error", once);
    process.stdin.resume();
  }
}
