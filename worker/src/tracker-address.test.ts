import { expect, test } from "vitest";
import { addressOf, mayServeOthers } from "./tracker-address.ts";

const [here, there] = ["127.0.0.1:9290", "farm.example.com:9290"];

test("an address that is told after the start is one of this machine, and any other is refused", async () => {
  expect([mayServeOthers(here, {}), mayServeOthers(there, {}), mayServeOthers(Promise.resolve(there), {})]).toEqual([
    false,
    true,
    false,
  ]);
  expect(await addressOf(there, {})).toBe(there);
  expect(await addressOf(Promise.resolve(here), {})).toBe(here);
  await expect(addressOf(Promise.resolve(there), {})).rejects.toThrow(
    "--tracker-on-stdin was told farm.example.com:9290, which is not of this machine",
  );
  await expect(addressOf(Promise.resolve(here), { tokenFile: "t" })).rejects.toThrow("not of this machine");
});
