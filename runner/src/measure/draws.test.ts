import { describe, expect, it } from "vitest";
import type { DeviceApi, DeviceModule, RotationPlan } from "../device/device-api.ts";
import { Draws } from "./draws.ts";
import type { HostClock } from "./host-clock.ts";
import { judgedBatch } from "./judged.ts";

describe("draws from a secret", () => {
  it("are the same for the same secret, and others for another; seeds do not depend on them", () => {
    const of = (secret: string) => {
      const draws = new Draws(secret);
      const before = draws.seed("set 1");
      const numbers = [draws.next(), draws.next(), draws.between(1, 1000)];
      return { numbers, before, after: draws.seed("set 1"), other: draws.seed("set 2") };
    };
    expect(of("a")).toEqual(of("a"));
    expect(of("a").numbers).not.toEqual(of("b").numbers);
    expect(of("a").before).toBe(of("a").after);
    expect(new Set([of("a").before, of("a").other, of("b").before]).size).toBe(3);
  });

  it("of a geometric length end with the same chance after any number of steps", () => {
    const draws = new Draws("lengths");
    const mean = 20;
    const lengths = Array.from({ length: 20_000 }, () => draws.geometric(mean, 10_000));
    expect(lengths.reduce((a, b) => a + b) / lengths.length).toBeCloseTo(mean, 0);
    // Of the lengths that reach k, one in 20 ends there.
    for (const k of [1, 5, 20, 40]) {
      const there = lengths.filter((length) => length >= k);
      const chance = there.filter((length) => length === k).length / there.length;
      expect(Math.abs(chance - 1 / mean)).toBeLessThan(4 * Math.sqrt(1 / mean / there.length));
    }
  });

  it("of a length stay between 1 and the most, and a mean of 1 leaves no choice", () => {
    const draws = new Draws("short");
    const lengths = Array.from({ length: 2_000 }, () => draws.geometric(5, 8));
    expect([Math.min(...lengths), Math.max(...lengths)]).toEqual([1, 8]);
    expect(draws.geometric(1, 8)).toBe(1);
  });

  it("between two numbers reach both", () => {
    const draws = new Draws("between");
    const drawn = new Set(Array.from({ length: 300 }, () => draws.between(3, 6)));
    expect([...drawn].sort()).toEqual([3, 4, 5, 6]);
  });

  it("make judged batches that have as many runs as were asked for, in the mean, and never one graph", () => {
    let graphs = 0;
    const rotation = (_: DeviceModule, { count }: RotationPlan) => ({
      run: () => {
        graphs++;
        return { ms: count, hostMs: count };
      },
      [Symbol.dispose]: () => {},
    });
    const sets = Array.from({ length: 3 }, () => ({ buffers: new Map(), refill: () => {} }));
    const reload = () => ({ manifest: { kernels: [{}] } }) as unknown as DeviceModule;
    const judged = { sets, reload, draws: new Draws("batches") };
    const clock = { ms: ({ ms }: { readonly ms: number }) => ms } as unknown as HostClock;
    const runs = Array.from({ length: 1_000 }, () => {
      graphs = 0;
      const batch = judgedBatch({ rotation } as unknown as DeviceApi, judged, 40, { timer: "cuda_graph", l2: "warm" }, clock);
      expect(graphs).toBeGreaterThan(1);
      return "runs" in batch ? batch.runs : Number.NaN;
    });
    // A graph has ten on average, and at the end of a batch it goes on by nine.
    expect(Math.abs(runs.reduce((a, b) => a + b) / runs.length - 39)).toBeLessThan(2);
  });
});
