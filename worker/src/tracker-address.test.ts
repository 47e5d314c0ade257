import { expect, test } from "vitest";
import { addressOf, mayServeOthers } from "./tracker-address.ts";

const [here, there] = ["127.0.0.1:9290", "farm.example.com:9290"];

test("an address that is told after the start is one of this machine, and any other is refused", async () => {
  expect([mayServeOthers(here, {}), mayServeOthers(there, {}), mayServeOthers(Promise.resolve(there), {})]).toEqual([
    false,
    true,
    false,
  ]);
  const { signal } = new AbortController();
  expect(await addressOf(there, {}, signal)).toBe(there);
  expect(await addressOf(Promise.resolve(here), {}, signal)).toBe(here);
  await expect(addressOf(Promise.resolve(there), {}, signal)).rejects.toThrow(
    "--tracker-on-stdin was told farm.example.com:9290, which is not of this machine",
  );
  await expect(addressOf(Promise.resolve(here), { tokenFile: "t" }, signal)).rejects.toThrow("not of this machine");
});

test("a worker that is told to end does not wait for an address", async () => {
  const ending = new AbortController();
  const told = addressOf(new Promise(() => {}), {}, ending.signal);
  ending.abort(new Error("ended by SIGTERM"));
  await expect(told).rejects.toThrow("ended by SIGTERM");
});
