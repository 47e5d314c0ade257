/**
 * The way between each of two trackers and PostgreSQL: cut, swallowed, far. Nothing is lost, comes twice or is another program's. They take
 * turns, and the next has its fault while that of the one before lasts: now one tracker is without its store, now both.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { has, needs } from "../../../test-support/needs.ts";
import { cut, FaultyRuns, hole, isFull, keepalive, repeats } from "./faulty-runs.ts";
import { ScriptedFarm } from "./scripted-farm.ts";

const runners = 6;
/** A tracker takes a store that is silent for so long for gone; 35 s as shipped. */
const queryMs = 1_200;
let farm: ScriptedFarm;
beforeAll(async () => {
  if (!has("postgres")) return;
  farm = await ScriptedFarm.start({ trackers: 2, postgres: true, storeLink: { queryMs }, leaseSeconds: 3 });
  await farm.devices("d", { builders: 1, slots: 8, runners, jobMs: [5, 25], keepalive }).party.ready;
}, 300_000);
afterAll(() => farm?.[Symbol.asyncDispose]());

const name = `tracker and PostgreSQL: cut and a black hole, ${repeats} times each; 50 and 300 ms of round trip`;
test(name, { timeout: isFull ? 3_600_000 : 900_000 }, async (ctx) => {
  needs(ctx, "postgres");
  const links = farm.storeLinks;
  expect(links).toHaveLength(2);
  const runs = new FaultyRuns(farm);
  const cuts = await runs.with("cut store", links, cut);
  const holes = await runs.with("holed store", links, (link) => hole(link, queryMs + 300));
  for (const work of [cuts, holes]) expect(work.repeatedRuns).toBeLessThanOrEqual(2 * runners * repeats);
  await runs.far("store", links);
});
