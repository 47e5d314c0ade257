import { type Clock, FarmError, ManualClock } from "@warpfarm/common";
import { describe, expect, it } from "vitest";
import type { Database } from "../store/database.ts";
import { Account, defaultQuotaLimits, type QuotaLimits, Quotas } from "./quotas.ts";

const account = (limits: Partial<QuotaLimits>) => new Account("alice", { ...defaultQuotaLimits, ...limits });
const nothing = { principal: "alice", inputs: 0, bytes: 0 };
/** The limit that stands in the way, or "" */
const refusal = (act: () => void): string => {
  try {
    act();
    return "";
  } catch (error) {
    expect(error).toMatchObject({ code: "RESOURCE_EXHAUSTED" });
    return /--quota [a-z_]+/.exec((error as FarmError).message)?.[0] ?? "?";
  }
};

it("what a principal used is told to the store once, and counts before and after", () => {
  const alice = account({ maxDeviceMs: 100 });
  alice.spent({ deviceMs: 60 });
  const { spent, told } = alice.tell();
  expect(spent).toEqual({ principal: "alice", buildMs: 0, deviceMs: 60 });
  alice.spent({ deviceMs: 10 }); // while the store is told
  told();
  expect(alice.tell().spent).toEqual({ principal: "alice", buildMs: 0, deviceMs: 10 });
  expect(() => alice.checkUse()).not.toThrow();
  alice.spent({ deviceMs: 30 });
  expect(() => alice.checkUse()).toThrow(
    /^alice used 0 s of devices within an hour; --quota device_time of this tracker allows 0 s/,
  );
});

describe("measurements outstanding", () => {
  it("are as many as the limit and not one more; one received makes room for one, again and again", () => {
    const alice = account({ maxInputs: 3 });
    for (let i = 0; i < 3; i++) alice.take(0);
    for (let cycle = 0; cycle < 4; cycle++) {
      expect(refusal(() => alice.take(0))).toBe("--quota inputs");
      alice.received();
      expect(refusal(() => alice.take(0))).toBe("");
    }
  });

  it("hold as many bytes of programs as the limit and not one more", () => {
    const alice = account({ maxInputBytes: 100 });
    alice.take(60);
    alice.take(40);
    expect(refusal(() => alice.take(1))).toBe("--quota input_mb");
    expect(refusal(() => alice.take(0))).toBe("");
  });

  it("are the store's, as of the look, and what came since; each look replaces the one before", () => {
    const alice = account({ maxInputs: 4, maxInputBytes: 100 });
    for (let cycle = 0; cycle < 3; cycle++) {
      alice.take(70);
      alice.take(20);
      const looked = alice.askOutstanding();
      alice.take(10); // while the store is asked
      looked({ principal: "alice", inputs: 2, bytes: 90 });
      expect([refusal(() => alice.take(1)), refusal(() => alice.take(0)), refusal(() => alice.take(0))]).toEqual([
        "--quota input_mb",
        "",
        "--quota inputs",
      ]);
      for (let i = 0; i < 4; i++) alice.received();
      // All were received, and the store says so: the whole allowance is there again.
      alice.askOutstanding()(cycle === 0 ? undefined : nothing);
      expect(refusal(() => alice.take(101))).toBe("--quota input_mb");
    }
    alice.take(100);
    for (let i = 0; i < 3; i++) alice.take(0);
    expect(refusal(() => alice.take(0))).toBe("--quota inputs");
  });

  it("of another tracker count from the look on", () => {
    const alice = account({ maxInputs: 5, maxInputBytes: 100 });
    alice.askOutstanding()({ principal: "alice", inputs: 4, bytes: 99 });
    alice.take(1);
    expect([refusal(() => alice.take(0)), refusal(() => account({ maxInputs: 5 }).take(0))]).toEqual(["--quota inputs", ""]);
  });

  it("of a session are as many as it asks for, up to the limit", () => {
    expect([6, 5, 4].map((asked) => account({ maxInputs: 5 }).windowOf(asked))).toEqual([5, 5, 4]);
  });
});

