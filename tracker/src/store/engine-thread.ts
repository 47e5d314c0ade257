/**
 * The engine on a thread of its own (engine-worker.ts): a statement takes milliseconds, and the tracker answers a thousand workers meanwhile.
 * A request and its answer change hands, they are not copied. When the thread ends before it is told to, the store is away for good.
 */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { FarmError, invariant } from "@warpfarm/common";
import type { Engine } from "./engine.ts";

/** Compiled: Node runs no TypeScript. Seen from src/store and from dist/store alike. */
const script = fileURLToPath(new URL("../../dist/store/engine-worker.js", import.meta.url));

/** Whether the package was built. */
export const hasEngineThread = (): boolean => existsSync(script);

export interface EngineWorkerData {
  readonly directory: string;
}

/** To the thread: a request, or "close". From it: "ready", then an answer for each request, in their order. */
export type ToWorker = Uint8Array<ArrayBuffer> | "close";
export type FromWorker = Uint8Array<ArrayBuffer> | "ready";

interface Waiting {
  readonly resolve: (answer: Uint8Array<ArrayBuffer>) => void;
  readonly reject: (reason: unknown) => void;
}

class EngineThread implements Engine {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #gone: FarmError | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on("message", (answer: FromWorker) => {
      const next = this.#waiting.shift();
      invariant(next && answer !== "ready", "the engine's thread answered what it was not asked");
      next.resolve(answer);
    });
    worker.on("error", (error) => this.#end(error));
    worker.on("exit", (code) => this.#end(new Error(`its thread ended with ${code}`)));
  }

  exchange(request: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#gone) return Promise.reject(this.#gone);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(request satisfies ToWorker, [request.buffer]);
    });
  }

  #end(cause: Error): void {
    this.#gone ??= new FarmError("UNAVAILABLE", `the store is gone: ${cause.message}`, { cause });
    for (const { reject } of this.#waiting.splice(0)) reject(this.#gone);
  }

  /** What was asked before is answered; what comes later is too late. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#gone) return;
    this.#gone = new FarmError("UNAVAILABLE", "the store is closed");
    const ended = new Promise((resolve) => this.#worker.once("exit", resolve));
    this.#worker.postMessage("close" satisfies ToWorker);
    await ended;
  }
}

/** `worker` is one of engine-worker.ts. Resolves when it is ready, or throws what ended it. */
export async function engineOn(worker: Worker): Promise<Engine> {
  await once(worker, "message");
  return new EngineThread(worker);
}

/** A directory that holds a store. */
export const startEngineThread = (directory: string): Promise<Engine> =>
  engineOn(new Worker(script, { workerData: { directory } satisfies EngineWorkerData }));
