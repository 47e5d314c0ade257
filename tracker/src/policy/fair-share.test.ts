/** Shares of device time, by simulating devices whose times are given numbers. */
import { Random, type SessionId, toSessionId, toWorkerId } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import { FairShare } from "./fair-share.ts";

interface Load {
  readonly id: SessionId;
  readonly weight: number;
  readonly priority?: number;
  readonly principal?: string;
  /** Duration of its n-th job. */
  readonly ms: (n: number) => number;
  /** When it comes; unset = at once. */
  readonly fromMs?: number;
  /** Jobs it keeps waiting; unset = 50. */
  readonly backlog?: number;
}

const everybody = () => true;

/** Device time of each session, and how long each of its jobs waited, on `devices` equal devices for `untilMs`. */
function simulate(loads: readonly Load[], devices: number, untilMs: number, setup?: (shares: FairShare) => void) {
  const shares = new FairShare();
  setup?.(shares);
  const used = new Map(loads.map((l) => [l.id, 0]));
  const waits = new Map(loads.map((l) => [l.id, [] as number[]]));
  const queued = new Map(loads.map((l) => [l.id, [] as number[]]));
  const counts = new Map(loads.map((l) => [l.id, 0]));
  const busy: { readonly end: number; readonly ms: number; readonly load: Load }[] = [];
  const arrive = (load: Load, now: number) => {
    queued.get(load.id)?.push(now);
    shares.addReady([load.id]);
  };
  const come = (now: number) => {
    for (const load of loads)
      if ((load.fromMs ?? 0) === now) {
        shares.put({
          id: load.id,
          principal: load.principal ?? "",
          priority: load.priority ?? 0,
          weight: load.weight,
          usedMs: 0,
        });
        for (let i = 0; i < (load.backlog ?? 50); i++) arrive(load, now);
      }
  };
  const comings = loads.map((l) => l.fromMs ?? 0);
  for (let now = 0; now < untilMs; ) {
    come(now);
    const group = { worker: toWorkerId("w"), epoch: 1, device: 0, free: devices - busy.length };
    const slots = group.free > 0 ? shares.plan([{ key: "g", devices: [group] }], everybody, 1_000) : [];
    shares.claimed(slots, slots, [], () => false);
    for (const { session } of slots) {
      const load = loads.find((l) => l.id === session) as Load;
      const n = counts.get(session) ?? 0;
      counts.set(session, n + 1);
      waits.get(session)?.push(now - (queued.get(session)?.shift() ?? now));
      const ms = load.ms(n);
      busy.push({ end: now + ms, ms, load });
    }
    const next = Math.min(...busy.map((b) => b.end), ...comings.filter((c) => c > now));
    now = next;
    for (const done of busy.filter((b) => b.end <= now)) {
      busy.splice(busy.indexOf(done), 1);
      used.set(done.load.id, (used.get(done.load.id) ?? 0) + done.ms);
      shares.used(done.load.id, done.ms);
      arrive(done.load, now);
    }
  }
  return { used, waits };
}

const session = (name: string): SessionId => toSessionId(name);

it("what is paused is served to nobody, and when it goes on it cannot spend what it left unused", () => {
  for (const principals of [
    ["ada", "ada"],
    ["ada", "bob"],
  ] as const) {
    const shares = new FairShare();
    const rows = ["s", "t"].map((name, i) => ({
      id: session(name),
      principal: principals[i] ?? "",
      priority: 0,
      weight: 1,
      usedMs: 0,
    }));
    for (const row of rows) shares.put(row);
    for (let i = 0; i < 100; i++) shares.addReady(rows.map(({ id }) => id));
    const given = (n: number) => {
      const counts: Record<string, number> = { s: 0, t: 0 };
      for (let i = 0; i < n; i++) {
        const devices = [{ worker: toWorkerId("w"), epoch: 1, device: 0, free: 1 }];
        const slots = shares.plan([{ key: "g", devices }], everybody, 1);
        for (const { session: id } of slots) {
          counts[id] = (counts[id] ?? 0) + 1;
          shares.used(id, 100);
        }
      }
      return counts;
    };
    const [s, t] = rows as [(typeof rows)[0], (typeof rows)[0]];
    expect(given(4)).toEqual({ s: 2, t: 2 });
    shares.put({ ...s, paused: true });
    expect([shares.hasReady(s.id), shares.positionOf(s.id), shares.positionOf(t.id)]).toEqual([false, undefined, 0]);
    expect(given(40)).toEqual({ s: 0, t: 40 });
    shares.put(s);
    const after = given(10);
    expect([principals, Math.abs((after.s ?? 0) - (after.t ?? 0))]).toEqual([
      principals,
      expect.toSatisfy((d: number) => d <= 2),
    ]);
    shares.put({ ...s, paused: true });
    shares.put({ ...t, paused: true });
    expect([shares.anyReady, given(3)]).toEqual([false, { s: 0, t: 0 }]);
  }
});