it("what is kept in the store is as much as the limit and not a byte more, inputs and blobs together, and each look replaces the one before", () => {
  const alice = account({ maxKeptBytes: 100 });
  for (let cycle = 0; cycle < 3; cycle++) {
    alice.take(50);
    alice.keep(30);
    const looked = alice.askKept();
    alice.keep(20);
    expect([refusal(() => alice.keep(1)), refusal(() => alice.take(1)), refusal(() => alice.checkUse(1))]).toEqual(
      Array(3).fill("--quota artifact_mb"),
    );
    expect(refusal(() => alice.checkUse())).toBe("");
    looked({ principal: "alice", bytes: 80 });
    expect([refusal(() => alice.keep(1)), refusal(() => alice.keep(0))]).toEqual(["--quota artifact_mb", ""]);
    alice.askKept()(cycle === 0 ? undefined : { principal: "alice", bytes: 0 }); // collected
    alice.askOutstanding()(nothing);
  }
  alice.keep(100);
});

describe("time within an hour", () => {
  const hour = { buildMs: 0, deviceMs: 0, buildRoomInMs: null, deviceRoomInMs: null };

  it("is below the limit, of builders and of devices each; told and untold use add up", () => {
    const alice = account({ maxBuildMs: 100, maxDeviceMs: 200 });
    alice.setHour({ ...hour, buildMs: 40, deviceMs: 100 });
    alice.spent({ buildMs: 59 });
    alice.spent({ deviceMs: 99 });
    expect(refusal(() => alice.checkUse())).toBe("");
    alice.spent({ buildMs: 1 });
    expect(refusal(() => alice.checkUse())).toBe("--quota build_time");
    alice.tell().told();
    expect(refusal(() => alice.checkUse())).toBe("--quota build_time");
    alice.setHour({ ...hour, deviceMs: 199 });
    expect(refusal(() => alice.checkUse())).toBe("");
    alice.spent({ deviceMs: 1 });
    expect(refusal(() => alice.checkUse())).toBe("--quota device_time");
    alice.setHour(hour); // the hour is over
    expect(refusal(() => alice.checkUse())).toBe("");
  });

  it.each([
    [null, "in an hour at most"],
    [0, "in 1 min"],
    [60_000, "in 1 min"],
    [60_001, "in 2 min"],
    [3_600_000, "in 60 min"],
  ])("there is room again after %s ms: %s", (roomInMs, words) => {
    const alice = account({ maxBuildMs: 7_000, maxDeviceMs: 9_000 });
    alice.setHour({ buildMs: 7_000, deviceMs: 0, buildRoomInMs: roomInMs, deviceRoomInMs: 7 });
    expect(() => alice.checkUse()).toThrow(
      `alice used 7 s of builders within an hour; --quota build_time of this tracker allows 7 s: there is room again ${words}`,
    );
    alice.setHour({ buildMs: 0, deviceMs: 9_000, buildRoomInMs: 7, deviceRoomInMs: roomInMs });
    expect(() => alice.checkUse()).toThrow(
      `alice used 9 s of devices within an hour; --quota device_time of this tracker allows 9 s: there is room again ${words}`,
    );
  });
});

it("a principal with all its sessions is refused without a count for 250 ms, or until one of them ends", () => {
  const alice = account({});
  const error = new FarmError("RESOURCE_EXHAUSTED", "full");
  expect(alice.full(0)).toBeUndefined();
  for (const at of [0, 1_000]) {
    alice.setFull(error, at);
    expect([alice.full(at), alice.full(at + 249), alice.full(at + 250)]).toEqual([error, error, undefined]);
    alice.setFull(error, at + 300);
    alice.sessionEnded();
    expect(alice.full(at + 301)).toBeUndefined();
  }
});

