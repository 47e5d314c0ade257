/**
 * Faults of the connection between each of two trackers and PostgreSQL: cut, black hole, long delay. No result is lost, arrives
 * twice or belongs to another program. The trackers are faulted alternately, and the next fault begins while the last one lasts,
 * so that one tracker or both are without their store.
 */
import { expect, test } from "vitest";
import { isFull, repeats } from "../../../test-support/campaign.ts";
import { needs } from "../../../test-support/needs.ts";
import { cut, FaultyRuns, hole, keepalive, roundTripsMs } from "./faulty-runs.ts";
import { ScriptedFarm } from "./scripted-farm.ts";

const runners = 6;
/** Silence after which a tracker counts the store as gone; 35 s as shipped. */
const queryMs = 1_200;

async function start(queryMs: number, leaseSeconds: number): Promise<ScriptedFarm> {
  const farm = await ScriptedFarm.start({ trackers: 2, postgres: true, storeLink: { queryMs }, leaseSeconds });
  await farm.devices("d", { builders: 1, slots: 8, runners, jobMs: [5, 25], keepalive }).party.ready;
  expect(farm.storeLinks).toHaveLength(2);
  return farm;
}

const name = `tracker and PostgreSQL: cut and a black hole, ${repeats} times each`;
test(name, { timeout: 3_600_000 }, async (ctx) => {
  needs(ctx, "postgres");
  if (!isFull) ctx.skip("part of the campaign: tracker/test/postgres-away.test.ts has a store that is away");
  await using farm = await start(queryMs, 3);
  const links = farm.storeLinks;
  const runs = new FaultyRuns(farm);
  const cuts = await runs.with("cut store", links, cut);
  const holes = await runs.with("holed store", links, (link) => hole(link, queryMs + 300));
  for (const work of [cuts, holes]) expect(work.repeatedRuns).toBeLessThanOrEqual(2 * runners * repeats);
});

test(`tracker and PostgreSQL: ${roundTripsMs.join(" and ")} ms of round trip`, async (ctx) => {
  needs(ctx, "postgres");
  if (!isFull) ctx.skip("part of the campaign: network.test.ts has the same delays before the tracker");
  // As shipped: on a busy machine a statement over a long way takes seconds, and that is no fault.
  await using farm = await start(35_000, 30);
  await new FaultyRuns(farm).far("store", farm.storeLinks);
});
