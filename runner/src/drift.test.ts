import { toArtifactDigest } from "@warpfarm/common";
import { expect, test } from "vitest";
import { Drift } from "./drift.ts";

const kernel = (digit: string) => toArtifactDigest(`sha256:${digit.repeat(64)}`);
const minute = 60_000;

test("a kernel that takes what it took is well, and looked at again after the time", () => {
  const drift = new Drift({ everyMs: 10 * minute, maxPercent: 30 });
  expect(drift.isDue(0)).toBe(true);
  drift.look({ kernel: kernel("1"), seconds: 1e-3 }, 0);
  expect([drift.isDue(9 * minute), drift.isDue(10 * minute)]).toEqual([false, true]);
  drift.look({ kernel: kernel("1"), seconds: 1.3e-3 }, 10 * minute);
  expect([drift.trouble, drift.isDue(11 * minute)]).toEqual(["", false]);
});

test("one slow time is looked at again soon; two are trouble, until it takes what it took at its best", () => {
  const drift = new Drift({ everyMs: 10 * minute, maxPercent: 30 });
  const look = (seconds: number) => {
    drift.look({ kernel: kernel("1"), seconds }, 0);
    return [drift.trouble, drift.isDue(1)];
  };
  look(1.1e-3);
  look(1e-3); // faster: this is what counts from now on
  expect(look(2e-3)).toEqual(["", true]);
  expect(look(1.01e-3)).toEqual(["", false]);
  look(1.4e-3);
  expect(look(1.4e-3)).toEqual([
    "the reference kernel takes 1400.0 us, 40 % more than the 1000.0 us it took before; allowed: 30 %",
    true,
  ]);
  expect(look(1.35e-3)[0]).toContain("35 % more");
  expect(look(1.2e-3)).toEqual(["", false]);
});

test("another kernel is not held against this one", () => {
  const drift = new Drift({ everyMs: minute, maxPercent: 30 });
  drift.look({ kernel: kernel("1"), seconds: 1e-3 }, 0);
  for (let i = 0; i < 3; i++) drift.look({ kernel: kernel("2"), seconds: 1e-2 }, 0);
  expect(drift.trouble).toBe("");
});
