/** The thread of engine-thread.ts. */
import { parentPort, workerData } from "node:worker_threads";
import { invariant } from "@warpfarm/common";
import { openEngine } from "./engine.ts";
import type { EngineWorkerData, FromWorker, ToWorker } from "./engine-thread.ts";

invariant(parentPort, "engine-worker runs as a thread");
const port = parentPort;
const engine = await openEngine((workerData as EngineWorkerData).directory);
port.on("message", async (request: ToWorker) => {
  if (request === "close") {
    await engine[Symbol.asyncDispose]();
    port.close();
    return;
  }
  const answer = await engine.exchange(request);
  port.postMessage(answer satisfies FromWorker, [answer.buffer]);
});
port.postMessage("ready" satisfies FromWorker);
