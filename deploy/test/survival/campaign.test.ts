/**
 * `npm run campaign`: 2,000 measurements with one fault per second, or one after every four results when these take longer. Every
 * measurement has one result, which belongs to its own program; none is lost and none arrives twice. WARPFARM_SEED sets another
 * seed.
 */
import { expect, test } from "vitest";
import { isFull } from "../../../test-support/campaign.ts";
import { has } from "../../../test-support/needs.ts";
import { type CampaignPlan, campaign } from "./campaign.ts";

const seed = Number(process.env.WARPFARM_SEED ?? 1);
const parts = { clients: 2, runnerProcesses: 3, runnersEach: 2, builderProcesses: 2, postgres: has("postgres"), seed } as const;
const pace = { everyMs: 1_000, resultsBetween: 4, stuckMs: 600_000 } as const;
const plan: CampaignPlan = { ...parts, ...pace, measurements: 2_000, jobMs: [60, 500], longestMs: 6_000, maxFaults: 10_000 };
/** The limit on a machine that is busy with other work; a farm without any progress ends by `stuckMs`. */
const timeout = 4 * 3_600_000;

test(`${plan.measurements} measurements with a fault every second`, { timeout }, async (ctx) => {
  if (!isFull) ctx.skip("part of the campaign: kills.test.ts and network.test.ts have the same faults, one at a time");
  const report = await campaign(plan);
  const { accounts, work, faults, faultCount, seconds } = report;
  const results = accounts.reduce((n, a) => n + a.count - a.lost.length, 0);
  console.log(
    `seed ${seed}${plan.postgres ? "" : " (no PostgreSQL here: one tracker on PGlite)"}: ${results} results in ${seconds.toFixed(0)} s through ${faultCount} faults; ` +
      `${work.repeatedRuns} executions and ${work.repeatedBuilds} builds again, ${work.mostOfOne} executions of one program at most; ` +
      `${JSON.stringify(faults)}`,
  );
  for (const { run, count, ...books } of accounts)
    expect([run, count, books], report.said).toEqual([run, count, { lost: [], twice: [], wrong: [] }]);
  expect(report.astonishing).toEqual([]);
  expect(work.unexecuted).toEqual([]);
  // A fault can lose what the devices of one process were running and sending; if the store forgets leases, of all processes.
  expect(work.repeatedRuns).toBeLessThanOrEqual(2 * plan.runnerProcesses * plan.runnersEach * faultCount);
});
