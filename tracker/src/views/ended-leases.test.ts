import { ManualClock, toLeaseId, toSessionId, toWorkerId } from "@warpfarm/common";
import { expect, it } from "vitest";
import { cpu, timedResult } from "../../../test-support/farm/scripted.ts";
import type { Settled } from "../store/sql/built.ts";
import { EndedLeases } from "./ended-leases.ts";

const artifact = `sha256:${"a".repeat(64)}` as never;
const [ada, bob] = [toSessionId("of-ada"), toSessionId("of-bob")];
const clock = new ManualClock();
const registry = { get: () => ({ node: "box" }) } as never;
const sessions = { get: (id: unknown) => ({ row: { principal: id === ada ? "ada" : "bob" } }) } as never;
const opened = () => new EndedLeases({ registry, sessions, clock });

const settled = (session: typeof ada | null, sequence: number): Settled => {
  const lease = toLeaseId("l");
  const of = { leaseId: lease, epoch: 1 };
  const result = { ...timedResult(1e-3, cpu(1), artifact, 1, 8), lease: { queueMs: 2, transferMs: 3, heldMs: 40 }, busyMs: 5 };
  const outcome = session
    ? { ...of, kind: "run" as const, result }
    : { ...of, kind: "built" as const, artifact, buildMs: 8, cached: false };
  return { lease, worker: toWorkerId("w"), session, sequence, program: null, claim: null, heldMs: 40, outcome };
};

it("keeps what ended, the oldest first; who may not see a session sees that its device was busy", () => {
  const ended = opened();
  ended.add(settled(ada, 1));
  ended.add(settled(bob, 2));
  ended.add(settled(null, 0));
  const of = (owner: string | undefined) => ended.list(owner).map(({ session }) => session);
  expect([of(undefined), of("ada"), of("eve")]).toEqual([
    [ada, bob, undefined],
    [ada, undefined, undefined],
    Array(3).fill(undefined),
  ]);
  expect(ended.list("ada")[0]).toMatchObject({
    ...{ endMs: clock.now(), heldMs: 40, node: "box", device: "cpu-1", deviceName: "A CPU", sequence: 1, outcome: "timed" },
    ...{ queueMs: 2, buildMs: 8, transferMs: 3, timedMs: 5 },
  });
  expect(ended.list("ada")[2]).toMatchObject({ device: "", outcome: "built" });
});

it("keeps the newest 20,000", () => {
  const ended = opened();
  for (let i = 1; i <= 20_003; i++) ended.add(settled(ada, i));
  const sequences = ended.list(undefined).map(({ sequence }) => sequence);
  expect([sequences.length, sequences[0], sequences.at(-1)]).toEqual([20_000, 4, 20_003]);
});