describe("device time", () => {
  it("goes by the weights, within 5 % over 60 s, jobs of 10 and 300 ms mixed", () => {
    for (const [seed, devices] of [
      [1, 1],
      [2, 7],
      [3, 40],
    ] as const) {
      const random = new Random(seed);
      const mixed = () => (random.below(2) === 0 ? 10 : 300);
      const loads: Load[] = [
        { id: session("short"), weight: 1, ms: () => 10 },
        { id: session("long"), weight: 2, ms: () => 300 },
        { id: session("mixed"), weight: 5, ms: mixed },
        { id: session("blocks"), weight: 2, ms: (n) => (n % 40 < 20 ? 10 : 300) },
      ];
      const { used } = simulate(loads, devices, 60_000);
      const all = [...used.values()].reduce((a, b) => a + b);
      expect(all).toBeGreaterThan(60_000 * devices * 0.98); // nobody idles while something waits
      for (const { id, weight } of loads) expect(Math.abs((used.get(id) ?? 0) / all / (weight / 10) - 1)).toBeLessThan(0.05);
    }
  });

  it("a small session is served by the next device that is free, however much another has waiting or has used", () => {
    const big: Load = { id: session("big"), weight: 1, ms: () => 300, backlog: 1_000 };
    const small: Load = { id: session("small"), weight: 1, ms: () => 10, backlog: 1, fromMs: 20_000 };
    const { waits } = simulate([big, small], 2, 40_000);
    const late = waits.get(small.id) ?? [];
    expect(late.length).toBeGreaterThan(60);
    expect(Math.max(...late)).toBeLessThanOrEqual(300);
  });

  it("a session that comes late shares from then on; it is not paid for the time before", () => {
    const early: Load = { id: session("early"), weight: 1, ms: () => 100 };
    const late: Load = { id: session("late"), weight: 1, ms: () => 100, fromMs: 30_000 };
    const { used } = simulate([early, late], 4, 60_000);
    expect((used.get(late.id) ?? 0) / (60_000 * 4)).toBeCloseTo(0.25, 1);
  });

  it("a higher priority takes all it can use, and what is left goes by weight", () => {
    const high: Load = { id: session("high"), weight: 1, priority: 3, ms: () => 50, backlog: 2 };
    const a: Load = { id: session("a"), weight: 1, ms: () => 50 };
    const b: Load = { id: session("b"), weight: 3, ms: () => 50 };
    const { used } = simulate([high, a, b], 6, 20_000);
    expect(used.get(high.id)).toBeGreaterThan(20_000 * 2 * 0.97);
    expect((used.get(b.id) ?? 0) / (used.get(a.id) ?? 1)).toBeCloseTo(3, 0);
  });
});

describe("device time of principals", () => {
  const flood = Array.from({ length: 40 }, (_, i): Load => {
    return { id: session(`flood-${i}`), principal: "greedy", weight: 50, priority: 9, ms: () => 100 };
  });

  it("is as much for one with one session as for one with forty of any weight and priority", () => {
    const honest: Load = { id: session("honest"), principal: "honest", weight: 1, ms: () => 100, fromMs: 10_000 };
    const { used } = simulate([...flood, honest], 4, 50_000);
    expect((used.get(honest.id) ?? 0) / (40_000 * 4)).toBeCloseTo(0.5, 1);
  });

  it("is a third for each of three, within 5 % over 60 s, whatever the number, weight and length of their jobs", () => {
    const of = (principal: string, n: number, weight: number, ms: Load["ms"]): Load[] =>
      Array.from({ length: n }, (_, i) => ({ id: session(`${principal}-${i}`), principal, weight, ms }));
    for (const devices of [1, 7, 40]) {
      const loads = [
        ...of("many-short", 30, 8, () => 10),
        ...of("one-long", 1, 1, () => 300),
        ...of("some-mixed", 5, 2, (n) => (n % 40 < 20 ? 10 : 300)),
      ];
      const { used } = simulate(loads, devices, 60_000);
      const all = [...used.values()].reduce((a, b) => a + b);
      expect(all).toBeGreaterThan(60_000 * devices * 0.98);
      for (const name of new Set(loads.map(({ principal }) => principal))) {
        const own = loads.filter(({ principal }) => principal === name).reduce((sum, { id }) => sum + (used.get(id) ?? 0), 0);
        expect(Math.abs((3 * own) / all - 1), `${name} on ${devices}`).toBeLessThan(0.05);
      }
    }
  });

  it("goes to one that asks for little as soon as a device is free, and what it leaves to the others, by weight", () => {
    const small: Load = { id: session("small"), principal: "honest", weight: 1, ms: () => 20, backlog: 1, fromMs: 10_000 };
    const others = [1, 3].map((weight): Load => {
      return { id: session(`other-${weight}`), principal: "third", weight, ms: () => 100, fromMs: 10_000 };
    });
    const { used, waits } = simulate([...flood, small, ...others], 4, 60_000);
    expect(Math.max(...(waits.get(small.id) ?? []))).toBeLessThanOrEqual(100);
    const [one = 0, three = 0] = others.map(({ id }) => used.get(id));
    expect(three / one).toBeCloseTo(3, 0);
  });
});

