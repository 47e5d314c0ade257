/**
 * Faults of the network between trackers and their workers and clients: connections cut, bytes swallowed, round trips of 50 and
 * 300 ms, a suspended laptop, clocks that jump. Afterwards each measurement has one result of its own, and nothing was executed
 * again that the fault cannot have lost. Faults of a client are repeated with many clients at once, faults of a worker with ten
 * workers of a run, one soon after the other.
 */
import { fileURLToPath } from "node:url";
import { systemClock } from "@warpfarm/common";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isFull, repeats } from "../../../test-support/campaign.ts";
import type { Link } from "../../../test-support/link.ts";
import { has, needs } from "../../../test-support/needs.ts";
import { clientPlan, cut, FaultyRuns, hole, keepalive, roundTripsMs } from "./faulty-runs.ts";
import { ScriptedFarm } from "./scripted-farm.ts";

const slow = { timeout: isFull ? 3_600_000 : 900_000 };
/** Longer than a process of a busy machine stands still: a cut costs nothing as long as the worker is back within it. */
const leaseSeconds = 5;
/** Longer than a lease, and than a silent peer counts as there. */
const holeMs = 6_000;
/** Longer than a tracker waits for a silent client, which is 15 s. */
const sleepMs = 61_000;
const roundTrips = `${roundTripsMs.join(" and ")} ms`;
const runners = 3;
const jobMs = [5, 25] as const;
/** So long that whoever is struck has work in hand. */
const longJobMs = [60, 200] as const;
const clockJumps = ["--import", fileURLToPath(new URL("clock-jumps.mjs", import.meta.url))];
const upTo = (n: number) => Array.from({ length: n }, (_, i) => i);

describe("networks that fail", () => {
  let farm: ScriptedFarm;
  /** Of ten runners, each its own. */
  let runnerLinks: readonly Link[];
  let faulty: FaultyRuns;
  beforeAll(async () => {
    if (!has("postgres")) return;
    farm = await ScriptedFarm.start({ trackers: 2, postgres: true, leaseSeconds });
    faulty = new FaultyRuns(farm);
    runnerLinks = await Promise.all(upTo(10).map(() => farm.link()));
    const addresses = runnerLinks.map(({ address }) => address);
    const of = (level: string) => ({ runners, jobMs, keepalive, target: `cpu/x86-64-${level}` });
    const devices = [
      farm.devices("v1", { ...of("v1"), builders: 1, slots: 8 }),
      // Runs of @v3 are executed behind links of their own.
      farm.devices("v3", { ...of("v3"), builders: 1, slots: 8, runners: 0 }),
      farm.devices("v3-behind", { ...of("v3"), runners: 10, jobMs: longJobMs, addresses }),
    ];
    await Promise.all(devices.map(({ party }) => party.ready));
  }, 300_000);
  afterAll(() => farm?.[Symbol.asyncDispose]());

  describe.concurrent("one of them", () => {
    /** Many clients in one process, each with a link of its own to which `fault` happens. */
    async function clients(name: string, fault: (link: Link, i: number, run: string) => Promise<void>) {
      const links = await Promise.all(upTo(repeats).map(() => farm.link()));
      const runs = links.map(({ address }, i) => ({ run: `${name}-${i}`, count: 4, address }));
      const client = farm.client(runs, clientPlan);
      await faulty.told(Promise.all([faulty.done(client), ...links.map((link, i) => fault(link, i, `${name}-${i}`))]));
      const work = faulty.checked(runs);
      expect(work.repeatedRuns).toBe(0);
    }

    test(`client and tracker: cut, ${repeats} times`, slow, async (ctx) => {
      needs(ctx, "postgres");
      await clients("cut client", async (link, i, run) => {
        await faulty.begun(run);
        await cut(link)(i);
      });
    });
    test(`client and tracker: a black hole, ${repeats} times`, slow, async (ctx) => {
      needs(ctx, "postgres");
      await clients("holed client", async (link, i, run) => {
        await faulty.begun(run);
        await hole(link, holeMs)(i);
      });
    });
    test(`a laptop with ${repeats} runs asleep for ${sleepMs / 1000} s`, slow, async (ctx) => {
      needs(ctx, "postgres");
      if (!isFull) ctx.skip("part of the campaign: a client that is silent for a while has a black hole above");
      const runs = upTo(repeats).map((i) => ({ run: `asleep-${i}`, count: 4 }));
      const client = farm.client(runs, clientPlan);
      await faulty.told(Promise.all(runs.map(({ run }) => faulty.begun(run))));
      client.party.kill("SIGSTOP");
      await systemClock.sleep(sleepMs);
      client.party.kill("SIGCONT");
      await faulty.told(faulty.done(client));
      expect(faulty.checked(runs)).toMatchObject({ repeatedRuns: 0 });
    });
    test("clocks of client, tracker and workers jump by hours all the time", slow, async (ctx) => {
      needs(ctx, "postgres");
      if (!isFull) ctx.skip("part of the campaign: it takes processes of its own");
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
      await faulty.told(faulty.done(farm.client(runs, clientPlan, clockJumps)));
      expect(faulty.checked(runs)).toMatchObject({ repeatedRuns: 0 });
    });
    test(`runner and tracker: cut and a black hole, ${repeats} times each; ${roundTrips} of round trip`, slow, async (ctx) => {
      needs(ctx, "postgres");
      expect(await faulty.with("cut runner@v3", runnerLinks, cut)).toMatchObject({ repeatedRuns: 0 });
      const holed = await faulty.with("holed runner@v3", runnerLinks, (link) => hole(link, holeMs));
      // What the runner was running, and what it had been given meanwhile.
      expect(holed.repeatedRuns).toBeLessThanOrEqual(2 * repeats);
      await faulty.far("runner", runnerLinks, "@v3");
    });
  });
});
