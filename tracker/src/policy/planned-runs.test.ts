/** A plan's size, and planned runs that somebody else took. */
import { type SessionId, toSessionId, toWorkerId } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { FairShare } from "./fair-share.ts";

const session = (name: string): SessionId => toSessionId(name);
const everybody = () => true;

/** What is planned for `n` free devices. */
const planned = (shares: FairShare, n: number) => {
  const device = { worker: toWorkerId("w"), epoch: 1, device: 0, free: n };
  const slots = shares.plan([{ key: "g", devices: [device] }], everybody, n);
  shares.claimed(slots, slots, [], () => false);
  return slots.map((s) => s.session);
};

describe("runs that were planned and not there", () => {
  const [a] = [session("a")];
  const targets = ["cuda/sm_90"];
  const slot = { worker: toWorkerId("w"), epoch: 1, device: 0, session: a };
  const of = (ready: number) => {
    const shares = new FairShare();
    shares.put({ id: a, priority: 0, weight: 1, usedMs: 0 });
    shares.addReady(Array<SessionId>(ready).fill(a));
    return shares;
  };

  it("of a session of one target leave it none, but those that came since the plan", () => {
    const shares = of(5);
    expect(planned(shares, 2)).toEqual([a, a]);
    shares.claimed([slot], [], targets, () => false);
    expect(shares.hasReady(a)).toBe(false);
    shares.addReady([a]);
    expect(shares.hasReady(a)).toBe(true);
    const device = { worker: toWorkerId("w"), epoch: 1, device: 0, free: 1 };
    const slots = shares.plan([{ key: "g", devices: [device] }], everybody, 1);
    shares.addReady([a]); // meanwhile
    shares.claimed(slots, [], targets, () => false);
    expect(shares.hasReady(a)).toBe(true);
  });

  it("of a session of several targets are missing for these alone, until more come or the store is counted", () => {
    for (const again of [
      (shares: FairShare) => shares.addReady([a]),
      (shares: FairShare) => shares.setCounts(new Map([[a, 3]]), new Map()),
    ]) {
      const shares = of(3);
      const device = { worker: toWorkerId("w"), epoch: 1, device: 0, free: 2 };
      const slots = shares.plan([{ key: "g", devices: [device] }], everybody, 2);
      shares.claimed(slots, slots.slice(1), targets, () => true);
      expect([shares.mayHave(a, targets), shares.mayHave(a, ["cuda/sm_80"])]).toEqual([false, true]);
      again(shares);
      expect(shares.mayHave(a, targets)).toBe(true);
    }
  });
});

it("a plan has at most `max` runs and as many as devices are free, and a session's position counts those before it", () => {
  const shares = new FairShare();
  const ids = ["a", "b", "c"].map(session);
  const [a, b, c] = ids as [SessionId, SessionId, SessionId];
  for (const [i, id] of ids.entries()) shares.put({ id, priority: i, weight: 1, usedMs: 0 });
  expect([shares.anyReady, shares.positionOf(a)]).toEqual([false, undefined]);
  shares.addReady([a, a, b, c]);
  expect(ids.map((id) => shares.positionOf(id))).toEqual([2, 1, 0]);
  const devices = [2, 5].map((free, device) => ({ worker: toWorkerId("w"), epoch: 1, device, free }));
  const slots = shares.plan([{ key: "g", devices }], everybody, 3);
  expect(slots.map(({ session: id, device }) => [id, device])).toEqual([
    [c, 0],
    [b, 0],
    [a, 1],
  ]);
  expect(shares.plan([{ key: "g", devices }], () => false, 3)).toEqual([]);
  expect(shares.plan([{ key: "g", devices }], everybody, 3)).toHaveLength(1);
  expect(shares.anyReady).toBe(false);
});
