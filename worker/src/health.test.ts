/** What a liveness probe is told of a worker. */
import { expect, onTestFinished, test } from "vitest";
import { serveHealth, stuckAfterMs } from "./health.ts";

test("200 while the work goes on, 503 once nothing moved for two minutes, nothing else of it", async () => {
  let idleMs = 0;
  const health = await serveHealth("127.0.0.1:0", () => idleMs);
  onTestFinished(() => health[Symbol.asyncDispose]());
  const ask = async (path: string, method = "GET") => {
    const reply = await fetch(`http://127.0.0.1:${health.port}${path}`, { method });
    return [reply.status, await reply.text()];
  };
  expect(await ask("/healthz")).toEqual([200, "ok\n"]);
  idleMs = stuckAfterMs - 1;
  expect(await ask("/healthz")).toEqual([200, "ok\n"]);
  idleMs = stuckAfterMs;
  expect(await ask("/healthz")).toEqual([503, "stuck for 120 s\n"]);
  expect([await ask("/"), await ask("/healthz", "POST")]).toEqual([
    [404, ""],
    [404, ""],
  ]);
  await expect(serveHealth(`127.0.0.1:${health.port}`, () => 0)).rejects.toThrow(/--health: cannot listen on 127\.0\.0\.1:/);
});