/** What is planned for `n` free devices. */
const planned = (shares: FairShare, n: number) => {
  const device = { worker: toWorkerId("w"), epoch: 1, device: 0, free: n };
  const slots = shares.plan([{ key: "g", devices: [device] }], everybody, n);
  shares.claimed(slots, slots, [], () => false);
  return slots.map((s) => s.session);
};

describe("the clock", () => {
  const [a, b] = [session("a"), session("b")];

  it("a session that had nothing to do between two counts cannot spend what it left unused", () => {
    const shares = new FairShare();
    for (const id of [a, b]) shares.put({ id, priority: 0, weight: 1, usedMs: 0 });
    shares.addReady([a, b]);
    expect(planned(shares, 2).sort()).toEqual([a, b]);
    for (const id of [a, b]) shares.used(id, 100);
    // b idles for ten jobs of a.
    for (let i = 0; i < 10; i++) {
      shares.addReady([a]);
      expect(planned(shares, 1)).toEqual([a]);
      shares.used(a, 100);
    }
    shares.addReady([...Array<SessionId>(8).fill(a), ...Array<SessionId>(8).fill(b)]);
    const next = planned(shares, 8);
    expect(next.filter((id) => id === b).length).toBeLessThanOrEqual(5);
  });

  it("is each priority's own: what a higher one used is not charged to a session that comes late", () => {
    const shares = new FairShare();
    const [high, early, late] = [session("high"), session("early"), session("late")];
    shares.put({ id: high, priority: 5, weight: 1, usedMs: 1_000_000 });
    shares.put({ id: early, priority: 0, weight: 1, usedMs: 0 });
    shares.addReady([early, early]);
    expect(planned(shares, 1)).toEqual([early]);
    shares.used(early, 1_000);
    shares.addReady([high]);
    expect(planned(shares, 1)).toEqual([high]); // the clock of its priority is at a million
    shares.put({ id: late, priority: 0, weight: 1, usedMs: 0 });
    shares.addReady([...Array<SessionId>(7).fill(early), ...Array<SessionId>(7).fill(late)]);
    expect(planned(shares, 8).filter((id) => id === late).length).toBeGreaterThanOrEqual(4);
  });
});

describe("runs in hand", () => {
  const [a, b] = [session("a"), session("b")];

  it("make a principal no idle one, whose share would begin at the clock", () => {
    const shares = new FairShare();
    for (const [id, principal] of [
      [a, "ada"],
      [b, "bob"],
    ] as const)
      shares.put({ id, principal, priority: 0, weight: 1, usedMs: 0 });
    shares.addReady([a]);
    expect(planned(shares, 1)).toEqual([a]);
    shares.addReady(Array(5).fill(b));
    expect(planned(shares, 5)).toEqual(Array(5).fill(b));
    shares.addReady([a, a, a, b, b, b]);
    expect(planned(shares, 3)).toEqual([a, a, a]);
  });

  it("that are missing say that a session has none for these devices, unless some came since the plan", () => {
    const left = (came: readonly SessionId[]) => {
      const shares = new FairShare();
      shares.put({ id: a, priority: 0, weight: 1, usedMs: 0 });
      shares.addReady([a]);
      const slots = shares.plan(
        [{ key: "g", devices: [{ worker: toWorkerId("w"), epoch: 1, device: 0, free: 1 }] }],
        everybody,
        1,
      );
      shares.addReady(came);
      const targets = ["cuda/sm_90"];
      shares.claimed(slots, [], targets, () => true);
      return shares.mayHave(a, targets);
    };
    expect([left([]), left([a])]).toEqual([false, true]);
  });
});

