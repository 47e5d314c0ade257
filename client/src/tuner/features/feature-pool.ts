/** Threads that make feature vectors: a bounded number, started on demand, each with one job at a time. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Json } from "@warpfarm/common";
import type { ConfigIndex } from "@warpfarm/compiler";

export interface TaskSpec {
  readonly word: string;
  readonly file?: string;
  readonly args: readonly Json[];
  readonly target: string;
}
export interface FeatureJob {
  readonly spec: TaskSpec;
  readonly configs: readonly ConfigIndex[];
}
export type FeatureAnswer = { readonly vectors: readonly Float32Array[] } | { readonly error: string };

interface FeaturePoolOptions {
  readonly threads?: number;
  /** The thread's module. Unset: the built one next to this file. */
  readonly script?: URL;
}

/** Few, so that all threads end at about the same time. */
const configsPerJob = 16;
const mostThreads = 16;

interface Waiting {
  readonly job: FeatureJob;
  readonly resolve: (vectors: readonly Float32Array[]) => void;
  readonly reject: (error: Error) => void;
}

export class FeaturePool implements AsyncDisposable {
  readonly #threads: number;
  readonly #script: URL;
  readonly #idle: Worker[] = [];
  readonly #alive = new Set<Worker>();
  readonly #queue: Waiting[] = [];
  #closed = false;

  constructor({ threads = Math.min(mostThreads, availableParallelism()), script }: FeaturePoolOptions = {}) {
    this.#threads = Math.max(1, threads);
    this.#script = script ?? new URL("./feature-thread.js", import.meta.url);
  }

  /** Vectors in the order of the configs. Rejects when closed, or when the task cannot be opened there. */
  async extract(spec: TaskSpec, configs: readonly ConfigIndex[]): Promise<readonly Float32Array[]> {
    const jobs: Promise<readonly Float32Array[]>[] = [];
    for (let from = 0; from < configs.length; from += configsPerJob)
      jobs.push(this.#submit({ spec, configs: configs.slice(from, from + configsPerJob) }));
    return (await Promise.all(jobs)).flat();
  }

  #submit(job: FeatureJob): Promise<readonly Float32Array[]> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    const thread = this.#queue.length === 0 ? undefined : (this.#idle.pop() ?? this.#start());
    const waiting = thread && this.#queue.shift();
    if (!thread || !waiting) return;
    const { job, resolve, reject } = waiting;
    const onMessage = (answer: FeatureAnswer): void => {
      thread.off("exit", onExit);
      thread.unref();
      this.#idle.push(thread);
      if ("vectors" in answer) resolve(answer.vectors);
      else reject(new Error(answer.error));
      this.#next();
    };
    const onExit = (): void => {
      reject(this.#closed ? closedError() : new Error("a thread that extracts features ended"));
      this.#next();
    };
    thread.once("message", onMessage);
    thread.once("exit", onExit);
    thread.ref();
    thread.postMessage(job);
  }

  #start(): Worker | undefined {
    if (this.#alive.size >= this.#threads) return undefined;
    const thread = new Worker(this.#script);
    // The thread's end matters, and `exit` reports it.
    thread.on("error", () => {});
    thread.once("exit", () => {
      this.#alive.delete(thread);
      const at = this.#idle.indexOf(thread);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    this.#alive.add(thread);
    return thread;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#queue.splice(0)) reject(closedError());
    await Promise.all([...this.#alive].map((thread) => thread.terminate()));
  }
}

const closedError = (): Error => new Error("the threads that extract features are closed");
