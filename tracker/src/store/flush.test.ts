import { expect, it } from "vitest";
import { shared } from "./flush.ts";

/** Flushes that end when they are told to, by number. */
function flushes() {
  const begun: { readonly end: () => void; readonly fail: (why: Error) => void }[] = [];
  const flush = shared(() => new Promise((end, fail) => begun.push({ end, fail })));
  const turns = async () => {
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { begun, flush, turns };
}

it("is one for all who ask in one turn, and for those who ask during it another, one at a time", async () => {
  const { begun, flush, turns } = flushes();
  const done: string[] = [];
  const ask = (name: string) => void flush().then(() => done.push(name));
  ask("a");
  ask("b");
  await turns();
  expect(begun).toHaveLength(1);
  ask("c");
  ask("d");
  await turns();
  expect([begun.length, done]).toEqual([1, []]);
  begun[0]?.end();
  await turns();
  expect([begun.length, done]).toEqual([2, ["a", "b"]]); // c and d may have committed after the first began
  begun[1]?.end();
  await turns();
  expect(done).toEqual(["a", "b", "c", "d"]);
  ask("e");
  await turns();
  expect(begun).toHaveLength(3);
});

it("that fails fails those who waited for it, and nobody else", async () => {
  const { begun, flush, turns } = flushes();
  const first = flush().catch((error: Error) => error.message);
  await turns();
  const second = flush();
  begun[0]?.fail(new Error("away"));
  expect(await first).toBe("away");
  await turns();
  begun[1]?.end();
  await second;
});
