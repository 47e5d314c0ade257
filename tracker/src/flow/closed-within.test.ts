import { systemClock } from "@warpfarm/common";
import { expect, it } from "vitest";
import { closedWithin } from "./closed-within.ts";

const ending = (end: () => Promise<void>): AsyncDisposable => ({ [Symbol.asyncDispose]: end });

it("says whether the end came in time, and how it failed", async () => {
  expect(
    await closedWithin(
      ending(async () => {}),
      60_000,
      systemClock,
    ),
  ).toBe(true);
  expect(
    await closedWithin(
      ending(() => new Promise(() => {})),
      5,
      systemClock,
    ),
  ).toBe(false);
  const failure = new Error("the store broke");
  const failing = ending(async () => {
    throw failure;
  });
  await expect(closedWithin(failing, 60_000, systemClock)).rejects.toBe(failure);
});
