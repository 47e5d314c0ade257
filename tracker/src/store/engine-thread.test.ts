/** The near end of the engine's thread, with a scripted thread. The engine itself is tested through the store. */
import { Worker } from "node:worker_threads";
import { systemClock } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { engineOn } from "./engine-thread.ts";

const threadThat = (does: string) => new Worker(`const { parentPort } = require("node:worker_threads"); ${does}`, { eval: true });
const echo = `parentPort.on("message", (m) => { if (m === "close") process.exit(0); if (m[0] === 0) process.exit(7); parentPort.postMessage(m); });
  parentPort.postMessage("ready");`;

describe("an engine on a thread", () => {
  it("answers in order, and is gone when it is closed", async () => {
    const engine = await engineOn(threadThat(echo), systemClock);
    const answers = await Promise.all([1, 2, 3].map((n) => engine.exchange(Uint8Array.of(n))));
    expect(answers.map(([n]) => n)).toEqual([1, 2, 3]);
    const last = engine.exchange(Uint8Array.of(4));
    const closed = engine[Symbol.asyncDispose]();
    await expect(engine.exchange(Uint8Array.of(5))).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await last).toEqual(Uint8Array.of(4));
    await closed;
    await engine[Symbol.asyncDispose]();
  });
  it("is a store that is away when the thread ends: for what was asked and for what is asked later", async () => {
    const engine = await engineOn(threadThat(echo), systemClock);
    const asked = [1, 0, 2].map((n) => engine.exchange(Uint8Array.of(n)));
    const [first, ...rest] = await Promise.allSettled(asked);
    expect(first).toMatchObject({ status: "fulfilled" });
    for (const end of rest)
      expect(end).toMatchObject({ reason: { code: "UNAVAILABLE", message: expect.stringContaining("ended with 7") } });
    await expect(engine.exchange(Uint8Array.of(1))).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await engine[Symbol.asyncDispose]();
  });
  it("is gone with its last word, for what was asked and what comes; who watches it is told why", async () => {
    const engine = await engineOn(
      threadThat(`parentPort.on("message", () => {}); parentPort.postMessage("ready");`),
      systemClock,
    );
    const asked = engine.exchange(Uint8Array.of(1));
    engine.abandon(new Error("no space"));
    const gone = { code: "UNAVAILABLE", message: expect.stringMatching(/^the store stopped: no space; /) };
    await expect(asked).rejects.toMatchObject(gone);
    await expect(engine.exchange(Uint8Array.of(2))).rejects.toMatchObject(gone);
    expect(engine.gone.reason).toMatchObject(gone);
    await engine[Symbol.asyncDispose]();
  });
  it("does not hear an answer to a call that was running when it was given up", async () => {
    const said = new Int32Array(new SharedArrayBuffer(4));
    const thread = new Worker(
      `const { parentPort, workerData } = require("node:worker_threads");
       parentPort.on("message", (m) => { parentPort.postMessage(m); Atomics.store(workerData, 0, 1); Atomics.notify(workerData, 0); });
       parentPort.postMessage("ready");`,
      { eval: true, workerData: said },
    );
    const engine = await engineOn(thread, systemClock);
    const asked = engine.exchange(Uint8Array.of(1));
    Atomics.wait(said, 0, 0); // the answer waits for this thread
    engine.abandon(new Error("no space"));
    await expect(asked).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await engine[Symbol.asyncDispose]();
  });
  it("is closed though its thread does not end: what waits for it is told", async () => {
    const engine = await engineOn(
      threadThat(`parentPort.on("message", () => {}); parentPort.postMessage("ready");`),
      systemClock,
      1,
    );
    const asked = engine.exchange(Uint8Array.of(1));
    const closed = Promise.all([engine[Symbol.asyncDispose](), engine[Symbol.asyncDispose]()]);
    await expect(asked).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await closed;
    expect(engine.gone.aborted).toBe(false); // it was told to end
  });
  it("does not start when its thread does not", async () => {
    await expect(engineOn(threadThat(`throw new Error("no engine here")`), systemClock)).rejects.toThrow("no engine here");
  });
});
