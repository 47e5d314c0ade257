import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test, vi } from "vitest";
import { stuckAfterMs } from "./health.ts";
import { serve } from "./serve.ts";
import type { Synchronizer } from "./synchronizer.ts";

async function freePort(): Promise<number> {
  await using server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as { readonly port: number }).port;
}

const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const { signal } = new AbortController();

test("a worker whose calls end in an error ends its rechecks, and its health is how long nothing moved", async () => {
  const health = `127.0.0.1:${await freePort()}`;
  let told: readonly [number, string] | undefined;
  const synchronizer = {
    idleMs: stuckAfterMs,
    async run() {
      const reply = await fetch(`http://${health}/healthz`);
      told = [reply.status, await reply.text()];
      throw new Error("refused for good");
    },
  } as unknown as Synchronizer;
  const rechecked = vi.fn();
  const role = {
    async recheck(options: { readonly signal: AbortSignal }) {
      if (!options.signal.aborted) await once(options.signal, "abort");
      rechecked();
    },
  };
  await expect(serve(synchronizer, role, { health, signal, log })).rejects.toThrow("refused for good");
  expect(told).toEqual([503, "stuck for 120 s\n"]);
  await vi.waitFor(() => expect(rechecked).toHaveBeenCalledOnce());
  expect(log.info).not.toHaveBeenCalled();
  await expect(fetch(`http://${health}/healthz`)).rejects.toThrow("fetch failed");
});

test("a worker that has nothing more to do does not wait for its rechecks", { timeout: 30_000 }, async () => {
  const synchronizer = { run: async () => undefined } as unknown as Synchronizer;
  const role = { recheck: async (options: { readonly signal: AbortSignal }) => void (await once(options.signal, "abort")) };
  await serve(synchronizer, role, { health: undefined, signal, log });
  expect(log.info).toHaveBeenCalledExactlyOnceWith("ended");
});
