import { toLeaseId } from "@warpfarm/common";
import { expect, test } from "vitest";
import { LeaseGuard } from "./lease-guard.ts";

test("a lease is admitted once for each epoch, and only upwards", () => {
  const guard = new LeaseGuard();
  const [a, b] = [toLeaseId("a"), toLeaseId("b")];
  const asked = [
    [a, 1],
    [a, 1],
    [b, 1],
    [a, 2],
    [a, 1],
  ] as const;
  expect(asked.map(([lease, epoch]) => guard.admit(lease, epoch))).toEqual([true, false, true, true, false]);
});

test("the latest 4096 leases are remembered, whichever came again", () => {
  const guard = new LeaseGuard();
  const admit = (n: number, epoch = 1) => guard.admit(toLeaseId(`l${n}`), epoch);
  for (let n = 0; n < 4096; n++) expect(admit(n)).toBe(true);
  expect(admit(0)).toBe(false);
  expect(admit(0, 2)).toBe(true);
  // One more, and the oldest is 1 now.
  expect(admit(4096)).toBe(true);
  expect([admit(0, 2), admit(2), admit(4096)]).toEqual([false, false, false]);
  expect(admit(1)).toBe(true);
});
