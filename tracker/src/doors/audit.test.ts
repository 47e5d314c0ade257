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
    log: "audit",
    msg: "refused",
    path: "/call/9",
    peer: "10.0.0.1:1",
    code: error.code,
    why: error.message,
  });
  now = 999;
  audit.refused("/call", "10.0.0.2:1", error);
  expect(told).toHaveLength(10);
  now = 1_000;
  audit.refused("/call", "10.0.0.2:1", error);
  expect(told.slice(10).map(({ msg, calls, peer }) => [msg, calls ?? peer])).toEqual([
    ["calls were refused and not logged one by one", 991],
    ["refused", "10.0.0.2:1"],
  ]);
  // Each second counts anew: one more was told in this one, so nine are, and 3 of 12 are not; a second without is not told of.
  for (let i = 0; i < 12; i++) audit.refused("/call", "10.0.0.3:1", error);
  now = 2_500;
  audit.refused("/call", "10.0.0.4:1", error);
  now = 3_600;
  for (let i = 0; i < 11; i++) audit.refused("/call", "10.0.0.5:1", error);
  now = 4_600;
  audit.refused("/call", "10.0.0.6:1", error);
  expect(told.slice(12).map(({ calls, peer }) => calls ?? peer)).toEqual([
    ...Array<string>(9).fill("10.0.0.3:1"),
    3,
    "10.0.0.4:1",
    ...Array<string>(10).fill("10.0.0.5:1"),
    1,
    "10.0.0.6:1",
  ]);
});

it("tells who did what, and from where", () => {
  const told: Record<string, unknown>[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => told.push(JSON.parse(line)) });
  const clock = { monotonic: () => 0, now: () => 0, sleep: () => Promise.resolve() };
  new Audit(log, clock).did("drain_node", { principal: { name: "boss", role: "admin" }, peer: "10.0.0.1:1" }, { node: "n1" });
  expect(told).toMatchObject([
    { log: "audit", msg: "drain_node", principal: "boss", role: "admin", peer: "10.0.0.1:1", node: "n1" },
  ]);
});
