/** Reports the log of a claimed task to the farm, in pieces from where the farm's copy ends. */
import { open } from "node:fs/promises";
import { FarmError } from "@warpfarm/common";
import type { SuiteClient } from "@warpfarm/proto";

const mostPiece = 1 << 20;

export class LogReport {
  readonly #send: (log: Uint8Array, at: number, ended: string, signal: AbortSignal) => ReturnType<SuiteClient["report"]>;
  readonly #path: string;
  #sent: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(suites: SuiteClient, suiteId: string, taskId: string, epoch: number, path: string, sent: number) {
    this.#send = (log, logAt, ended, signal) => suites.report({ suiteId, taskId, epoch, logAt, log, ended }, { signal });
    this.#path = path;
    this.#sent = sent;
  }

  send(ended: string, signal: AbortSignal): Promise<{ readonly isOurs: boolean }> {
    const next = this.#last.then(() => this.#sendNow(ended, signal));
    this.#last = next.catch(() => {});
    return next;
  }
  async #sendNow(ended: string, signal: AbortSignal): Promise<{ readonly isOurs: boolean }> {
    for (;;) {
      const piece = await readFrom(this.#path, this.#sent);
      const isLast = piece.length < mostPiece;
      try {
        const { cancelled } = await this.#send(piece, this.#sent, isLast ? ended : "", signal);
        this.#sent += piece.length;
        if (cancelled) return { isOurs: false };
      } catch (error) {
        if (error instanceof FarmError && error.code === "ABORTED") return { isOurs: false };
        if (!(error instanceof FarmError) || !error.retryable || ended !== "") throw error;
        return { isOurs: true }; // the tracker is away: the next time
      }
      if (isLast) return { isOurs: true };
    }
  }
}

async function readFrom(path: string, at: number): Promise<Uint8Array> {
  const file = await open(path).catch(() => undefined);
  if (!file) return new Uint8Array();
  try {
    const buffer = Buffer.alloc(mostPiece);
    const { bytesRead } = await file.read(buffer, 0, mostPiece, at);
    const read = buffer.subarray(0, bytesRead);
    return bytesRead === mostPiece ? read : read.subarray(0, read.lastIndexOf(10) + 1);
  } finally {
    await file.close();
  }
}
