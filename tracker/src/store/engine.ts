/** The embedded engine for its session: requests of the wire protocol go in, the bytes of their answers come out. */
import { setFlagsFromString } from "node:v8";
import { PGlite } from "@electric-sql/pglite";
import { type Engine, storeGone } from "./engine-thread.ts";
import { joined } from "./wire.ts";

/**
 * V8 compiles a WebAssembly function anew, optimized, after it has run so many bytes of code. The default of 1.8 million spends a
 * second of processor time on code that only the start runs. With this value a start spends none, and statements reach their best
 * speed, half of their first cost, after about eight thousand jobs.
 */
const tieringBudget = "--wasm-tiering-budget=25000000";

/**
 * shared_buffers: a farm works on a few megabytes at a time, and the rest is in the system's cache, one read away. The default of
 * 128 MB would all be touched sooner or later, and stay in memory.
 */
const startParams = [...PGlite.defaultStartParams, "-c", "shared_buffers=32MB"];

/** `memory`, or a directory. `template`: the initial content of a store in memory. */
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
