/** When the host's clock contradicts the device's timer: graphs whose times by both are given. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { DeviceApi, Timed } from "../device/device-api.ts";
import { HostClock } from "./host-clock.ts";

/** Milliseconds by the device, and by the host. */
type Pair = readonly [ms: number, hostMs: number];
const times = (n: number, ms: number, hostMs: number) => Array.from({ length: n }, () => [ms, hostMs] as const);

/** A host, on which the way to the device and back takes so long after a graph of so many milliseconds. */
class Host {
  idles = 0;
  readonly device: Pick<DeviceApi, "idle">;
  constructor(delayOf: (ms: number) => number) {
    const idle = (ms: number): Timed => {
      this.idles++;
      return { ms, hostMs: ms + delayOf(ms) };
    };
    this.device = { idle };
  }
  verdictOn(graphs: readonly Pair[]) {
    const clock = new HostClock(this.device);
    for (const [ms, hostMs] of graphs) expect(clock.ms({ ms, hostMs })).toBe(ms);
    return clock.disagreement();
  }
}
const fast = () => new Host(() => 0.15);
const ruleOf = (graphs: readonly Pair[], host = fast()) => host.verdictOn(graphs)?.rule;

test.each([
  ["the way to the device and back", times(8, 1, 1.25), undefined],
  ["graphs of a few microseconds", times(8, 0.01, 0.3), undefined],
  ["half of the work behind the second event", times(8, 4, 8), "clocks"],
  ["a fifth of it", times(8, 4, 5), "clocks"],
  ["a timer that tells more than passed", times(8, 4, 3), "clocks"],
  ["one long graph", times(1, 1_200, 1_290), undefined],
  ["one long graph with as much behind it", times(1, 1_200, 2_400), "clocks"],
  ["nothing that ran", [], undefined],
])("%s", (_, graphs, rule) => {
  expect(ruleOf(graphs)).toBe(rule);
});

test("a host that is busy delays single graphs, and even most of them, without a verdict", () => {
  expect(ruleOf([...times(3, 1, 1.1), ...times(7, 1, 9)])).toBeUndefined();
  // A kernel that hides its work in three of four graphs gains in the median of repeats, and is refused.
  expect(ruleOf([...times(2, 1, 1.1), ...times(10, 1, 9)])).toBe("clocks");
});

describe("a host whose way to the device is slow", () => {
  // 40 kernels on an H200, half of them right ones: the graph at a quarter of each, which a bound of 0.3 ms and a tenth refused.
  const file = new URL("../../test/vectors/slow-host.json", import.meta.url);
  const { graphs } = JSON.parse(readFileSync(file, "utf8")) as { readonly graphs: readonly Pair[] };
  // As late as the least late of these graphs.
  const slow = () => new Host((ms) => 0.6 + 0.02 * ms);

  test("refuses none of the kernels that were measured on one", () => {
    expect(graphs.length).toBeGreaterThan(35);
    for (const [ms, hostMs] of graphs) {
      expect(ruleOf(times(8, ms, hostMs), new Host(() => 0))).toBe("clocks");
      expect([ms, ruleOf(times(8, ms, hostMs), slow())]).toEqual([ms, undefined]);
    }
  });
  test("is found out once, and not again for each kernel", () => {
    const host = slow();
    for (let kernel = 0; kernel < 10; kernel++) expect(host.verdictOn(times(8, 2, 2.7))).toBeUndefined();
    expect(host.idles).toBe(3);
    const quick = fast();
    expect(quick.verdictOn(times(8, 2, 2.2))).toBeUndefined();
    expect(quick.idles).toBe(0);
  });
  test("sees work behind the second event all the same, and says how long it waits when the device idles", () => {
    const message = slow().verdictOn(times(8, 4, 8.7))?.message;
    expect(message).toContain("4.000 ms by the device's timer took 8.700 ms by the host's clock");
    expect(message).toContain("when the device idles, 0.680 ms do");
    expect(ruleOf(times(8, 4, 3), slow())).toBe("clocks");
  });
  test("is allowed the greatest delay of its last idles, and no more once it got faster", () => {
    const delays = [0.4, 0.9, 0.5];
    let idles = 0;
    const host = new Host(() => (idles < 3 ? (delays[idles++] as number) : 0.1));
    expect(ruleOf(times(8, 1, 2.2), host)).toBeUndefined();
    // Much later: three idles for each of those that were refused meanwhile.
    for (let kernel = 0; kernel < 4; kernel++) expect(ruleOf(times(8, 1, 3), host)).toBe("clocks");
    expect(ruleOf(times(8, 1, 2.2), host)).toBe("clocks");
  });
  test("does not idle for as long as a long kernel runs", () => {
    const seen: number[] = [];
    const host = new Host((ms) => {
      seen.push(ms);
      return 1;
    });
    host.verdictOn(times(1, 5_000, 9_000));
    expect(seen).toEqual([20, 20, 20]);
  });
});