describe("the quotas of a tracker", () => {
  interface Said {
    readonly outstanding?: readonly object[];
    readonly kept?: readonly object[];
    readonly spent?: readonly object[];
  }
  /** A store that answers by what it is asked for, and notes it. */
  function opened(limits: Partial<QuotaLimits> = {}, clock: Clock = new ManualClock(0)) {
    const asked: string[] = [];
    const told: unknown[] = [];
    let says: Said = {};
    let away = false;
    const query = async (sql: string, params: readonly unknown[] = []) => {
      if (away) throw new FarmError("UNAVAILABLE", "the store cannot be reached");
      if (sql.includes("insert into spent")) {
        asked.push("tell");
        told.push(params);
        return [];
      }
      const what = sql.includes("from spent") ? "spent" : sql.includes("as kept") ? "kept" : "outstanding";
      asked.push(what);
      return says[what] ?? [];
    };
    const db = { lazy: { query } } as unknown as Database;
    const quotas = new Quotas(db, { ...defaultQuotaLimits, ...limits }, clock);
    return {
      quotas,
      asked: () => asked.splice(0),
      told,
      say: (what: Said) => {
        says = what;
      },
      setAway: (is: boolean) => {
        away = is;
      },
    };
  }

  it("are none for everybody's principal; each other has one account", async () => {
    const { quotas, asked } = opened();
    expect(quotas.accountOf("local")).toBeUndefined();
    await quotas.refresh();
    expect(asked()).toEqual([]);
    const [ada, bob] = [quotas.accountOf("ada"), quotas.accountOf("bob")];
    expect([quotas.accountOf("ada"), quotas.accountOf("bob")]).toEqual([ada, bob]);
    expect(ada).not.toBe(bob);
  });

  it("are read each time that somebody looks, sums every ten seconds; each principal has its own row, and none has nothing", async () => {
    const clock = new ManualClock(0);
    const { quotas, asked, say } = opened({ maxInputs: 5, maxKeptBytes: 100 }, clock);
    const [ada, bob] = ["ada", "bob"].map((name) => quotas.accountOf(name) as Account) as [Account, Account];
    const hour = { buildMs: 0, deviceMs: 0, buildRoomInMs: null, deviceRoomInMs: null };
    say({
      outstanding: [
        { principal: "bob", inputs: 5, bytes: 7 },
        { principal: "ada", inputs: 4, bytes: 3 },
      ],
      kept: [{ principal: "ada", bytes: 90 }],
      spent: [{ principal: "bob", ...hour }],
    });
    await quotas.refresh();
    expect(asked()).toEqual(["outstanding", "spent", "kept"]);
    expect([refusal(() => bob.take(0)), refusal(() => ada.take(11)), refusal(() => ada.take(10))]).toEqual([
      "--quota inputs",
      "--quota artifact_mb",
      "",
    ]);
    say({});
    clock.advance(10_000);
    await quotas.refresh();
    expect(asked()).toEqual(["outstanding"]);
    expect([refusal(() => bob.take(0)), refusal(() => ada.keep(1))]).toEqual(["", "--quota artifact_mb"]);
    clock.advance(1);
    await quotas.refresh();
    expect(asked()).toEqual(["outstanding", "spent", "kept"]);
    expect(refusal(() => ada.keep(90))).toBe("");
  });

  it("tell the store of what was used once, when it answers, of each principal that used anything", async () => {
    const { quotas, asked, told, setAway } = opened();
    const names = ["zoe", "ada", "idle"];
    const [zoe, ada] = names.map((name) => quotas.accountOf(name) as Account) as [Account, Account];
    zoe.spent({ buildMs: 5 });
    ada.spent({ deviceMs: 7 });
    setAway(true);
    await expect(quotas.refresh()).rejects.toThrow("the store cannot be reached");
    setAway(false);
    await quotas.refresh();
    await quotas.refresh();
    expect(told).toEqual([
      [
        ["ada", "zoe"],
        [0, 5],
        [7, 0],
      ],
    ]);
    expect(asked().filter((what) => what === "tell")).toHaveLength(1);
    ada.spent({ deviceMs: 1 });
    await quotas.refresh();
    expect(told.slice(1)).toEqual([[["ada"], [0], [1]]]);
  });

  it("are read once before the first session of a principal that this tracker does not know, for all who ask meanwhile", async () => {
    const { quotas, asked, say, setAway } = opened({ maxKeptBytes: 100 });
    say({ kept: [{ principal: "ada", bytes: 101 }] });
    const open = (name: string, buildTimeoutMs = 1) => quotas.checkSession(name, { buildTimeoutMs });
    setAway(true);
    await expect(open("ada")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    setAway(false);
    const both = await Promise.allSettled([open("ada"), open("ada")]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(asked()).toEqual(["spent", "kept"]);
    await expect(open("ada")).rejects.toMatchObject({ code: "RESOURCE_EXHAUSTED" });
    expect(asked()).toEqual([]);
    await open("bob");
    expect(asked()).toEqual(["spent", "kept"]);
    await open("local");
    expect(asked()).toEqual([]);
  });

  it("allow a build its longest time and not a millisecond more, to everybody", async () => {
    const { quotas } = opened({ maxBuildTimeoutMs: 600_000 });
    for (const name of ["ada", "local"]) {
      await quotas.checkSession(name, { buildTimeoutMs: 600_000 });
      await expect(quotas.checkSession(name, { buildTimeoutMs: 600_001 })).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        message: "options.build_timeout is 600.001 s; allowed: at most 600 s, --quota build_timeout of this tracker",
      });
    }
  });
});
