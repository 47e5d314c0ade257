/** Reading and writing of streams that the test plays. */
import { EventEmitter, getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { cancelling, reading, writing } from "./streams.ts";

class Source extends EventEmitter {
  readonly calls: string[] = [];
  pause = () => this.calls.push("pause");
  resume = () => this.calls.push("resume");
  cancel = () => void this.calls.push("cancel");
  give(from: number, to: number): void {
    for (let i = from; i < to; i++) this.emit("data", i);
  }
}
const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

it("16 messages wait at most, and more are asked for once fewer than 8 do, each time", async () => {
  const source = new Source();
  const messages = reading<number>(source);
  for (let round = 0; round < 2; round++) {
    source.calls.length = 0;
    source.give(0, 15);
    expect(source.calls).toEqual([]);
    source.give(15, 16);
    expect(source.calls).toEqual(["pause"]);
    for (let i = 0; i < 8; i++) expect((await messages.next()).value).toBe(i);
    expect(source.calls).toEqual(["pause"]);
    expect((await messages.next()).value).toBe(8);
    expect(source.calls).toEqual(["pause", "resume"]);
    for (let i = 9; i < 16; i++) await messages.next();
  }
  source.emit("end");
  expect([await messages.next(), await messages.next()]).toEqual(Array(2).fill({ value: undefined, done: true }));
});

it("what came before the end or an error is given before it", async () => {
  const source = new Source();
  const messages = reading<number>(source, { mapError: (error) => new Error(`it said: ${(error as Error).message}`) });
  const first = messages.next();
  source.give(0, 2);
  source.emit("error", new Error("lost"));
  source.emit("error", new Error("again"));
  source.emit("end");
  expect([(await first).value, (await messages.next()).value]).toEqual([0, 1]);
  for (let i = 0; i < 2; i++) await expect(messages.next()).rejects.toThrow("it said: lost");
});

it.each([
  "before",
  "while it waits",
  "with messages at hand",
])("aborted %s it ends with the signal's reason, and listens no more", async (when) => {
  const source = new Source();
  const over = new AbortController();
  if (when === "before") over.abort(new Error("ctrl-C"));
  const messages = reading<number>(source, { signal: over.signal });
  if (when === "with messages at hand") source.give(0, 3);
  const next = when === "while it waits" ? messages.next() : undefined;
  over.abort(new Error("ctrl-C"));
  await expect(next ?? messages.next()).rejects.toThrow("ctrl-C");
  expect(listeners(over.signal)).toBe(0);
});

it("one that is left is cancelled once, and neither one that has ended nor its signal is touched again", async () => {
  const { signal } = new AbortController();
  const [left, ended] = [new Source(), new Source()];
  const messages = cancelling<number>(left, { signal });
  left.give(0, 3);
  for await (const _ of messages) break;
  await messages.return?.();
  expect(left.calls.filter((call) => call === "cancel")).toHaveLength(1);
  expect(await messages.next()).toEqual({ value: undefined, done: true });
  const over = cancelling<number>(ended, { signal });
  ended.emit("end");
  await over.next();
  await over.return?.();
  expect(ended.calls).toEqual(["resume"]);
  expect(listeners(signal)).toBe(0);
});

it("a write waits for room, or for the end of its signal, and leaves no listener behind", async () => {
  const over = new AbortController();
  let hasRoom = true;
  const sink = Object.assign(new EventEmitter(), { write: () => hasRoom });
  await writing(sink, "a", over.signal);
  hasRoom = false;
  for (let round = 0; round < 2; round++) {
    let isDone = false;
    const written = writing(sink, "b", over.signal).then(() => {
      isDone = true;
    });
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    sink.emit("drain");
    await written;
    expect([listeners(over.signal), sink.listenerCount("drain")]).toEqual([0, 0]);
  }
  const waiting = writing(sink, "c", over.signal);
  over.abort(new Error("ctrl-C"));
  await expect(waiting).rejects.toThrow("ctrl-C");
  expect([listeners(over.signal), sink.listenerCount("drain")]).toEqual([0, 0]);
  await expect(writing(sink, "d", over.signal)).rejects.toThrow("ctrl-C");
});
