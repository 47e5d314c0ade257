/** What trackers of one store tell each other, with a store that is a list of listeners. */
import { ManualClock, toLeaseId, toSessionId, toWorkerId } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { Peers } from "./peers.ts";

const [a, b] = ["s-a", "s-b"].map(toSessionId) as [ReturnType<typeof toSessionId>, ReturnType<typeof toSessionId>];

async function farm(names: readonly string[]) {
  const clock = new ManualClock(0);
  const listeners: ((message: string) => void)[] = [];
  const sent: string[] = [];
  let members = names.length;
  const store = {
    notify: async (message: string) => {
      sent.push(message);
      for (const hear of listeners) hear(message);
    },
    listen: (hear: (message: string) => void) => void listeners.push(hear),
    members: async () => members,
    leads: async () => true,
  };
  const heard: Record<string, unknown[]> = {};
  const trackers = names.map((name) => {
    const told: unknown[] = [];
    heard[name] = told;
    return new Peers(store, name, clock, {
      onWork: (effects) => told.push(effects),
      onFinished: (finished) => told.push(finished),
      onCancel: (freed) => told.push(freed),
      onSession: (id) => told.push(id),
    });
  });
  for (const tracker of trackers) await tracker.look();
  /** Lets a moment pass; returns what each heard and how many messages that took. */
  const settle = async (ms = 5) => {
    clock.advance(ms);
    await new Promise(setImmediate);
    const all = {
      messages: sent.splice(0).length,
      ...Object.fromEntries(Object.entries(heard).map(([name, told]) => [name, told.splice(0)])),
    };
    return all as { readonly messages: number } & Readonly<Record<string, unknown>>;
  };
  const setMembers = (n: number) => {
    members = n;
  };
  return { trackers, settle, store, setMembers, listeners };
}

describe("trackers of one store", () => {
  it("tell each other what happens, in one message for a few milliseconds, and hear nothing of their own, again and again", async () => {
    const { trackers, settle } = await farm(["one", "two", "three"]);
    const [one] = trackers as [Peers];
    for (let cycle = 0; cycle < 2; cycle++) {
      one.work({ runs: [a, b, a], others: 2 });
      one.finished([
        { session: a, sequence: 3 },
        { session: b, sequence: 4 },
      ]);
      one.cancel([{ worker: toWorkerId("w"), lease: toLeaseId("l") }]);
      one.session(b);
      expect(await settle(4)).toEqual({ messages: 0, one: [], two: [], three: [] });
      const told = [
        b,
        { runs: [a, a, b], others: 2 },
        [
          { session: a, sequence: 3 },
          { session: b, sequence: 4 },
        ],
        [{ worker: "w", lease: "l" }],
      ];
      expect(await settle(1)).toEqual({ messages: 1, one: [], two: told, three: told });
      expect(await settle()).toEqual({ messages: 0, one: [], two: [], three: [] });
    }
  });

  it("divide what is much into messages that the store takes, and lose none of it", async () => {
    const { trackers, settle } = await farm(["one", "two"]);
    const [one] = trackers as [Peers];
    const longest = (n: number) => `${n}`.padStart(128, "x");
    const finished = Array.from({ length: 81 }, (_, i) => ({ session: toSessionId(longest(i)), sequence: i }));
    one.finished(finished);
    const { messages, two } = await settle();
    expect([messages, (two as object[]).flat()]).toEqual([3, finished]);
  });

  it("say nothing where there is nothing to say, while they are alone, and after their end", async () => {
    const { trackers, settle, setMembers } = await farm(["one", "two"]);
    const [one] = trackers as [Peers];
    one.work({ runs: [], others: 0 });
    one.finished([]);
    expect((await settle()).messages).toBe(0);
    setMembers(1);
    await one.look();
    expect(one.isAlone).toBe(true);
    one.session(a);
    expect((await settle()).messages).toBe(0);
    setMembers(2);
    await one.look();
    expect(one.isAlone).toBe(false);
    one.session(a);
    expect((await settle()).messages).toBe(1);
    one.session(a);
    one.close();
    expect((await settle()).messages).toBe(0);
  });

  it("ignore what anybody else writes there", async () => {
    const { settle, listeners } = await farm(["one", "two"]);
    for (const text of ["", "{}", "[]", "null", "[7]", "hello", '["x",{"k":"other"}]', '["x"]'])
      for (const hear of listeners) hear(text);
    expect(await settle()).toEqual({ messages: 0, one: [], two: [] });
  });
});
