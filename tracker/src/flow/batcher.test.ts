import { FarmError, ManualClock } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { Batcher } from "./batcher.ts";

describe("Batcher", () => {
  const clock = new ManualClock();
  it("what comes while a batch is written goes together in the next; answers keep their items", async () => {
    const batches: number[][] = [];
    const batcher = new Batcher<number, number>(
      async (items) => {
        batches.push([...items]);
        await new Promise((resolve) => setTimeout(resolve, 5));
        return items.map((i) => i * 10);
      },
      { clock },
    );
    const first = batcher.push(1);
    await new Promise((resolve) => setImmediate(resolve));
    const rest = [2, 3, 4].map((i) => batcher.push(i));
    expect(await Promise.all([first, ...rest])).toEqual([10, 20, 30, 40]);
    expect(batches).toEqual([[1], [2, 3, 4]]);
  });

  it("one that breaks its batch fails alone", async () => {
    const batcher = new Batcher<number, number>(
      async (items) => {
        if (items.includes(2)) throw new Error("two");
        return [...items];
      },
      { clock },
    );
    const settled = await Promise.allSettled([1, 2, 3].map((i) => batcher.push(i)));
    expect(settled.map((s) => s.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await batcher.push(4)).toBe(4);
  });

  it("a store that is away is asked once for all of them, and again for those that come after", async () => {
    let asked = 0;
    const batcher = new Batcher<number, number>(
      async (items) => {
        if (++asked === 1) throw new FarmError("UNAVAILABLE", "the store cannot be reached");
        return [...items];
      },
      { clock },
    );
    const settled = await Promise.allSettled([1, 2, 3].map((i) => batcher.push(i)));
    expect(settled.map((s) => s.status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(await batcher.push(4)).toBe(4);
    expect(asked).toBe(2);
  });

  it("never writes more at once than its limit, and works again after being idle", async () => {
    const sizes: number[] = [];
    const batcher = new Batcher<number, number>(
      async (items) => {
        sizes.push(items.length);
        return [...items];
      },
      { clock, maxItems: 3 },
    );
    await Promise.all(Array.from({ length: 8 }, (_, i) => batcher.push(i)));
    expect(sizes).toEqual([3, 3, 2]);
    await batcher.push(9);
    expect(sizes).toEqual([3, 3, 2, 1]);
  });

  it("batches begin some time apart, by the clock that it is given, however soon the one before was written", async () => {
    const own = new ManualClock();
    const batches: (readonly number[])[] = [];
    const run = async (items: readonly number[]) => {
      batches.push(items);
      return items;
    };
    const batcher = new Batcher<number, number>(run, { everyMs: 1_000, clock: own });
    expect(await batcher.push(1)).toBe(1);
    const rest: Promise<number>[] = [];
    for (const i of [2, 3, 4]) {
      rest.push(batcher.push(i));
      await new Promise((resolve) => setImmediate(resolve));
    }
    own.advance(999);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(batches).toEqual([[1]]);
    own.advance(1);
    expect(await Promise.all(rest)).toEqual([2, 3, 4]);
    expect(batches).toEqual([[1], [2, 3, 4]]);
  });
});
