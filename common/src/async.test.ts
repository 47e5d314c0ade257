import { describe, expect, it } from "vitest";
import { AsyncQueue } from "./async-queue.ts";
import { ManualClock, systemClock } from "./clock.ts";
import { AsyncStack } from "./disposable.ts";
import { abortable, deadlineSignal } from "./signals.ts";

describe("AsyncQueue", () => {
  it("holds producers back at its limit and loses nothing", async () => {
    const queue = new AsyncQueue<number>(2);
    let highest = 0;
    const produce = (async () => {
      for (let i = 0; i < 50; i++) {
        await queue.push(i);
        highest = Math.max(highest, queue.size);
      }
      queue.close();
    })();
    const got: number[] = [];
    for await (const item of queue) {
      got.push(item);
      await new Promise(setImmediate);
    }
    await produce;
    expect(got).toEqual(Array.from({ length: 50 }, (_, i) => i));
    expect(highest).toBe(2);
  });
  it("fails its consumer and its waiting producers", async () => {
    const queue = new AsyncQueue<number>(1);
    await queue.push(1);
    const waiting = queue.push(2);
    queue.fail(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    await expect(queue[Symbol.asyncIterator]().next()).rejects.toThrow("gone");
  });
});

describe("ManualClock", () => {
  it("wakes sleepers at their deadlines, in order, and not before", async () => {
    const clock = new ManualClock(0);
    const woken: number[] = [];
    for (const ms of [30, 10, 20]) void clock.sleep(ms).then(() => woken.push(ms));
    clock.advance(20);
    await Promise.resolve();
    await Promise.resolve();
    expect(woken).toEqual([10, 20]);
  });
  it("rejects a sleep whose signal aborts", async () => {
    for (const clock of [new ManualClock(), systemClock]) {
      const controller = new AbortController();
      const sleep = clock.sleep(60_000, { signal: controller.signal });
      controller.abort(new Error("enough"));
      await expect(sleep).rejects.toThrow("enough");
    }
  });
});

describe("AsyncStack", () => {
  it("undoes in reverse, once, past an error", async () => {
    const undone: string[] = [];
    const stack = new AsyncStack();
    stack.defer(() => undone.push("a"));
    stack.defer(() => {
      throw new Error("b");
    });
    stack.defer(() => undone.push("c"));
    await expect(stack[Symbol.asyncDispose]()).rejects.toThrow("b");
    await stack[Symbol.asyncDispose]();
    expect(undone).toEqual(["c", "a"]);
  });
});

describe("signals", () => {
  it("an aborted signal leaves the promise's own failure to nobody", async () => {
    const unheard: unknown[] = [];
    const hear = (reason: unknown) => unheard.push(reason);
    process.prependListener("unhandledRejection", hear);
    const fails = new Promise<never>((_, reject) => setImmediate(() => reject(new Error("too late"))));
    await expect(abortable(fails, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    process.off("unhandledRejection", hear);
    expect(unheard).toEqual([]);
  });
  it("a deadline names what was waited for", async () => {
    await expect(abortable(new Promise(() => {}), deadlineSignal(systemClock, 5, "the reply"))).rejects.toThrow(
      "the reply took longer than 5 ms",
    );
  });
});
