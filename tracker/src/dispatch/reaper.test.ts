/** When the reaper does what, by a clock that is moved by hand and a store that notes what it is asked. */
import { FarmError, ManualClock, type SessionId, toSessionId, toWorkerId, type WorkerId } from "@warpfarm/common";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { SetAside } from "../flow/set-aside.ts";
import { FairShare } from "../policy/fair-share.ts";
import { defaultLeasePolicy } from "../policy/lease.ts";
import { defaultLimits, type TrackerContext } from "../services/context.ts";
import type { WorkerRow } from "../store/sql/workers.ts";
import { startReaper } from "./reaper.ts";
import { Registry } from "./registry.ts";
import { SessionBook } from "./session-book.ts";

const statements: readonly (readonly [name: string, text: RegExp])[] = [
  ["grace", /^update leases set until = greatest/],
  ["present", /^update workers set last_seen = now\(\) where worker_id in/],
  ["silent", /^select worker_id as id from workers\s+where not lost and last_seen/],
  ["lose", /^update workers set lost = true/],
  ["leases", /^select lease_id as id from leases where until/],
  ["sessions", /^select session_id as id from sessions where expires_at/],
  ["keep sessions", /^update sessions set expires_at = now\(\).*skip locked/s],
  ["builds", /^select 1 from sessions where builds_until/],
  ["followers", /^select 1 from requests/],
  ["used", /^update sessions s set used_ms/],
  ["stamp", /as stamp/],
  ["list", /^select worker_id as id, epoch/],
  ["collect", /pg_advisory_xact_lock/],
];
const [a, b] = ["a", "b"].map(toWorkerId) as [WorkerId, WorkerId];
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** `leads`: unset where no other tracker uses the store. */
function started({ leads, withQuotas = false, ttlMs = 9_000 }: { leads?: boolean; withQuotas?: boolean; ttlMs?: number } = {}) {
  const clock = new ManualClock(0);
  const asked: { readonly what: string; readonly params: readonly unknown[] }[] = [];
  const answers = new Map<string, readonly object[]>([["stamp", [{ stamp: "1" }]]]);
  const away = new Set<string>();
  const query = async (sql: string, params: readonly unknown[] = []) => {
    const what = statements.find(([, text]) => text.test(sql.trim()))?.[0] ?? "another";
    asked.push({ what, params });
    if (away.has(what)) throw new FarmError("UNAVAILABLE", "the store cannot be reached");
    return answers.get(what) ?? [];
  };
  const done: string[] = [];
  const lines: { readonly msg: string; readonly level: number }[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const dispatcher = { given: 0, recheck: () => done.push("recheck"), release: () => {} };
  const peers = leads === undefined ? undefined : { look: async () => void done.push("look"), isAlone: false };
  const quotas = {
    refresh: async () => {
      done.push("quotas");
      if (away.has("quotas")) throw new FarmError("UNAVAILABLE", "the store cannot be reached");
    },
  };
  const [registry, shares] = [new Registry(clock), new FairShare()];
  const db = {
    query,
    lazy: { query },
    transaction: <T>(work: (tx: object) => Promise<T>) => work({ query }),
    ...(leads === undefined ? {} : { shared: { leads: async () => leads } }),
    maintain: async () => {
      done.push("maintain");
      return true;
    },
    sweep: async (table: string) => void done.push(`sweep ${table}`),
  };
  const context = {
    ...{ db, clock, log, registry, shares, dispatcher, peers },
    ...(withQuotas ? { quotas } : {}),
    sessions: new SessionBook(),
    policy: { ...defaultLeasePolicy, ttlMs },
    limits: { ...defaultLimits, brokenOffMs: 100, idleMs: 12_000, collectEveryMs: 20_000 },
    setAside: new SetAside({ log, onSetAside: () => {} }),
    metrics: { lost: (n: number) => done.push(`lost ${n}`) },
    apply: () => {},
    cancel: () => {},
  };
  const reaper = startReaper(context as unknown as TrackerContext);
  stops.push(async () => {
    const stopped = reaper.stop();
    clock.advance(60_000);
    await stopped;
  });
  /** What ticks did and asked that begin within so many ms, a second apart. */
  const within = async (ms: number) => {
    for (let left = ms; left > 0; left -= 1_000) {
      clock.advance(Math.min(1_000, left));
      await new Promise(setImmediate);
    }
    return { done: done.splice(0), asked: asked.splice(0) };
  };
  const { sessions } = context;
  return { within, registry, sessions, shares, answers, away, lines, dispatcher, clock };
}
const named = (asked: readonly { readonly what: string }[], name: string) => asked.filter(({ what }) => what === name).length;
const row = (id: WorkerId): WorkerRow => ({
  ...{ id, instanceId: id, epoch: 1, node: "n", labels: {}, lost: false, healthy: true, draining: false, quarantine: "" },
  ...{ faults: 0, lastSeen: 0, registeredMs: 0, principal: "local", proves: true },
  facts: { kind: "runner", devices: [], manifestVersions: [1] },
});

describe("a worker whose connection was lost", () => {
  const lost = (o: Parameters<typeof started>[0]) => {
    const farm = started(o);
    for (const id of [a, b]) farm.registry.put(row(id));
    farm.registry.callBegan(a);
    farm.registry.callBegan(b);
    farm.registry.callEnded(a, true);
    farm.answers.set("silent", [{ id: a }]);
    farm.answers.set("lose", [{ id: a }]);
    farm.answers.set("list", [{ id: b, epoch: 1 }]);
    return farm;
  };

  it("is given up after a moment where it can only come back to this tracker", async () => {
    const { within, registry } = lost({});
    const { asked, done } = await within(1_000);
    expect(asked.find(({ what }) => what === "silent")?.params).toEqual([100, [a]]);
    expect(done).toContain("lost 1");
    expect([registry.get(a), registry.get(b)?.id]).toEqual([undefined, b]);
  });

  it("is not while another tracker may have it, which records its presence each sixth of a lifetime, at the third", async () => {
    const { within } = lost({ leads: false });
    const { asked } = await within(1_000);
    expect(asked.filter(({ what }) => what === "silent").map(({ params }) => params)).toEqual([[100 + 3_000, [a]]]);
    // Whose calls are held here, this one records.
    expect(asked.find(({ what }) => what === "present")?.params).toEqual([[b], 9_000 / 6]);
  });
});

describe("a tracker among others", () => {
  it("gives up silent workers, leases and sessions only when it leads", async () => {
    const ofLeader = ["silent", "leases", "followers", "sessions", "builds"];
    for (const leads of [true, false, undefined]) {
      const { asked, done } = await started(leads === undefined ? {} : { leads }).within(1_000);
      for (const what of ofLeader) expect([what, named(asked, what)]).toEqual([what, leads === false ? 0 : 1]);
      expect(asked.find(({ what }) => what === "silent")?.params ?? [9_000, null]).toEqual([9_000, null]);
      expect([done.includes("recheck"), done.includes("look")]).toEqual([true, leads !== undefined]);
    }
  });

  it("lists workers each time, because the stamp does not show who was seen elsewhere; alone only when the stamp changes", async () => {
    const many = await started({ leads: false }).within(3_000);
    expect(named(many.asked, "list")).toBe(3);
    const one = started();
    expect(named((await one.within(3_000)).asked, "list")).toBe(1);
    one.answers.set("stamp", [{ stamp: "2" }]);
    expect(named((await one.within(3_000)).asked, "list")).toBe(1);
  });
});

describe("in its time", () => {
  it("sessions with a stream here are kept each quarter of what they outlive it, the store is collected and maintained", async () => {
    const { within, sessions } = started();
    sessions.attach(toSessionId("s"), { finished: () => {}, changed: () => {}, end: () => {} }, 1);
    const seconds = { keep: [] as number[], collect: [] as number[], maintain: [] as number[] };
    for (let second = 1; second <= 41; second++) {
      const { asked, done } = await within(1_000);
      const kept = asked.find(({ what }) => what === "keep sessions");
      if (kept) expect(kept.params).toEqual([["s"], 12_000]);
      if (kept) seconds.keep.push(second);
      if (named(asked, "collect") > 0) seconds.collect.push(second);
      if (done.includes("maintain")) seconds.maintain.push(second);
    }
    const each = (step: number) => Array.from({ length: Math.floor(41 / step) }, (_, i) => step * (i + 1));
    expect(seconds).toEqual({ keep: each(3), collect: [20, 40], maintain: each(5) });
  });

  it("a table is swept after so many leases since it last was, and not within three seconds", async () => {
    const { within, dispatcher } = started();
    const sweeps = async (ms: number) => (await within(ms)).done.filter((what) => what.startsWith("sweep"));
    dispatcher.given = 3_999;
    expect(await sweeps(4_000)).toEqual([]);
    dispatcher.given = 4_000;
    expect(await sweeps(1_000)).toEqual(["sweep leases"]);
    dispatcher.given = 8_000;
    expect(await sweeps(2_000)).toEqual([]);
    expect(await sweeps(1_000)).toEqual(["sweep leases"]);
    dispatcher.given = 10_000;
    expect(await sweeps(5_000)).toEqual(["sweep requests"]);
    dispatcher.given = 12_000;
    expect(await sweeps(5_000)).toEqual(["sweep leases"]);
  });

  it("all get their full time again when nothing was done for more than half a lifetime", async () => {
    const { within, clock } = started();
    const graces = async (ms: number) => named((await within(ms)).asked, "grace");
    expect(await graces(3_000)).toBe(0);
    clock.advance(3_500); // and a second until the tick
    expect(await graces(1_000)).toBe(0);
    clock.advance(3_501);
    expect([await graces(1_000), await graces(3_000)]).toEqual([1, 0]);
  });
});

describe("while the store is away", () => {
  it("a tick ends with a warning and the next one does all", async () => {
    const { within, away, lines } = started();
    away.add("leases");
    const { asked, done } = await within(1_000);
    expect([named(asked, "leases"), named(asked, "stamp"), done]).toEqual([1, 0, []]);
    expect(lines).toMatchObject([{ msg: "reaper", level: 40 }]);
    away.clear();
    expect((await within(1_000)).done).toEqual(["recheck"]);
  });

  it("the look at the quotas is waited for: its failure is the tick's", async () => {
    const { within, away, lines } = started({ withQuotas: true });
    away.add("quotas");
    expect((await within(1_000)).done).toEqual(["quotas"]);
    expect(lines).toMatchObject([{ msg: "reaper", level: 40 }]);
    away.clear();
    expect((await within(1_000)).done).toEqual(["quotas", "recheck"]);
  });

  it("what sessions used is not lost: it is told when the store is back, once", async () => {
    const { within, away, shares, answers } = started();
    const id = toSessionId("s") as SessionId;
    shares.put({ id, priority: 0, weight: 1, usedMs: 0 });
    shares.used(id, 40, { queueMs: 1, buildMs: 2, transferMs: 3, timedMs: 30 });
    away.add("used");
    await within(1_000);
    const untold = shares.takeUntold();
    expect(untold).toMatchObject([{ id, ms: 40, timedMs: 30 }]);
    shares.untell(untold);
    away.clear();
    answers.set("used", [{ id }]);
    const { asked } = await within(1_000);
    expect(asked.find(({ what }) => what === "used")?.params).toEqual([[id], [40], [1], [2], [3], [30]]);
    expect(shares.takeUntold()).toEqual([]);
  });
});
