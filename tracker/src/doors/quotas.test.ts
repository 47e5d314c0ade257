import { expect, it } from "vitest";
import { Account, defaultQuotaLimits } from "./quotas.ts";

it("what a principal used is told to the store once, and counts before and after", () => {
  const account = new Account("alice", { ...defaultQuotaLimits, maxDeviceMs: 100 });
  account.spent({ deviceMs: 60 });
  const { spent, told } = account.tell();
  expect(spent).toEqual({ principal: "alice", buildMs: 0, deviceMs: 60 });
  account.spent({ deviceMs: 10 }); // while the store is told
  told();
  expect(account.tell().spent).toEqual({ principal: "alice", buildMs: 0, deviceMs: 10 });
  expect(() => account.checkUse()).not.toThrow();
  account.spent({ deviceMs: 30 });
  expect(() => account.checkUse()).toThrow(
    /^alice used 0 s of devices within an hour; --quota device_time of this tracker allows 0 s/,
  );
});
