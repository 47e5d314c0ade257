import { FarmError } from "@warpfarm/common";
import { pino } from "pino";
import { expect, it } from "vitest";
import { Audit } from "./audit.ts";

it("tells ten refused calls a second, and how many there were besides when another second has one", () => {
  let now = 0;
  const told: Record<string, unknown>[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => told.push(JSON.parse(line)) });
  const audit = new Audit(log, { monotonic: () => now, now: () => now, sleep: () => Promise.resolve() });
  const error = new FarmError("UNAUTHENTICATED", "this tracker does not know the token");
  for (let i = 0; i < 1_000; i++) audit.refused(`/call/${i}`, "10.0.0.1:1", error);
  expect(told).toHaveLength(10);
  expect(told[9]).toMatchObject({
    name: "audit",
    msg: "refused",
    path: "/call/9",
    peer: "10.0.0.1:1",
    code: error.code,
    why: error.message,
  });
  now = 1_000;
  audit.refused("/call", "10.0.0.2:1", error);
  expect(told.slice(10).map(({ msg, calls, peer }) => [msg, calls ?? peer])).toEqual([
    ["calls were refused and not logged one by one", 990],
    ["refused", "10.0.0.2:1"],
  ]);
});