describe("what the store says", () => {
  it("counts what other trackers used and gave out, and what was not there is not asked for again", () => {
    const shares = new FairShare();
    const [a, b] = [session("a"), session("b")];
    for (const id of [a, b]) shares.put({ id, priority: 0, weight: 1, usedMs: 0 });
    shares.beginCount();
    shares.addReady([a]);
    shares.setCounts(new Map([[b, 3]]), new Map());
    shares.put({ id: b, priority: 0, weight: 1, usedMs: 5_000 });
    const device = { worker: toWorkerId("w"), epoch: 4, device: 1, free: 3 };
    const planned = shares.plan([{ key: "g", devices: [device] }], everybody, 10);
    expect(planned.map((s) => s.session)).toEqual([a, b, b]);
    expect(planned[0]).toEqual({ worker: "w", epoch: 4, device: 1, session: a });
    shares.claimed(planned, planned.slice(0, 2), [], () => false);
    expect(shares.hasReady(b)).toBe(false); // one was missing, so the third is not there either
    shares.addReady([b]);
    expect(shares.hasReady(b)).toBe(true);
    expect(shares.takeUntold()).toEqual([]);
    shares.used(a, 40);
    shares.used(a, 2);
    const untold = shares.takeUntold();
    expect(untold).toMatchObject([{ id: a, ms: 42 }]);
    expect(shares.takeUntold()).toEqual([]);
    shares.untell(untold);
    shares.used(a, 1);
    expect(shares.takeUntold()).toMatchObject([{ id: a, ms: 43 }]);
    shares.keepOnly((id) => id === a);
    expect(shares.hasReady(b)).toBe(false);
  });

  it("counts what the store could not be told once", () => {
    const shares = new FairShare();
    const [a, b] = [session("a"), session("b")];
    for (const id of [a, b]) shares.put({ id, priority: 0, weight: 1, usedMs: 0 });
    shares.used(a, 40);
    shares.untell(shares.takeUntold());
    shares.used(b, 60);
    shares.addReady([a, b]);
    expect(planned(shares, 1)).toEqual([a]);
  });
});

describe("what a principal uses", () => {
  const [a, b] = [session("a"), session("b")];
  const row = (id: SessionId, principal: string, usedMs: number) => ({ id, principal, priority: 0, weight: 1, usedMs });
  const served = (shares: FairShare) => {
    shares.addReady([a, b]);
    const [first] = planned(shares, 1);
    return first;
  };

  it("at other trackers counts, each time that the store tells of more", () => {
    const shares = new FairShare();
    // Of equals the first is served.
    shares.put(row(a, "ada", 0));
    shares.put(row(b, "bob", 0));
    shares.put(row(a, "ada", 5_000));
    expect(served(shares)).toBe(b);
    shares.used(b, 6_000);
    expect(served(shares)).toBe(a); // 5 s against 6
    shares.used(a, 100);
    shares.put(row(a, "ada", 7_000)); // 7.1 s against 6
    expect(served(shares)).toBe(b);
  });

  it("here counts once, told to the store and read back, also when a reading from before it was told comes late", () => {
    const shares = new FairShare();
    shares.put(row(a, "ada", 0));
    shares.put(row(b, "bob", 0));
    shares.addReady([a]);
    expect(planned(shares, 1)).toEqual([a]);
    shares.used(a, 1_000);
    expect(shares.takeUntold()).toMatchObject([{ id: a, ms: 1_000 }]);
    for (const usedMs of [0, 1_000, 1_000]) shares.put(row(a, "ada", usedMs));
    // Ada has 1 s. Were it a second for each reading, it would be Bob's turn a third time.
    for (const expected of [b, b, a]) {
      expect(served(shares)).toBe(expected);
      shares.used(expected, 600);
    }
  });

  it("is forgotten with its last session, and not with its first", () => {
    const shares = new FairShare();
    const other = session("other");
    shares.put(row(a, "ada", 0));
    shares.put(row(other, "ada", 0));
    shares.put(row(b, "bob", 0));
    shares.addReady([a, b]);
    expect(planned(shares, 2).sort()).toEqual([a, b]);
    shares.used(a, 50_000);
    shares.used(b, 100);
    shares.keepOnly((id) => id !== a);
    shares.addReady([other, b]);
    expect(planned(shares, 1)).toEqual([b]); // ada has still had 50 s
    shares.used(b, 100);
    shares.keepOnly((id) => id === b);
    expect(shares.hasReady(other)).toBe(false);
    shares.put(row(other, "ada", 0));
    expect(shares.hasReady(other)).toBe(false); // it comes as a new one
    shares.addReady([other]);
    expect(shares.positionOf(other)).toBe(0);
  });
});
