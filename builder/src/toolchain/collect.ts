/** What a command printed and how it ended. */
import type { ChildProcess } from "node:child_process";

export interface Collected {
  /** Null when it was ended by a signal. */
  readonly code: number | null;
  readonly signal: string | null;
  /** stdout and stderr as they came, the beginning when there is more than the limit. */
  readonly output: string;
}

/** Rejects when the command could not be started. Goes on reading beyond the limit, so that the command does not block. */
export function collect(child: ChildProcess, limitBytes: number): Promise<Collected> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        if (size < limitBytes) chunks.push(chunk.subarray(0, limitBytes - size));
        size += chunk.length;
      });
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, output: Buffer.concat(chunks).toString("utf8") }));
  });
}
