import { expect, test } from "vitest";
import { keptOver, type Spent, type StopRules, stopReason, untilResults } from "./stop-rules.ts";

const spent: Spent = { sinceBest: 9, kept: 0.97, deviceSeconds: 5, wallSeconds: 7 };

test("each rule ends a search at its limit, and not before", () => {
  const at: readonly [StopRules, StopRules, string][] = [
    [{ patience: 9 }, { patience: 10 }, "patience"],
    [{ until: 0.97 }, { until: 0.98 }, "until"],
    [{ deviceSeconds: 5 }, { deviceSeconds: 5.1 }, "device_seconds"],
    [{ wallSeconds: 7 }, { wallSeconds: 7.1 }, "wall_seconds"],
  ];
  for (const [met, unmet, reason] of at) {
    expect(stopReason(met, spent)).toBe(reason);
    expect(stopReason(unmet, spent)).toBeUndefined();
  }
});

test("nothing is near while nothing was valid so many results ago", () => {
  expect(stopReason({ until: 0.5 }, { ...spent, kept: undefined })).toBeUndefined();
});

test("what is kept is the best time over the one so many results ago", () => {
  const bestAfter = (...times: number[]) => Array.from({ length: untilResults + 1 }, (_, i) => times[i] ?? times.at(-1) ?? 0);
  expect(keptOver(bestAfter(4, 3))).toBe(0.75);
  expect(keptOver(bestAfter(4, 3).slice(1))).toBeUndefined();
  expect(keptOver(bestAfter(Number.POSITIVE_INFINITY, 3))).toBeUndefined();
  expect(keptOver([])).toBeUndefined();
});
