/**
 * Whatever dies, the run ends with every sequence once, nothing that was acknowledged is lost or executed again. A short seeded version of
 * `npm run campaign`: one run in which each part is killed once.
 */
import { Random } from "@warpfarm/common";
import { expect, test } from "vitest";
import { Place } from "../warpfarm-process.ts";
import { campaign, victims } from "./campaign.ts";

test("builder, builder's child, runner, runner's child, tracker and client killed at random times", {
  timeout: 180_000,
}, async () => {
  using place = new Place();
  const seed = 20;
  const report = await campaign(place, {
    trials: 40,
    victims: new Random(seed).shuffle(victims),
    seed,
    deadlineMs: 170_000,
  });
  console.log(
    `seed ${seed}: killed ${report.kills.map((kill) => `${kill.victim} at ${kill.done}`).join(", ")}; ${report.executions} executions`,
  );
  expect(report.last.code, report.last.stderr).toBe(0);
  expect(report.sequences).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  expect(report.lostLines).toEqual([]);
  expect(report.repeated).toEqual([]);
  expect(report.executions).toBeGreaterThanOrEqual(40);
  expect(report.kills.length).toBeGreaterThanOrEqual(4);
});
