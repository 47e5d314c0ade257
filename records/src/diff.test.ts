/** What is compared with what in a diff. */
import { expect, test } from "vitest";
import { h200, record, timed } from "../../test-support/record-store-contract.ts";
import { diffRecords } from "./diff.ts";
import type { TuningRecord } from "./tuning-record.ts";

async function* each(...all: readonly TuningRecord[]) {
  yield* all;
}

test("times under other conditions or on another device are not compared", async () => {
  const of = (id: string, seconds: number, change: Partial<TuningRecord> = {}) =>
    record(id, { result: timed(seconds), ...change });
  const rotated = { options: { l2: "warm", judged: true } } as const;
  const before = each(of("warm", 1e-3), of("rotated", 3e-3, rotated), of("h200", 5e-3, { device: h200 }));
  const after = each(of("warm-2", 2e-3), of("rotated-2", 1e-3, rotated), of("h200-2", 5e-3, { device: h200 }));
  const found = await diffRecords(before, after, {});
  expect(found.map(({ change, device, conditions, ratio }) => [change, device.name, conditions, ratio?.estimate])).toEqual([
    ["slower", "NVIDIA H100", "", 2],
    ["faster", "NVIDIA H100", "L2 rotated", 1 / 3],
    ["same", "NVIDIA H200", "", 1],
  ]);
});
