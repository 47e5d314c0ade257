import { toWorkerId } from "@warpfarm/common";
import { expect, it } from "vitest";
import { BusyHistory } from "./busy-history.ts";

const [worker, other] = [toWorkerId("w-1"), toWorkerId("w-2")];
const second = 1_000;
const minute = 60 * second;

it("what is busy at a look was busy since the look before; each device has its own spans", () => {
  const history = new BusyHistory();
  expect([history.sinceMs, history.of(worker, 0)]).toEqual([undefined, []]);
  const busy = [[0, 1], [0], [], [0], [1]];
  for (const [i, devices] of busy.entries())
    history.see(100 * second + i * 2 * second, [...devices.map((device) => ({ worker, device })), { worker: other, device: 0 }]);
  expect(history.sinceMs).toBe(100 * second);
  expect(history.of(worker, 0)).toEqual([
    [100_000, 102_000],
    [104_000, 106_000],
  ]);
  expect(history.of(worker, 1)).toEqual([[106_000, 108_000]]);
  expect(history.of(other, 0)).toEqual([[100_000, 108_000]]);
});

it("tells of ten minutes, and of nothing that it did not see", () => {
  const history = new BusyHistory();
  const see = (ms: number, isBusy: boolean) => history.see(ms, isBusy ? [{ worker, device: 0 }] : []);
  for (let ms = 0; ms <= 15 * minute; ms += 2 * second) see(ms, ms <= 2 * minute || ms >= 14 * minute);
  expect([history.sinceMs, history.of(worker, 0)]).toEqual([5 * minute, [[14 * minute - 2 * second, 15 * minute]]]);
  // The store was away, then a clock was set back.
  see(16 * minute, true);
  expect([history.sinceMs, history.of(worker, 0)]).toEqual([16 * minute, []]);
  see(16 * minute + second, true);
  expect(history.of(worker, 0)).toEqual([[16 * minute, 16 * minute + second]]);
  see(3 * minute, false);
  expect([history.sinceMs, history.of(worker, 0)]).toEqual([3 * minute, []]);
});
