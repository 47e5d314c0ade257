/**
 * Networks that fail between any two: connections cut, bytes swallowed, round trips of 50 and 300 ms; a laptop asleep, clocks that jump.
 * Afterwards each measurement has one result, its own, and nothing was executed again that the fault cannot have lost. What happens to a
 * client is repeated by many clients at once; what happens to a worker or to the store, one after the other in the middle of a run.
 */
import { fileURLToPath } from "node:url";
import { systemClock } from "@warpfarm/common";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { has, needs } from "../../../test-support/needs.ts";
import type { Link } from "./network.ts";
import { ScriptedFarm, type Seat, until } from "./scripted-farm.ts";

const isFull = process.env.WARPFARM_CAMPAIGN === "full";
const repeats = isFull ? 100 : 10;
const slow = { timeout: isFull ? 3_600_000 : 400_000 };
/** A peer that is silent counts as gone after two seconds here, after 15 as shipped. */
const keepalive = { timeMs: 1_000, timeoutMs: 1_000 };
const leaseSeconds = 3;
/** Longer than all of them. */
const holeMs = 4_000;
const queryMs = 1_500;
/** A tracker takes a client for gone that is silent for 15 s. */
const sleepMs = isFull ? 61_000 : 16_500;
const runners = 3;
const window = 8;
const jobMs = [5, 25] as const;
const clockJumps = ["--import", fileURLToPath(new URL("clock-jumps.mjs", import.meta.url))];
const plan = { keepalive, window };
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i);

