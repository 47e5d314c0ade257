import { describe, expect, it } from "vitest";
import { AsyncQueue } from "./async-queue.ts";
import { after, ManualClock, systemClock } from "./clock.ts";
import { AsyncStack } from "./disposable.ts";
import { abortable, anySignal, deadlineSignal } from "./signals.ts";

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
  it("takes as many as its limit and not one more, each time that it was emptied, and nothing once it is closed", async () => {
    const queue = new AsyncQueue<number>(3);
    const items = queue[Symbol.asyncIterator]();
    for (let cycle = 0; cycle < 3; cycle++) {
      expect([0, 1, 2, 3].map((i) => queue.tryPush(i))).toEqual([true, true, true, false]);
      for (let i = 0; i < 3; i++) {
        expect(queue.size).toBe(3 - i);
        expect(await items.next()).toEqual({ done: false, value: i });
      }
    }
    const waits = items.next();
    queue.tryPush(7);
    expect(await waits).toEqual({ done: false, value: 7 });
    queue.tryPush(8);
    queue.close();
    expect(queue.tryPush(9)).toBe(false);
    await expect(queue.push(9)).rejects.toThrow("closed");
    expect([await items.next(), await items.next()]).toEqual([
      { done: false, value: 8 },
      { done: true, value: undefined },
    ]);
  });
  it("ends producers and a consumer that wait when it is closed, and fails by its first error", async () => {
    const full = new AsyncQueue<number>(1);
    full.tryPush(1);
    const pushes = [full.push(2), full.push(3)];
    full.close();
    for (const push of pushes) await expect(push).rejects.toThrow("closed");
    const empty = new AsyncQueue<number>(1);
    const next = empty[Symbol.asyncIterator]().next();
    empty.fail(new Error("first"));
    empty.fail(new Error("second"));
    await expect(next).rejects.toThrow("first");
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
  it("an abort is the promise's end for who waits, at once; afterwards nobody listens to the signal any more", async () => {
    const abort = new AbortController();
    let listeners = 0;
    const { signal } = abort;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...of: Parameters<typeof add>) => {
      listeners++;
      add(...of);
    };
    signal.removeEventListener = (...of: Parameters<typeof remove>) => {
      listeners--;
      remove(...of);
    };
    expect(await abortable(Promise.resolve(3), signal)).toBe(3);
    await expect(abortable(Promise.reject(new Error("own")), signal)).rejects.toThrow("own");
    await new Promise(setImmediate);
    expect(listeners).toBe(0);
    const never = abortable(new Promise(() => {}), signal);
    abort.abort(new Error("stopped"));
    await expect(never).rejects.toThrow("stopped");
  });
  it("any of several aborts, and those that are not there do not", () => {
    const [a, b] = [new AbortController(), new AbortController()];
    const signal = anySignal(undefined, a.signal, undefined, b.signal);
    expect(signal.aborted).toBe(false);
    b.abort(new Error("b"));
    expect([signal.aborted, (signal.reason as Error).message, anySignal(undefined).aborted]).toEqual([true, "b", false]);
  });
  it("something is done after its time, by the clock, unless it was disposed of before", async () => {
    const clock = new ManualClock(0);
    const done: string[] = [];
    after(clock, 100, () => done.push("first"));
    const second = after(clock, 100, () => done.push("second"));
    clock.advance(99);
    await Promise.resolve();
    expect(done).toEqual([]);
    second[Symbol.dispose]();
    clock.advance(1);
    await new Promise(setImmediate);
    expect(done).toEqual(["first"]);
  });
  it("a deadline names what was waited for", async () => {
    await expect(abortable(new Promise(() => {}), deadlineSignal(systemClock, 5, "the reply"))).rejects.toThrow(
      "the reply took longer than 5 ms",
    );
  });
});
