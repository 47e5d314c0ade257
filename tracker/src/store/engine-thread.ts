/**
 * The engine on a thread of its own (engine-worker.ts): a statement takes milliseconds, in which the tracker answers a thousand
 * workers. Requests and answers are transferred, not copied. If the thread ends before it is told to, the store is gone for good.
 */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { after, type Clock, FarmError, invariant } from "@warpfarm/common";
import { engineWords } from "@warpfarm/records";

export interface Engine extends AsyncDisposable {
  /** Answers in the order of the calls. The request may be transferred. Rejects only when the engine stopped. */
  exchange(request: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
  abandon(cause: Error): void;
  readonly gone: AbortSignal;
}

/** The compiled script, because Node runs no TypeScript. The path is right from both src/store and dist/store. */
const script = fileURLToPath(new URL("../../dist/store/engine-worker.js", import.meta.url));

export const hasEngineThread = (): boolean => existsSync(script);

export interface EngineWorkerData {
  readonly directory: string;
}

/** A message to the thread: a request, or "close". */
export type ToWorker = Uint8Array<ArrayBuffer> | "close";
export type FromWorker = Uint8Array<ArrayBuffer> | "ready";

interface Waiting {
  readonly resolve: (answer: Uint8Array<ArrayBuffer>) => void;
  readonly reject: (reason: unknown) => void;
}

/** The error for every call from then on. */
export const storeGone = (cause: Error): FarmError =>
  new FarmError(
    "UNAVAILABLE",
    `the store stopped: ${engineWords(cause)}; it holds what was acknowledged, and the next start reads it`,
    {
      cause,
      rule: "store.away",
    },
  );

/** The engine may take this long to end. */
const closeMs = 2_500;

class EngineThread implements Engine {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  readonly #end = new AbortController();
  readonly #closeMs: number;
  readonly #clock: Clock;
  #closed: Promise<void> | undefined;
  #abandoned = false;

  constructor(worker: Worker, clock: Clock, closeWithinMs: number) {
    this.#worker = worker;
    this.#clock = clock;
    this.#closeMs = closeWithinMs;
    worker.on("message", (answer: FromWorker) => {
      // Queued before the thread was told to end; its caller has been told that the store stopped.
      if (this.#abandoned) return;
      const next = this.#waiting.shift();
      invariant(next && answer !== "ready", "the engine's thread answered what it was not asked");
      next.resolve(answer);
    });
    worker.on("error", (error) => this.abandon(error));
    worker.on("exit", (code) => this.abandon(new Error(`its thread ended with ${code}`)));
  }

  get gone(): AbortSignal {
    return this.#end.signal;
  }

  exchange(request: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    if (this.gone.aborted) return Promise.reject(this.gone.reason);
    if (this.#closed) return Promise.reject(new FarmError("UNAVAILABLE", "the store is closed", { rule: "store.away" }));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(request satisfies ToWorker, [request.buffer]);
    });
  }

  abandon(cause: Error): void {
    if (this.#abandoned) return;
    this.#abandoned = true;
    const error = storeGone(cause);
    if (!this.#closed) this.#end.abort(error);
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    void this.#worker.terminate();
  }

  /** Earlier requests are answered, if the engine answers at all. Later ones are too late. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    if (this.gone.aborted) {
      await this.#worker.terminate(); // until then it may hold files of the directory
      return;
    }
    const ended = new Promise((resolve) => this.#worker.once("exit", resolve));
    this.#worker.postMessage("close" satisfies ToWorker);
    using _late = after(this.#clock, this.#closeMs, () => void this.#worker.terminate());
    await ended;
  }
}

/** `worker` runs engine-worker.ts. Resolves when it is ready, or throws what ended it. */
export async function engineOn(worker: Worker, clock: Clock, closeWithinMs = closeMs): Promise<Engine> {
  await once(worker, "message");
  return new EngineThread(worker, clock, closeWithinMs);
}

export const startEngineThread = (directory: string, clock: Clock): Promise<Engine> =>
  engineOn(new Worker(script, { workerData: { directory } satisfies EngineWorkerData }), clock);