describe("networks that fail", () => {
  let farm: ScriptedFarm;
  let builderLink: Link;
  let runnerLink: Link;
  beforeAll(async () => {
    if (!has("postgres")) return;
    farm = await ScriptedFarm.start({ trackers: 2, postgres: true, storeLink: { queryMs }, leaseSeconds });
    builderLink = await farm.link();
    runnerLink = await farm.link();
    const of = (level: string) => ({ runners, jobMs, keepalive, target: `cpu/x86-64-${level}` });
    const devices = [
      farm.devices("v1", { ...of("v1"), builders: 1, slots: 8 }),
      // Runs of @v2 are built behind one link, runs of @v3 executed behind another.
      farm.devices("v2", of("v2")),
      farm.devices("v2-behind", { ...of("v2"), builders: 1, runners: 0, addresses: [builderLink.address] }),
      farm.devices("v3", { ...of("v3"), builders: 1, runners: 0 }),
      farm.devices("v3-behind", { ...of("v3"), addresses: [runnerLink.address] }),
    ];
    await Promise.all(devices.map(({ party }) => party.ready));
  }, 120_000);
  afterAll(() => farm?.[Symbol.asyncDispose]());

  const done = async ({ party }: Seat): Promise<void> => {
    const { code } = await party.ended;
    if (code !== 0) throw new Error(`the client ended with ${code}: ${party.said}`);
  };
  const saying = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: Error) => {
      throw new Error(`${error.message}\n${farm.said()}`);
    });
  /** The books of these runs, which must be right. */
  const checked = (runs: readonly { readonly run: string; readonly count: number }[]) => {
    for (const { run, count } of runs) expect(farm.account(run, count)).toEqual({ run, count, lost: [], twice: [], wrong: [] });
    const work = farm.work(runs);
    const { executions, repeatedRuns, repeatedBuilds } = work;
    console.log(`${runs[0]?.run}: ${executions} executions, ${repeatedRuns} of them and ${repeatedBuilds} builds again`);
    expect(work.unexecuted).toEqual([]);
    return work;
  };

  /** A run with `repeats` faults in it, each followed by progress. */
  async function faults(run: string, fault: (n: number) => Promise<void>) {
    const each = 6;
    const count = (repeats + 1) * each;
    const client = farm.client({ run, count }, plan);
    const work = async () => {
      for (let n = 0; n < repeats; n++) {
        await until(`result ${n * each + 1} of ${run}`, () => farm.doneOf(run) > n * each, 120_000);
        await fault(n);
      }
      await done(client);
    };
    await saying(work());
    return checked([{ run, count }]);
  }
  const cut = (link: Link) => async (n: number) => link.cut(n % 2 === 0 ? "reset" : "end");
  const hole = (link: Link, ms: number) => async (n: number) => {
    link.blackHole();
    await systemClock.sleep(ms);
    link.heal(n % 2 === 0 ? "arrive" : "forget");
  };
  async function far(what: string, link: Link, level = "") {
    for (const roundTripMs of [50, 300]) {
      link.delayMs = roundTripMs / 2;
      const runs = [{ run: `${what} ${roundTripMs} ms away${level}`, count: 2 * repeats }];
      await saying(done(farm.client(runs, plan)));
      expect(checked(runs)).toMatchObject({ repeatedRuns: 0 });
    }
    link.delayMs = 0;
  }

  describe.concurrent("one of them", () => {
    /** Many clients in one process, each with a link of its own to which `fault` happens. */
    async function clients(name: string, fault: (link: Link, i: number, run: string) => Promise<void>, roundTripMs = 0) {
      const links = await Promise.all(upTo(repeats).map(() => farm.link(roundTripMs)));
      const runs = links.map(({ address }, i) => ({ run: `${name}-${i}`, count: 4, address }));
      const client = farm.client(runs, plan);
      await saying(Promise.all([done(client), ...links.map((link, i) => fault(link, i, `${name}-${i}`))]));
      const work = checked(runs);
      expect(work.repeatedRuns).toBe(0);
    }
    const begun = (run: string) => until(`the first result of ${run}`, () => farm.doneOf(run) > 0, 120_000);

    test(`client and tracker: cut, ${repeats} times`, slow, async (ctx) => {
      needs(ctx, "postgres");
      await clients("cut client", async (link, i, run) => {
        await begun(run);
        await cut(link)(i);
      });
    });
    test(`client and tracker: a black hole, ${repeats} times`, slow, async (ctx) => {
      needs(ctx, "postgres");
      await clients("holed client", async (link, i, run) => {
        await begun(run);
        await hole(link, holeMs)(i);
      });
    });
    test.for([50, 300])(`client and tracker: %i ms of round trip, ${repeats} times`, slow, async (roundTripMs, ctx) => {
      needs(ctx, "postgres");
      await clients(`client ${roundTripMs} ms away`, async () => {}, roundTripMs);
    });
    test(`a laptop with ${repeats} runs asleep for ${sleepMs / 1000} s`, slow, async (ctx) => {
      needs(ctx, "postgres");
      const runs = upTo(repeats).map((i) => ({ run: `asleep-${i}`, count: 4 }));
      const client = farm.client(runs, plan);
      await saying(Promise.all(runs.map(({ run }) => begun(run))));
      client.party.kill("SIGSTOP");
      await systemClock.sleep(sleepMs);
      client.party.kill("SIGCONT");
      await saying(done(client));
      expect(checked(runs)).toMatchObject({ repeatedRuns: 0 });
    });
    test("clocks of client, tracker and workers jump by hours all the time", slow, async (ctx) => {
      needs(ctx, "postgres");
      const { address } = await farm.tracker(clockJumps);
      const jumping = {
        builders: 1,
        runners,
        jobMs: [100, 700],
        keepalive,
        target: "cpu/x86-64-v4",
        addresses: [address],
      } as const;
      await farm.devices("v4", jumping, clockJumps).party.ready;
      const runs = [{ run: "clocks@v4", count: 6 * repeats, address }];
      await saying(done(farm.client(runs, plan, clockJumps)));
      expect(checked(runs)).toMatchObject({ repeatedRuns: 0 });
    });
    test(`runner and tracker: cut and a black hole, ${repeats} times each; 50 and 300 ms of round trip`, slow, async (ctx) => {
      needs(ctx, "postgres");
      expect(await faults("cut runner@v3", cut(runnerLink))).toMatchObject({ repeatedRuns: 0 });
      const holed = await faults("holed runner@v3", hole(runnerLink, holeMs));
      // What each of them had under way, and what it had been given meanwhile.
      expect(holed.repeatedRuns).toBeLessThanOrEqual(2 * runners * repeats);
      await far("runner", runnerLink, "@v3");
    });
    test(`builder and tracker: cut and a black hole, ${repeats} times each; 50 and 300 ms of round trip`, slow, async (ctx) => {
      needs(ctx, "postgres");
      expect(await faults("cut builder@v2", cut(builderLink))).toMatchObject({ repeatedRuns: 0, repeatedBuilds: 0 });
      const holed = await faults("holed builder@v2", hole(builderLink, holeMs));
      expect(holed.repeatedRuns).toBe(0);
      expect(holed.repeatedBuilds).toBeLessThanOrEqual(4 * repeats);
      await far("builder", builderLink, "@v2");
    });
  });

  test(`tracker and PostgreSQL: cut and a black hole, ${repeats} times each; 50 and 300 ms of round trip`, slow, async (ctx) => {
    needs(ctx, "postgres");
    const link = farm.storeLink;
    if (!link) throw new Error("there is no link to the store");
    const cuts = await faults("cut store", cut(link));
    const holes = await faults("holed store", hole(link, queryMs + 1_000));
    for (const work of [cuts, holes]) expect(work.repeatedRuns).toBeLessThanOrEqual(2 * runners * repeats);
    await far("store", link);
  });
});
