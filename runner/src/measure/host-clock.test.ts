/** When the host's clock contradicts the device's timer: graphs whose times by both are given. */
import { expect, test } from "vitest";
import { HostClock } from "./host-clock.ts";

/** Pairs of milliseconds: by the device, by the host. */
function ruleOf(graphs: readonly (readonly [ms: number, hostMs: number])[]): string | undefined {
  let nowMs = 1_000;
  const clock = new HostClock(() => nowMs);
  for (const [ms, hostMs] of graphs) {
    const told = clock.time(() => {
      nowMs += hostMs;
      return ms;
    });
    expect(told).toBe(ms);
  }
  return clock.disagreement()?.rule;
}
const times = (n: number, ms: number, hostMs: number) => Array.from({ length: n }, () => [ms, hostMs] as const);

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
