/**
 * The embedded engine as its session sees it: requests of the wire protocol go in, the bytes of their answers come out. Here it
 * runs on the caller's thread; engine-thread.ts is the same on a thread of its own.
 */
import { setFlagsFromString } from "node:v8";
import { PGlite } from "@electric-sql/pglite";
import { storeGone } from "./engine-thread.ts";

export interface Engine extends AsyncDisposable {
  /** In the order of the calls. The request may be given away. Rejects only when the engine is no more. */
  exchange(request: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
  /** It said its last word, and will answer nothing more: whoever waits for it is told so. */
  abandon(cause: Error): void;
  /** Aborts, with the reason, when the engine is no more and was not told to end. */
  readonly gone: AbortSignal;
}

/**
 * V8 compiles a WebAssembly function anew, optimized, when it has run for so many bytes of code. Its default of 1.8 million
 * spends a second of processor time on what only the start runs. With this one a start spends none of it, and statements are at
 * their best, at half of what they cost at first, after some eight thousand jobs.
 */
const tieringBudget = "--wasm-tiering-budget=25000000";

/**
 * shared_buffers: what a farm works on at a time is a few megabytes; the rest lies in the system's cache, a read away. The
 * default of 128 MB would all be touched sooner or later, and stay.
 */
const startParams = [...PGlite.defaultStartParams, "-c", "shared_buffers=32MB"];

/** `memory`, or a directory; `template`: what a store in memory begins with. */
export async function openEngine(data: string, template?: Uint8Array<ArrayBuffer>): Promise<Engine> {
  setFlagsFromString(tieringBudget);
  const dataDir = data === "memory" ? "memory://" : data;
  return engineOf(await PGlite.create({ dataDir, startParams, ...(template ? { loadDataDir: new Blob([template]) } : {}) }));
}

export function engineOf(pglite: PGlite): Engine {
  const end = new AbortController();
  return {
    async exchange(request) {
      end.signal.throwIfAborted();
      const parts: Uint8Array[] = [];
      await pglite.execProtocolRawStream(request, {
        syncToFs: false,
        onRawData: (bytes) => void parts.push(bytes.slice()),
      });
      return joined(parts);
    },
    abandon: (cause) => end.abort(storeGone(cause)),
    gone: end.signal,
    async [Symbol.asyncDispose]() {
      if (!end.signal.aborted) await pglite.close();
    },
  };
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((n, part) => n + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
