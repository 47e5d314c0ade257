/**
 * The attack, as one campaign: a hostile principal and hostile workers against one farm, with an honest user beside them. After
 * each row of the table the honest user's next program is measured and timed, its best is still its own, and everything that it
 * reads of others is true (its claim replays to its program, no time is forged, nothing is there that no replay proves). `npm
 * test` runs the rows that are marked short, `npm run campaign` all, in an order that WARPFARM_SEED gives. One attack alone, and
 * how each is prevented, is tested where the prevention is (docs/testing.md).
 */
import { Random } from "@warpfarm/common";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { has, needs } from "../../../test-support/needs.ts";
import { type Attack, attacksOfClients } from "./attacks.ts";
import { attacksOfRunners, withHostileBuilder } from "./attacks-of-workers.ts";
import { allIsWell, type Seen, Stage } from "./stage.ts";

const seed = Number(process.env.WARPFARM_SEED ?? 1);
const chosen = (attacks: readonly Attack[]): readonly Attack[] =>
  isFull ? new Random(seed).shuffle([...attacks]) : attacks.filter(({ short }) => short);
const told: { readonly attack: Attack; readonly words: string; readonly seen: Seen }[] = [];

let stage: Stage;
beforeAll(async () => {
  if (has("cc")) stage = await Stage.open();
}, 600_000);
afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  const rows = told.map(
    ({ attack: { by, name }, words, seen }) =>
      `${by.padEnd(8)}${name.padEnd(78)}${words.slice(0, 60).padEnd(62)}${JSON.stringify(seen)}`,
  );
  console.log([`the attack, seed ${seed}: ${rows.length} attempts`, ...rows].join("\n"));
});

beforeEach((ctx) => needs(ctx, "cc"));

async function tried(attack: Attack): Promise<void> {
  const words = await attack.attempt(stage);
  const seen = await stage.sees();
  told.push({ attack, words, seen });
  expect(seen).toEqual(allIsWell);
  expect(words).toMatch(attack.told);
}

test.each(chosen([...attacksOfClients, ...attacksOfRunners]))("$by: $name", async (attack) => tried(attack), 600_000);

test.each(chosen(withHostileBuilder))("$by: $name", async (attack) => {
  await stage.onlyHostileBuilder();
  await tried(attack);
}, 600_000);

test("nobody ended, no node is in doubt, and what was forged is nobody's in the end", async () => {
  await stage.onlyHonestBuilder();
  await stage.settled();
  expect(await stage.sees()).toEqual(allIsWell);
  expect(stage.parts.map(({ pid }) => isThere(pid))).toEqual([true, true]);
  const { nodes } = await stage.client("boss").tracker.farm.listNodes();
  expect(
    nodes
      .filter(({ node }) => node.startsWith("honest"))
      .map(({ node, state }) => [node, state])
      .sort(),
  ).toEqual([
    ["honest", "ACTIVE"],
    ["honest-builder", "ACTIVE"],
  ]);
  expect(await stage.store.query("select 1 from unrecorded where set_aside is not null")).toEqual([]);
}, 600_000);

const isThere = (pid: number): boolean => process.kill(pid, 0);
